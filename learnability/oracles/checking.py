"""Hold an oracle against search over everything: is every cost, or every transition that it names, right?

The cost of a transition is by how much the best tree that can still be built gets worse: the number of its
wrong heads after the transition, less that before it. For arc-decomposable systems and trees that they can
build, it is the number of gold arcs that become unreachable (Goldberg & Nivre 2013, section 4).

>>> def shift_always(c, heads):
...     return "SHIFT"
>>> check_oracle(shift_always, "arc-hybrid").is_correct
False
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import combinations, product
from numbers import Integral, Real
from typing import Any, Generic, Literal

import numpy as np
from numpy.typing import NDArray

from learnability.drawing.derivations import ROOT_NAME, Derivation, number_words, write_configuration
from learnability.drawing.style import show_svg
from learnability.drawing.trees import draw_tree
from learnability.errors import InputError, meant
from learnability.oracles.derivations import find_costs, follow_transitions
from learnability.oracles.search import (
    Search,
    Tree,
    find_best_tree,
    find_initial,
    follow,
    is_tree,
)
from learnability.oracles.systems import C, TransitionDefinition, find_definition
from learnability.support.nouns import count_noun

OracleFunction = Callable[[Any, Any], Any]
"""What is tested: takes a configuration and the gold heads; returns costs, transitions, or one transition."""

Claim = Literal["costs", "zero-cost", "partial", "static"]

CLAIMS: dict[Claim, str] = {
    "costs": "every cost is exact, in every configuration",
    "zero-cost": "it names exactly the transitions of zero cost, in every configuration",
    "partial": "it names at least one transition, and only such of zero cost, in every configuration",
    "static": "on its own path it names at least one transition, and only such of zero cost",
}
"""What an oracle may claim, the strongest first: each claim contains those that follow."""


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """Represent a configuration in which an oracle is wrong; it draws itself in a notebook.

    Attributes:
        golds: the gold trees: the head of each word, 0 for the root.
        derivation: the configurations up to the one where it is wrong, with the true costs of the last.
        transition: of which it says something wrong; None if it says nothing at all.
        said: the cost that it gives, or implies by naming a transition.
        true: the one found by search.
        best_before: the best tree that can still be built.
        best_after: the best one after the transition; None if there is none, or it is not legal.
    """

    golds: tuple[Tree, ...]
    derivation: Derivation[Any]
    transition: Hashable | None
    said: str
    true: str
    best_before: Tree
    best_after: Tree | None

    @property
    def words(self) -> int:
        """Return the number of words of the sentence."""
        return len(self.golds[0])

    @property
    def configuration(self) -> Any:
        """Return the configuration where the oracle is wrong."""
        return self.derivation.configurations[-1]

    @property
    def path(self) -> tuple[Hashable, ...]:
        """Return the transitions that lead there."""
        return self.derivation.transitions

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Return what is to be said of it: pairs of a name and a text."""
        forms = self.derivation.forms
        lines = [("sentence", " ".join(forms))]
        lines += [("gold tree", write_tree(gold)) for gold in self.golds]
        lines += [
            ("configuration", write_configuration(self.configuration, self.derivation.arcs[-1], forms)),
            ("reached by", " ".join(map(str, self.path)) or "nothing: it is the initial one"),
            ("transition", "none" if self.transition is None else str(self.transition)),
            ("oracle says", self.said),
            ("search says", self.true),
            ("best tree now", write_tree(self.best_before)),
        ]
        if self.best_after is not None:
            lines.append(("and after it", write_tree(self.best_after)))
        return lines

    def __str__(self) -> str:
        return "\n".join(f"{name:<15}{text}" for name, text in self.lines)

    def _repr_html_(self) -> str:
        forms = self.derivation.forms
        trees = "".join(show_svg(draw_tree(forms, (), gold, ())) for gold in self.golds)
        drawn = self.derivation._repr_html_() or ""
        kept = ("transition", "oracle says", "search says", "best tree now", "and after it")
        said = "<br>".join(f"{name}: <b>{escape(text)}</b>" for name, text in self.lines if name in kept)
        return f"{trees}{drawn}<p>{said}</p>"


