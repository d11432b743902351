"""What several studies share: UD's lead over an alternative, and differences between such leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.results import TrainingResult
from learnability.evidence.grouping import PairRecords, Seeds, per_sentence
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis, right_tokens
from learnability.metrics.scores import Score
from learnability.statistics.inference import Inference, Side
from learnability.statistics.meta_analysis import RandomEffects, can_be_averaged
from learnability.statistics.significance import compare
from learnability.support.options import shared
from learnability.treebanks.families import language_of, origin_of

Counts = NDArray[np.int64]
"""int64[seeds, sentences]: right tokens."""

NAMED = (Side.FIRST, Side.SECOND)


@dataclass(frozen=True)
class Measured:
    """What is compared: a score, and the trees that parses are held against."""

    score: Score
    basis: ScoringBasis

    def tests(self, of: ComparisonRow) -> bool:
        """Return whether the difference of a row was tested."""
        difference = of.difference(self.score, self.basis)
        return difference is not None and difference.p_value is not None

    def lead(self, of: ComparisonRow) -> Difference:
        """Return the tested difference of a row."""
        difference = of.difference(self.score, self.basis)
        assert difference is not None
        return difference

    def right(self, seeds: Seeds[TrainingResult], alternative: str) -> Counts:
        """Return the right tokens of each seed and test sentence."""
        return np.array(
            per_sentence(seeds, lambda fold: right_tokens(fold.scores[self.score], self.basis, alternative))
        )


def tokens(records: PairRecords) -> list[int]:
    """Return the tokens of each test sentence."""
    return per_sentence(records.a[:1], attrgetter("tokens"))[0]


def fold_numbers(records: PairRecords) -> NDArray[np.int64]:
    """Return the fold in which each sentence was tested, int64[sentences]."""
    lengths = [len(fold.tokens) for fold in records.a[0]]
    return np.repeat(np.arange(len(lengths)), lengths)


def contrast(leads: Sequence[tuple[PairRecords, float]], measured: Measured, seed_ratio: float) -> Difference:
    """Return the sum of UD's leads, each times its weight, over the same test sentences.

    The weights 1 and -1 give a difference of two differences. It has one interval, not corrected for several.
    """
    first, _ = leads[0]
    if any(tokens(records) != tokens(first) for records, _ in leads):
        raise SystemExit(f"{first.alternative}: the runs have different test sentences")
    ahead, behind = [], []
    for records, weight in leads:
        ud, alternative = (measured.right(seeds, records.alternative) for seeds in (records.a, records.b))
        ahead.append(ud if weight > 0 else alternative)
        behind.append(alternative if weight > 0 else ud)
    weights = np.abs([weight for _, weight in leads])
    total = float(weights.sum())  # `compare` takes means of tests
    mean = compare(
        np.array(ahead),
        np.array(behind),
        tokens(first),
        weights / total,
        seed_ratio=seed_ratio,
        folds=fold_numbers(first),
    )
    delta = total * mean.delta
    tested = Inference.of(delta, total * mean.error, mean.degrees)
    return Difference(
        None,
        None,
        delta,
        **shared(Difference, tested),
        uncorrected_low=tested.low,
        uncorrected_high=tested.high,
    )


def mean_lead(of_treebanks: Sequence[tuple[str, Difference]]) -> Difference | None:
    """Return the mean over treebanks, by name, not corrected; None of too few treebanks or languages."""
    differences = [difference for _, difference in of_treebanks]
    origins = [origin_of(language_of(treebank)) for treebank, _ in of_treebanks]
    if not can_be_averaged(origins):
        return None
    mean = RandomEffects.combine(
        [d.delta for d in differences], [d.error or 0.0 for d in differences], origins
    )
    return Difference(
        **shared(Difference, mean),
        base=None,
        alternative=None,
        delta=mean.mean,
        uncorrected_low=mean.low,
        uncorrected_high=mean.high,
    )


def span(difference: Difference, *, alone: bool = False) -> str:
    """Return a difference with its interval: the corrected one, or that of the comparison taken alone."""
    low, high = (
        (difference.uncorrected_low, difference.uncorrected_high)
        if alone
        else (difference.low, difference.high)
    )
    return f"{difference.delta:+.2f} ({low:+.2f} to {high:+.2f})"
