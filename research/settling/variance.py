"""Where the variance of differences comes from, and whether more folds, more seeds or equal seeds lower it.

The model of `statistics.significance` has three parts: the sentences, the seeds, and a residual. This prints
the share of each, the standard error that a number of trainings would give, and how alike the
two annotations are in their seeds: both see the sentences in the same order, so the same seed might make both
better. If it did, the difference would vary less between seeds than if each annotation had seeds of its own.
The last column is the same for sentences: how much the difference varies because both are tested on the same
ones, compared with a difference of two test sets.

    learnability run --treebank UD_Irish --cross-validate 5 --seeds 4 --out runs/5
    learnability run --treebank UD_Irish --cross-validate 10 --seeds 4 --out runs/10
    python research/settling/variance.py runs/5 runs/10 --trainings 10 20
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from learnability.evidence.grouping import PairRecords
from learnability.evidence.rows_from_records import records_of_rows, result_rows
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.metrics.scores import Score
from learnability.statistics.spread import Spread
from research.support.leads import Counts, Measured, fold_numbers, tokens
from research.support.treebank_folds import row

UAS = Measured(Score.UAS, ScoringBasis.ANNOTATION)


@dataclass(frozen=True)
class Pair:
    """The right tokens of two annotations, and what tells how much their difference varies.

    Attributes:
        spread: the parts of the variance of the difference.
        same_seed: the variance of the difference between seeds, summed over folds.
        other_seed: the same if each annotation had seeds of its own.
        other_sentences: the variance of the difference of one seed if each had test sentences of its own.
    """

    spread: Spread
    same_seed: float
    other_seed: float
    other_sentences: float


def pair_of(records: PairRecords) -> Pair:
    """Return what the records of a pair tell."""
    total, fold = np.array(tokens(records)), fold_numbers(records)
    ud, alternative = (UAS.right(side, records.alternative) for side in (records.a, records.b))
    same, other = 0.0, 0.0
    for number in np.unique(fold):
        a, b = (by_seed(right, fold == number) for right in (ud, alternative))
        same += float((a - b).var(ddof=1))
        other += float(a.var(ddof=1) + b.var(ddof=1))
    alone = [Spread.of(right.astype(float), total, folds=fold).variance(1) for right in (ud, alternative)]
    return Pair(Spread.of((ud - alternative).astype(float), total, folds=fold), same, other, sum(alone))


def by_seed(right: Counts, chosen: np.ndarray) -> np.ndarray:
    """Return int64[seeds], the right tokens of the chosen sentences."""
    summed: np.ndarray = right[:, chosen].sum(axis=1)
    return summed


def pairs_of(run: Path) -> tuple[str, int, list[Pair]]:
    """Return the name of a run's treebank, its folds, and what each construction tells that was tested."""
    config = finished_config(run)
    of_run = finished_records(run, config)
    rows = result_rows(config, of_run)
    records = records_of_rows(config, rows, of_run)
    pairs = [pair_of(each) for of, each in zip(rows, records, strict=True) if UAS.tests(of)]
    return rows[0].treebank_label, len(np.unique(fold_numbers(records[0]))), pairs


def shares(spread: Spread) -> tuple[float, float, float]:
    """Return the shares of sentences, seeds and residual in the variance of a difference with two seeds."""
    residual = min(spread.residual / spread.tested, spread.sentences) * spread.tested
    sentence = spread.sentences - residual / spread.tested
    parts = np.array([sentence / spread.size, spread.seed / 2, residual / (2 * spread.size)])
    first, second, third = (parts / parts.sum()).tolist()
    return first, second, third


def error_of(pairs: Sequence[Pair], seeds: int) -> str:
    """Return the root of the mean variance of the differences with a number of seeds; empty for none."""
    return f"{fmean(pair.spread.variance(seeds) for pair in pairs) ** 0.5:.3f}" if seeds else ""


def line_of(run: Path, trainings: Sequence[int]) -> list[object]:
    """Return the line of a run: means over its constructions."""
    name, folds, pairs = pairs_of(run)
    parts = np.mean([shares(pair.spread) for pair in pairs], axis=0)
    errors = [error_of(pairs, count // folds) for count in trainings]
    ratio = sum(pair.same_seed for pair in pairs) / sum(pair.other_seed for pair in pairs)
    on_same = sum(pair.spread.variance(1) for pair in pairs) / sum(pair.other_sentences for pair in pairs)
    shares_of = (f"{100 * part:.0f} %" for part in parts)
    return [name, len(pairs), folds, *shares_of, *errors, f"{ratio:.2f}", f"{on_same:.2f}"]


def main() -> None:
    """Print one line per run."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("runs", nargs="+", help="folders of finished runs with several seeds")
    options.add_argument("--trainings", type=int, nargs="+", default=[10, 20])
    command_line = options.parse_args()
    errors = [f"error with {count} trainings" for count in command_line.trainings]
    heads = ["treebank", "constructions", "folds", "sentences", "seeds", "residual", *errors]
    of_pairing = "variance with equal seeds : with others", "on equal sentences : on others"
    print(row(*heads, *of_pairing))
    print(row("---", *["--:"] * (len(heads) + 1)))
    for run in command_line.runs:
        print(row(*line_of(Path(run), command_line.trainings)), flush=True)


if __name__ == "__main__":
    main()
