"""Compute the mean difference of several parsers for a construction, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from learnability.comparing.results import TrainingResult
from learnability.evidence.grouping import PairRecords, Seeds, document_numbers, fold_numbers, per_sentence
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score
from learnability.statistics.significance import Comparison, compare
from learnability.statistics.spread import SEED_RATIO

Differences = Mapping[tuple[str, ...], float]
"""The differences of parsers in points, by treebank, construction, what it is compared with, and parser."""


@dataclass(frozen=True)
class ParserMean:
    """Hold the mean of the differences of several parsers by a score."""

    score: Score
    differences: Differences
    mean: Comparison


def differences_of(rows: Sequence[ComparisonRow], score: Score) -> dict[tuple[str, ...], float]:
    """Return the difference of each parser that was tested, by what was compared."""
    found = ((row, row.difference(score)) for row in rows)
    return {
        (row.treebank_label, row.name, row.base, row.parser): difference.delta
        for row, difference in found
        if difference is not None and difference.better is not None
    }


def by_comparison(rows: Sequence[ComparisonRow]) -> list[list[ComparisonRow]]:
    """Return the rows of parsers that compare the same, in order of appearance."""
    rows_of_comparison: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        if row.parser:
            comparison = (row.treebank_label, row.name, row.base)
            rows_of_comparison.setdefault(comparison, []).append(row)
    return list(rows_of_comparison.values())


def parser_means(
    rows: Sequence[ComparisonRow], records: Sequence[PairRecords], seed_ratio: float = SEED_RATIO
) -> list[ParserMean]:
    """Return the mean difference of the parsers of a run in each comparison that several were tested in.

    A row that rests on other sentences than its records (those of all, not of the test set) has no mean.
    """
    records_of_row = dict(zip(map(id, rows), records, strict=True))
    means = []
    for compared in by_comparison(rows):
        for score in compared[0].scores:
            differences = differences_of(compared, score)
            with_difference = [row for row in compared if differences_of([row], score)]
            tested = [records_of_row[id(row)] for row in with_difference]
            agree = (
                row.answering_row(score).folds == len(of_row.a[0])
                for row, of_row in zip(with_difference, tested, strict=True)
            )
            if len(tested) > 1 and all(agree):
                means.append(ParserMean(score, differences, mean_of(tested, score, seed_ratio)))
    return means


def mean_of(records: Sequence[PairRecords], score: Score, seed_ratio: float = SEED_RATIO) -> Comparison:
    """Return the mean difference of several parsers for a construction, with equal weights."""

    def right(seeds: Seeds[TrainingResult]) -> list[list[int]]:
        """Return the right tokens by seed; a parser that is trained once has the same with every seed."""
        found = per_sentence(seeds, lambda fold: fold.scores[score].count_right(pair))
        return found * most if len(found) == 1 else found

    pair, most = records[0].alternative, max(len(parser.a) for parser in records)
    a, b = [right(parser.a) for parser in records], [right(parser.b) for parser in records]
    (total,) = per_sentence(records[0].a[:1], lambda fold: fold.tokens)
    weights = np.full(len(records), 1 / len(records))
    of_seeds = records[0].a
    return compare(
        a,
        b,
        total,
        weights,
        seed_ratio=records[0].scale_ratio(seed_ratio),
        folds=fold_numbers(of_seeds),
        documents=document_numbers(of_seeds),
        moderated=True,
    )
