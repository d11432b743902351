"""What kernels need of numba beyond its documented interface, all in one file.

A new numba may rename any of it or give it another meaning, so `pyproject.toml` bounds the versions from
above. `tests/parsing/test_numba_parts.py` names each part and says what is missing or behaves differently in
the numba that is installed: run it before the bound is raised.

- Options of `njit` that the manual does not list (:data:`OPTIONS`).
- :class:`InlinedCompiler`: functions that become part of those that call them and get no machine code of
  their own. numba makes machine code of every function that it compiles, and a wrapper by which Python calls
  it, also where the function is inlined everywhere: half of the time of compilation, for code that nobody
  calls. A function compiled by this class stays as it is after its own simplification; what calls it takes it
  in and is optimized as a whole. It cannot be called from Python.
- :func:`compiled`: a cache on disk that one process at a time writes.
- :func:`type_of`: what numba takes a Python object for that stands for a kernel.
- `event`: what numba tells of every function that it compiles
  (:func:`~learnability.parsing.jit.noticed_compilation`).
- `cgutils`: loops and arrays in terms of instructions (:mod:`~learnability.parsing.vectors`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numba.core.cgutils
from filelock import FileLock
from numba.core import event as event
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

config: Any = numba.config

cgutils: Any = numba.core.cgutils

OPTIONS: Any = {"nogil": True, "forceinline": True, "_nrt": False, "no_cfunc_wrapper": True}
"""How every kernel is compiled. Kernels never allocate, so they need no reference counts: counting every
array of a configuration at every call made training seven times slower (`_nrt`). Nobody calls one from C, and
the function for that takes a tenth of the time of compilation (`no_cfunc_wrapper`)."""


class _Unfinished(JITCodeLibrary):
    """Instructions that others are linked with."""

    def _optimize_final_module(self) -> None:
        """Nothing: what calls the function is optimized."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerUnfinished(NativeLowering):
    _name = "lower_unfinished"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        state.library = _Unfinished(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        # numba tells compiled functions apart by what Python calls, which has to be a function of C
        entry = object().__reduce__
        state["cr"] = state["cr"]._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, [state.library])
        return True


class InlinedCompiler(CompilerBase):
    """numba's own steps, but that nothing is finished."""

    def define_pipelines(self) -> list[PassManager]:
        """See numba's manual, Customizing the Compiler."""
        manager = PassManager("inlined")
        for step, why in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            manager.add_pass(_LowerUnfinished if step is NativeLowering else step, why)
        manager.finalize()
        return [manager]


INLINED: Any = OPTIONS | {"pipeline_class": InlinedCompiler}
"""How a function is compiled that becomes part of those that call it."""


class _Cache(FunctionCache):
    """Written by one process at a time: each writes an index and a file of machine code, and the index of one
    with the code of another would be a wrong kernel."""

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with FileLock(Path(config.CACHE_DIR) / "lock"):
            super().save_overload(signature, compiled)


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function as machine code that Python calls, kept in the cache on disk."""
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher._cache = _Cache(function)
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """Return the function as a part of the kernels that call it."""
    return numba.njit(**INLINED)(function)


def type_of(dispatcher: Any) -> Any:
    """Return the type by which numba knows a compiled function.

    In code that numba compiles, it takes an object for that function whose attribute `_numba_type_` this is.
    """
    return dispatcher._numba_type_
