"""Functions that numba puts into those that call them and does not finish for themselves.

numba makes machine code of every function that it compiles, and a wrapper by which Python calls it, also
where the function is inlined everywhere: half of the time of compilation, for code that nobody calls. A
function compiled by :class:`InlinedCompiler` stays as it is after its own simplification; what calls it takes
it in and is optimized as a whole. It cannot be called from Python.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


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
