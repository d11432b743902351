"""Rewrite a construction of one treebank as another annotates it, and score parsers after that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    TrainingSettings,
    cross_parse,
)
from learnability.extensions.harmonise.matrix import Estimate95, estimate_share, right_words
from learnability.transforms.base import Rule, invert_all
from learnability.transforms.registry import get_transformation


@dataclass(frozen=True)
class RewrittenPair:
    """Hold what rewriting a construction in one of two treebanks gains for parsers of the other.

    Attributes:
        spec: the construction.
        rewritten: the number of the treebank that was rewritten.
        like: the number of the treebank whose convention it then follows.
        is_converted_back: whether it was converted back to UD, not to the alternative.
        gains: LAS of the parsers of one treebank on the other, after minus before, in points: tested on the
            rewritten treebank, and on the other one.
    """

    spec: str
    rewritten: int
    like: int
    is_converted_back: bool
    gains: tuple[Estimate95, Estimate95]


def rewrite_and_score(
    parses: CrossParses, constructions: Sequence[RuleSupport], settings: TrainingSettings, jobs: int = 1
) -> tuple[RewrittenPair, ...]:
    """Return what rewriting each construction gains, in either treebank, with one training of each kind.

    Args:
        parses: before anything is rewritten.
        constructions: what one treebank follows and another does not.
        settings: of the trainings.
        jobs: the number of processes.
    """
    once = replace(settings, seeds=settings.seeds[:1])
    pairs: list[RewrittenPair] = []
    for support in constructions:
        ud, alternative = support.treebank, support.source
        rule = get_transformation(support.spec, parses.treebanks[ud].version.conventions)
        for rewritten, like in ((ud, alternative), (alternative, ud)):
            treebank = rewrite_treebank(parses.treebanks[rewritten], rule, back=rewritten == alternative)
            two = cross_parse((treebank, parses.treebanks[like]), once, jobs=jobs)
            gains = _gain(parses, two, (rewritten, like), 0), _gain(parses, two, (rewritten, like), 1)
            pairs.append(RewrittenPair(support.spec, rewritten, like, rewritten == alternative, gains))
    return tuple(pairs)


def rewrite_treebank(treebank: ComparedTreebank, rule: Rule, *, back: bool) -> ComparedTreebank:
    """Return a treebank with a construction rewritten.

    Args:
        treebank: the treebank.
        rule: the construction.
        back: convert the alternative back to UD, where the treebank has it already.
    """
    version = treebank.version
    if back:
        trees = invert_all(rule, list(treebank.trees), None, None)
    else:
        trees = [rule.apply(tree, labels="external") for tree in treebank.trees]
    sentences = [replace(each, tree=tree) for each, tree in zip(version.sentences, trees, strict=True)]
    return ComparedTreebank(replace(version, sentences=tuple(sentences)))


def _gain(before: CrossParses, after: CrossParses, numbers: tuple[int, int], tested: int) -> Estimate95:
    """Return by how much parsers of one treebank improve on the other, of two: `tested` is the place of the
    tested one."""
    target, source = numbers[tested], numbers[1 - tested]
    new = right_words(after.treebanks[tested], after.parses[tested, 1 - tested])
    old = right_words(before.treebanks[target], before.parses[target, source][:1])
    return estimate_share(after.treebanks[tested], new - old)
