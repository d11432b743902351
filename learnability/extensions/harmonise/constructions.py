"""Name the constructions that two treebanks annotate in different ways, where the program has a rule.

A rule says what the other annotation would be of each place in a treebank. Where parsers of the other
treebank give the heads of the rule rather than those of the annotation, that treebank follows the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from learnability.extending import Tree, get_transformation, known_transformations
from learnability.extensions.harmonise.cross_parses import CrossParses, Parsed

FEWEST_MOVED = 20
"""The words whose heads a rule moves in a treebank, at least."""

MORE_THAN_HALF = 0.5
"""The share of the parsers' heads of moved words, of those of the rule or of the annotation, that are the
rule's, if the other treebank follows it."""

LEAST_FOLLOWED = 1 / 3
"""The share of all moved words that have the head of the rule, at least: of a coordination, parsers find half
of the heads (research/harmonise)."""


@dataclass(frozen=True)
class RuleSupport:
    """Represent how far parsers follow a rule rather than the annotation of a treebank.

    Attributes:
        treebank: the number of the treebank whose places it changes.
        source: the number of the treebank that parsers learned from.
        moved: the words whose heads the rule moves.
        by_rule, as_annotated: how many of them have the head of the rule, and the annotated one, in the
            parses, on average over parsers.
        home_by_rule, home_as_annotated: the same of parsers of the treebank itself.
    """

    spec: str
    treebank: int
    source: int
    moved: int
    by_rule: float
    as_annotated: float
    home_by_rule: float
    home_as_annotated: float

    @property
    def is_followed(self) -> bool:
        return (
            self.moved >= FEWEST_MOVED
            and self.by_rule >= LEAST_FOLLOWED * self.moved
            and self.by_rule > MORE_THAN_HALF * (self.by_rule + self.as_annotated)
            and self.home_by_rule < MORE_THAN_HALF * (self.home_by_rule + self.home_as_annotated)
        )

    @property
    def gain(self) -> float:
        """Return how many more heads of the parses the rule has right than the annotation."""
        return self.by_rule - self.as_annotated


def name_constructions(parses: CrossParses) -> list[RuleSupport]:
    """Return the rules that one treebank follows and another does not; of rules about the same words only
    that which explains most.
    """
    named: list[RuleSupport] = []
    for number, treebank in enumerate(parses.treebanks):
        conventions = treebank.version.conventions
        rules = [get_transformation(name, conventions) for name in known_transformations()]
        made = {rule.spec: [rule.apply(tree, labels="external") for tree in treebank.trees] for rule in rules}
        for source in parses.others(number):
            named += keep_best_apart(_followed(parses, number, source, made), made, treebank.trees)
    return named


def _followed(
    parses: CrossParses, number: int, source: int, made: Mapping[str, Sequence[Tree]]
) -> list[RuleSupport]:
    """Return the rules that the parsers of a treebank follow in another one, the most explaining first."""
    trees = parses.treebanks[number].trees
    foreign, home = parses.parses[number, source], parses.parses[number, number]
    found = [
        RuleSupport(
            spec,
            number,
            source,
            sum(map(len, map(_moved_words, trees, changed))),
            *_count_heads(trees, changed, foreign),
            *_count_heads(trees, changed, home),
        )
        for spec, changed in made.items()
    ]
    return sorted((each for each in found if each.is_followed), key=lambda each: (-each.gain, each.spec))


def _moved_words(tree: Tree, changed: Tree) -> list[int]:
    return [word for word, (old, new) in enumerate(zip(tree.heads, changed.heads, strict=True)) if old != new]


def _count_heads(
    trees: Sequence[Tree], changed: Sequence[Tree], parses: Iterable[Parsed]
) -> tuple[float, float]:
    by_rule = as_annotated = parsers = 0
    for parsed in parses:
        parsers += 1
        for tree, other, parse in zip(trees, changed, parsed, strict=True):
            for word in _moved_words(tree, other):
                by_rule += parse.heads[word] == other.heads[word]
                as_annotated += parse.heads[word] == tree.heads[word]
    return by_rule / parsers, as_annotated / parsers


def keep_best_apart(
    followed: Sequence[RuleSupport], made: Mapping[str, Sequence[Tree]], trees: Sequence[Tree]
) -> list[RuleSupport]:
    """Return the rules most of whose words no better rule moves."""
    taken: set[tuple[int, int]] = set()
    kept: list[RuleSupport] = []
    for support in followed:
        moved = {
            (sentence, word)
            for sentence, (tree, other) in enumerate(zip(trees, made[support.spec], strict=True))
            for word in _moved_words(tree, other)
        }
        if len(moved & taken) <= len(moved) / 2:
            kept.append(support)
        taken |= moved
    return kept
