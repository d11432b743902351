"""Linked changes: what belongs together changes together, so that any mixture is a tree."""

from __future__ import annotations

from random import Random

from mixtures import Heads, arcs, mixtures
from trees import is_tree, random_heads

from learnability.extensions.history.linked_changes import link_changes
from learnability.multiref.contrasts import independent_changes


def linked(one: Heads, other: Heads) -> list[tuple[int, ...]]:
    return link_changes(arcs(one), arcs(other))


def test_dependents_follow_the_word_that_takes_the_place_of_their_head() -> None:
    """The subject and the adverb of a predicate (2) follow when its copula (3) heads the clause.

    Crossing arcs (5-7 and 6-8) exclude that they are linked because mixtures would not be projective.
    """
    ud, with_copula = (2, 0, 2, 2, 7, 8, 4, 7), (3, 3, 0, 3, 7, 8, 4, 7)
    assert independent_changes(arcs(ud), arcs(with_copula)) == [(1,), (2, 3), (4,)]
    assert linked(ud, with_copula) == [(1, 2, 3, 4)]


def test_words_that_move_between_groups_stay_by_themselves() -> None:
    """Phrases within phrases: of -> king is a change within the phrase of the changed word house."""
    ud, sud = (3, 3, 0, 5, 3), (0, 3, 1, 3, 4)
    assert linked(ud, sud) == independent_changes(arcs(ud), arcs(sud)) == [(1, 3), (4, 5)]


def test_any_mixture_of_linked_changes_is_a_tree() -> None:
    draw, merged = Random(7), 0
    for _ in range(300):
        n = draw.randint(3, 8)
        one, other = random_heads(draw, n), random_heads(draw, n)
        near = tuple(h if draw.random() < 0.5 else o for h, o in zip(one, other, strict=True))
        other = near if is_tree(near) else other
        groups, finest = linked(one, other), independent_changes(arcs(one), arcs(other))
        assert groups == sorted(groups)
        assert sorted(t for group in groups for t in group) == sorted(t for group in finest for t in group)
        assert all(any(set(fine) <= set(group) for group in groups) for fine in finest)
        assert all(map(is_tree, mixtures(one, other, groups)))
        merged += len(groups) < len(finest)
    assert merged
