"""Learn rules that make one treebank like another, where no construction is named.

What parsers of the other treebank find at the words of a convention is a second annotation of the treebank.
Rules are learned from the two as `diff --rules` learns them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from learnability.extending import (
    SchemeRule,
    Tree,
    Version,
    compare_versions,
    scheme_of,
)
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses
from learnability.extensions.harmonise.patterns import TAG, ArcChange, PairPatterns
from learnability.extensions.harmonise.results import RuleResult
from learnability.extensions.harmonise.rewriting import Rewriting

LEAST_RECALL = 0.5
"""The share of the words of a convention that a rule makes right, at least: it rewrites most of them."""


@dataclass(frozen=True)
class ConventionRule:
    """Represent a rule that makes a treebank like another one, as parsers of the other see it.

    Attributes:
        treebank: the number of the treebank that it changes.
        like: the number of the other one.
        learned: the rule, and how well it does on sentences that it was not learned from.
        version: the treebank that it changes.
    """

    treebank: int
    like: int
    learned: RuleResult
    version: Version

    @property
    def spec(self) -> str:
        return self.learned.spec

    @property
    def key(self) -> str:
        """Return how the rule is written, and how it labels words."""
        return f"{self.spec} {self.learned.labels}".strip()

    @property
    def labels(self) -> Literal["external", "keep"]:
        """Return how it labels words whose heads it moves."""
        return "keep" if self.learned.labels == "keep" else "external"

    @cached_property
    def rule(self) -> SchemeRule:
        """Return what the rule does."""
        name = f"rule{self.learned.number}.toml"
        return SchemeRule(self.learned.scheme, name, self.version.conventions, self.labels)

    def rewrite(self, treebank: ComparedTreebank) -> ComparedTreebank:
        """Return the treebank with the rule applied."""
        return treebank.with_trees([self.rule.apply(tree) for tree in treebank.trees])


class SeenWords(NamedTuple):
    """Hold the words of conventions as parsers of another treebank see them, by the number of the word.

    Attributes:
        arcs: their heads and relations.
        tags: their tags.
    """

    arcs: Mapping[int, tuple[int, str]]
    tags: Mapping[int, str]


def see_words(
    parses: CrossParses, patterns: Sequence[PairPatterns], constructions: Sequence[Rewriting]
) -> dict[tuple[int, int], SeenWords]:
    """Return the words of conventions as parsers of another treebank see them, by the number of the treebank
    and of the other one.

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
    seen: dict[tuple[int, int], SeenWords] = {}
    for (treebank, like), found in sorted(directions.items()):
        known: set[int] = set()
        for each in constructions:
            if (each.treebank, each.like) == (treebank, like):
                known |= changed_words(parses.treebanks[treebank], each)
        words = _see(parses, treebank, like, found, known)
        if words.arcs or words.tags:
            seen[treebank, like] = words
    return seen


def _see(
    parses: CrossParses,
    number: int,
    like: int,
    found: Sequence[tuple[ArcChange, Collection[int]]],
    known: Collection[int],
) -> SeenWords:
    """Return the words of a treebank that conventions are about, without those that are known."""
    arcs: dict[int, tuple[int, str]] = {}
    tags: dict[int, str] = {}
    places = [
        (sentence, word)
        for sentence, tree in enumerate(parses.treebanks[number].trees)
        for word in range(1, len(tree) + 1)
    ]
    for change, words in found:
        for word in words:
            if word in known:
                continue
            if change.about == TAG:
                tags[word] = change.other
            else:
                head, deprel, _ = parses.vote(number, like, *places[word])
                arcs[word] = head, deprel
    return SeenWords(arcs, tags)


def learn_rules(treebank: ComparedTreebank, words: SeenWords) -> list[RuleResult]:
    """Return rules that make words of a treebank as parsers of another one see them.

    Args:
        treebank: whose words they are.
        words: as these parsers see them.
    """
    seen = treebank.with_trees(list(_with_words(treebank.trees, words)))
    return [
        RuleResult(
            number=learned.number,
            differs=learned.group.title,
            spec=learned.spec,
            labels=learned.labels,
            scheme=scheme_of(learned),
            precision=learned.precision,
            recall=learned.recall,
            changed=learned.changed,
        )
        for learned in compare_versions(treebank.version, seen.version).learn_rules()
        if learned.change is not None and not learned.same_as and (learned.recall or 0.0) >= LEAST_RECALL
    ]


def _with_words(trees: Sequence[Tree], words: SeenWords) -> Iterator[Tree]:
    start = 0
    for tree in trees:
        places = range(start, start + len(tree))
        old = zip(tree.heads, tree.deprels, strict=True)
        arcs = [words.arcs.get(place, arc) for place, arc in zip(places, old, strict=True)]
        tags = [words.tags.get(place, tag) for place, tag in zip(places, tree.upos, strict=True)]
        heads, deprels = zip(*arcs, strict=True)
        yield replace(tree, heads=heads, deprels=deprels, upos=tuple(tags))
        start += len(tree)


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
