"""Put the changes between two versions of the same sentences into groups that can be trained apart.

Words that differ are linked if a mixture of the two versions might be no tree (:func:`link_changes`).
So each *change*, a set of linked words, can be taken from either version alone. A change has a pattern for
each of its words: the tag, and the relation before and after (`ADP case`, `NOUN nmod > obl`). A group is all
changes with the pattern that names it. The names are chosen one after the other, each the most frequent in
the changes that have no group yet. A word whose relation becomes one of many has a pattern for all of these,
too (`AUX aux > other relations`). The rest is a group without a name. What the words of a group have in
common besides, `diff` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec

from learnability.extending import (
    FEWEST,
    PUNCT,
    Score,
    Tree,
    independent_changes,
)

MOST_GROUPS = 6
"""The most groups with a name."""

OTHERS = ""
"""The pattern of the group of all changes that belong to no other group."""


@dataclass(frozen=True)
class Change:
    """Linked words of a sentence that differ between two versions.

    Attributes:
        tokens: their numbers.
        patterns: what changed, of all words but punctuation; of punctuation, if there is nothing else.
    """

    tokens: tuple[int, ...]
    patterns: frozenset[str]

    def group(self, ranking: Sequence[str]) -> str:
        """Return the first of these patterns that it has, or :data:`OTHERS`."""
        return next((pattern for pattern in ranking if pattern in self.patterns), OTHERS)


class ChangeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A group of changes.

    Attributes:
        pattern: what all of them have in common; :data:`OTHERS` of the rest.
        name: the pattern; of the rest, words.
        changes: how many there are.
        words: their words.
    """

    pattern: str
    name: str
    changes: int
    words: int


Arcs = tuple[tuple[int, str], ...]
"""The head and the relation of each token."""


def link_changes(first: Arcs, second: Arcs) -> list[tuple[int, ...]]:
    """Group the tokens with different arcs, those that belong together in one group.

    A token that moves from one word of a group to another word of this group joins it: when a word takes the
    place of its head, the other dependents of the head follow. So any mixture is still a tree.
    """
    import networkx as nx

    groups = independent_changes(first, second)
    group_of = {token: number for number, group in enumerate(groups) for token in group}
    together: nx.Graph[int] = nx.Graph()
    together.add_nodes_from(range(len(groups)))
    for token, number in group_of.items():
        old, new = (group_of.get(side[token - 1][0]) for side in (first, second))
        if old is not None and old == new and first[token - 1][0] != second[token - 1][0]:
            together.add_edge(number, old)
    linked = nx.connected_components(together)
    return sorted(tuple(sorted(t for number in numbers for t in groups[number])) for numbers in linked)


def changes_in(earlier: Tree, later: Tree, *, labelled: bool) -> list[Change]:
    """Return the changes of a sentence; those of relations alone only where parsers are `labelled`."""
    arcs = [
        tuple(zip(tree.heads, tree.deprels if labelled else ("",) * len(tree), strict=True))
        for tree in (earlier, later)
    ]
    if arcs[0] == arcs[1]:
        return []
    changes = []
    for tokens in link_changes(*arcs):
        words = [token for token in tokens if Score.label(earlier.deprels[token - 1]) not in PUNCT]
        patterns = (patterns_of(earlier, later, token) for token in words or tokens)
        changes.append(Change(tokens, frozenset(chain.from_iterable(patterns))))
    return changes


def pattern_of(earlier: Tree, later: Tree, token: int) -> str:
    """Return the tag of a word in the earlier version, and its relations: ``NOUN nmod > obl``.

    A relation that both versions have is there once. Subtypes are shown where only they differ.
    """
    before, after = earlier.deprels[token - 1], later.deprels[token - 1]
    if before != after and Score.label(before) != Score.label(after):
        before, after = Score.label(before), Score.label(after)
    elif earlier.heads[token - 1] != later.heads[token - 1]:
        before = after = Score.label(before)
    relations = dict.fromkeys((before, after))
    return f"{earlier.upos[token - 1]} {' > '.join(relations)}"


def patterns_of(earlier: Tree, later: Tree, token: int) -> list[str]:
    """Return the pattern of a word, and for another relation also the pattern of any other relation.

    The word that heads the whole sentence is labelled `root`, whatever it would be elsewhere. So a word that
    becomes the root also has the pattern of words that keep their relation.
    """
    pattern = pattern_of(earlier, later, token)
    before, changes, after = pattern.partition(" > ")
    if not changes:
        return [pattern]
    return [pattern, before + ANY_OTHER, *([before] if after == ROOT_LABEL else [])]


ROOT_LABEL = "root"
"""The relation of the word that heads a sentence."""


ANY_OTHER = " > other relations"
"""The end of a pattern that holds for all words that change this relation, whatever it becomes."""

EXACT = 0.75
"""A pattern of any other relation is chosen only if each exact one has a smaller share of its changes."""


def ranked_patterns(changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the patterns that name groups: each is the most frequent of the changes without a group."""
    left = Counter(change.patterns for change in changes)
    ranking: list[str] = []
    while len(ranking) < MOST_GROUPS:
        counts: Counter[str] = Counter()
        for patterns, count in left.items():
            counts.update(dict.fromkeys(patterns, count))
        frequent = {
            pattern: count * (EXACT if pattern.endswith(ANY_OTHER) else 1)
            for pattern, count in counts.items()
            if count >= FEWEST.places
        }
        if not frequent:
            break
        best = min(frequent, key=lambda pattern: (-frequent[pattern], -len(pattern), pattern))
        ranking.append(best)
        left = Counter({patterns: count for patterns, count in left.items() if best not in patterns})
    return tuple(ranking)


def mix_trees(earlier: Tree, later: Tree, ranking: Sequence[str], group: str, *, labelled: bool) -> Tree:
    """Return the tree of the earlier version with the changes of one group.

    Args:
        earlier: the tree in the earlier version.
        later: in the later version.
        ranking: the patterns that name groups.
        group: that of the group.
        labelled: whether changes of relations alone are changes.
    """
    taken = [
        change.tokens
        for change in changes_in(earlier, later, labelled=labelled)
        if change.group(ranking) == group
    ]
    if not taken:
        return earlier
    heads, deprels = list(earlier.heads), list(earlier.deprels)
    for token in chain.from_iterable(taken):
        heads[token - 1], deprels[token - 1] = later.heads[token - 1], later.deprels[token - 1]
    return earlier.with_heads(heads, deprels)


def groups_of(pairs: Iterable[tuple[Tree, Tree]], *, labelled: bool) -> list[ChangeGroup]:
    """Return the groups of changes of a treebank, the most frequent first; all others come last.

    Args:
        pairs: each sentence in both versions.
        labelled: whether changes of relations alone are changes.
    """
    changes = [change for pair in pairs for change in changes_in(*pair, labelled=labelled)]
    ranking = ranked_patterns(changes)
    members: dict[str, list[Change]] = {pattern: [] for pattern in (*ranking, OTHERS)}
    for change in changes:
        members[change.group(ranking)].append(change)
    rest = "all other changes" if ranking else "all changes"
    return [
        ChangeGroup(
            pattern=pattern,
            name=pattern or rest,
            changes=len(found),
            words=sum(len(change.tokens) for change in found),
        )
        for pattern, found in members.items()
        if found
    ]
