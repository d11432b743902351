"""Rewrite the conventions of one treebank as another one has them, and score parsers after that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    Parsed,
    TrainingSettings,
    common_size,
    parse_each_other,
)
from learnability.extensions.harmonise.matrix import (
    Estimate95,
    estimate_share,
    parse_together,
    right_words,
)
from learnability.extensions.harmonise.seen_tags import keep_seen_tags
from learnability.transforms.base import Rule, invert_all
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Tree


class Rewriting(Protocol):
    """Make one treebank like another one, as far as a rule can.

    Attributes:
        spec: the rule, as it is written.
        treebank: the number of the treebank that is rewritten.
        like: the number of the treebank whose convention it then follows.
    """

    @property
    def spec(self) -> str: ...  # noqa: D102

    @property
    def treebank(self) -> int: ...  # noqa: D102

    @property
    def like(self) -> int: ...  # noqa: D102

    def rewrite(self, treebank: ComparedTreebank) -> ComparedTreebank:
        """Return the treebank with the rule applied."""
        ...


@dataclass(frozen=True)
class ConstructionRewriting:
    """Represent a construction that is rewritten in one of the two treebanks that differ in it.

    Attributes:
        support: the construction.
        rule: its rule, for the treebank that is annotated as UD.
        is_converted_back: whether the other treebank is converted back to UD, instead of this one to the
            alternative.
    """

    support: RuleSupport
    rule: Rule
    is_converted_back: bool

    @property
    def spec(self) -> str:
        """Return the construction, as it is written."""
        return self.support.spec

    @property
    def treebank(self) -> int:
        """Return the number of the treebank that is rewritten."""
        return self.support.source if self.is_converted_back else self.support.treebank

    @property
    def like(self) -> int:
        """Return the number of the treebank whose convention it then follows."""
        return self.support.treebank if self.is_converted_back else self.support.source

    def makes_difference(self, trees: Sequence[Tree]) -> bool:
        """Return whether the construction has a place in UD trees."""
        return any(self.rule.places(tree) for tree in trees)

    def rewrite(self, treebank: ComparedTreebank) -> ComparedTreebank:
        """Return the treebank with the construction rewritten."""
        if self.is_converted_back:
            return treebank.with_trees(invert_all(self.rule, list(treebank.trees), None, None))
        return treebank.with_trees([self.rule.apply(tree, labels="external") for tree in treebank.trees])


@dataclass(frozen=True)
class FullRewriting:
    """Represent everything that makes one treebank like another one.

    Attributes:
        parts: what is applied, one after the other; all of one treebank, like one other.
    """

    parts: Sequence[Rewriting]

    @property
    def spec(self) -> str:
        """Return all rules, as they are written."""
        return " + ".join(part.spec for part in self.parts)

    @property
    def treebank(self) -> int:
        """Return the number of the treebank that is rewritten."""
        return self.parts[0].treebank

    @property
    def like(self) -> int:
        """Return the number of the treebank whose conventions it then follows."""
        return self.parts[0].like

    @property
    def alternative(self) -> str:
        """Return the constructions in which the treebank is then no UD, as they are written."""
        found = [part for part in self.parts if isinstance(part, ConstructionRewriting)]
        return "+".join(part.spec for part in found if not part.is_converted_back)

    def rewrite(self, treebank: ComparedTreebank) -> ComparedTreebank:
        """Return the treebank with everything rewritten."""
        for part in self.parts:
            treebank = part.rewrite(treebank)
        return treebank


@dataclass(frozen=True)
class RewrittenPair:
    """Hold what rewriting one of two treebanks gains for parsers.

    Attributes:
        rewriting: what was rewritten.
        on_rewritten: LAS of the parsers of the other treebank on the rewritten one, after minus before, in
            points. Of rules that were learned from what such parsers find, it says little.
        on_other: LAS of the parsers of the rewritten treebank on the other one, after minus before.
        together: LAS on the other one of parsers that learned from both, after minus before; None if
            `rewriting` is only a part of what can be rewritten.
    """

    rewriting: Rewriting
    on_rewritten: Estimate95
    on_other: Estimate95
    together: Estimate95 | None = None


@dataclass(frozen=True)
class RewritingAnswer:
    """Hold the two answers about a rewriting in a treebank, on its test set.

    Attributes:
        spec: the construction, or the rule that was learned.
        treebank: the number of the treebank.
        like: the number of the treebank whose convention it follows if it is rewritten.
        is_converted_back: whether the treebank has the alternative, and its UD trees are made by the rule.
        easier: which annotation is easier to learn, as in results.csv; of a rule that was learned, UD is the
            annotation of the treebank.
        train_on: which one to train on where UD is needed, as in results.csv.
        difference: LAS on UD minus LAS on the alternative, in points; None if there are too few examples.
    """

    spec: str
    treebank: int
    like: int
    is_converted_back: bool
    easier: str
    train_on: str
    difference: Estimate95 | None


def rewrite_constructions(
    treebanks: Sequence[ComparedTreebank], constructions: Sequence[RuleSupport]
) -> list[ConstructionRewriting]:
    """Return how each construction is rewritten: in the one treebank, and back in the other."""
    rewritings: list[ConstructionRewriting] = []
    for support in constructions:
        rule = get_transformation(support.spec, treebanks[support.treebank].version.conventions)
        rewritings += [ConstructionRewriting(support, rule, back) for back in (False, True)]
    return rewritings


def join_rewritings(
    rules: Sequence[Rewriting], constructions: Sequence[Rewriting]
) -> dict[tuple[int, int], FullRewriting]:
    """Return everything that makes a treebank like another one, by the numbers of both.

    Rules look at trees as they are annotated, so they come before constructions.
    """
    every = [*rules, *constructions]
    pairs = sorted({(each.treebank, each.like) for each in every})
    return {
        pair: FullRewriting([each for each in every if (each.treebank, each.like) == pair]) for pair in pairs
    }


def score_rewritings(
    parses: CrossParses,
    together: CrossParses,
    constructions: Sequence[Rewriting],
    joined: Mapping[tuple[int, int], FullRewriting],
    settings: TrainingSettings,
    jobs: int = 1,
) -> tuple[RewrittenPair, ...]:
    """Return what rewriting gains, with one training of each kind.

    Args:
        parses: before anything is rewritten.
        together: those of parsers that learned from two treebanks.
        constructions: each is also rewritten by itself.
        joined: everything that makes a treebank like another one.
        settings: of the trainings.
        jobs: the number of processes.
    """
    alone = [each for each in constructions if len(joined[each.treebank, each.like].parts) > 1]
    pairs = [_score(parses, each, settings, jobs) for each in alone]
    return (*pairs, *(_score(parses, each, settings, jobs, together) for each in joined.values()))


def _score(
    parses: CrossParses,
    rewriting: Rewriting,
    settings: TrainingSettings,
    jobs: int,
    together: CrossParses | None = None,
) -> RewrittenPair:
    """Return what a rewriting gains; with `together`, also for parsers that learn from both."""
    words = common_size(parses.treebanks, settings)
    once = replace(settings, seeds=settings.seeds[:1], words=words)
    number, like = rewriting.treebank, rewriting.like
    before, other = parses.treebanks[number], parses.treebanks[like]
    made = rewriting.rewrite(before)
    seen = {
        (0, 1): keep_seen_tags(made.trees, other.trees, parses.parses[number, like][0]),
        (1, 0): keep_seen_tags(other.trees, made.trees, parses.parses[like, number][0]),
    }
    after = parse_each_other((made, other), once, seen, jobs)
    on_rewritten = _gain((before, parses.parses[number, like][:1]), (made, after.parses[0, 1]))
    on_other = _gain((other, parses.parses[like, number][:1]), (other, after.parses[1, 0]))
    if together is None:
        return RewrittenPair(rewriting, on_rewritten, on_other)
    both = parse_together((made, other), once, jobs, pairs=[(1, 0)])
    gain = _gain((other, together.parses[like, number]), (other, both.parses[1, 0]))
    return RewrittenPair(rewriting, on_rewritten, on_other, gain)


Scored = tuple[ComparedTreebank, Sequence[Parsed]]
"""A treebank and parses of it."""


def _gain(before: Scored, after: Scored) -> Estimate95:
    """Return by how much LAS grows on the same sentences, in points."""
    return estimate_share(after[0], right_words(*after) - right_words(*before))