@dataclass(frozen=True, kw_only=True, repr=False)
class OracleCheck:
    """Represent what a check of an oracle found.

    Attributes:
        claim: what was asked of the oracle, a key of `CLAIMS`.
        faults: the shortest counterexample to each claim that does not hold.
        claims: those that were tested: the one that was asked, and weaker ones.
        words: up to this many words everything was searched, unless a fault was found before.
        cases: the configurations that were looked at, each counted for each gold tree.
        samples: how many of them were drawn at random in longer sentences.
    """

    claim: Claim
    faults: Mapping[Claim, Counterexample]
    claims: tuple[Claim, ...]
    words: int
    cases: int
    samples: int

    @property
    def is_correct(self) -> bool:
        """Return whether the claim holds in all that was looked at."""
        return self.claim not in self.faults

    @property
    def counterexample(self) -> Counterexample | None:
        """Return the shortest counterexample to the claim."""
        return self.faults.get(self.claim)

    @property
    def summary(self) -> str:
        """Return the answer in one line."""
        found = self.counterexample
        if found is not None:
            after = (
                f"with {count_noun(found.words, 'word')}, after {count_noun(len(found.path), 'transition')}"
            )
            return f"wrong {after}. Expected: {CLAIMS[self.claim]}"
        drawn = f" and {self.samples:,} in longer ones" if self.samples else ""
        searched = count_noun(self.cases - self.samples, "case")
        length = count_noun(self.words, "word")
        return f"correct: {CLAIMS[self.claim]} ({searched} in sentences of up to {length}{drawn})"

    def __repr__(self) -> str:
        return f"<OracleCheck: {self.summary}>"

    def _repr_html_(self) -> str:
        found = self.counterexample
        return f"<p>{escape(self.summary)}</p>" + ("" if found is None else found._repr_html_())

    def __str__(self) -> str:
        lines = [self.summary]
        if self.counterexample is not None:
            lines += ["", str(self.counterexample), ""]
            holds = [claim for claim in self.claims if claim not in self.faults]
            lines += [f"holds so far: {CLAIMS[claim]}" for claim in holds[:1]]
        return "\n".join(lines).rstrip()


@dataclass
class _Verdicts(Generic[C]):
    """Collect the first counterexample to each claim."""

    definition: TransitionDefinition[C]
    oracle: OracleFunction
    claims: tuple[Claim, ...]
    takes_sets: bool
    faults: dict[Claim, Counterexample] = field(default_factory=dict)

    def hold(self, case: _Case[C], *, on_path: bool) -> list[Hashable]:
        """Hold what the oracle says in a case against the truth; return the transitions that it names."""
        everywhere: tuple[Claim, ...] = ("zero-cost", "partial", *(("static",) if on_path else ()))
        try:
            answer = _read_answer(
                self.oracle(case.configuration, case.golds if self.takes_sets else case.golds[0]), case.costs
            )
        except InputError:
            raise
        except Exception as problem:
            self._keep(
                ("costs", *everywhere), case.explain(None, f"raises {problem!r}", _join_correct(case.costs))
            )
            return []
        if "costs" in self.claims and answer.costs is None:
            raise InputError(
                "the oracle returns no costs; return a dict with the cost of each transition, or ask for "
                "claim='zero-cost'"
            )
        named = answer.named
        wrong_named = [t for t in named if case.costs.get(t, 1) != 0]
        if not named:
            self._keep(everywhere, case.explain(None, "names no transition", _join_correct(case.costs)))
        elif wrong_named:
            t = wrong_named[0]
            true = (
                f"cost {case.costs[t]}" if t in case.costs else f"not legal here; legal: {_join(case.costs)}"
            )
            self._keep(everywhere, case.explain(t, "zero cost", true))
        for t, cost in case.costs.items():
            if cost == 0 and t not in named:
                self._keep(("zero-cost",), case.explain(t, "not named", "zero cost"))
            said = answer.costs.get(t) if answer.costs is not None else cost
            if said != cost:
                words = "no cost" if said is None else f"cost {said}"
                self._keep(("costs",), case.explain(t, words, f"cost {cost}"))
        for t, said in (answer.costs or {}).items():
            if t not in case.costs:
                legal = f"not legal here; legal: {_join(case.costs)}"
                self._keep(("costs",), case.explain(t, f"cost {said}", legal))
        return named

    def _keep(self, claims: Iterable[Claim], fault: Counterexample) -> None:
        for claim in claims:
            if claim in self.claims:
                self.faults.setdefault(claim, fault)


