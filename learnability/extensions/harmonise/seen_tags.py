"""Give parsers of a treebank the words of another one with the tags that they know.

Where one treebank never uses a tag of another, a parser that reads it, or misses it, errs in the tree as
well. Such words get the tag that a tagger of the parser's treebank gives them, so that patterns of trees
are about trees. All other tags stay: what a tagger errs in costs more than it saves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from learnability.extensions.harmonise.cross_parses import CrossParses
from learnability.extensions.harmonise.patterns import ArcChange, PairPatterns, tag_changes
from learnability.treebanks.sentence import Tree

LEAST_USED = 0.001
"""The share of the words of a treebank that have a tag which it uses."""


def see_tags(tagged: CrossParses, patterns: Sequence[PairPatterns]) -> dict[tuple[int, int], list[Tree]]:
    """Return the sentences of each treebank as parsers of another one see them, where that differs.

    Args:
        tagged: the sentences as taggers of all treebanks tag them.
        patterns: in which tags of two treebanks differ.
    """
    seen: dict[tuple[int, int], list[Tree]] = {}
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
            trees = tagged.treebanks[target].trees
            seen[target, source] = [
                _with_tags(tree, other, admitted) for tree, other in zip(trees, others, strict=True)
            ]
    return seen


def keep_seen_tags(trees: Sequence[Tree], learned: Sequence[Tree], parses: Sequence[Tree]) -> list[Tree]:
    """Return trees with the tags that parsers saw before, except where both treebanks now use the tags.

    Args:
        trees: those that are parsed.
        learned: those that parsers learn from.
        parses: what they were before one of the two was rewritten; their tags are those that parsers saw.
    """
    known = tags_used(learned)
    both = tags_used(trees) & known
    seen: list[Tree] = []
    for tree, parse in zip(trees, parses, strict=True):
        tags = [
            before if before in known and not {tag, before} <= both else tag
            for tag, before in zip(tree.upos, parse.upos, strict=True)
        ]
        seen.append(replace(tree, upos=tuple(tags)))
    return seen


def tags_used(trees: Sequence[Tree]) -> frozenset[str]:
    """Return the tags that at least `LEAST_USED` of the words have."""
    counts = Counter(tag for tree in trees for tag in tree.upos)
    return frozenset(tag for tag, words in counts.items() if words >= LEAST_USED * counts.total())


def _with_tags(tree: Tree, tagged: Tree, admitted: Collection[ArcChange]) -> Tree:
    """Return a tree with the tags of those words that change as is admitted."""
    tags = list(tree.upos)
    for word, change in tag_changes(tree, tagged).items():
        if change in admitted:
            tags[word - 1] = tagged.upos[word - 1]
    return replace(tree, upos=tuple(tags))
