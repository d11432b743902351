"""The arc that changes with a proposal, so that the sentence remains a tree.

A proposal is about one word. Put into the annotated tree alone, its arc may close a cycle (the proposed head
is below the word) or make a further root. One more arc mends either: of a word between the two, which leaves
the part of the tree below the word; of the root above the word, which goes below it. The parsers that find
the proposed head say which word, and where it goes. Otherwise the two change places: the proposed head, or
the old root, gets what the word had, but for a relation that its tag rules out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from learnability.extending import Guidelines

if TYPE_CHECKING:
    from learnability.extensions.doubts.words import AssessedWords


class ProposedArc(NamedTuple):
    """Represent the head and the relation of a word; `word` and `head` count from 1."""

    word: int
    head: int
    deprel: str


def linked_arc(words: AssessedWords, word: int, head: int) -> ProposedArc | None:
    """Return what else changes if the word of an index gets a head (0: the root); None if nothing has to.

    The tree then has no cycle, and no more roots than before: one more arc is enough for that.
    """
    token, tree = int(words.position[word]), words.trees[int(words.flat.sentence[word])]
    old_head = tree.heads[token - 1]

    def is_below(node: int) -> bool:
        return node == token or token in upwards(tree.heads, node)

    if head == old_head:
        return None
    if head == 0:
        *_, root = upwards(tree.heads, token)
        return _choose_arc(words, word, head, [root], is_below) or _arc_that_fits(words, word, root, token)
    if not is_below(head):
        return None

    def leaves(node: int) -> bool:
        return old_head == 0 if node == 0 else not is_below(node)

    between = list(takewhile(lambda node: node != token, [head, *upwards(tree.heads, head)]))
    return _choose_arc(words, word, head, between, leaves) or _arc_that_fits(words, word, head, old_head)


def _arc_that_fits(words: AssessedWords, word: int, moved: int, head: int) -> ProposedArc:
    """Return the arc of a moved word, which changes places with the word of an index.

    It has the relation of the other one if its tag allows it, else the usual one of words with its tag.
    """
    deprel = words.deprels[word]
    tag = words.trees[int(words.flat.sentence[word])].upos[moved - 1]
    if head != 0 and not Guidelines.fits_tag(deprel, tag) and tag in words.usual_relations:
        deprel = words.names.names[words.usual_relations[tag]]
    return ProposedArc(moved, head, deprel)


def upwards(heads: Sequence[int], node: int) -> Iterator[int]:
    """Yield the head of a word of a tree, the head of that, and so on to the root word; nothing for 0."""
    while node != 0 and (node := heads[node - 1]) != 0:
        yield node


def _choose_arc(
    words: AssessedWords, word: int, head: int, movable: Sequence[int], fits: Callable[[int], bool]
) -> ProposedArc | None:
    """Return the arc that most parsers with the proposed head have of a movable word, if its head fits.

    Of equals it is that of the first movable word, then the nearer head, then the first relation.
    """
    start = int(words.starts[word])
    counts: Counter[tuple[int, int, int]] = Counter()
    for heads, relations in zip(words.voted_heads, words.voted_relations, strict=True):
        if heads[word] != head:
            continue
        for place, token in enumerate(movable):
            new, relation = int(heads[start + token - 1]), int(relations[start + token - 1])
            if fits(new) and (new == 0) == (relation == words.root):
                counts[place, new, relation] += 1
    if not counts:
        return None

    def preference(arc: tuple[int, int, int]) -> tuple[int, int, int, int]:
        place, new, relation = arc
        return counts[arc], -place, -abs(new - movable[place]), -relation

    place, new, relation = max(counts, key=preference)
    return ProposedArc(movable[place], new, words.names.names[relation])
