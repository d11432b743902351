"""`warm` compiles every parser, so that nothing is left for the commands after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from invoking import Call

from learnability.comparing import warm_ups
from learnability.parsers.registry import PARSERS
from learnability.parsing.jit import njit
from learnability.parsing.systems import SYSTEMS
from learnability.running.cell import WarmUp


def first(values: Any) -> Any:
    return values[0]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_it_says_what_it_compiled(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    for module in ("workers", "workforce"):  # the first imports the function from the second
        monkeypatch.setattr(f"learnability.running.{module}.default_jobs", lambda: 1)

    def compile_twice() -> None:
        kernel = njit(first)
        kernel(np.zeros(1, np.int32))
        kernel(np.zeros(1, np.int64))

    monkeypatch.setattr(warm_ups, "all_warm_ups", lambda: [WarmUp("tests", compile_twice)])
    assert call("warm").text == "Compiled 2 kernels.\n"
    assert call("warm", "--quiet").text == "All kernels were compiled before.\n"


def test_it_compiles_each_kind_of_parser_and_of_training() -> None:
    calls = warm_ups.all_warm_ups()
    functions: dict[str, set[str]] = {}
    for warm_up in calls:
        functions.setdefault(warm_up.system, set()).add(warm_up.function.__name__)
    compiled = {kind.name for kind in PARSERS.values() if kind.compiled}
    assert compiled | {"graph:nonprojective", "tagger", "conversion"} == set(functions)
    with_references = {name for name, found in functions.items() if "warm_up_multiref" in found}
    assert with_references == {name for name, system in SYSTEMS.items() if not system.unknown_costs}
    assert len(set(calls)) == len(calls)
    for name in with_references:  # labelled parsers have kernels of their own
        references = [
            call for call in calls if (call.system, call.function.__name__) == (name, "warm_up_multiref")
        ]
        assert {call.arguments[1] for call in references} == {None, "external"}
    assert all({"warm_up_margins", "warm_up_parser"} <= functions[name] for name in compiled)
