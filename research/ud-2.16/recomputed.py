"""Compute answers of the survey again, drawn at random from those that rest on a test set.

    python research/ud-2.16/recomputed.py ANSWERS OUT --ud-home DIR [--cells N]

ANSWERS is `answers.csv`. Each construction that is drawn is compared in a run of its own below OUT. Its
scores must be those of the survey; intervals are corrected for other constructions there.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Mapping
from pathlib import Path

from learnability import cli
from learnability.treebanks.locate import locate_treebank

SCHEMES = ("sud",)
"""What the survey compared as a scheme (`--alternative`), not as a construction."""

DRAWN = 20260
"""The seed that draws the answers."""

SCORES = ("uas_base", "uas_delta", "converted_back_uas_delta")
"""The columns that do not depend on what else was compared."""


def main() -> None:
    """Print a line for each answer, and how many are the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ud-home", required=True)
    parser.add_argument("--cells", type=int, default=20)
    arguments = parser.parse_args()
    with arguments.answers.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["tested_on"] == "test set" and row["uas_delta"]]
    drawn = random.Random(DRAWN).sample(rows, min(arguments.cells, len(rows)))
    same = 0
    for row in drawn:
        again = compute_again(
            row, arguments.out / f"{row['treebank']}-{row['construction']}", arguments.ud_home
        )
        pairs = [(row[column], again[column]) for column in SCORES]
        is_same = all(before == now for before, now in pairs)
        same += is_same
        listed = " ".join(f"{before}/{now}" for before, now in pairs)
        print(row["treebank"], row["construction"], listed, "same" if is_same else "OTHER", flush=True)
    print(f"{same} of {len(drawn)} are the same")


def compute_again(row: Mapping[str, str], folder: Path, ud_home: str) -> Mapping[str, str]:
    """Return the row of results.csv of a run about one construction of a treebank."""
    if not (folder / "results.csv").exists():
        name, construction = row["treebank"], row["construction"]
        words = ["run", "--treebank", name, "--ud-home", ud_home, "--release", row["release"], "--test-set"]
        words += ["--seeds", "1", "--jobs", "1", "--quiet", "--out", str(folder)]
        words += ["--alternative" if construction in SCHEMES else "--transform", construction]
        if not locate_treebank(name, ud_home=ud_home, release=row["release"]).train:
            words += ["--splits", "dev"]
        if cli.run(words):
            raise SystemExit(f"{name} {construction} failed")
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        return next(csv.DictReader(file))


if __name__ == "__main__":
    main()
