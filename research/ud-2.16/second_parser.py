"""Train two kinds of parsers on the treebanks of the survey, and compare what they say.

    python research/ud-2.16/second_parser.py train OUT --ud-home DIR [--parser P ...]
    python research/ud-2.16/second_parser.py agree OUT [--first ANSWERS]

`train` runs in batches, one folder each below OUT, in an order that was fixed before any result (README.md).
It may be stopped at any time: a batch counts when its `results.csv` is written, and finished ones are not run
again.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from learnability.treebanks.locate import TreebankFiles, list_treebanks

CONSTRUCTIONS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "conj", "aux", "aux-verb")
PARSERS = ("graph", "arc-eager")

FOLDS = 3
"""Into which a treebank without sets is cut; the survey cut it into ten, which cost four times as much."""

BATCH, ORDER = 10, 51
"""How many treebanks a batch has at most, and the seed of their order."""


@dataclass(frozen=True)
class Batch:
    """Name the treebanks of a run, and the parser that it trains; `cut`: into folds, for want of sets."""

    name: str
    parser: str
    treebanks: tuple[str, ...]
    cut: bool


def main() -> None:
    """Train, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    train.add_argument("out", type=Path)
    train.add_argument("--ud-home", required=True)
    train.add_argument("--release", default="2.16")
    train.add_argument("--parser", nargs="+", default=PARSERS)
    arguments = parser.parse_args()
    for batch in plan_batches(list_treebanks(arguments.ud_home, release=arguments.release), arguments.parser):
        train_batch(batch, arguments.out / batch.name, arguments.ud_home)


def plan_batches(treebanks: list[TreebankFiles], parsers: list[str]) -> Iterator[Batch]:
    """Yield the batches in their order: of each parser first the treebanks with sets, then those to cut."""
    with_sets = [files.name for files in treebanks if files.test and (files.train or files.dev)]
    without = [files.name for files in treebanks if files.name not in with_sets]
    for parser in parsers:
        for cut, names in ((False, with_sets), (True, without)):
            order = sorted(names)
            random.Random(ORDER).shuffle(order)
            for start in range(0, len(order), BATCH):
                kind = "cut" if cut else "sets"
                yield Batch(
                    f"{parser}-{kind}-{start // BATCH + 1}", parser, tuple(order[start : start + BATCH]), cut
                )


def train_batch(batch: Batch, folder: Path, ud_home: str) -> None:
    """Run a batch in its folder, if that is not done yet."""
    if (folder / "results.csv").exists():
        return
    command = ["run", "--ud-home", ud_home, "--parser", batch.parser, "--seeds", "1", "--test-set"]
    for name in batch.treebanks:
        command += ["--treebank", name]
    for name in CONSTRUCTIONS:
        command += ["--transform", name]
    command += ["--alternative", "sud", "--out", str(folder), "--jobs", "1", "--quiet"]
    if batch.cut:
        command += ["--cross-validate", str(FOLDS)]
    if folder.exists():
        command.append("--resume")
    print(batch.name, flush=True)
    subprocess.run([sys.executable, "-m", "learnability", *command], check=True)


if __name__ == "__main__":
    main()
