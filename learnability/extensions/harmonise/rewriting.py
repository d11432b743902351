"""Rewrite the conventions of one treebank as another one has them, and score parsers after that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from learnability.extending import Rule, get_transformation, invert_all
from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses, Floats
from learnability.extensions.harmonise.matrix import (
    Estimate95,
    SeedVariance,
    Together,
    estimate_share,
    right_words,
)


class Rewriting(Protocol):
    """Make one treebank like another one, as far as a rule can.

    Attributes:
        spec: the rule, as it is written.
        key: what tells it apart in records from others that make the same treebank like the same other.
        treebank: the number of the treebank that is rewritten.
        like: the number of the treebank whose convention it then follows.
    """

    @property
    def spec(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def treebank(self) -> int: ...

    @property
    def like(self) -> int: ...

    def rewrite(self, treebank: ComparedTreebank) -> ComparedTreebank:
        """Return the treebank with the rule applied."""
        ...


class LatestRewriting(NamedTuple):
    """Hold a rewritten treebank, and what it was made of: a treebank, like which other, and by what."""

    treebank: ComparedTreebank
    like: int
    key: str
    made: ComparedTreebank


_latest: LatestRewriting | None = None
"""Kept, because several parsers learn from a rewritten treebank, one after the other."""


def rewrite_once(rewriting: Rewriting, treebank: ComparedTreebank) -> ComparedTreebank:
    """Return the rewritten treebank, the same again if it is the one that this process has rewritten last."""
    global _latest
    way = rewriting.like, rewriting.key
    if _latest is None or _latest.treebank is not treebank or (_latest.like, _latest.key) != way:
        _latest = LatestRewriting(treebank, *way, rewriting.rewrite(treebank))
    return _latest.made


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
        return self.support.spec

    @property
    def key(self) -> str:
        return f"{self.spec} back" if self.is_converted_back else self.spec

    @property
    def treebank(self) -> int:
        return self.support.source if self.is_converted_back else self.support.treebank

    @property
    def like(self) -> int:
        return self.support.treebank if self.is_converted_back else self.support.source

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
        return " + ".join(part.spec for part in self.parts)

    @property
    def key(self) -> str:
        return " + ".join(part.key for part in self.parts)

    @property
    def treebank(self) -> int:
        return self.parts[0].treebank

    @property
    def like(self) -> int:
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
class ScoreChange:
    """Hold LAS of parsers before and after a treebank was rewritten.

    Attributes:
        learned: the numbers of the treebanks that the parsers learned from.
        tested: the number of the treebank that was parsed.
        before, after: LAS in percent.
        gain: after minus before, in points.
    """

    learned: tuple[int, ...]
    tested: int
    before: Estimate95
    after: Estimate95
    gain: Estimate95


@dataclass(frozen=True)
class RewrittenPair:
    """Hold what rewriting one of two treebanks gains for parsers.

    Attributes:
        rewriting: what was rewritten.
        on_rewritten: of parsers of the other treebank, on the rewritten one.
        on_other: of parsers of the rewritten treebank, on the other one.
        together: of parsers that learned from both, on the other one; None if `rewriting` is only a part of
            what can be rewritten.
    """

    rewriting: Rewriting
    on_rewritten: ScoreChange
    on_other: ScoreChange
    together: ScoreChange | None = None

    @property
    def changes(self) -> list[ScoreChange]:
        return [each for each in (self.on_rewritten, self.on_other, self.together) if each is not None]


def rewrite_constructions(
    treebanks: Sequence[ComparedTreebank], constructions: Sequence[RuleSupport]
) -> list[ConstructionRewriting]:
    """Return how each construction is rewritten: in the one treebank, and back in the other."""
    rewritings: list[ConstructionRewriting] = []
    for support in constructions:
        rule = get_transformation(support.spec, treebanks[support.treebank].version.conventions)
        rewritings += [ConstructionRewriting(support, rule, back) for back in (False, True)]
    return rewritings


def join_rewritings(constructions: Sequence[Rewriting]) -> dict[tuple[int, int], FullRewriting]:
    """Return everything that makes a treebank like another one, by the numbers of both."""
    pairs = sorted({(each.treebank, each.like) for each in constructions})
    return {
        pair: FullRewriting([each for each in constructions if (each.treebank, each.like) == pair])
        for pair in pairs
    }


@dataclass(frozen=True)
class RightWords:
    """Hold what parsers find after a rewriting: the right words of each sentence, float64[sentences].

    Attributes:
        on_rewritten: of the rewritten treebank, by parsers of the other one.
        on_other: of the other treebank, by parsers of the rewritten one.
        together: of the other treebank, by parsers of both; None if none were trained.
    """

    on_rewritten: Floats
    on_other: Floats
    together: Floats | None = None


def score_rewriting(
    parses: CrossParses, together: Together, rewriting: Rewriting, after: RightWords
) -> RewrittenPair:
    """Return what a rewriting gains, with one training of each kind.

    Args:
        parses: before anything is rewritten.
        together: the same of parsers that learned from two treebanks.
        rewriting: what is rewritten.
        after: what parsers find then.
    """
    number, like = rewriting.treebank, rewriting.like
    noise = SeedVariance.of(parses)

    def change(
        learned: tuple[int, ...], tested: int, before: Floats, after: Floats, of_one: float
    ) -> ScoreChange:
        treebank = parses.treebanks[tested]
        return ScoreChange(
            learned,
            tested,
            estimate_share(treebank, before, of_one),
            estimate_share(treebank, after, of_one),
            estimate_share(treebank, after - before, 2 * of_one),
        )

    before = right_words(parses.treebanks[number], parses.parses[number, like][:1])
    before_on_other = right_words(parses.treebanks[like], parses.parses[like, number][:1])
    both = None
    if after.together is not None:
        both = change((like, number), like, together[like, number], after.together, noise.of_parts)
    return RewrittenPair(
        rewriting,
        change((like,), number, before, after.on_rewritten, noise.of_whole),
        change((number,), like, before_on_other, after.on_other, noise.of_whole),
        both,
    )
