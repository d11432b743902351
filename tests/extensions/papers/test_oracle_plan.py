"""The experiments on dynamic oracles: what is compared, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from carried_out import asked, planned

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan, TreebankFacts
from learnability.errors import InputError
from learnability.extensions.papers.oracles.declaration import OracleOptions
from learnability.extensions.papers.oracles.trainings import (
    GRID_K,
    GRID_P,
    Regime,
    notes,
    oracle_cell,
    oracle_cells,
    regimes_of,
)
from learnability.parsing.parser import ParserOptions
from learnability.parsing.systems import system_named
from learnability.studies.run import Run
from learnability.treebanks.locate import TreebankFiles, locate_treebank


@pytest.fixture(scope="module")
def demo() -> TreebankFiles:
    return locate_treebank("demo")


def plan(*treebanks: tuple[TreebankFiles, TreebankFacts], **options: Any) -> RunPlan:
    """A plan over treebanks that are nowhere."""
    files, facts = zip(*treebanks, strict=True) if treebanks else ((), ())
    return RunPlan(files, facts, ExperimentOptions((), **options))


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
    lines = notes(plan(), OracleOptions())
    assert [line.split(" has no ")[0] for line in lines] == ["arc-standard", "easy-first"]
    assert "no ambiguity or explore training" in lines[0]
    eager = OracleOptions(systems=("arc-eager",))
    assert notes(plan(), eager) == []
    made_up = (
        TreebankFiles("UD_A", "1.3", None),
        TreebankFacts("UD_A@1.3", "UD_A", split_policy="dev is made up"),
    )
    bare = TreebankFiles("UD_B", "", None), TreebankFacts("UD_B", "UD_B", left_out=("no forms",))
    assert notes(plan(made_up, bare), eager) == ["UD_A@1.3: dev is made up", "no forms"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": ("arc-standard",), "oracles": ("explore",)}, "not arc-decomposable"),
        ({"systems": ("easy-first",), "oracles": ("ambiguity",)}, "same training"),
        ({"systems": ("arc-lazy",)}, "the transition system 'arc-lazy' is unknown"),
        ({"oracles": ("psychic",)}, "`oracle='psychic'` is not accepted"),
        ({"features": "poor"}, "`features='poor'` is not accepted"),
        ({"p": 1.5}, "`p=1.5` is not accepted; use a number from 0 to 1"),
        ({"k": -1}, "`k=-1` is not accepted; use a number from 0 to 1,000"),
        ({"grid": True, "oracles": ("static", "explore")}, "`grid` compares K and P of the oracle explore"),
        ({"oracles": ("static",), "k": 2}, "`k` applies to the oracle explore"),
    ],
)
def test_wrong_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Run(treebanks=[], options=ExperimentOptions(()), studies=[asked("oracles", **changes)])


def test_no_seeds_are_refused() -> None:
    with pytest.raises(InputError, match="`seeds=0` is not accepted; use a number from 1 to 1,000"):
        Run(treebanks=[], options=ExperimentOptions((), seeds=0), studies=[asked("oracles")])


def test_a_treebank_given_twice_is_refused(demo: TreebankFiles) -> None:
    with pytest.raises(InputError, match="UD_Demo occurs twice"):
        planned([demo, demo], ExperimentOptions(()), asked("oracles"))


def test_the_grid_trains_once_where_nothing_is_explored(demo: TreebankFiles) -> None:
    grid = asked("oracles", systems=("arc-eager",), grid=True)
    assert [(s.k, s.p) for s in regimes_of(grid.options)] == list(itertools.product(GRID_K, GRID_P))
    cells = oracle_cells(planned(demo, ExperimentOptions((), seeds=3), grid), grid.options)
    keys = [cell.key for cell in cells]
    assert len(keys) == len(set(keys)) == 3 * (1 + 6 * 3)


def test_k_and_p_restrict_the_grid() -> None:
    assert [(s.k, s.p) for s in regimes_of(OracleOptions(grid=True, k=2))] == [(2, p) for p in GRID_P]
    assert [(s.k, s.p) for s in regimes_of(OracleOptions(grid=True, p=0.9))] == [(k, 0.9) for k in GRID_K]


def test_options_of_the_trainings() -> None:
    def parser(regime: Regime, labelled: bool = True, **options: Any) -> ParserOptions:
        return oracle_cell(plan(**options), OracleOptions(labelled=labelled), regime, "UD_X").options

    assert parser(Regime("arc-eager", "explore", 2, 0.3)) == ParserOptions(
        "arc-eager", "explore", 15, labelled=True, features="zn11", k=2, p=0.3
    )
    easy = parser(Regime("easy-first", "static"), labelled=False)
    assert (easy.iterations, easy.labelled) == (20, False)
    assert parser(Regime("easy-first", "static"), iterations=3).iterations == 3
