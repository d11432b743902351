"""The experiments on dynamic oracles: what is compared, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from carried_out import asked, planned, study_of

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan, TreebankFacts
from learnability.errors import InputError
from learnability.papers.oracles import DECLARATION, OracleOptions
from learnability.papers.oracles.trainings import (
    GRID_K,
    GRID_P,
    Regime,
    notes,
    oracle_cell,
    regimes_of,
)
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import system_named
from learnability.studies.runner import check_options
from learnability.treebanks.locate import TreebankFiles, locate_treebank

OPTIONS = ExperimentOptions((), seeds=2, iterations=2)


@pytest.fixture(scope="module")
def demo() -> TreebankFiles:
    return locate_treebank("demo")


def test_by_default_every_system_meets_every_oracle_it_has() -> None:
    assert [(s.system, s.oracle) for s in regimes_of(OracleOptions())] == [
        *(("arc-eager", o) for o in ("static", "ambiguity", "explore")),
        *(("arc-hybrid", o) for o in ("static", "ambiguity", "explore")),
        ("arc-standard", "static"),
        *(("easy-first", o) for o in ("static", "explore")),
        *(("covington", o) for o in ("static", "ambiguity", "explore")),
    ]
    assert {(s.k, s.p) for s in regimes_of(OracleOptions()) if s.oracle == "explore"} == {(1, 0.9)}
    assert {(s.k, s.p) for s in regimes_of(OracleOptions()) if s.oracle != "explore"} == {(None, None)}


def test_oracles_of_each_system() -> None:
    assert system_named("arc-eager").regimes == ("static", "ambiguity", "dynamic", "explore")
    assert system_named("arc-standard").regimes == ("static",)
    assert system_named("easy-first").regimes == ("static", "explore")


def test_what_a_system_lacks_is_said() -> None:
    plan = RunPlan((), (), OPTIONS)
    lacking = notes(plan, OracleOptions())
    assert [line.split(":")[0] for line in lacking] == ["arc-standard", "easy-first"]
    assert "no ambiguity, explore" in lacking[0]
    eager = OracleOptions(systems=("arc-eager",))
    assert notes(plan, eager) == []
    treebanks = TreebankFiles("UD_A", "1.3", None), TreebankFiles("UD_B", "", None)
    facts = TreebankFacts(1, (9,), "dev is made up", {}), TreebankFacts(1, (9,), "", {}, ("no forms",))
    assert notes(RunPlan(treebanks, facts, OPTIONS), eager) == ["UD_A@1.3: dev is made up", "no forms"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": ("arc-standard",), "oracles": ("explore",)}, "not arc-decomposable"),
        ({"systems": ("easy-first",), "oracles": ("ambiguity",)}, "same training"),
        ({"systems": ("arc-lazy",)}, "unknown transition system"),
        ({"oracles": ("psychic",)}, "unknown oracle"),
        ({"features": "poor"}, "unknown features"),
        ({"p": 1.5}, "--p 1.5: give a number from 0 to 1"),
        ({"k": -1}, "--k -1: give at least 0"),
    ],
)
def test_wrong_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        regimes_of(OracleOptions(**changes))
    with pytest.raises(InputError, match=message):
        check_options(OPTIONS, [asked("oracles", **changes)])


def test_a_treebank_given_twice_is_refused(demo: TreebankFiles) -> None:
    with pytest.raises(InputError, match="UD_Demo: given twice"):
        planned([demo, demo], OPTIONS, asked("oracles", systems=("arc-eager",)))


def test_usually_there_are_five_seeds() -> None:
    assert DECLARATION.defaults == {"seeds": 5}


def test_the_grid_trains_once_where_nothing_is_explored(demo: TreebankFiles) -> None:
    grid = OracleOptions(systems=("arc-eager",), grid=True)
    assert [(regime.k, regime.p) for regime in regimes_of(grid)] == list(itertools.product(GRID_K, GRID_P))
    study = asked("oracles", systems=("arc-eager",), grid=True)
    plan = planned(demo, ExperimentOptions((), seeds=3), study)
    keys = [cell.key for cell in study_of(plan, study).foreseen()]
    assert len(keys) == len(set(keys)) == 3 * (1 + 6 * 3)


def test_k_and_p_restrict_the_grid() -> None:
    of_k = regimes_of(OracleOptions(systems=("arc-eager",), grid=True, k=2))
    assert [(regime.k, regime.p) for regime in of_k] == [(2, p) for p in GRID_P]
    of_p = regimes_of(OracleOptions(systems=("arc-eager",), grid=True, p=0.5))
    assert [(regime.k, regime.p) for regime in of_p] == [(k, 0.5) for k in GRID_K]


def parser_of(regime: Regime, labelled: bool = True, **options: Any) -> ParserOptions:
    plan = RunPlan((), (), ExperimentOptions((), **options))
    return oracle_cell(plan, OracleOptions(labelled=labelled), regime, "UD_X").parser


def test_options_of_the_trainings() -> None:
    explore = Regime("arc-eager", "explore", 2, 0.3)
    assert parser_of(explore) == ParserOptions(
        "arc-eager", "explore", 15, labelled=True, features="zn11", k=2, p=0.3
    )
    easy = parser_of(Regime("easy-first", "static"), labelled=False)
    assert (easy.iterations, easy.labelled) == (20, False)
    assert parser_of(Regime("easy-first", "static"), iterations=3).iterations == 3
