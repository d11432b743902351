"""Whether open answers lean to the right side: the probability after a run, and what settling found.

Where a run names no side, its sentences may say that a side is "probably ahead", with a probability that also
counts results in other languages. This holds the probability against the difference over all sentences of the
treebank, as `settle` measured it. That includes the sentences of the test set, a tenth or so.

    python research/settling/answers.py UD_Irish UD_Greek --out DIR
    python research/settling/leaning.py DIR/UD_Irish DIR/UD_Greek
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import result_rows
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.statistics.inference import Side
from research.support.treebank_folds import row

BOUNDS = (0.5, 0.6, 0.75, 0.9, 1.0)
"""Between which probabilities of the more probable side open answers are counted together."""


def main() -> None:
    """Print one line per group of probabilities, and one for all from that on which a sentence says it."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("runs", nargs="+", help="folders of runs that were settled")
    leanings = [leaning for run in options.parse_args().runs for leaning in found(Path(run))]
    print(row("probability of the more probable side", "open answers", "mean", "it is ahead"))
    print(row("---", "--:", "--:", "--:"))
    groups = [*pairwise(BOUNDS), (0.75, 1.0), (0.5, 1.0)]
    for low, high in groups:
        chosen = [each for each in leanings if low <= each[0] < high or each[0] == high == 1.0]
        mean = f"{100 * fmean(p for p, _ in chosen):.0f} %" if chosen else ""
        ahead = sum(right for _, right in chosen)
        print(row(f"{low:g} to {high:g}", len(chosen), mean, f"{ahead} of {len(chosen)}"))


def found(run: Path) -> Iterator[tuple[float, bool]]:
    """Yield the probability of the more probable side of open answers, and whether settling has it ahead."""
    settled = settled_differences(run / "results.csv")
    for of in rows_of_run(run):
        difference, ud = of.difference(), of.probability_of_base()
        if difference is None or difference.better is not Side.NONE or ud is None or of.name not in settled:
            continue
        yield max(ud, 1 - ud), (ud >= 0.5) == (settled[of.name] > 0)


def rows_of_run(run: Path) -> list[ComparisonRow]:
    """Return what the run itself found, corrected for all of its constructions."""
    config = finished_config(run)
    return result_rows(config, finished_records(run, config))


def settled_differences(path: Path) -> dict[str, float]:
    """Return UD minus the alternative in points, over all sentences, by construction."""
    with open(path, encoding="utf-8", newline="") as file:
        return {
            line["construction"]: float(line["uas_delta"])
            for line in csv.DictReader(file)
            if line["uas_delta"] and line["tested_on"] != "test set"
        }


if __name__ == "__main__":
    main()
