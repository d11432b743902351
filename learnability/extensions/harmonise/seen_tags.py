"""Give parsers of a treebank the words of another one with the tags that they know.

Where one treebank never uses a tag of another, a parser that reads it, or misses it, errs in the tree as
well. Such words get the tag that a tagger of the parser's treebank gives them, so that patterns of trees
are about trees. All other tags stay: what a tagger errs in costs more than it saves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from learnability.extending import Tree
from learnability.extensions.harmonise.cross_parses import CrossParses
from learnability.extensions.harmonise.patterns import ArcChange, PairPatterns, tag_changes

LEAST_USED = 0.001
"""The share of the words of a treebank that have a tag which it uses."""


SeenTags = Mapping[int, str]
"""The tags that parsers of another treebank see in place of those annotated, by the number of the word."""


def see_tags(tagged: CrossParses, patterns: Sequence[PairPatterns]) -> dict[tuple[int, int], SeenTags]:
    """Return the tags that parsers see, by the number of a treebank and of the one that they learned from.

    Args:
        tagged: the sentences as taggers of all treebanks tag them.
        patterns: in which tags of two treebanks differ.
    """
    seen: dict[tuple[int, int], SeenTags] = {}
    used = [tags_used(treebank.trees) for treebank in tagged.treebanks]
    for pair in patterns:
        both = used[pair.first] & used[pair.second]
        changes = {
            pattern.change
            for pattern in pair.conventions
            if not {pattern.change.annotated, pattern.change.other} <= both
        }
        directions = (
            (pair.first, pair.second, changes),
            (pair.second, pair.first, {each.mirrored for each in changes}),
        )
        for target, source, admitted in directions if changes else ():
            (others,) = tagged.parses[target, source]
            seen[target, source] = _tags_of(tagged.treebanks[target].trees, others, admitted)
    return seen


def _tags_of(
    trees: Sequence[Tree], others: Sequence[Tree], admitted: Collection[ArcChange]
) -> dict[int, str]:
    """Return the other tags of those words that change as is admitted."""
    tags: dict[int, str] = {}
    start = 0
    for tree, other in zip(trees, others, strict=True):
        for word, change in tag_changes(tree, other).items():
            if change in admitted:
                tags[start + word - 1] = other.upos[word - 1]
        start += len(tree)
    return tags


def with_seen_tags(trees: Sequence[Tree], seen: SeenTags) -> list[Tree]:
    """Return the trees of a treebank with the tags that parsers see."""
    if not seen:
        return list(trees)
    changed: list[Tree] = []
    start = 0
    for tree in trees:
        tags = [seen.get(start + place, tag) for place, tag in enumerate(tree.upos)]
        changed.append(replace(tree, upos=tuple(tags)))
        start += len(tree)
    return changed


def tags_used(trees: Sequence[Tree]) -> frozenset[str]:
    """Return the tags that at least `LEAST_USED` of the words have."""
    counts = Counter(tag for tree in trees for tag in tree.upos)
    return frozenset(tag for tag, words in counts.items() if words >= LEAST_USED * counts.total())
