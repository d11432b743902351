"""Compute the rows of the experiments on dynamic oracles: scores, differences from static, averages."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

import numpy as np

from learnability.comparing.plan import RunPlan
from learnability.evidence.columns import Column, csv_bytes
from learnability.evidence.grouping import Seeds, document_numbers, find_results, fold_numbers, per_sentence
from learnability.extensions.papers.oracles.declaration import OracleOptions
from learnability.extensions.papers.oracles.trainings import OracleTraining, Regime, oracle_cell, regimes_of
from learnability.metrics.scores import ANSWERED
from learnability.running.records import Records
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import interval
from learnability.statistics.significance import Comparison, compare
from learnability.support.values import CsvRow

Trainings = Seeds[OracleTraining]
"""The records of a regime on a treebank."""

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


@dataclass(frozen=True, kw_only=True)
class RegimeRow:
    """Represent a regime on a treebank: a row of results.csv; means and sums over folds."""

    treebank: str
    release: str
    regime: Regime
    seeds: int
    iterations: float
    train_sentences: float
    train_tokens: float
    nonprojective_train: float
    test_sentences: int
    test_tokens: int
    test_words: int
    scores: dict[str, TreebankScore]


@dataclass(frozen=True)
class Average:
    """Represent a regime on all treebanks, macro-averages: a row of averages.csv."""

    regime: Regime
    treebanks: int
    scores: dict[str, AverageScore]


def oracle_rows(plan: RunPlan, options: OracleOptions, records: Records) -> list[RegimeRow] | None:
    """Return one row per treebank and regime, unrounded; None if a training is missing."""
    regimes = regimes_of(options)

    def trainings(treebank: str, regime: Regime) -> Trainings:
        cell = oracle_cell(plan, options, regime, treebank)
        return find_results(records, cell, plan.seeds, len(plan.folds(treebank)))

    rows: list[RegimeRow] = []
    comparisons: dict[str, list[Comparison | None]] = {score: [] for score in SCORES}
    for (name, (files, _)), regime in product(plan.by_label.items(), regimes):
        seeds, static = trainings(name, regime), Regime(regime.system, BASELINE)
        baseline = trainings(name, static) if static in regimes and regime != static else None
        if not seeds or baseline == []:
            return None
        facts = ("iterations", "train_sentences", "train_tokens", "nonprojective_train")
        means = {fact: statistics.fmean(getattr(fold, fact) for fold in seeds[0]) for fact in facts}
        (tokens,), (words,) = (per_sentence(seeds[:1], attrgetter(total)) for total in ("tokens", "words"))
        totals = {score: words if "without_punctuation" in score else tokens for score in SCORES}
        for score, total in totals.items():
            comparisons[score].append(_compare_regime(seeds, baseline, score, total))
        row = RegimeRow(
            treebank=files.name,
            release=files.release,
            regime=regime,
            seeds=plan.options.seeds,
            **{fact: int(mean) if mean.is_integer() else mean for fact, mean in means.items()},
            test_sentences=len(tokens),
            test_tokens=sum(tokens),
            test_words=sum(words),
            scores={score: _score(seeds, score, total) for score, total in totals.items()},
        )
        rows.append(row)
    for score in SCORES:
        _add_differences([row.scores[score] for row in rows], comparisons[score])
    return rows


def _score(seeds: Trainings, score: str, total: Sequence[int]) -> TreebankScore:
    """Return a score of a regime on a treebank.

    `total` holds the numbers of tokens of the test sentences, over which the score is micro-averaged.
    """
    if getattr(seeds[0][0], score) is None or not sum(total):
        return TreebankScore()
    correct = per_sentence(seeds, attrgetter(score))
    values = [100 * sum(seed) / sum(total) for seed in correct]
    return TreebankScore(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


def _compare_regime(
    seeds: Trainings, static: Trainings | None, score: str, total: Sequence[int]
) -> Comparison | None:
    """Compare a regime with static training on a treebank; None if there is nothing to compare."""
    if static is None or getattr(seeds[0][0], score) is None or not sum(total):
        return None
    correct, baseline = (per_sentence(trainings, attrgetter(score)) for trainings in (seeds, static))
    return compare(correct, baseline, total, folds=fold_numbers(seeds), documents=document_numbers(seeds))


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


def in_columns(row: RegimeRow | Average) -> CsvRow:
    """Return a row by the columns of its file; the columns of a score begin with its name."""
    cells: CsvRow = {}
    for name, value in vars(row).items():
        if name == "regime":
            cells |= vars(value)
        elif name != "scores":
            cells[name] = value
    for score, values in row.scores.items():
        cells |= {f"{score}_{name}".removesuffix("_mean"): value for name, value in vars(values).items()}
    return cells


def rows_csv(rows: Sequence[RegimeRow | Average]) -> bytes:
    """Return results.csv or averages.csv: four decimals (p values six), empty if there is no value."""
    cells = [in_columns(row) for row in rows]
    return csv_bytes([Column(name, "text" if name == "p" else "number") for name in cells[0]], cells)