@dataclass(frozen=True)
class _Case(Generic[C]):
    """A configuration, gold trees, and the true cost of each legal transition."""

    configuration: C
    path: tuple[Hashable, ...]
    golds: tuple[Tree, ...]
    costs: Mapping[Hashable, int]
    find_best: Callable[[C, Sequence[Tree]], Tree]
    definition: TransitionDefinition[C]

    def explain(self, transition: Hashable | None, said: str, true: str) -> Counterexample:
        is_legal = transition in self.costs
        after = self.definition.apply(self.configuration, transition) if is_legal else None
        return Counterexample(
            golds=self.golds,
            derivation=follow_transitions(
                self.definition,
                number_words(len(self.golds[0])),
                self.path,
                self.golds,
                {len(self.path): self.costs},
            ),
            transition=transition,
            said=said,
            true=true,
            best_before=self.find_best(self.configuration, self.golds),
            best_after=None if after is None else self.find_best(after, self.golds),
        )


@dataclass(frozen=True)
class _Answer:
    """What an oracle says: the transitions that it calls correct, and costs if it gives some."""

    named: list[Hashable]
    costs: Mapping[Hashable, int] | None


def check_oracle(
    oracle: OracleFunction,
    system: str | TransitionDefinition[Any] = "arc-eager",
    *,
    claim: Claim | None = None,
    words: int = 4,
    any_tree: bool = False,
    references: int = 1,
    samples: int = 0,
    most_words: int = 7,
    seed: int = 1,
) -> OracleCheck:
    """Return whether an oracle is correct, with the shortest counterexample if it is not.

    Sentences of 1, 2, ... words are searched exhaustively: all trees and all configurations, also after
    mistakes. The search ends with the first length at which the claim fails.

    Args:
        oracle: the function under test. It takes a configuration and the gold heads: a tuple, 0 for the root;
            several such tuples if `references` is above 1. It returns costs, the correct transitions (any
            iterable), or one transition. Costs are a mapping from transitions; those that are not legal may
            be infinite.
        system: the transition system by name (`oracles.systems.DEFINITIONS`), whose configurations have
            `stack`, `buffer` and `heads`; or a definition with `initial`, `legal`, `apply` and `arcs`.
        claim: what must hold, a key of `CLAIMS`. By default what the oracle returns decides: costs, zero-cost
            or static.
        words: the longest sentences that are searched exhaustively.
        any_tree: also test with gold trees that the system cannot build, such as those with crossing arcs.
        references: up to this many gold trees at a time, of which any may be built.
        samples: how many configurations are drawn at random in longer sentences afterwards.
        most_words: the longest of these sentences.
        seed: of what is drawn.

    Raises:
        InputError: there is no such system or claim, the definition contradicts itself, or the oracle returns
            something else.
    """
    numbers = {
        "words": (words, 1),
        "references": (references, 1),
        "samples": (samples, 0),
        "most_words": (most_words, 1),
    }
    if fault := _find_faulty_argument(oracle, system, claim, numbers):
        raise InputError(fault)
    definition: TransitionDefinition[Any] = find_definition(system) if isinstance(system, str) else system
    asked = claim or _claim_of(oracle, definition, takes_sets=references > 1)
    claims = tuple(CLAIMS)[list(CLAIMS).index(asked) :]
    verdicts = _Verdicts(definition, oracle, claims, takes_sets=references > 1)
    cases = drawn = 0
    for n in range(1, words + 1):
        cases += _search_sentences(verdicts, Search(definition, n), any_tree=any_tree, references=references)
        if asked in verdicts.faults:
            break
    else:
        if not cases:
            raise InputError("the system has no legal transition in any initial configuration")
        chance = random.Random(seed)
        while drawn < samples and asked not in verdicts.faults:
            n = chance.randint(min(words + 1, most_words), most_words)
            drawn += _follow_sentence(
                verdicts, n, chance, any_tree=any_tree, references=references, most=samples - drawn
            )
    return OracleCheck(
        claim=asked, faults=verdicts.faults, claims=claims, words=n if asked in verdicts.faults else words,
        cases=cases + drawn, samples=drawn,
    )  # fmt: skip


