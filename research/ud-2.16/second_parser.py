"""Ask another parser the questions of the survey, and compare the answers.

    python research/ud-2.16/second_parser.py clear ANSWERS OUT --ud-home DIR [--parser P]
    python research/ud-2.16/second_parser.py agree ANSWERS OUT
    python research/ud-2.16/second_parser.py all ANSWERS OUT --ud-home DIR [--parser P]

ANSWERS is the file of the survey's answers (`answers.csv`). `clear` makes a run for each treebank with a
clear answer, below OUT, about these questions. `all` makes runs about all questions in all treebanks, for
`learnability compare OUT`, too. `agree` counts how many answers agree: of the clear ones, and of the others.
Treebanks come in an order that was fixed before any result (README.md). Training may be stopped at any time:
finished runs are not made again, and those that are finished count.
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
from learnability.treebanks.locate import TreebankFiles, locate_treebank

Row = Mapping[str, str]

FOLDS = 3
"""Into which a treebank without sets is cut; the survey cut it into ten, which cost four times as much."""

ORDER = 51
"""The seed of the order of treebanks."""

SCHEMES = ("sud",)
"""What the survey compared as a scheme (`--alternative`), not as a construction."""

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
    for name in ("clear", "agree", "all"):
        command = commands.add_parser(name)
        command.add_argument("answers", type=Path)
        command.add_argument("out", type=Path)
        if name != "agree":
            command.add_argument("--ud-home", required=True)
            command.add_argument("--parser", default="graph")
    arguments = parser.parse_args()
    with arguments.answers.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    clear = [row for row in rows if row["easier"] not in NOT_CLEAR]
    if arguments.command == "agree":
        others = [row for row in rows if row["easier"] in (Answer.SAME, Answer.OPEN)]
        for name, asked in (("answered by the first parser", clear), ("open or close", others)):
            print(f"Questions {name}\n")
            print_agreement(list(pair_answers(asked, arguments.out)))
        return
    is_all = arguments.command == "all"
    occurring = [row for row in rows if int(row["places"] or 0) + int(row["test_places"] or 0)]
    questions = occurring if is_all else clear
    for name in order_treebanks(questions, arguments.ud_home, sets_first=is_all):
        of_treebank = [row for row in questions if row["treebank"] == name]
        train_treebank(of_treebank, arguments.out / name, arguments.ud_home, arguments.parser)


def order_treebanks(questions: Sequence[Row], ud_home: str, *, sets_first: bool) -> list[str]:
    """Return the treebanks in a random order; if `sets_first`, those that are cut into folds come last."""
    releases = {row["treebank"]: row["release"] for row in questions}
    treebanks = sorted(releases)
    random.Random(ORDER).shuffle(treebanks)
    if not sets_first:
        return treebanks
    return sorted(
        treebanks,
        key=lambda name: not has_sets(locate_treebank(name, ud_home=ud_home, release=releases[name])),
    )


def has_sets(files: TreebankFiles) -> bool:
    """Return whether a treebank has a test set, and a training or development set to learn from."""
    return bool(files.test and (files.train or files.dev))


def train_treebank(questions: Sequence[Row], folder: Path, ud_home: str, parser: str) -> None:
    """Ask a parser these questions about one treebank, if that is not done yet."""
    if (folder / "results.csv").exists():
        return
    name, release = questions[0]["treebank"], questions[0]["release"]
    files = locate_treebank(name, ud_home=ud_home, release=release)
    words = ["run", "--treebank", name, "--ud-home", ud_home, "--release", release]
    words += [
        "--parser",
        parser,
        "--seeds",
        "1",
        "--test-set",
        "--jobs",
        "1",
        "--quiet",
        "--out",
        str(folder),
    ]
    for row in questions:
        construction = row["construction"]
        words += ["--alternative" if construction in SCHEMES else "--transform", construction]
    if not has_sets(files):
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
    """Print for each construction how many answers of both parsers agree, and which clear ones do not."""
    print(
        "| construction | questions | same side ahead | clear by the second | on the same side | UD | "
        "alternative |"
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
        if pair.is_clear and not pair.agrees:
            print(
                f"{pair.treebank} {pair.construction}: {pair.first:+.1f} by the first, {pair.second:+.1f} "
                "by the second (clear)"
            )
    print()


if __name__ == "__main__":
    main()
