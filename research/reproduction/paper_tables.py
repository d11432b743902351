"""Compute the tables of the 2018 paper over finished runs, and show the figures of the paper beside them.

They are computed from the UAS differences, each parser tested on its own annotation, and from the indirect
indicators.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from pathlib import Path

from learnability.evidence.grouping import PairRecords, per_sentence
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredPair, StoredRun, finished_records, read_run
from learnability.evidence.survey import Evidence
from learnability.metrics.scores import FIRST_SCORE
from learnability.statistics.inference import Side, winner
from research.reproduction.indicators import INDICATORS, Values, pick_of, values_of

COMMITTED = 0.7
"""A pair is committed if the parser prefers one scheme in more than this share of its sentences."""

PAPER_TABLE_2 = {
    "case": (44.7, 38), "mark": (58.3, 36), "det": (80.5, 36), "cc": (89.4, 38),
    "mwe": (50.0, 18), "name": (45.8, 24), "cop": (25.0, 32),
}  # fmt: skip
"""Wisniewski, Lacroix & Yvon 2018, Table 2: percent UD wins; the number of languages is inferred from it."""

TOTAL = "total"
"""The row of Table 2 over all transformations."""

PAPER_TABLE_3 = {"trained_on_both": 76.3, "predictability": 64.8, "complexity": 62.6, "always_ud": 58.1}
"""Their Table 3 in percent; always UD follows from their 129 pairs of 222."""

PAPER = {
    "pairs": 222, "ud_wins": 129, "alternative_wins": 93,
    "mean_difference": 0.66, "largest_difference": 8.1, "committed": 74.7,
}  # fmt: skip
"""Other figures that they report."""


@dataclass(frozen=True)
class Wins:
    """Hold one row of Table 2: of a transformation or of all (`TOTAL`).

    Attributes:
        ud_better, alternative_better: pairs with that side ahead after Holm's correction.
        equal: pairs in which a difference of half a point or more is excluded.
    """

    construction: str
    pairs: int
    ud_wins: int
    ties: int
    ud_percent: float
    mean_delta: float
    ud_better: int
    alternative_better: int
    equal: int
    paper_percent: float | None
    paper_pairs: int | None


def table_2(evidence: Evidence) -> list[Wins]:
    """Return how often UD wins, for each transformation and altogether."""
    single = [_wins(c.row.title, c.pairs) for c in evidence.constructions if c.pairs]
    return [*single, _wins(TOTAL, evidence.pairs)]


def _uas(row: ComparisonRow) -> Difference:
    """Return the UAS difference of a pair that was tested."""
    difference = row.difference()
    assert difference is not None
    return difference


def _wins(name: str, pairs: Sequence[StoredPair]) -> Wins:
    differences = [_uas(c.row) for c in pairs]
    winners = Counter(difference.winner for difference in differences)
    better = Counter(difference.better for difference in differences)
    total = (100.0 * PAPER["ud_wins"] / PAPER["pairs"], int(PAPER["pairs"]))
    paper = {**PAPER_TABLE_2, TOTAL: total}.get(name, (None, None))
    return Wins(
        construction=name,
        pairs=len(pairs),
        ud_wins=winners[Side.FIRST],
        ties=winners[Side.NONE],
        ud_percent=100.0 * winners[Side.FIRST] / len(pairs),
        mean_delta=statistics.fmean(difference.delta for difference in differences),
        ud_better=better[Side.FIRST],
        alternative_better=better[Side.SECOND],
        equal=better[Side.EQUAL],
        paper_percent=paper[0],
        paper_pairs=paper[1],
    )


@dataclass(frozen=True)
class IndicatorAgreement:
    """Hold one row of Table 3: how often an indicator names the winner.

    Attributes:
        indicator: a key of `tables.COMPARED_NAMES`.
        pairs: those with a winner (not a tie) for which the indicator was computed.
        undecided: pairs where it picks none, which count as wrong.
        significant_pairs, significant_percent: the same where one side is clearly ahead.
    """

    indicator: str
    pairs: int
    percent: float | None
    undecided: int
    significant_pairs: int
    significant_percent: float | None
    paper_percent: float | None = None


def table_3(evidence: Evidence, measured: Values) -> list[IndicatorAgreement]:
    """Return how often each indicator names the winner, with two trivial indicators and the noise ceiling."""
    rows = [c.row for c in evidence.pairs]
    picks: dict[str, Sequence[str | None]] = {}
    for indicator in INDICATORS:
        picks[indicator.key] = [pick_of(pair, indicator, measured) for pair in evidence.pairs]
    picks["always_ud"] = [Side.FIRST] * len(rows)
    picks["majority"] = list(leave_one_out_majority(evidence).values())
    return [*(_agreement(name, by_row, rows) for name, by_row in picks.items()), noise_ceiling(evidence)]


def _agreement(name: str, picks: Sequence[str | None], rows: Sequence[ComparisonRow]) -> IndicatorAgreement:
    picked = [
        (row, pick) for row, pick in zip(rows, picks, strict=True) if _uas(row).winner != Side.NONE and pick
    ]
    right = [pick == _uas(row).winner for row, pick in picked]
    clear = [pick == _uas(row).winner for row, pick in picked if _clear(row)]
    return IndicatorAgreement(
        indicator=name,
        pairs=len(right),
        percent=percent(right),
        undecided=sum(pick == Side.NONE for _, pick in picked),
        significant_pairs=len(clear),
        significant_percent=percent(clear),
        paper_percent=PAPER_TABLE_3.get(name),
    )


def _clear(row: ComparisonRow) -> bool:
    """Return whether one side is clearly ahead."""
    return _uas(row).is_clear


def leave_one_out_majority(evidence: Evidence) -> dict[tuple[str, str], str]:
    """Return for each pair the winner of its transformation in most other languages; none if even.

    A language has one vote, that of most of its treebanks. Treebanks of one language, and releases of one
    treebank, are not independent, so the whole language of the pair is left out.
    """
    majorities = {}
    for c in evidence.pairs:
        lead: Counter[str] = Counter()
        for other in (pair for pair in evidence.pairs if pair.construction == c.construction):
            won = _uas(other.row).winner
            lead[other.language] += (won == Side.FIRST) - (won == Side.SECOND)
        votes = [(n > 0) - (n < 0) for language, n in lead.items() if language != c.language]
        majorities[c.treebank, c.construction] = str(winner(sum(votes)))
    return majorities


@dataclass(frozen=True)
class TrainedPair(StoredPair):
    """Hold what single trainings of a pair gave.

    Attributes:
        seed_deltas: UAS difference of each seed by itself, in points; empty if records are missing.
        trained_sentences: training sentences with places, as setting (c) was trained on them (lifting may
            take places away), over folds each sentence once; None if records are missing.
    """

    seed_deltas: tuple[float, ...] = ()
    trained_sentences: float | None = None


def read_trained_run(folder: Path) -> StoredRun:
    """Return a finished run with the scores of single seeds."""
    run = read_run(folder)
    rows = [pair.row for pair in run.pairs]
    of_rows = records_of_rows(run.config, rows, finished_records(folder, run.config))
    pairs = tuple(
        TrainedPair(
            **vars(pair), seed_deltas=_seed_deltas(found), trained_sentences=_trained_sentences(found)
        )
        for pair, found in zip(run.pairs, of_rows, strict=True)
    )
    return replace(run, pairs=pairs)


def _seed_deltas(records: PairRecords) -> tuple[float, ...]:
    a, b = (
        per_sentence(side, lambda fold: fold.scores[FIRST_SCORE].correct) for side in (records.a, records.b)
    )
    tokens = per_sentence(records.a, lambda fold: fold.tokens)
    sums = zip(map(sum, a), map(sum, b), map(sum, tokens), strict=False)
    return tuple(100.0 * (right_a - right_b) / total for right_a, right_b, total in sums)


def _trained_sentences(records: PairRecords) -> float | None:
    if not records.c:
        return None
    counts = [fold.sentences_with_places for fold in records.c[0]]
    return sum(counts) / max(1, len(counts) - 2)  # with K folds each is trained on in K - 2 of them


def sentences_with_places(pair: StoredPair) -> float:
    """Return the sentences over which (c) is counted; without records those that the rule changes."""
    trained = pair.trained_sentences if isinstance(pair, TrainedPair) else None
    return float(pair.row.sentences_changed or 0) if trained is None else trained


def noise_ceiling(evidence: Evidence) -> IndicatorAgreement:
    """Return how often two halves of the seeds name the same winner, as a mean over pairs and halvings.

    That is what retraining with half the seeds reaches, not a strict bound. If a half names the true winner
    with probability q, two halves agree with probability q² + (1 - q)², and a perfect indicator agrees with a
    half with probability q. Without a second seed there is no ceiling.
    """
    several = [c for c in evidence.pairs if isinstance(c, TrainedPair) and len(c.seed_deltas) > 1]
    agreeing = [statistics.fmean(a == b for a, b in _halves(c.seed_deltas)) for c in several]
    clear = [share for c, share in zip(several, agreeing, strict=True) if _clear(c.row)]
    return IndicatorAgreement("noise_ceiling", len(several), percent(agreeing), 0, len(clear), percent(clear))


def _halves(deltas: Sequence[float]) -> Iterator[tuple[Side, Side]]:
    """Yield the winners of two halves of the seeds, for every way to halve them (at most a thousand)."""
    seeds, half = range(len(deltas)), len(deltas) // 2
    ways = (
        (first, second)
        for first in combinations(seeds, half)
        for second in combinations([seed for seed in seeds if seed not in first], half)
    )
    for first, second in islice(ways, 1000):
        yield winner(sum(deltas[seed] for seed in first)), winner(sum(deltas[seed] for seed in second))


@dataclass(frozen=True)
class Correlation:
    """Correlate a measure's difference (positive: it favours UD) with the UAS difference.

    `pairs`: how many have both; the coefficients are None if undefined.
    """

    indicator: str
    pairs: int
    pearson: float | None
    spearman: float | None


def correlations(evidence: Evidence, measured: Values) -> list[Correlation]:
    """Return the correlation of each measure's difference with the UAS difference over the pairs."""
    from scipy import stats

    results = []
    for indicator in INDICATORS:
        x, y = [], []
        for c in evidence.pairs:
            values = values_of(c, indicator, measured)
            if values is not None:
                x.append(indicator.favour(*values))
                y.append(_uas(c.row).delta)
        defined = len(set(x)) > 1 and len(set(y)) > 1
        pearson, spearman = (
            float(test(x, y)[0]) if defined else None for test in (stats.pearsonr, stats.spearmanr)
        )
        results.append(Correlation(indicator.key, len(x), pearson, spearman))
    return results


