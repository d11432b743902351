"""Choosing a kernel at compile time, by the type of its first argument.

A named tuple's kernels stand in the file that defines its class: `dispatched` makes a function that calls the
one of its own name there, or, where that file has none, its own body. A training so compiles what it uses and
nothing else, and a choice costs nothing where it runs. (Functions passed as arguments or closures would not
be cached on disk.)
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba.extending import overload

from learnability.parsing.jit import OPTIONS, njit

P = ParamSpec("P")
R = TypeVar("R")


def dispatched(default: Callable[P, R]) -> Callable[P, R]:
    """The function of this name in the file of the first argument's type; `default` where there is none."""
    compiled = njit(default)

    def kernel_of(kind: type) -> Any:
        kernel = getattr(sys.modules[kind.__module__], default.__name__, compiled)
        return compiled if kernel is call else kernel

    @functools.wraps(default)
    def call(chooser: Any, *arguments: Any) -> Any:
        return kernel_of(type(chooser))(chooser, *arguments)

    @overload(call, jit_options=OPTIONS, strict=False)
    def specialize(chooser: Any, *arguments: Any) -> Any:
        kernel = kernel_of(chooser.instance_class)
        return getattr(kernel, "py_func", kernel)

    return cast(Callable[P, R], call)
