"""Find the changes between two versions of the same sentences, and put linked changes into named groups.

Words that differ are linked if a mixture of the two versions might be no tree (:func:`link_changes`).
So each *change*, a set of linked words, can be taken from either version alone. A change has a pattern for
each of its words: the tag, and the relation before and after (`ADP case`, `NOUN nmod > obl`). A group is all
changes with the pattern that names it. The names are chosen one after the other, each the most frequent in
the changes that have no group yet. A word whose relation becomes one of many has a pattern for all of these,
too (`AUX aux > other relations`). The rest is a group without a name.
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
    Sentence,
    Tree,
    independent_changes,
    movement_of,
    place_of,
)

MOST_GROUPS = 6
"""The most groups with a name."""

EXAMPLE_LENGTHS = range(4, 23)
"""The words of sentences that a report can draw."""

EXAMPLES = 3
"""The sentences of a group that a report draws."""

MOST = 0.8
"""The share of the changes of a group that a detail of its name is true of."""

FUNCTION_TAGS = {"ADP", "AUX", "CCONJ", "DET", "PART", "PUNCT", "SCONJ"}
"""The tags of words whose lemma may be in the name of a group."""

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


class DrawnTrees(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sentence in both versions, for a report to draw."""

    sent_id: str
    forms: list[str]
    upos: list[str]
    heads: tuple[list[int], list[int]]
    deprels: tuple[list[str], list[str]]


class ChangeGroup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A group of changes.

    Attributes:
        pattern: what all of them have in common; :data:`OTHERS` of the rest.
        name: the pattern, with what is true of most of them.
        lemma: that of most of their words, of function words; empty if there is none.
        move: where the heads of most of their words moved; empty if they moved to different places.
        changes: how many there are.
        words: their words.
        examples: sentences that show it.
    """

    pattern: str
    name: str
    changes: int
    words: int
    examples: list[DrawnTrees]
    lemma: str = ""
    move: str = ""


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


def groups_of(pairs: Sequence[tuple[Sentence, Sentence]], *, labelled: bool) -> list[ChangeGroup]:
    """Return the groups of changes of a treebank, the most frequent first; all others come last.

    Args:
        pairs: each sentence in both versions.
        labelled: whether changes of relations alone are changes.
    """
    changed = [(pair, changes_in(pair[0].tree, pair[1].tree, labelled=labelled)) for pair in pairs]
    changed = [(pair, changes) for pair, changes in changed if changes]
    ranking = ranked_patterns(change for _, changes in changed for change in changes)
    groups = []
    for group in (*ranking, OTHERS):
        members = [
            (pair, change)
            for pair, changes in changed
            for change in changes
            if change.group(ranking) == group
        ]
        if not members:
            continue
        lemma, move = _common(group, members)
        groups.append(
            ChangeGroup(
                pattern=group,
                name=_name(group, lemma, move) if ranking else "all changes",
                lemma=lemma,
                move=move,
                changes=len(members),
                words=sum(len(change.tokens) for _, change in members),
                examples=_examples(members, changed),
            )
        )
    return groups


Member = tuple[tuple[Sentence, Sentence], Change]
"""A sentence in both versions, and a change in it."""


def _common(group: str, members: Sequence[Member]) -> tuple[str, str]:
    """Return the lemma that most function words of a group have, and where most of its words move."""
    if group == OTHERS:
        return "", ""
    lemmas: Counter[str] = Counter()
    moves: Counter[str] = Counter()
    for (earlier, later), change in members:
        for token in change.tokens:
            if group in patterns_of(earlier.tree, later.tree, token):
                lemmas[earlier.tree.lemmas_or_forms()[token - 1].lower()] += 1
                moves[movement(earlier.tree, later.tree, token)] += 1
    (lemma, with_lemma), (move, moved) = lemmas.most_common(1)[0], moves.most_common(1)[0]
    has_lemma = group.split()[0] in FUNCTION_TAGS and with_lemma >= MOST * lemmas.total()
    return lemma if has_lemma else "", move if moved >= MOST * moves.total() else ""


def _name(group: str, lemma: str, move: str) -> str:
    """Return the pattern with the lemma, and with where the words move."""
    if group == OTHERS:
        return "all other changes"
    name = f"{group} ({lemma})" if lemma else group
    return f"{name}, {move}" if move else name


SAME_HEAD = "same head"
"""Where the head of a word moves that keeps it."""


def movement(earlier: Tree, later: Tree, token: int) -> str:
    """Return where the head of a word moved, in the words of `diff`.

    Args:
        earlier: the tree in the earlier version.
        later: in the later version.
        token: the number of the word.
    """
    old, new = earlier.heads[token - 1], later.heads[token - 1]
    if old == new:
        return SAME_HEAD
    return movement_of(place_of(earlier, token, new), place_of(later, token, old))


def _examples(
    members: Sequence[Member], changed: Sequence[tuple[tuple[Sentence, Sentence], Sequence[Change]]]
) -> list[DrawnTrees]:
    """Return short sentences with the change, those whose words are known and with few other changes
    first."""
    counts = {id(earlier): len(changes) for (earlier, _), changes in changed}
    of_group = Counter(id(earlier) for (earlier, _), _ in members)
    pairs = {id(pair[0]): pair for pair, _ in members if len(pair[0]) in EXAMPLE_LENGTHS}

    def order(key: int) -> tuple[bool, int, int]:
        earlier, _ = pairs[key]
        others = counts[key] - of_group[key]
        return any(earlier.tree.find_withheld()), others, abs(len(earlier) - MIDDLE_LENGTH)

    chosen = sorted(pairs, key=order)[:EXAMPLES]
    return [_draw_change(*pairs[key]) for key in chosen]


MIDDLE_LENGTH = 9
"""Words of a sentence that shows a change, and its surroundings, at a glance."""


def _draw_change(earlier: Sentence, later: Sentence) -> DrawnTrees:
    trees = earlier.tree, later.tree
    return DrawnTrees(
        sent_id=earlier.name,
        forms=list(earlier.tree.forms),
        upos=list(earlier.tree.upos),
        heads=(list(trees[0].heads), list(trees[1].heads)),
        deprels=(list(trees[0].deprels), list(trees[1].deprels)),
    )