def assert_oracle(
    oracle: OracleFunction, system: str | TransitionDefinition[Any] = "arc-eager", **options: Any
) -> None:
    """Fail a test, with the counterexample drawn, if an oracle is wrong.

    Args:
        oracle: the function under test.
        system: the transition system.
        options: what else :func:`check_oracle` takes.

    Raises:
        AssertionError: the claim does not hold.
        InputError: as for :func:`check_oracle`.
    """
    __tracebackhide__ = True
    found = check_oracle(oracle, system, **options)
    if not found.is_correct:
        raise AssertionError(str(found))


def write_tree(tree: Sequence[int]) -> str:
    """Return a tree as arcs in the order of the words, ``w2 -> w1, ROOT -> w2``."""
    names = (ROOT_NAME, *number_words(len(tree)))
    return ", ".join(f"{names[head]} -> {names[word]}" for word, head in enumerate(tree, start=1))


def _search_sentences(verdicts: _Verdicts[C], search: Search[C], *, any_tree: bool, references: int) -> int:
    """Hold the oracle against all configurations and sets of gold trees; return how many cases these are."""
    golds = (
        [tree for tree in product(range(search.n + 1), repeat=search.n) if is_tree(tree)]
        if any_tree
        else search.all_trees
    )
    array = np.array(golds, np.int8).reshape(-1, search.n)
    sets = [chosen for size in range(1, references + 1) for chosen in combinations(range(len(golds)), size)]
    cases = 0
    # stronger claims first: a configuration may be reached with fewer transitions than on the oracle's path
    if verdicts.claims != ("static",):
        for configuration in search.configurations:
            losses = _Losses(search, configuration, array)
            for chosen in sets:
                path = search.paths[configuration]
                verdicts.hold(losses.find_case(chosen, golds, path), on_path=False)
                cases += 1
    on_path = _follow_own_paths(verdicts, search, golds, array, sets)
    return cases or on_path


def _follow_own_paths(
    verdicts: _Verdicts[C], search: Search[C], golds: Sequence[Tree], array: NDArray[np.int8],
    sets: Sequence[tuple[int, ...]],
) -> int:  # fmt: skip
    """Hold the oracle against the configurations on its own path; return how many these are."""
    initial = find_initial(search.definition, search.n)
    # for each configuration: with which sets of gold trees the oracle leads there, and how
    now: dict[C, dict[tuple[int, ...], tuple[Hashable, ...]]] = {initial: dict.fromkeys(sets, ())}
    seen: dict[C, set[tuple[int, ...]]] = {}
    cases = 0
    while now:
        following: dict[C, dict[tuple[int, ...], tuple[Hashable, ...]]] = {}
        for configuration, paths in now.items():
            after = search.after(configuration)
            if not after:
                continue
            losses, known = _Losses(search, configuration, array), seen.setdefault(configuration, set())
            for chosen, path in paths.items():
                if chosen in known:
                    continue
                known.add(chosen)
                cases += 1
                for transition in verdicts.hold(losses.find_case(chosen, golds, path), on_path=True):
                    if transition in after:
                        reached = following.setdefault(after[transition], {})
                        reached.setdefault(chosen, (*path, transition))
        now = following
    return cases


class _Losses(Generic[C]):
    """What is lost, for each gold tree, in a configuration and after each of its transitions."""

    def __init__(self, search: Search[C], configuration: C, golds: NDArray[np.int8]) -> None:
        self.search, self.configuration = search, configuration
        self.now = search.losses(configuration, golds)
        self.after = {t: search.losses(c, golds) for t, c in search.after(configuration).items()}

    def find_case(self, chosen: Sequence[int], golds: Sequence[Tree], path: tuple[Hashable, ...]) -> _Case[C]:
        indices = list(chosen)
        least = int(self.now[indices].min())
        costs = {t: int(loss[indices].min()) - least for t, loss in self.after.items()}
        trees, search = tuple(golds[i] for i in indices), self.search
        return _Case(self.configuration, path, trees, costs, search.best_tree, search.definition)


def _follow_sentence(
    verdicts: _Verdicts[C], n: int, chance: random.Random, *, any_tree: bool, references: int, most: int
) -> int:
    """Hold the oracle against the configurations of one random derivation, with errors; return how many."""
    definition = verdicts.definition
    golds = tuple(
        _draw_tree(definition, n, chance, any_tree=any_tree) for _ in range(chance.randint(1, references))
    )

    def find_best(configuration: C, golds: Sequence[Tree]) -> Tree:
        return find_best_tree(definition, configuration, golds)

    path: tuple[Hashable, ...] = ()
    configuration, cases, is_on_path = find_initial(definition, n), 0, True
    while (after := follow(definition, configuration)) and cases < most:
        costs = find_costs(definition, configuration, golds)
        case = _Case(configuration, path, golds, costs, find_best, definition)
        named = [t for t in verdicts.hold(case, on_path=is_on_path) if t in after]
        errs = not named or chance.random() < 0.3
        taken = chance.choice(list(after) if errs else named)
        is_on_path = is_on_path and taken in named
        configuration, path, cases = after[taken], (*path, taken), cases + 1
    return cases


