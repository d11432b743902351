"""Hold expectations against the results of finished runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnability.evidence.columns import NAMED, columns_of_topic, csv_bytes
from learnability.evidence.differences import Difference
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import runs_to_compare
from learnability.extensions.expectations.expecting import ExpectedPair, PairName
from learnability.extensions.expectations.model import Expectation, Expectations
from learnability.extensions.expectations.scoring import (
    Interval95,
    Judged,
    explained_share,
    mean_over_families,
)
from learnability.statistics.inference import Side
from learnability.studies.runner import refined_run
from learnability.support.progress import Stages

AGREEMENT_FILE = "agreement.csv"

AGREEMENT = columns_of_topic(
    "Agreement",
    *NAMED,
    ("is_fitted", "text", "as in expectations.csv"),
    ("expected", "choice", "as in expectations.csv"),
    ("probability", "number", "as in expectations.csv"),
    ("expected_delta", "number", "as in expectations.csv"),
    ("measured_delta", "number", "UAS of UD minus that of the alternative, in points"),
    ("measured_error", "number", "its standard error"),
    ("measured", "choice", "the side that is clearly ahead, else `none`"),
    ("agrees", "text", "`yes` or `no`: whether the expected side is ahead"),
)  # fmt: skip
"""The columns of agreement.csv."""


@dataclass(frozen=True)
class HeldPair:
    """Hold what we expected of a pair, and what was measured."""

    pair: ExpectedPair
    expectations: Expectations
    measured: Difference

    @property
    def agrees(self) -> bool:
        """Return whether the expected side is the one that is ahead."""
        return (self.expectations.by_properties.delta > 0) == (self.measured.delta > 0)

    @property
    def is_covered(self) -> bool:
        """Return whether the result lies where we expected it, the error of measuring allowed for."""
        (covered,) = set_beside([self.expectations.by_properties], [self]).covered()
        return bool(covered)

    def values(self) -> dict[str, Any]:
        """Return the values of the columns of agreement.csv."""
        values = self.pair.values()
        values |= {
            "measured_delta": self.measured.delta,
            "measured_error": self.measured.error,
            "measured": self.measured.better if self.measured.is_clear else Side.NONE,
            "agrees": "yes" if self.agrees else "no",
        }
        return {column.name: values[column.name] for column in AGREEMENT}


def read_measured(folders: Iterable[Path], parser: str, stages: Stages) -> dict[PairName, Difference]:
    """Return the differences in UAS that finished runs measured between UD and alternatives.

    Args:
        folders: of runs, or with runs below them.
        parser: whose differences are taken where a run has several parsers.
        stages: shows progress.

    Raises:
        InputError: there is no finished run.
    """
    found: dict[PairName, Difference] = {}
    for folder in stages.each(runs_to_compare(folders).finished, "reading", "runs"):
        found |= list_measured([pair.row for pair in refined_run(folder).pairs], parser)
    return found


def list_measured(rows: Iterable[ComparisonRow], parser: str) -> dict[PairName, Difference]:
    """Return the tested differences in UAS between UD and alternatives, by this parser where there are
    several."""
    compared = ((name_of(row), difference_of(row, parser)) for row in rows)
    return {name: difference for name, difference in compared if difference is not None}


def name_of(row: ComparisonRow) -> PairName:
    """Return the name of the pair of a row."""
    return PairName(row.treebank, row.release, row.pair.construction, row.pair.variant)


def difference_of(row: ComparisonRow, parser: str) -> Difference | None:
    """Return the tested difference of a row between UD and an alternative, by this parser if it has several;
    None if there is none."""
    difference = row.difference()
    if row.pair.against or row.parser not in ("", parser) or difference is None or not difference.error:
        return None
    return difference


def hold_against(pairs: Sequence[ExpectedPair], measured: dict[PairName, Difference]) -> list[HeldPair]:
    """Return the pairs of which we expected something and something was measured."""
    found = []
    for pair in pairs:
        difference = measured.get(pair.name)
        if pair.expectations is not None and difference is not None:
            found.append(HeldPair(pair, pair.expectations, difference))
    return found


def agreement_csv(held: Sequence[HeldPair]) -> bytes:
    """Return the pairs as agreement.csv."""
    return csv_bytes(AGREEMENT, [pair.values() for pair in held])


@dataclass(frozen=True)
class AgreementScores:
    """Hold how well expectations agree with results, each number with an interval over families.

    Attributes:
        pairs, clear, treebanks: the numbers of pairs, of those with a clear difference, and of treebanks.
        hits, hits_alone: the share of the pairs whose expected side is ahead, by properties and by the mean
            alone.
        clear_hits, clear_hits_alone: the same of clear differences; None if there are none.
        brier, brier_alone: the mean squared error of the probabilities.
        covered: the share of the measured differences in their 95 % intervals.
        explained: the share of the error of the mean alone, beyond noise, that properties remove.
    """

    pairs: int
    clear: int
    treebanks: int
    hits: Interval95
    hits_alone: Interval95
    clear_hits: Interval95 | None
    clear_hits_alone: Interval95 | None
    brier: Interval95
    brier_alone: Interval95
    covered: Interval95
    explained: Interval95


def summarise(held: Sequence[HeldPair]) -> AgreementScores:
    """Return how well the expectations of one or more pairs agree with what was measured."""
    judged = set_beside([pair.expectations.by_properties for pair in held], held)
    alone = set_beside([pair.expectations.alone for pair in held], held)
    importance = 1 / (np.square(judged.errors) + alone.variances)
    clear, clear_alone = judged.select(judged.clear), alone.select(judged.clear)
    has_clear = len(clear) > 0
    return AgreementScores(
        pairs=len(judged),
        clear=len(clear),
        treebanks=len({(pair.pair.name.treebank, pair.pair.name.release) for pair in held}),
        hits=mean_over_families(judged.hits(), judged.families),
        hits_alone=mean_over_families(alone.hits(), alone.families),
        clear_hits=mean_over_families(clear.hits(), clear.families) if has_clear else None,
        clear_hits_alone=mean_over_families(clear_alone.hits(), clear.families) if has_clear else None,
        brier=mean_over_families(judged.brier(), judged.families),
        brier_alone=mean_over_families(alone.brier(), alone.families),
        covered=mean_over_families(judged.covered(), judged.families),
        explained=explained_share(judged, alone, importance),
    )


def set_beside(expectations: Sequence[Expectation], held: Sequence[HeldPair]) -> Judged:
    """Return expectations of pairs beside what was measured."""
    return Judged(
        expected=np.array([expectation.delta for expectation in expectations]),
        variances=np.array([expectation.variance for expectation in expectations]),
        measured=np.array([pair.measured.delta for pair in held]),
        errors=np.array([pair.measured.error for pair in held], np.float64),
        clear=np.array([pair.measured.is_clear for pair in held]),
        families=[pair.pair.family for pair in held],
    )
