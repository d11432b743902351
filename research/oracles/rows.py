"""Compute the rows of the experiments on dynamic oracles: scores, differences from static, averages."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnability.metrics.scores import ANSWERED
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import interval
from learnability.statistics.significance import Comparison, compare
from learnability.treebanks.locate import TreebankFiles
from research.oracles.trainings import OracleOptions, Regime, Training, Trainings, key_of, regimes_of

WITHOUT_PUNCTUATION = "_without_punctuation"

SCORES = tuple(f"{score}{tokens}" for tokens in ("", WITHOUT_PUNCTUATION) for score in ANSWERED)
"""The scores, in percent; those without punctuation are out of the tokens the reference does not label so."""

BASELINE = "static"
"""The regime that the others are compared with."""


@dataclass
class Compared:
    """Represent a score with its difference to static training in points; None where it was not computed.

    Attributes:
        mean, sd: mean and standard deviation over seeds.
        delta: the difference to static training.
        delta_low, delta_high: its interval.
        p_value: of no difference.
    """

    mean: float | None = None
    sd: float | None = None
    delta: float | None = None
    delta_low: float | None = None
    delta_high: float | None = None
    p_value: float | None = None


@dataclass
class TreebankScore(Compared):
    """Represent a score on one treebank, compared by `significance.compare`.

    `p_holm` is corrected for all comparisons of the score (Holm). The interval has the same correction, so it
    excludes 0 exactly where `p_holm` is below 0.05. `p_value` is not corrected.
    """

    p_holm: float | None = None


@dataclass
class AverageScore(Compared):
    """Represent a mean score over several treebanks, each counted once.

    The interval is the percentile bootstrap over treebanks. p comes from the permutation test that changes
    the signs of their differences (exact up to 16 treebanks). Both are about treebanks like these, and are
    not corrected for several tests.

    Attributes:
        better, worse: the number of treebanks where the regime scores higher, or lower, than static training.
        significantly_better, significantly_worse: the number of those with `p_value` below 0.05.
    """

    better: int | None = None
    worse: int | None = None
    significantly_better: int | None = None
    significantly_worse: int | None = None


@dataclass(frozen=True)
class RegimeRow:
    """Represent a regime on a treebank."""

    treebank: str
    release: str
    regime: Regime
    scores: dict[str, TreebankScore]

    @property
    def name(self) -> str:
        """Return name and release of the treebank."""
        return f"{self.treebank} {self.release}".strip()


@dataclass(frozen=True)
class Average:
    """Represent a regime on all treebanks: macro-averages."""

    regime: Regime
    treebanks: int
    scores: dict[str, AverageScore]


def oracle_rows(
    treebanks: Sequence[TreebankFiles], options: OracleOptions, found: Trainings
) -> list[RegimeRow]:
    """Return one row per treebank and regime, unrounded; all trainings are there."""
    regimes = regimes_of(options)
    rows: list[RegimeRow] = []
    comparisons: dict[str, list[Comparison | None]] = {score: [] for score in SCORES}
    for files in treebanks:
        for regime in regimes:
            seeds, static = _seeds(found, files, regime, options), Regime(regime.system, BASELINE)
            is_compared = static in regimes and regime != static
            baseline = _seeds(found, files, static, options) if is_compared else None
            scores = {}
            for score in SCORES:
                scores[score] = _score(seeds, score)
                comparisons[score].append(_compare_regime(seeds, baseline, score))
            rows.append(RegimeRow(files.name, files.release, regime, scores))
    for score in SCORES:
        _add_differences([row.scores[score] for row in rows], comparisons[score])
    return rows


def _seeds(found: Trainings, files: TreebankFiles, regime: Regime, options: OracleOptions) -> list[Training]:
    """Return the trainings of a regime on a treebank, by seed."""
    return [found[key_of(files, regime, options, seed)] for seed in range(1, options.seeds + 1)]


def _totals(training: Training, score: str) -> list[int]:
    """Return the number of tokens of each test sentence that a score counts."""
    return training.words if score.endswith(WITHOUT_PUNCTUATION) else training.tokens


def _score(seeds: Sequence[Training], score: str) -> TreebankScore:
    """Return a score of a regime on a treebank, micro-averaged over the test sentences."""
    total = sum(_totals(seeds[0], score))
    if score not in seeds[0].correct or not total:
        return TreebankScore()
    values = [100 * sum(training.correct[score]) / total for training in seeds]
    return TreebankScore(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


def _compare_regime(
    seeds: Sequence[Training], static: Sequence[Training] | None, score: str
) -> Comparison | None:
    """Compare a regime with static training on a treebank; None if there is nothing to compare."""
    total = _totals(seeds[0], score)
    if static is None or score not in seeds[0].correct or not sum(total):
        return None
    correct, baseline = ([training.correct[score] for training in each] for each in (seeds, static))
    return compare(correct, baseline, total, documents=seeds[0].documents)


def _add_differences(scores: Sequence[TreebankScore], comparisons: Sequence[Comparison | None]) -> None:
    """Add the differences of a score to static training, corrected for all of them (Holm)."""
    p_values = [None if comparison is None else comparison.p_value for comparison in comparisons]
    corrected = zip(scores, comparisons, holm(p_values), holm_factors(p_values), strict=True)
    for result, comparison, p_holm, factor in corrected:
        if comparison is None or factor is None:
            continue
        result.delta, result.p_value, result.p_holm = comparison.delta, comparison.p_value, p_holm
        result.delta_low, result.delta_high = interval(
            comparison.delta, comparison.error, comparison.degrees, factor
        )


def average_rows(rows: Sequence[RegimeRow]) -> list[Average]:
    """Return one average per regime, unrounded; a value is missing if a treebank lacks it."""
    averages = []
    for regime in dict.fromkeys(row.regime for row in rows):
        treebanks = [row.scores for row in rows if row.regime == regime]
        scores = {score: _average_score([treebank[score] for treebank in treebanks]) for score in SCORES}
        averages.append(Average(regime, len(treebanks), scores))
    return averages


def _average_score(scores: Sequence[TreebankScore]) -> AverageScore:
    """Return the average of a score over treebanks."""
    average = AverageScore(_mean([score.mean for score in scores]), _mean([score.sd for score in scores]))
    tested = [(s.delta, s.p_value) for s in scores if s.delta is not None and s.p_value is not None]
    if len(tested) == len(scores):
        deltas = [delta for delta, _ in tested]
        significant = [delta for delta, p in tested if p < 0.05]
        average.delta = statistics.fmean(deltas)
        average.better, average.worse = sum(d > 0 for d in deltas), sum(d < 0 for d in deltas)
        average.significantly_better = sum(d > 0 for d in significant)
        average.significantly_worse = sum(d < 0 for d in significant)
        if len(deltas) > 1:
            average.delta_low, average.delta_high, average.p_value = over_treebanks(deltas)
    return average


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; None if a value is missing."""
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if len(known) == len(values) else None


def over_treebanks(deltas: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean's 95 % percentile bootstrap interval and its two-sided sign-flip permutation p."""
    from scipy import stats

    values = np.asarray(deltas)
    low = high = deltas[0]
    if len(set(deltas)) > 1:
        generator = np.random.default_rng(0)
        bootstrap = stats.bootstrap((values,), np.mean, method="percentile", rng=generator)
        low, high = map(float, bootstrap.confidence_interval)
    if not any(deltas):
        return low, high, 1.0
    test = stats.permutation_test(
        (values,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=100_000,  # sign flips: up to 16 treebanks it is exact
        rng=np.random.default_rng(0),
    )
    return low, high, float(test.pvalue)