def _draw_tree(definition: TransitionDefinition[C], n: int, chance: random.Random, *, any_tree: bool) -> Tree:
    while any_tree:
        heads = tuple(chance.randint(0, n) for _ in range(n))
        if is_tree(heads):
            return heads
    configuration = find_initial(definition, n)
    while after := follow(definition, configuration):
        configuration = chance.choice(list(after.values()))
    return find_best_tree(definition, configuration, [(0,) * n])


def _find_faulty_argument(
    oracle: Any, system: Any, claim: Any, numbers: Mapping[str, tuple[Any, int]]
) -> str | None:
    """Return what is wrong with the arguments of a check, and what to pass instead."""
    if not callable(oracle):
        return f"the oracle is {oracle!r}; pass a function of a configuration and the gold heads"
    if claim is not None and claim not in tuple(CLAIMS):
        return f"the claim {claim!r} is unknown; {meant(str(claim), CLAIMS)}"
    for name, (value, least) in numbers.items():
        if not isinstance(value, Integral) or value < least:
            return f"`{name}={value!r}`: pass a whole number, at least {least}"
    least, most = numbers["words"][0] + 1, numbers["most_words"][0]
    if numbers["samples"][0] and most < least:
        return f"`most_words={most}`: samples are drawn in longer sentences; pass at least {least}"
    if isinstance(system, type):
        return f"the system is the class {system.__name__}; pass an object of it"
    missing = [name for name in ("initial", "legal", "apply", "arcs") if not hasattr(system, name)]
    if missing and not isinstance(system, str):
        return f"the system {system!r} has no `{missing[0]}`; pass a name, or an object that defines a system"
    return None


def _claim_of(oracle: OracleFunction, definition: TransitionDefinition[Any], *, takes_sets: bool) -> Claim:
    initial = find_initial(definition, 1)
    try:
        answer = oracle(initial, ((0,),) if takes_sets else (0,))
    except InputError:
        raise
    except Exception:
        # the search shows where it raises; the weakest claim is the one that it surely makes
        return "static"
    if isinstance(answer, Mapping):
        return "costs"
    return "static" if _is_transition(answer, follow(definition, initial)) else "zero-cost"


def _read_answer(answer: Any, legal: Collection[Hashable]) -> _Answer:
    """Return what an oracle says.

    Raises:
        InputError: it is of a kind that no oracle returns.
    """
    if answer is None:
        return _Answer([], None)
    if not isinstance(answer, Mapping):
        named = [answer] if _is_transition(answer, legal) else list(answer)
        for t in named:
            is_number = isinstance(t, (Real, np.bool_)) and t not in legal
            if is_number or not _is_hashable(t):
                raise InputError(
                    f"the oracle names {t!r}, which is no transition; return transitions, or a dict of costs"
                )
        return _Answer(named, None)
    costs: dict[Hashable, Any] = {}
    for t, cost in answer.items():
        if isinstance(cost, bool) or not isinstance(cost, Real):
            raise InputError(f"the oracle gives {t!r} the cost {cost!r}; return a number for each transition")
        # infinite costs are how many oracles say that a transition is not legal
        if t in legal or cost != math.inf:
            costs[t] = cost
    return _Answer([t for t, cost in costs.items() if cost == 0], costs)


def _is_transition(answer: Any, legal: Iterable[Hashable]) -> bool:
    # a transition may itself be a tuple, such as ("LEFT", "nsubj")
    return (
        isinstance(answer, str)
        or not isinstance(answer, Iterable)
        or (isinstance(answer, tuple) and answer in tuple(legal))
    )


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _join_correct(costs: Mapping[Hashable, int]) -> str:
    return f"zero cost: {_join(t for t, cost in costs.items() if cost == 0)}"


def _join(transitions: Iterable[Hashable]) -> str:
    return ", ".join(map(str, transitions)) or "none"