@dataclass(frozen=True)
class Commitment:
    """Measure whether a parser trained on both annotations settles on one scheme.

    Attributes:
        pairs: with setting (c).
        percent: pairs where the parser prefers one scheme in more than 70 % of the training sentences
            with places.
        percent_of_all_sentences: the same, of all training sentences, with or without places.
        sentences: training sentences with places (as trained on), over all pairs.
        sentence_percent: the percentage of `sentences` that follow the majority of their pair.
        paper_percent: the paper's share of pairs.
    """

    pairs: int
    percent: float | None
    percent_of_all_sentences: float | None
    sentences: int
    sentence_percent: float | None
    paper_percent: float = PAPER["committed"]


def commitment(evidence: Evidence) -> Commitment:
    """Return how far training on both annotations commits itself (the 70 % figure of the paper)."""
    pairs = [c for c in evidence.pairs if c.row.trained_on_both.base is not None]
    shares = [(c.row.trained_on_both.base or 0.0, c.row.trained_on_both.alternative or 0.0) for c in pairs]
    most = list(map(max, shares))
    following = [share * sentences_with_places(c) for share, c in zip(most, pairs, strict=True)]
    total = sum(map(sentences_with_places, pairs))
    return Commitment(
        pairs=len(pairs),
        percent=percent([share > COMMITTED for share in most]),
        percent_of_all_sentences=percent(
            [n / (c.row.sentences or math.inf) > COMMITTED for n, c in zip(following, pairs, strict=True)]
        ),
        sentences=round(total),
        sentence_percent=100.0 * sum(following) / total if total else None,
    )


@dataclass(frozen=True)
class Differences:
    """Hold the UAS differences (UD minus alternative, in points); `largest` is the one furthest from 0."""

    pairs: int
    mean: float
    mean_absolute: float
    largest: float
    largest_pair: str
    ud_wins: int
    alternative_wins: int
    ties: int


def differences(evidence: Evidence) -> Differences:
    """Return the mean and the largest difference."""
    values = [_uas(c.row).delta for c in evidence.pairs]
    top = max(evidence.pairs, key=lambda c: abs(_uas(c.row).delta))
    wins = Counter(_uas(c.row).winner for c in evidence.pairs)
    return Differences(
        pairs=len(values),
        mean=statistics.fmean(values),
        mean_absolute=statistics.fmean(map(abs, values)),
        largest=_uas(top.row).delta,
        largest_pair=f"{top.treebank} {top.construction}",
        ud_wins=wins[Side.FIRST],
        alternative_wins=wins[Side.SECOND],
        ties=wins[Side.NONE],
    )


def percent(values: Sequence[float]) -> float | None:
    """Return the mean of shares in percent; None without any."""
    return 100 * statistics.fmean(values) if values else None
