"""Give parsers of a treebank the words of another one with the tags that they know.

Where one treebank lacks a tag of another, a parser that reads it, or misses it, errs in the tree as well.
Such words get the tag that a tagger of the parser's treebank gives them, so that patterns of trees are about
trees. All other tags stay: what a tagger errs in costs more than it saves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from learnability.extending import Tree
from learnability.extensions.harmonise.cross_parses import CrossParses

SeenTags = Mapping[int, str]
"""The tags that parsers of another treebank see in place of those annotated, by the number of the word."""


def see_tags(tagged: CrossParses, source: int, lacking: Sequence[Collection[str]]) -> dict[int, SeenTags]:
    """Return the tags that parsers of a treebank see in each of the others, by its number.

    Args:
        tagged: the sentences as taggers of all treebanks tag them.
        source: the number of the treebank that parsers learn from.
        lacking: for each treebank, the tags that it has and the others lack, or the reverse.
    """
    seen: dict[int, SeenTags] = {}
    for target in tagged.others(source):
        (others,) = tagged.parses[target, source]
        unknown = {*lacking[target], *lacking[source]}
        seen[target] = dict(_unknown_tags(tagged.treebanks[target].trees, others, unknown))
    return seen


def _unknown_tags(
    trees: Sequence[Tree], others: Sequence[Tree], unknown: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Yield the words with another tag, if it or the annotated one is unknown, with this tag."""
    start = 0
    for tree, other in zip(trees, others, strict=True):
        for word, (old, new) in enumerate(zip(tree.upos, other.upos, strict=True), start=start):
            if old != new and (old in unknown or new in unknown):
                yield word, new
        start += len(tree)


def with_seen_tags(trees: Sequence[Tree], seen: SeenTags) -> list[Tree]:
    """Return the trees of a treebank with the tags that parsers see."""
    changed: list[Tree] = []
    start = 0
    for tree in trees:
        tags = [seen.get(start + place, tag) for place, tag in enumerate(tree.upos)]
        changed.append(replace(tree, upos=tuple(tags)))
        start += len(tree)
    return changed
