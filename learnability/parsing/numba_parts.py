"""Collect the undocumented parts of numba that kernels need in one module.

A new version of numba may rename any of them or change their meaning, so `pyproject.toml` bounds the versions
from above. `tests/parsing/test_numba_parts.py` reports what behaves differently in the installed numba: run
it before you raise the bound.

- Options of `njit` that the manual does not list (:data:`OPTIONS`).
- :class:`InlinedCompiler`: functions that are inlined into their callers and get no machine code. For every
  function that it compiles, numba makes machine code and a wrapper for calls from Python, even where the
  function is inlined everywhere. That takes half of the compilation time, for code that is never called. This
  class stops after numba's simplification of the function; the caller includes it and is optimized as a
  whole. Python cannot call such a function.
- :func:`compile_kernel`: a cache on disk that one process at a time writes, that copies of the package share,
  and that keeps a kernel until something changes that it is made from.
- `event`: numba's notification of every compilation (:func:`~learnability.parsing.jit.noticed_compilation`).
- `cgutils`: loops and arrays in terms of instructions (:mod:`~learnability.parsing.vectors`).
- `AttributeTemplate`: the types of the fields of named tuples (:mod:`~learnability.parsing.bundles`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import llvmlite
import numba
import numba.core.caching
import numba.core.cgutils
import numba.core.typing.templates
import numba.extending
from filelock import FileLock
from numba.core import event as event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import Signature

VERSIONS = (numba.__version__, llvmlite.__version__)
"""Each compiles differently."""

Digest: TypeAlias = Callable[[Callable[..., Any], Iterable[Any]], str]

config: Any = numba.config

cgutils: Any = numba.core.cgutils

AttributeTemplate: Any = numba.core.typing.templates.AttributeTemplate

OPTIONS: Any = {"nogil": True, "forceinline": True, "_nrt": False, "no_cfunc_wrapper": True}
"""How every kernel is compiled. Kernels never allocate, so they need no reference counts: counting every
array of a configuration at every call made training seven times slower (`_nrt`). No caller is in C, and the
wrapper for C takes a tenth of the compilation time (`no_cfunc_wrapper`)."""


LEVEL = 1
"""The level of optimization of a part before its caller is optimized (research/first_use)."""


class _Unfinished(JITCodeLibrary):
    """Instructions to be linked into callers, not optimized or finished alone."""

    def _optimize_functions(self, ll_module: Any) -> None:
        usual, config.OPT = config.OPT, LEVEL
        try:
            super()._optimize_functions(ll_module)
        finally:
            config.OPT = usual

    def _optimize_final_module(self) -> None:
        """Do nothing: the caller of the function is optimized."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerUnfinished(NativeLowering):
    _name = "lower_unfinished"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        state.library = _Unfinished(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        # numba identifies a compiled function by its Python entry point, which has to be a function of C
        entry = object().__reduce__
        state["cr"] = state["cr"]._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, [state.library])
        return True


class InlinedCompiler(CompilerBase):
    """Numba's usual steps, except that the machine code is not finished."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the compilation steps (numba's manual, Customizing the Compiler)."""
        manager = PassManager("inlined")
        for step, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            manager.add_pass(_LowerUnfinished if step is NativeLowering else step, why)
        manager.finalize()
        return [manager]


INLINED: Any = OPTIONS | {"pipeline_class": InlinedCompiler}
"""How a function is compiled that is inlined into its callers."""


PACKAGE = Path(__file__).parent.parent


_BY_VERSION = vars(numba.core.caching)
_UserLocator: Any = _BY_VERSION.get("UserProvidedCacheLocator") or _BY_VERSION["_UserProvidedCacheLocator"]
"""Numba 0.61 has an underscore before the name."""


class _Locator(_UserLocator):
    """Where a kernel is kept in the cache: by its path in the package.

    By numba's rule, each copy of the package would compile for itself: each clone and each environment. And a
    kernel would be compiled again when a line is added anywhere in its file.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        path = Path(py_file)
        if path.is_relative_to(PACKAGE):
            return str(path.parent.relative_to(PACKAGE))
        return str(super().get_suitable_cache_subpath(py_file))

    def get_disambiguator(self) -> str:
        return "kernel"

    def get_source_stamp(self) -> str:
        return ""


class _Kept(CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Locator]  # noqa: RUF012 (numba declares no ClassVar)


class _Cache(FunctionCache):
    """A cache that finds a kernel by what it is made from.

    One process at a time compiles a kernel; others wait and take it from the cache. And one at a time writes:
    the index of one process with the machine code of another would give a wrong kernel.
    """

    _impl_class = _Kept

    compiling: ClassVar[FileLock | None] = None
    """Held while this process compiles: one kernel at a time, so a new one means that the last has failed."""

    def __init__(self, function: Callable[..., Any], digest: Digest) -> None:
        super().__init__(function)
        self._digest = digest

    def _index_key(self, sig: Any, codegen: Any) -> str:
        kinds = sig.args if isinstance(sig, Signature) else sig
        made_from = self._digest(self._py_func, kinds)
        return hashlib.sha256(repr((kinds, codegen.magic_tuple(), made_from)).encode()).hexdigest()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            self._end_compiling()
            key = self._index_key(sig, target_context.codegen())
            place = Path(config.CACHE_DIR) / f"compiling-{key[:2]}"
            _Cache.compiling = FileLock(place, thread_local=False)  # another thread may compile next
            _Cache.compiling.acquire()
            found = super().load_overload(sig, target_context)
            if found is not None:
                self._end_compiling()
        return found

    def save_overload(self, sig: Any, compiled: Any) -> None:
        with FileLock(Path(config.CACHE_DIR) / "lock"):
            super().save_overload(sig, compiled)
        self._end_compiling()

    def _end_compiling(self) -> None:
        if _Cache.compiling:
            _Cache.compiling.release()
        _Cache.compiling = None


def compile_kernel(function: Callable[..., Any], digest: Digest) -> Any:
    """Return the function as machine code that Python calls, kept in the cache on disk.

    Args:
        function: the kernel in Python.
        digest: tells from it and the types of its arguments what the kernel is made from.
    """
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher._cache = _Cache(function, digest)
    return dispatcher


def compile_inlined(function: Callable[..., Any]) -> Any:
    """Return the function as a part of the kernels that call it."""
    return numba.njit(**INLINED)(function)
