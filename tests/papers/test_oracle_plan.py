"""The experiments on dynamic oracles: what is compared, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from learnability.papers.oracle_trainings import (
    GRID_K,
    GRID_P,
    OraclePlan,
    Regime,
    make_oracle_plan,
    parser_options,
    regimes_of,
)
from learnability.running.plan import TreebankFacts

from learnability.comparing.options import OracleOptions
from learnability.errors import InputError
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import system_named
from learnability.treebanks.locate import TreebankFiles, locate_treebank

QUICK = OracleOptions(systems=("arc-eager",), labelled=False, iterations=2, seeds=2)


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
    plan = OraclePlan((), (), OracleOptions(), regimes_of(OracleOptions()))
    assert [line.split(":")[0] for line in plan.notes()] == ["arc-standard", "easy-first"]
    assert "no ambiguity, explore" in plan.notes()[0]
    eager = OracleOptions(systems=("arc-eager",))
    assert OraclePlan((), (), eager, regimes_of(eager)).notes() == []
    treebanks = TreebankFiles("UD_A", "1.3", None), TreebankFiles("UD_B", "", None)
    facts = TreebankFacts(1, (9,), "dev is made up", {}), TreebankFacts(1, (9,), "", {}, ("no forms",))
    assert OraclePlan(treebanks, facts, eager, regimes_of(eager)).notes() == [
        "UD_A@1.3: dev is made up",
        "no forms",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": ("arc-standard",), "oracles": ("explore",)}, "not arc-decomposable"),
        ({"systems": ("easy-first",), "oracles": ("ambiguity",)}, "same training"),
        ({"systems": ("arc-lazy",)}, "unknown transition system"),
        ({"oracles": ("psychic",)}, "unknown oracle"),
        ({"features": "poor"}, "unknown features"),
        ({"seeds": 0}, "--seeds 0: give at least 1"),
        ({"p": 1.5}, "--p 1.5: give a number from 0 to 1"),
        ({"k": -1}, "--k -1: give at least 0"),
    ],
)
def test_wrong_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        regimes_of(OracleOptions(**changes))


def test_a_treebank_given_twice_is_refused(demo: TreebankFiles) -> None:
    with pytest.raises(InputError, match="UD_Demo: given twice"):
        make_oracle_plan([demo, demo], QUICK)
    with pytest.raises(InputError, match="no treebank"):
        make_oracle_plan([], QUICK)


def test_the_grid_trains_once_where_nothing_is_explored(demo: TreebankFiles) -> None:
    plan = make_oracle_plan([demo], OracleOptions(systems=("arc-eager",), grid=True, seeds=3))
    assert [(s.k, s.p) for s in plan.regimes] == list(itertools.product(GRID_K, GRID_P))
    keys = [cell.key for cell in plan.cells()]
    assert len(keys) == len(set(keys)) == 3 * (1 + 6 * 3)


def test_options_of_the_trainings() -> None:
    explore = Regime("arc-eager", "explore", 2, 0.3)
    assert parser_options(OracleOptions(), explore, 4) == ParserOptions(
        "arc-eager", "explore", 15, labelled=True, features="zn11", k=2, p=0.3, seed=4
    )
    easy = parser_options(OracleOptions(labelled=False), Regime("easy-first", "static"), 1)
    assert (easy.iterations, easy.labelled) == (20, False)
    assert parser_options(OracleOptions(iterations=3), Regime("easy-first", "static"), 1).iterations == 3
