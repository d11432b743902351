"""Ask another parser the questions of the survey that the first one has answered, and compare the answers.

    python research/ud-2.16/second_parser.py train ANSWERS OUT --ud-home DIR [--parser P]
    python research/ud-2.16/second_parser.py agree ANSWERS OUT

ANSWERS is the file of the survey's answers (`answers.csv`). `train` makes a run for each treebank with a
clear answer, below OUT, in an order that was fixed before any result (README.md). It may be stopped at any
time: finished runs are not made again, and `agree` takes those that are finished.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from learnability import cli
from learnability.evidence.questions import Answer
from learnability.schemes import is_scheme_name
from learnability.treebanks.locate import locate_treebank

Row = Mapping[str, str]

FOLDS = 3
"""Into which a treebank without sets is cut; the survey cut it into ten, which cost four times as much."""

ORDER = 51
"""The seed of the order of treebanks."""

NOT_CLEAR = ("", Answer.SAME, Answer.OPEN, Answer.TOO_FEW_EXAMPLES)


@dataclass(frozen=True)
class Pair:
    """Hold what both parsers say of a construction in a treebank; differences are UD's lead in points."""

    treebank: str
    construction: str
    first: float
    second: float
    is_clear: bool

    @property
    def agrees(self) -> bool:
        """Return whether both have the same side ahead."""
        return (self.first > 0) == (self.second > 0)


def main() -> None:
    """Train, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    train, agree = (commands.add_parser(name) for name in ("train", "agree"))
    for command in (train, agree):
        command.add_argument("answers", type=Path)
        command.add_argument("out", type=Path)
    train.add_argument("--ud-home", required=True)
    train.add_argument("--parser", default="graph")
    arguments = parser.parse_args()
    clear = read_clear(arguments.answers)
    if arguments.command == "agree":
        print_agreement(list(pair_answers(clear, arguments.out)))
        return
    treebanks = sorted({row["treebank"] for row in clear})
    random.Random(ORDER).shuffle(treebanks)
    for name in treebanks:
        questions = [row for row in clear if row["treebank"] == name]
        train_treebank(questions, arguments.out / name, arguments.ud_home, arguments.parser)


def read_clear(answers: Path) -> list[Row]:
    """Return the rows of the survey in which a side is clearly easier."""
    with answers.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["easier"] not in NOT_CLEAR]


def train_treebank(questions: Sequence[Row], folder: Path, ud_home: str, parser: str) -> None:
    """Ask a parser these questions about one treebank, if that is not done yet."""
    if (folder / "results.csv").exists():
        return
    name, release = questions[0]["treebank"], questions[0]["release"]
    files = locate_treebank(name, ud_home=ud_home, release=release)
    words = ["run", "--treebank", name, "--ud-home", ud_home, "--release", release, "--parser", parser]
    words += ["--seeds", "1", "--test-set", "--jobs", "1", "--quiet", "--out", str(folder)]
    for row in questions:
        construction = row["construction"]
        words += ["--alternative" if is_scheme_name(construction) else "--transform", construction]
    if not (files.test and (files.train or files.dev)):
        words += ["--cross-validate", str(FOLDS)]
    elif not files.train:
        words += ["--splits", "dev"]
    words += ["--resume"] if folder.exists() else []
    print(name, flush=True)
    if cli.run(words):
        raise SystemExit(f"{name} failed")


def pair_answers(clear: Sequence[Row], out: Path) -> Iterator[Pair]:
    """Yield the questions that the second parser was asked, too."""
    for row in clear:
        path = out / row["treebank"] / "results.csv"
        if not path.exists():
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for other in csv.DictReader(file):
                if other["construction"] == row["construction"] and other["uas_delta"]:
                    yield Pair(
                        row["treebank"],
                        row["construction"],
                        float(row["uas_delta"]),
                        float(other["uas_delta"]),
                        other["easier"] not in NOT_CLEAR,
                    )


def print_agreement(pairs: Sequence[Pair]) -> None:
    """Print for each construction how many answers of both parsers agree, and where they do not."""
    print(
        "| construction | questions | same side ahead | both clear | same side | UD in both | alternative |"
    )
    print("|---|" + "--:|" * 6)
    for construction in (*dict.fromkeys(pair.construction for pair in pairs), "all"):
        chosen = [pair for pair in pairs if construction in (pair.construction, "all")]
        both = [pair for pair in chosen if pair.is_clear]
        sides = Counter(pair.first > 0 for pair in both if pair.agrees)
        counts = (
            len(chosen), sum(pair.agrees for pair in chosen), len(both), sum(pair.agrees for pair in both),
            sides[True], sides[False],
        )  # fmt: skip
        print(f"| {construction} | {' | '.join(map(str, counts))} |")
    print()
    for pair in pairs:
        if not pair.agrees:
            clear = "clear" if pair.is_clear else "not clear"
            print(
                f"{pair.treebank} {pair.construction}: {pair.first:+.1f} by the first, {pair.second:+.1f} "
                f"by the second ({clear})"
            )


if __name__ == "__main__":
    main()
