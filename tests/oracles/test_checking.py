"""Oracles held against search over everything: correct ones pass, each fault is found."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import brute_force
import numpy as np
import pytest
from definition_costs import DefinitionCosts
from faulty_oracles import (
    arc_eager_costs,
    arc_standard_static,
    off_by_one,
    zero_cost,
    zero_cost_forgetting_the_stack,
)

from learnability import InputError, assert_oracle, check_oracle
from learnability.oracles.checking import CLAIMS, OracleFunction
from learnability.oracles.search import Search, count_wrong, find_best_tree, is_tree
from learnability.oracles.systems import DEFINITIONS, State
from learnability.parsing.systems import SYSTEMS

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]
NONPROJECTIVE = {"arc-hybrid-swap", "arc-standard-swap", "covington"}


@pytest.mark.parametrize("name", WITH_COSTS)
def test_the_oracles_of_the_package_are_correct(name: str) -> None:
    by_length = {n: DefinitionCosts(name, n) for n in (1, 2, 3)}
    found = check_oracle(lambda c, gold: by_length[len(gold)].costs(c, gold), name, words=3)
    assert found.is_correct, str(found)
    assert found.claim == "costs"
    assert found.cases > 100


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_definition_derives_exactly_the_trees_of_its_class(name: str) -> None:
    trees = brute_force.all_trees if name in NONPROJECTIVE else brute_force.projective_trees
    for n in (1, 2, 3, 4):
        assert Search(DEFINITIONS[name], n).all_trees == sorted(trees(n))


@pytest.mark.parametrize("name", brute_force.SYSTEMS)
def test_search_equals_another_search(name: str) -> None:
    twin, search = brute_force.SYSTEMS[name], Search(DEFINITIONS[name], 3)
    golds = np.array(brute_force.all_trees(3), np.int8)
    other = brute_force.Search(twin)
    assert len(search.paths) == len(brute_force.reachable_states(twin, 3))
    for state in search.paths:
        flat = twin._flat(state)
        assert search.trees(state) == other.trees(flat)
        assert search.losses(state, golds).tolist() == other.losses(flat, golds).tolist()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_best_tree_is_found_without_all_trees(name: str) -> None:
    definition, search = DEFINITIONS[name], Search(DEFINITIONS[name], 3)
    for state in search.paths:
        for gold in brute_force.all_trees(3)[::3]:
            golds = [gold, (0, 0, 0)]
            best = find_best_tree(definition, state, golds)
            assert best in search.trees(state)
            assert count_wrong(best, golds) == count_wrong(search.best_tree(state, golds), golds)


def test_the_costs_as_printed_lack_an_arc() -> None:
    found = check_oracle(partial(arc_eager_costs, printed=True))
    fault = found.counterexample
    assert fault is not None
    assert (fault.words, fault.path, fault.transition) == (2, ("SHIFT",), "LEFT")
    assert (fault.golds, fault.said, fault.true) == (((0, 1),), "cost 1", "cost 2")
    assert fault.best_before == (0, 1)
    assert str(found).splitlines()[2:] == [
        "sentence       w1 w2",
        "gold tree      ROOT -> w1, w1 -> w2",
        "configuration  ([w1], [w2 ROOT], {})",
        "reached by     SHIFT",
        "transition     LEFT",
        "oracle says    cost 1",
        "search says    cost 2",
        "best tree now  ROOT -> w1, w1 -> w2",
        "and after it   w2 -> w1, ROOT -> w2",
        "",
        "holds so far: it names exactly the transitions of zero cost, in every configuration",
    ]
    assert check_oracle(arc_eager_costs).is_correct


def test_the_right_costs_without_the_arc_of_right() -> None:
    """With LEFT mended, what RIGHT lacks is found, too."""

    def costs(c: State, gold: tuple[int, ...]) -> dict[str, int]:
        printed, right = arc_eager_costs(c, gold, printed=True), arc_eager_costs(c, gold)
        return {name: printed[name] if name == "RIGHT" else cost for name, cost in right.items()}

    fault = check_oracle(costs).counterexample
    assert fault is not None
    assert fault.transition == "RIGHT"
    assert fault.words <= 4


def test_a_wrong_zero_cost_is_found() -> None:
    found = check_oracle(zero_cost_forgetting_the_stack)
    fault = found.counterexample
    assert fault is not None
    assert (found.claim, fault.transition, fault.words) == ("zero-cost", "SHIFT", 2)
    assert (fault.said, fault.true) == ("zero cost", "cost 1")
    assert not check_oracle(zero_cost_forgetting_the_stack, claim="static").is_correct


def test_a_cost_that_is_off_by_one_is_found() -> None:
    fault = check_oracle(off_by_one).counterexample
    assert fault is not None
    assert (fault.transition, fault.words) == ("REDUCE", 3)
    assert (fault.said, fault.true) == ("cost 0", "cost 1")


def test_a_partial_oracle_is_not_complete() -> None:
    def first(c: State, gold: tuple[int, ...]) -> list[str]:
        return zero_cost(c, gold)[:1]

    assert check_oracle(zero_cost).is_correct
    found = check_oracle(first)
    assert not found.is_correct
    assert found.counterexample is not None
    assert (found.counterexample.said, found.counterexample.true) == ("not named", "zero cost")
    assert f"holds so far: {CLAIMS['partial']}" in str(found)
    assert check_oracle(first, claim="partial").is_correct
    assert check_oracle(lambda c, gold: zero_cost(c, gold)[0], claim="partial").is_correct


def test_a_static_oracle_is_asked_on_its_own_path_only() -> None:
    found = check_oracle(arc_standard_static, "arc-standard")
    assert (found.claim, found.is_correct) == ("static", True)
    everywhere = check_oracle(arc_standard_static, "arc-standard", claim="partial")
    assert not everywhere.is_correct
    assert "static" not in everywhere.faults


def covington_static(c: State, gold: tuple[int, ...]) -> str:
    """Ask for each pair of words, also where SHIFT would do already."""
    if not c.stack:
        return "SHIFT"
    top, front = c.stack[-1], c.buffer[0]
    if gold[front - 1] == top:
        return "RIGHT"
    return "LEFT" if gold[top - 1] == front else "NO-ARC"


def test_a_static_oracle_is_asked_on_all_of_its_path() -> None:
    """Its path may be longer than the shortest one to a configuration."""
    configurations, found = 0, check_oracle(covington_static, "covington", words=3)
    for n in (1, 2, 3):
        for gold in brute_force.all_trees(n):
            definition = DEFINITIONS["covington"]
            c, path = definition.initial(n), ()
            while legal := definition.legal(c):
                configurations += 1
                wrong = [t for t in legal if t in ("LEFT", "RIGHT") and t != covington_static(c, gold)]
                if wrong:
                    at = (c, gold, wrong[0])

                    def errs_once(c: State, gold: tuple[int, ...], at: Any = at) -> str:
                        return at[2] if (c, gold) == at[:2] else covington_static(c, gold)

                    fault = check_oracle(errs_once, "covington", words=n).counterexample
                    assert fault is not None, at
                    assert (fault.configuration, fault.path, fault.golds) == (c, path, (gold,))
                path = (*path, covington_static(c, gold))
                c = definition.apply(c, path[-1])
    assert (found.is_correct, found.cases) == (True, configurations)


def test_arc_standard_is_not_arc_decomposable() -> None:
    """The number of gold arcs that can no longer be reached is not its cost (Goldberg & Nivre 2013, 4.3)."""

    def losing_arcs(name: str) -> OracleFunction:
        searches = {n: Search(DEFINITIONS[name], n) for n in (1, 2, 3, 4)}

        def costs(c: State, gold: tuple[int, ...]) -> dict[Hashable, int]:
            search = searches[len(gold)]
            now = count_reachable(search, c, gold)
            return {t: now - count_reachable(search, after, gold) for t, after in search.after(c).items()}

        return costs

    def count_reachable(search: Search[State], c: State, gold: tuple[int, ...]) -> int:
        return sum(any(tree[d] == head for tree in search.trees(c)) for d, head in enumerate(gold))

    fault = check_oracle(losing_arcs("arc-standard"), "arc-standard").counterexample
    assert fault is not None
    assert fault.words <= 4
    assert check_oracle(losing_arcs("arc-hybrid"), "arc-hybrid", words=3).is_correct


def test_gold_trees_that_cannot_be_built() -> None:
    """The costs of arc-eager are not exact for trees with crossing arcs."""
    assert check_oracle(arc_eager_costs, words=3).is_correct
    fault = check_oracle(arc_eager_costs, words=4, any_tree=True).counterexample
    assert fault is not None
    assert fault.golds[0] not in Search(DEFINITIONS["arc-eager"], fault.words).all_trees


def test_several_gold_trees_at_a_time() -> None:
    def least(c: State, golds: tuple[tuple[int, ...], ...]) -> list[str]:
        """What is correct for the tree that can be had with fewest errors."""
        search = searches[len(golds[0])]
        losses = [count_wrong(search.best_tree(c, [gold]), [gold]) for gold in golds]
        kept = [gold for gold, loss in zip(golds, losses, strict=True) if loss == min(losses)]
        return sorted({name for gold in kept for name in zero_cost(c, gold)})

    searches = {n: Search(DEFINITIONS["arc-eager"], n) for n in (1, 2, 3)}
    assert check_oracle(least, words=3, references=2).is_correct
    fault = check_oracle(lambda c, golds: zero_cost(c, golds[0]), words=3, references=2).counterexample
    assert fault is not None
    assert len(fault.golds) == 2


def test_longer_sentences_are_drawn() -> None:
    def only_short(c: State, gold: tuple[int, ...]) -> dict[str, int]:
        costs = arc_eager_costs(c, gold)
        return costs if len(gold) < 6 else dict.fromkeys(costs, 0)

    assert check_oracle(only_short, words=2).is_correct
    found = check_oracle(only_short, words=2, samples=200, most_words=6)
    assert found.counterexample is not None
    assert found.counterexample.words == 6
    right = check_oracle(arc_eager_costs, words=2, samples=40, most_words=6)
    assert (right.is_correct, right.samples) == (True, 40)
    again = check_oracle(arc_eager_costs, words=2, samples=40, most_words=6)
    assert right == again


class Flat:
    """Hangs every word on the root or on the first word."""

    def __init__(self, *, ends: bool = True, twice: bool = False) -> None:
        self.ends, self.twice = ends, twice

    def initial(self, n: int) -> tuple[int, tuple[int, ...]]:
        return n, ()

    def legal(self, c: tuple[int, tuple[int, ...]]) -> list[str]:
        return ["ROOT", "FIRST"][: 2 if c[1] else 1] if len(c[1]) < c[0] or not self.ends else []

    def apply(self, c: tuple[int, tuple[int, ...]], transition: str) -> tuple[int, tuple[int, ...]]:
        return c if not self.ends else (c[0], (*c[1], int(transition == "FIRST")))

    def arcs(self, c: tuple[int, tuple[int, ...]]) -> list[tuple[int, int]]:
        return [(head, d) for d, head in enumerate(c[1], start=1)] + [(2, 1)] * (self.twice and c[0] > 1)


def test_a_system_of_ones_own() -> None:
    def oracle(c: tuple[int, tuple[int, ...]], gold: tuple[int, ...]) -> str:
        return "FIRST" if gold[len(c[1])] == 1 else "ROOT"

    assert check_oracle(oracle, Flat()).is_correct
    found = check_oracle(lambda c, gold: "ROOT", Flat())
    assert found.counterexample is not None
    assert found.counterexample.golds == ((0, 1),)
    assert "configuration  (2, (0,))" in str(found)


def test_definitions_that_contradict_themselves() -> None:
    with pytest.raises(InputError, match="the transitions never end"):
        check_oracle(lambda c, gold: "ROOT", Flat(ends=False))
    with pytest.raises(InputError, match="word 1 has two heads, 0 and 2"):
        check_oracle(lambda c, gold: "ROOT", Flat(twice=True))
    with pytest.raises(InputError, match="no legal transition in any initial configuration"):
        check_oracle(lambda c, gold: "ROOT", changed(legal=lambda c: []))


def changed(**methods: Any) -> Flat:
    """Return a definition in which a method is replaced."""
    system = Flat()
    for name, method in methods.items():
        setattr(system, name, method)
    return system


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"initial": lambda n: [n, []]}, r"the configuration is \[1, \[\]\]"),
        ({"initial": lambda: (0, ())}, "`initial` of the system, called with 1, raises TypeError"),
        ({"legal": lambda c: None}, "`legal` of the system, called with .* returns None; return a list"),
        ({"legal": lambda c: [["ROOT"]]}, r"the transition is \['ROOT'\]"),
        ({"legal": lambda c: (c[9] for _ in c)}, "`legal` of the system, called with .* raises IndexError"),
        ({"apply": lambda c, t: c[9]}, r"`apply` of the system, called with .*, ROOT, raises IndexError"),
        ({"apply": lambda c, t: [t]}, r"after ROOT the configuration is \['ROOT'\]"),
        ({"arcs": lambda c: None}, "`arcs` of the system, called with .* returns None; return a list"),
        ({"arcs": lambda c: [(9, 1)]}, r"\(9, 1\) in .* is no arc; return pairs"),
        ({"arcs": lambda c: [(0, 5)]}, r"\(0, 5\) in .* is no arc; return pairs"),
        ({"arcs": lambda c: [(0, 1, "nsubj")]}, r"\(0, 1, 'nsubj'\) in .* is no arc"),
        ({"arcs": lambda c: [3]}, "3 in .* is no arc"),
        (
            {"legal": lambda c: ["ROOT"], "apply": lambda c, t: (c[0] + 1, ())},
            "the transitions never end: over 400 of them",
        ),
    ],
)
def test_a_faulty_definition_gets_one_line(methods: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        check_oracle(lambda c, gold: "ROOT", changed(**methods))
    assert "\n" not in str(raised.value)


def test_a_derivation_may_be_long() -> None:
    """Here each word waits a hundred times; arcs may be lists, and numbers of numpy."""

    def apply(c: tuple[int, tuple[int, ...]], transition: str) -> tuple[int, tuple[int, ...]]:
        return c[0], (*c[1], 0)

    def legal(c: tuple[int, tuple[int, ...]]) -> list[str]:
        return ["ROOT"] if len(c[1]) < 100 * c[0] else []

    system = changed(
        apply=apply, legal=legal, arcs=lambda c: [[np.int64(0), d] for d in range(1, len(c[1]) // 100 + 1)]
    )
    assert check_oracle(lambda c, gold: "ROOT", system, samples=5, most_words=5).is_correct


def test_what_an_oracle_says_too_much_or_too_little() -> None:
    def raises(c: State, gold: tuple[int, ...]) -> list[str]:
        return [["SHIFT"][len(c.stack)]]

    assert "raises IndexError" in str(check_oracle(raises))
    for answer, message in (
        ([], "names no transition"), (None, "names no transition"), (["DANCE"], "not legal here"),
        ({"SHIFT": 0}, "no cost"), ({"SHIFT": 0, "DANCE": 3}, "not legal here"),
    ):  # fmt: skip
        found = check_oracle(
            lambda c, gold, answer=answer: answer, claim="costs" if isinstance(answer, dict) else "zero-cost"
        )
        assert message in " ".join(map(str, found.faults.values())), answer


def test_wrong_options_are_named() -> None:
    with pytest.raises(InputError, match="did you mean 'arc-eager'"):
        check_oracle(zero_cost, "arc-eage")
    with pytest.raises(InputError, match="did you mean 'costs'"):
        check_oracle(zero_cost, claim="cost")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least 1"):
        check_oracle(zero_cost, words=0)


class Step(NamedTuple):
    """A transition as many parsers write it."""

    name: str
    label: str = ""


class ArcEagerOfSteps:
    """Arc-eager whose transitions are tuples."""

    def initial(self, n: int) -> State:
        return DEFINITIONS["arc-eager"].initial(n)

    def legal(self, c: State) -> list[Step]:
        return [Step(str(name)) for name in DEFINITIONS["arc-eager"].legal(c)]

    def apply(self, c: State, transition: Step) -> State:
        return DEFINITIONS["arc-eager"].apply(c, transition.name)

    def arcs(self, c: State) -> Iterable[tuple[int, int]]:
        return DEFINITIONS["arc-eager"].arcs(c)


def as_numpy(c: State, gold: tuple[int, ...]) -> dict[str, object]:
    """Costs as an array holds them, infinite where a transition is not legal."""
    costs = arc_eager_costs(c, gold)
    return {name: np.float32(costs.get(name, np.inf)) for name in ("SHIFT", "RIGHT", "LEFT", "REDUCE")}


@pytest.mark.parametrize(
    ("oracle", "claim"),
    [
        (as_numpy, "costs"),
        (lambda c, gold: {name: np.int64(cost) for name, cost in arc_eager_costs(c, gold).items()}, "costs"),
        (lambda c, gold: (name for name in zero_cost(c, gold)), "zero-cost"),
        (lambda c, gold: dict.fromkeys(zero_cost(c, gold)).keys(), "zero-cost"),
        (lambda c, gold: np.array(zero_cost(c, gold)), "zero-cost"),
        (lambda c, gold: frozenset(zero_cost(c, gold)), "zero-cost"),
        (lambda c, gold: np.array(zero_cost(c, gold))[0], "static"),
    ],
)
def test_answers_come_in_many_forms(oracle: OracleFunction, claim: str) -> None:
    found = check_oracle(oracle, words=3)
    assert (found.claim, found.is_correct) == (claim, True), str(found)


def test_an_infinite_cost_of_a_legal_transition_is_wrong() -> None:
    def costs(c: State, gold: tuple[int, ...]) -> dict[str, float]:
        return {name: cost or np.inf for name, cost in arc_eager_costs(c, gold).items()}

    fault = check_oracle(costs).counterexample
    assert fault is not None
    assert (fault.said, fault.true) == ("cost inf", "cost 0")


def test_transitions_that_are_tuples() -> None:
    def costs(c: State, gold: tuple[int, ...]) -> dict[Step, int]:
        return {Step(name): cost for name, cost in arc_eager_costs(c, gold).items()}

    def first(c: State, gold: tuple[int, ...]) -> Step:
        return Step(zero_cost(c, gold)[0])

    assert check_oracle(costs, ArcEagerOfSteps(), words=3).claim == "costs"
    assert check_oracle(first, ArcEagerOfSteps(), words=3).claim == "static"
    labelled = check_oracle(lambda c, gold: [Step("SHIFT", "nsubj")], ArcEagerOfSteps()).counterexample
    assert labelled is not None
    assert "not legal here" in labelled.true


@pytest.mark.parametrize(
    ("oracle", "options", "message"),
    [
        ("SHIFT", {}, "the oracle is 'SHIFT'; pass a function"),
        (zero_cost, {"system": ArcEagerOfSteps}, "is the class ArcEagerOfSteps; pass an object"),
        (zero_cost, {"system": 5}, "the system 5 has no `initial`"),
        (zero_cost, {"words": "4"}, "`words='4'`: pass a whole number, at least 1"),
        (zero_cost, {"samples": 9, "most_words": 4}, "`most_words=4`: samples .* pass at least 5"),
        (zero_cost, {"claim": ["costs"]}, r"the claim \['costs'\] is unknown"),
        (zero_cost, {"samples": -1}, "`samples=-1`: pass a whole number, at least 0"),
        (zero_cost, {"claim": "costs"}, "returns no costs; return a dict"),
        (lambda c, gold: [0, 1], {}, "names 0, which is no transition"),
        (lambda c, gold: True, {}, "names True, which is no transition"),
        (lambda c, gold: [["SHIFT"]], {}, r"names \['SHIFT'\], which is no transition"),
        (lambda c, gold: {"SHIFT": True}, {}, "gives 'SHIFT' the cost True; return a number"),
        (lambda c, gold: {"SHIFT": ("dep", 0)}, {}, r"the cost \('dep', 0\); return a number"),
        (lambda c, gold: {"SHIFT": None}, {}, "the cost None; return a number"),
    ],
)
def test_what_no_oracle_says_gets_one_line(
    oracle: OracleFunction, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message) as raised:
        check_oracle(oracle, **options)
    assert "\n" not in str(raised.value)


def test_in_a_test_the_counterexample_is_the_message() -> None:
    assert_oracle(zero_cost, words=2)
    with pytest.raises(AssertionError, match="best tree now") as raised:
        assert_oracle(zero_cost_forgetting_the_stack)
    # pytest shows the line of the test, not the source of the package
    assert raised.traceback.filter(raised)[-1].path == Path(__file__)


def test_trees() -> None:
    assert is_tree((2, 0))
    assert is_tree((0, 0))
    assert not is_tree((2, 1))
    assert not is_tree((1,))
