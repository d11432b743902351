"""Compile, dispatch and cache kernels, and name the arrays they work on.

All kernels use the `njit` of this module. The module that defines the class of a named tuple also defines its
kernels. `dispatch_kernel` makes a function that calls the kernel of the same name in that module or, if the
module has none, its default body. So a training compiles only what it uses, and the dispatch costs nothing at
run time. (Numba cannot cache functions on disk that are passed as arguments or closures.)

Numba's disk cache stamps only the file of the compiled function. It misses a change in a kernel that the
function calls from another file. So ours asks :mod:`~learnability.parsing.kernel_sources` what each kernel is
made from. Copies of the package share the kernels that are the same in both.
`fastmath` stays off: weights and costs must be the same on every machine. Everything also runs without
compilation under `NUMBA_DISABLE_JIT=1`.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from learnability.parsing import numba_parts
from learnability.parsing.kernel_sources import digest_foundation, digest_kernel
from learnability.parsing.numba_parts import config, event
from learnability.support.cache import cache_folder

P = ParamSpec("P")
R = TypeVar("R")

Ints: TypeAlias = NDArray[np.int32]
"""int32: positions, heads, labels, costs, rows."""

Flags: TypeAlias = NDArray[np.uint8]
"""uint8: 1 for true, 0 for false."""

Keys: TypeAlias = NDArray[np.uint64]
"""uint64: attributes and features."""

Scores: TypeAlias = NDArray[np.float32]
"""float32: scores and weights."""

config.CACHE_DIR = str(
    cache_folder("kernels", digest_foundation(*numba_parts.VERSIONS), os.environ.get("NUMBA_CACHE_DIR"))
)

if config.DISABLE_JIT:
    np.seterr(over="ignore")  # keys are sums modulo 2^64, which numpy's scalars report as overflow


class _Kernel(Generic[P, R]):
    """A function compiled twice: as machine code for Python, and as a part of kernels that call it."""

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self._name = str(getattr(function, "__qualname__", ""))
        self._compiled = numba_parts.compile_kernel(function, digest_kernel)
        self._inlined = numba_parts.compile_inlined(function)  # its type refers to it weakly
        self._numba_type_ = self._inlined._numba_type_

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return cast(R, self._compiled(*args, **kwargs))

    def __reduce__(self) -> str:
        return self._name


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel; the result is cached on disk and releases the global interpreter lock.

    Called from Python, the kernel runs as machine code. Called from another kernel, it is inlined there and
    gets no machine code, because half of the compilation time went into machine code that was never called
    (:mod:`~learnability.parsing.numba_parts`).
    """
    return function if config.DISABLE_JIT else _Kernel(function)


def dispatch_kernel(default: Callable[P, R]) -> Callable[P, R]:
    """Return a function that calls the kernel of the same name in the module of its first argument's type.

    Where that module has no such kernel, the function calls `default`.
    """
    fallback = njit(default)

    def kernel_of(kind: type) -> Any:
        kernel = getattr(sys.modules[kind.__module__], default.__name__, call)
        return fallback if kernel is call else kernel

    @functools.wraps(default)
    def call(chooser: Any, *arguments: Any) -> Any:
        return kernel_of(type(chooser))(chooser, *arguments)

    @overload(call, jit_options=numba_parts.INLINED, strict=False)
    def _choose(chooser: Any, *_: Any) -> Any:
        return kernel_of(chooser.instance_class).__wrapped__

    vars(call)["kernel_of"] = kernel_of
    return cast(Callable[P, R], call)


def count_kernels() -> int:
    """Return the number of compiled kernels in the cache, each once for every kind of arguments."""
    return sum(1 for _ in Path(config.CACHE_DIR).rglob("*.nbc"))


@contextmanager
def noticed_compilation(notice: Callable[[], None]) -> Iterator[None]:
    """Call `notice` whenever a kernel is compiled within the block; not where it comes from the cache."""

    class Each(event.Listener):
        def on_start(self, _: Any) -> None:
            notice()

        def on_end(self, _: Any) -> None:
            """Do nothing: only the beginning of a compilation is reported."""

    with event.install_listener("numba:compile", Each()):
        yield
