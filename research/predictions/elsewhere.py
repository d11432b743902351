"""What runs in other languages found of each construction: the data that say where an open difference leans.

    python research/predictions/elsewhere.py differences RUN ...
    python research/predictions/elsewhere.py pooled

`differences` prints differences.csv from finished runs of three seeds, `pooled` elsewhere.csv from it. The
difference of a treebank in which a transformation moves the share c of the tokens has mean m * sqrt(c) and
variance t * c. m and t are estimated by random effects of treebanks, languages and families. For an
annotation that too few languages measured m is 0, and t the mean square of all that were measured.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean

import msgspec
import numpy as np

from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import read_run
from learnability.statistics.meta_analysis import MeasuredEffects, posterior, quantile
from learnability.statistics.prediction import Belief
from learnability.treebanks.families import Origin, origin_of

FEWEST_LANGUAGES = 3
"""The fewest other languages with measurements of a transformation that tell of a further language."""


@dataclass(frozen=True)
class Measured:
    """The difference that a run measured between UD and a transformation.

    Attributes:
        language: the language of the treebank.
        transform: the transformation, as on the command line.
        difference: UD minus the alternative, in points.
        error: its standard error, in points.
        changed: the share of the tokens that the transformation moves, above 0.
    """

    language: str
    transform: str
    difference: float
    error: float
    changed: float


def find_prior(transform: str, language: str, changed: float, known: Sequence[Measured]) -> Belief:
    """Return the belief about a transformation's difference from the results in other languages."""
    abroad = [result for result in known if result.language != language]
    same = [result for result in abroad if result.transform == transform]
    if len({result.language for result in same}) < FEWEST_LANGUAGES:
        square = fmean(result.difference**2 / result.changed for result in abroad) if abroad else 1.0
        return Belief(0.0, square * changed)
    mean, deviation = difference_elsewhere(
        [result.difference / sqrt(result.changed) for result in same],
        [result.error / sqrt(result.changed) for result in same],
        [origin_of(result.language) for result in same],
    )
    return Belief(mean * sqrt(changed), deviation**2 * changed)


def difference_elsewhere(
    differences: Sequence[float], errors: Sequence[float], origins: Sequence[Origin]
) -> tuple[float, float]:
    """Return the difference to expect in a treebank of a further family: mean and standard deviation.

    The deviation is half of the range from the 16th to the 84th percentile of the posterior distribution,
    because that of few treebanks has long tails.
    """
    density, fitted = posterior(MeasuredEffects.of(differences, errors, origins))
    spreads = np.sqrt(fitted.variance + 1 / fitted.precision)[:, None]
    low, high = (float(quantile(p, density, fitted.mean[:, None], spreads)[0]) for p in (0.1587, 0.8413))
    return float(density @ fitted.mean), (high - low) / 2


def error_of(difference: Difference) -> float:
    """Return the standard error of a normal distribution with the same 95 % interval, in points.

    The few clusters of a small test set tell little of the error itself; Student's t allows for that.
    """
    low, high = difference.uncorrected_low, difference.uncorrected_high
    assert low is not None
    assert high is not None
    return (high - low) / 2 / NormalDist().inv_cdf(0.975)


def differences(runs: Sequence[Path]) -> str:
    """Return differences.csv, from finished runs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("language", "treebank", "release", "transform", "difference", "error", "changed"))
    for pair in (pair for run in runs for pair in read_run(run).pairs):
        row, measured = pair.row, pair.row.difference()
        if measured is None or not (row.tested and row.tokens_changed and row.train_tokens):
            continue
        error = error_of(measured)
        if error > 0:
            changed = f"{row.tokens_changed / row.train_tokens:.6f}"
            named = (pair.language, row.treebank, row.release, row.name)
            writer.writerow((*named, f"{measured.delta:.4f}", f"{error:.4f}", changed))
    return out.getvalue()


@cache
def measured_before() -> tuple[Measured, ...]:
    """Return the differences measured over the treebanks of UD 1.3, from differences.csv beside this file."""
    with Path(__file__).with_name("differences.csv").open(encoding="utf-8", newline="") as file:
        return msgspec.convert(list(csv.DictReader(file)), tuple[Measured, ...], strict=False)


def pooled() -> str:
    """Return elsewhere.csv: what `find_prior` gives for all languages, from differences.csv.

    The language is that of the treebank, which is left out, and empty for one that was not measured.
    """
    known = measured_before()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("transform", "language", "mean", "variance"))
    for transform in ("", *sorted({result.transform for result in known})):
        for language in ("", *sorted({result.language for result in known})):
            belief = find_prior(transform, language, 1.0, known)
            writer.writerow((transform, language, belief.mean, belief.variance))
    return out.getvalue()


def main() -> None:
    """Print one of the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("what", choices=("differences", "pooled"))
    parser.add_argument("runs", nargs="*", type=Path)
    command_line = parser.parse_args()
    print(differences(command_line.runs) if command_line.what == "differences" else pooled(), end="")


if __name__ == "__main__":
    main()
