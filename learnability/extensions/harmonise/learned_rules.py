"""Learn rules that make one treebank like another, where no construction is named.

What parsers of the other treebank find at the words of a convention is a second annotation of the treebank.
Rules are learned from the two as `diff --rules` learns them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from learnability.differences.actions import changed_tree
from learnability.differences.comparison import compare_versions
from learnability.differences.rules import LearnedRule
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses
from learnability.extensions.harmonise.patterns import TAG, ArcChange, PairPatterns
from learnability.extensions.harmonise.rewriting import Rewriting
from learnability.reports.differences.rules import scheme_of, spelled
from learnability.transforms.relabelling import Relabelling, ValueChange, problems_of
from learnability.treebanks.sentence import Tree

LEAST_RECALL = 0.5
"""The share of the words of a convention that a rule makes right, at least: it rewrites most of them."""


@dataclass(frozen=True)
class ConventionRule:
    """Represent a rule that makes a treebank like another one, as parsers of the other see it.

    Attributes:
        treebank: the number of the treebank that it changes.
        like: the number of the other one.
        learned: the rule, and how well it does on sentences that it was not learned from.
        language: the language code of the treebank.
    """

    treebank: int
    like: int
    learned: LearnedRule
    language: str = ""

    @property
    def spec(self) -> str:
        """Return how the rule is written."""
        return spelled(self.learned)

    @property
    def labels(self) -> Literal["external", "keep"]:
        """Return how it labels words whose heads it moves."""
        return "keep" if self.learned.labels == "keep" else "external"

    @property
    def scheme(self) -> str:
        """Return the scheme file of the rule."""
        return scheme_of(self.learned)

    def makes_difference(self, trees: Sequence[Tree]) -> bool:
        """Return whether parsers can tell what the rule makes of trees: more than another name."""
        change = self.learned.change
        if isinstance(change, ValueChange):
            return not problems_of(Relabelling((change,)), trees, self.language)
        return change is not None and any(change.places(tree) for tree in trees)

    def rewrite(self, treebank: ComparedTreebank) -> ComparedTreebank:
        """Return the treebank with the rule applied."""
        change = self.learned.change
        assert change is not None
        trees = [changed_tree(change, tree, self.labels, self.language) for tree in treebank.trees]
        return treebank.with_trees(trees)


def learn_convention_rules(
    parses: CrossParses, patterns: Sequence[PairPatterns], constructions: Sequence[Rewriting]
) -> list[ConventionRule]:
    """Return rules for the conventions in which treebanks differ, in either treebank of each pair.

    Args:
        parses: of all treebanks.
        patterns: of each pair, of trees and of tags.
        constructions: those that are named, both ways; the words that they change need no other rule.
    """
    directions: dict[tuple[int, int], list[tuple[ArcChange, Collection[int]]]] = defaultdict(list)
    for pair in patterns:
        for pattern in pair.conventions:
            directions[pair.first, pair.second].append((pattern.change, pattern.first.examples))
            directions[pair.second, pair.first].append((pattern.change.mirrored, pattern.second.examples))
    rules: list[ConventionRule] = []
    for (treebank, like), found in sorted(directions.items()):
        known = [each for each in constructions if (each.treebank, each.like) == (treebank, like)]
        rules += _learn(parses, treebank, like, found, known)
    return rules


def _learn(
    parses: CrossParses,
    number: int,
    like: int,
    found: Sequence[tuple[ArcChange, Collection[int]]],
    constructions: Sequence[Rewriting],
) -> Iterator[ConventionRule]:
    """Yield the rules that make a treebank like another one."""
    treebank = parses.treebanks[number]
    known = {word for each in constructions for word in changed_words(treebank, each)}
    changes: dict[int, list[ArcChange]] = defaultdict(list)
    for change, words in found:
        for word in words:
            if word not in known:
                changes[word].append(change)
    if not changes:
        return
    seen = treebank.with_trees(list(_as_seen(parses, number, like, changes)))
    for learned in compare_versions(treebank.version, seen.version).learn_rules():
        is_found = learned.change is not None and not learned.same_as
        if is_found and (learned.recall or 0.0) >= LEAST_RECALL:
            yield ConventionRule(number, like, learned, treebank.version.conventions.language)


def changed_words(treebank: ComparedTreebank, rewriting: Rewriting) -> set[int]:
    """Return the numbers of the words whose heads or relations a rewriting changes."""
    made = rewriting.rewrite(treebank)
    changed: set[int] = set()
    start = 0
    for tree, other in zip(treebank.trees, made.trees, strict=True):
        columns = zip(tree.heads, other.heads, tree.deprels, other.deprels, strict=True)
        for place, (head, new_head, deprel, new_deprel) in enumerate(columns, start=start):
            if head != new_head or deprel != new_deprel:
                changed.add(place)
        start += len(tree)
    return changed


def _as_seen(
    parses: CrossParses, number: int, like: int, changes: Mapping[int, Sequence[ArcChange]]
) -> Iterator[Tree]:
    """Yield the trees with what parsers of another treebank find at the words that change."""
    start = 0
    for sentence, tree in enumerate(parses.treebanks[number].trees):
        heads, deprels, tags = list(tree.heads), list(tree.deprels), list(tree.upos)
        for place in range(len(tree)):
            for change in changes.get(start + place, ()):
                if change.about == TAG:
                    tags[place] = change.other
                else:
                    heads[place], deprels[place], _ = parses.vote(number, like, sentence, place + 1)
        yield replace(tree, heads=tuple(heads), deprels=tuple(deprels), upos=tuple(tags))
        start += len(tree)
