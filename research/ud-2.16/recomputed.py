"""Compute answers of the survey again, drawn at random from those that rest on a test set.

    python research/ud-2.16/recomputed.py ANSWERS OUT --ud-home DIR [--cells N]
    python research/ud-2.16/recomputed.py ANSWERS RUN --held-against

ANSWERS is `answers.csv`. Each construction that is drawn is compared in a run of its own below OUT. Its
scores must be those of the survey; intervals are corrected for other constructions there.

With `--held-against`, nothing is computed: RUN is a finished run that compares a construction again, on test
sets or folds, and the script prints how far its differences are from those of the survey.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
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
    parser.add_argument("--ud-home", default="")
    parser.add_argument("--cells", type=int, default=20)
    parser.add_argument("--held-against", action="store_true")
    arguments = parser.parse_args()
    if arguments.held_against:
        hold_against(arguments.answers, arguments.out)
        return
    rows = [
        row for row in read_rows(arguments.answers) if row["tested_on"] == "test set" and row["uas_delta"]
    ]
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


def hold_against(answers: Path, run: Path) -> None:
    """Print how far the differences of a run are from those of answers tested on the same sentences."""
    survey = {(row["treebank"], row["construction"]): row for row in read_rows(answers)}
    earlier, now, named = [], [], []
    for row in read_rows(run / "results.csv"):
        before = survey[row["treebank"], row["construction"]]
        if before["tested_on"] == row["tested_on"] and before["uas_delta"] and row["uas_delta"]:
            earlier.append(float(before["uas_delta"]))
            now.append(float(row["uas_delta"]))
            if before["easier"] in ("UD", "alternative"):
                named.append((before["treebank"], earlier[-1], now[-1]))
    moved = sorted(abs(first - second) for first, second in zip(earlier, now, strict=True))
    same = sum((first > 0) == (second > 0) for first, second in zip(earlier, now, strict=True))
    print(f"{len(now)} differences, {same} on the same side; moved by {statistics.median(moved):.2f} points")
    print(f"(median; at most {moved[-1]:.2f})")
    print(f"mean {statistics.mean(earlier):+.2f}, now {statistics.mean(now):+.2f}")
    for treebank, first, second in named:
        print(f"{treebank} named a side: {first:+.2f}, now {second:+.2f}")


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
    return read_rows(folder / "results.csv")[0]


if __name__ == "__main__":
    main()
