"""Derive trees by search, in every system that has a definition: slow, and without compiling.

>>> import learnability
>>> mice = learnability.Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
>>> print(find_derivation(mice, "arc-standard"))
   transition  stack              buffer             new arc        cost of each transition
0              []                 [ROOT Mice sleep]                 SHIFT 0 ✓
1  SHIFT       [ROOT]             [Mice sleep]                      SHIFT 0 ✓
2  SHIFT       [ROOT Mice]        [sleep]                           SHIFT 0 ✓, RIGHT 1
3  SHIFT       [ROOT Mice sleep]  []                                RIGHT 2, LEFT 0 ✓
4  LEFT        [ROOT sleep]       []                 sleep -> Mice  RIGHT 0 ✓
5  RIGHT       [ROOT]             []                 ROOT -> sleep
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from learnability.drawing.derivations import Derivation
from learnability.errors import InputError
from learnability.oracles.search import Tree, count_wrong, find_best_tree, find_initial, follow
from learnability.oracles.systems import C, TransitionDefinition, find_definition
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import AnyTrees, trees_of

MOST_WORDS = 12
"""Searching takes seconds at most in sentences of so many words."""


def find_derivation(
    trees: AnyTrees,
    system: str | TransitionDefinition[Any] = "arc-eager",
    transitions: Iterable[Hashable] | None = None,
) -> Derivation[Any]:
    """Return a derivation of a short sentence with the cost of every transition, found by search.

    Args:
        trees: the gold tree, or several over the same words, of which any may be built.
        system: the transition system by name (`oracles.systems.DEFINITIONS`), or a definition.
        transitions: those to take, also wrong ones. By default the first one of least cost each time.

    Raises:
        InputError: there is no such system, a transition is not legal, the trees have different words, or the
            sentence is too long.
    """
    sentences = trees_of(trees)
    forms = {tree.forms for tree in sentences}
    if len(forms) != 1:
        raise InputError("the trees are not over the same words; pass trees of one sentence")
    (words,) = forms
    if len(words) > MOST_WORDS:
        raise InputError(
            f"the sentence has {count_noun(len(words), 'word')}, too many for a search; pass at most "
            f"{MOST_WORDS}, or use learnability.Oracle"
        )
    definition = find_definition(system) if isinstance(system, str) else system
    golds = tuple(tree.heads for tree in sentences)
    taken = [] if transitions is None else list(transitions)
    configuration, costs = find_initial(definition, len(words)), {}
    for i in range(len(taken) + 1):
        costs[i] = find_costs(definition, configuration, golds)
        if i < len(taken):
            configuration = _apply(definition, configuration, taken[i])
    while transitions is None and costs[len(taken)]:
        last = costs[len(taken)]
        taken.append(min(last, key=lambda t: last[t]))
        configuration = definition.apply(configuration, taken[-1])
        costs[len(taken)] = find_costs(definition, configuration, golds)
    return follow_transitions(definition, words, taken, golds, costs)


def find_costs(
    definition: TransitionDefinition[C], configuration: C, golds: Sequence[Tree]
) -> dict[Hashable, int]:
    """Return by how much each legal transition makes the best tree worse that can still be built."""
    now = _find_loss(definition, configuration, golds)
    after = follow(definition, configuration)
    return {t: _find_loss(definition, follower, golds) - now for t, follower in after.items()}


def follow_transitions(
    definition: TransitionDefinition[C],
    forms: tuple[str, ...],
    transitions: Sequence[Hashable],
    golds: tuple[Tree, ...],
    costs: Mapping[int, Mapping[Hashable, int]],
) -> Derivation[C]:
    """Return the derivation with these transitions; `costs` are those of some of its configurations."""
    configurations = [find_initial(definition, len(forms))]
    for transition in transitions:
        configurations.append(_apply(definition, configurations[-1], transition))
    surviving = [_find_nearest(definition, c, golds) for c in configurations] if len(golds) > 1 else []
    return Derivation(
        forms=forms,
        configurations=tuple(configurations),
        transitions=tuple(transitions),
        arcs=tuple(tuple(definition.arcs(c)) for c in configurations),
        costs=tuple(costs.get(i) for i in range(len(configurations))),
        golds=golds,
        surviving=tuple(surviving),
    )


def _apply(definition: TransitionDefinition[C], configuration: C, transition: Hashable) -> C:
    after = follow(definition, configuration)
    if transition not in after:
        legal = ", ".join(map(str, after)) or "none"
        raise InputError(f"{transition!r} is not legal in {configuration}; legal: {legal}")
    return after[transition]


def _find_loss(definition: TransitionDefinition[C], configuration: C, golds: Sequence[Tree]) -> int:
    return count_wrong(find_best_tree(definition, configuration, golds), golds)


def _find_nearest(
    definition: TransitionDefinition[C], configuration: C, golds: Sequence[Tree]
) -> tuple[int, ...]:
    losses = [_find_loss(definition, configuration, [gold]) for gold in golds]
    return tuple(number for number, loss in enumerate(losses) if loss == min(losses))
