"""What studies of the log-linear parser share: small treebanks in all annotations, kept rows, and truths.

A treebank is cut to sentences of at most `LONGEST` words. The first of them are trained on, up to `TRAINED`
words, and the first of the test set are tested on, up to `TESTED`.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import Fold
from learnability.comparing.names import annotation_spelled
from learnability.parsers.loglinear import LoglinearTrainer
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.parsing.parser import SMALL
from learnability.parsing.projectivity import lift
from learnability.statistics.prediction import DATA
from learnability.transforms.registry import PAPER
from learnability.treebanks.sentence import Tree
from research.support.treebank_folds import arguments, folds, row

USUAL, OPTIMUM = "arc-eager", "loglinear"
"""The parsers."""

TREEBANKS = {
    "1.3": (
        "UD_Kazakh", "UD_Croatian", "UD_Tamil", "UD_Irish", "UD_Hungarian", "UD_French", "UD_Turkish",
        "UD_Greek", "UD_English-LinES", "UD_Indonesian", "UD_Chinese",
    ),
    "2.16": ("UD_Tamil-TTB", "UD_Turkish-IMST", "UD_Greek-GDT", "UD_French-Sequoia", "UD_English-LinES"),
}  # fmt: skip
"""The treebanks of the studies, by release, the small ones first."""

LONGEST = 40
"""The most words of a sentence: an optimum takes seconds that grow faster than the length."""

TRAINED, TESTED = 10_000, 5_000
"""The words that are trained on and tested on, at most."""

FEWEST_PLACES = 10
"""Words with another head among the test words, below which a construction is no question."""

CLEAR = 2.0
"""The z from which on a difference counts as clear, without correction for several questions."""

Flags = NDArray[np.bool_]
Row = TypeVar("Row", bound=msgspec.Struct)


class OfTreebank(msgspec.Struct):
    """A row about a treebank, named with its release."""

    treebank: str


TreebankRow = TypeVar("TreebankRow", bound=OfTreebank)


@dataclass(frozen=True)
class Side:
    """Hold the trees of an annotation: trained on, those that say when to stop, and tested on."""

    name: str
    train: Sequence[Tree]
    dev: Sequence[Tree]
    test: Sequence[Tree]


class KeptRows(Generic[Row]):
    """Hold rows of a file, one a line, with which a stopped study goes on; without a file, in memory.

    Attributes:
        rows: those that are there.
    """

    def __init__(self, path: Path | None, kind: type[Row]) -> None:
        self._path = path
        lines = path.read_bytes().splitlines() if path is not None and path.exists() else []
        self.rows: list[Row] = [msgspec.json.decode(line, type=kind) for line in lines]

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows that belong together: all of them are kept, or none."""
        self.rows += rows
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def shorten(trees: Sequence[Tree], words: int) -> list[Tree]:
    """Return the first sentences of at most `LONGEST` words, up to this many words."""
    found: list[Tree] = []
    for tree in trees:
        if len(tree) <= LONGEST:
            words -= len(tree)
            found.append(tree)
        if words <= 0:
            break
    return found


def sides_of(fold: Fold, words: int = TRAINED) -> list[Side]:
    """Return UD and the constructions that are questions, of at most this many words to train on."""
    train, dev = shorten(fold.ud.train, words), shorten(fold.ud.dev, TESTED)
    test = shorten(fold.ud.test, TESTED)
    found = [Side("UD", train, dev, test)]
    for name in PAPER:
        change = fold.change(annotation_spelled(name))
        trained, stopped = (lift([change(tree) for tree in trees]) for trees in (train, dev))
        side = Side(name, trained, stopped, [change(tree) for tree in test])
        if changed_words(side.test, test).sum() >= FEWEST_PLACES:
            found.append(side)
    return found


def changed_words(trees: Sequence[Tree], others: Sequence[Tree]) -> Flags:
    """Return bool[words], which have another head in other trees of the same sentences."""
    heads, other_heads = (np.array([h for tree in each for h in tree.heads]) for each in (trees, others))
    changed: Flags = heads != other_heads
    return changed


def train_usual(
    trees: Sequence[Tree], dev: Sequence[Tree], seed: int, iterations: int | None = None
) -> TrainedParser:
    """Train arc-eager."""
    return parser_named("arc-eager").trainer(Setup(iterations=iterations)).train(trees, dev, seed)


def train_optima(annotations: Sequence[Sequence[Tree]], seed: int) -> list[TrainedParser]:
    """Train a log-linear parser for each annotation, in the same passes."""
    trainer = parser_named("loglinear").trainer(Setup())
    assert isinstance(trainer, LoglinearTrainer)
    return trainer.train_together(annotations, seed)


def each_fold(command_line: argparse.Namespace, done: Callable[[str], bool]) -> Iterator[tuple[str, Fold]]:
    """Yield the treebanks that were named, or all of `TREEBANKS`, each with its name and release.

    Args:
        command_line: its `treebanks`, `release` and `ud_home`.
        done: returns whether a treebank with its release needs no work any more.
    """
    named = tuple(command_line.treebanks)
    chosen = TREEBANKS if named == ("all",) else {command_line.release: named}
    for release, names in chosen.items():
        for name in names:
            title = f"{Path(name).name} {release}"
            if not done(title):
                of_one = {**vars(command_line), "release": release, "treebanks": [name]}
                for _, fold in folds(argparse.Namespace(**of_one)):
                    yield title, fold


def measure_treebanks(
    doc: str, kind: type[TreebankRow], measure: Callable[[str, Fold], Sequence[TreebankRow]]
) -> list[TreebankRow]:
    """Measure the treebanks of the command line that are not kept yet, and return the rows of all.

    Args:
        doc: the docstring of the script.
        kind: of the rows.
        measure: returns the rows of a treebank, by its name with its release.
    """
    parser = arguments(doc, release="1.3")
    parser.add_argument("--out", type=Path, help="keep what is measured in this file")
    command_line = parser.parse_args()
    train_usual([SMALL], [SMALL], 1)  # kernels are compiled or loaded before anything is timed
    train_optima([[SMALL]], 1)
    kept = KeptRows(command_line.out, kind)
    for title, fold in each_fold(command_line, lambda title: title in {each.treebank for each in kept.rows}):
        kept.add(measure(title, fold))
    return kept.rows


@dataclass(frozen=True)
class Truth:
    """Hold the difference that a run with arc-eager on the whole treebank found, and its standard error."""

    delta: float
    error: float

    @property
    def clear(self) -> bool:
        """Return whether its 95 % interval excludes 0."""
        return abs(self.delta) > NormalDist().inv_cdf(0.975) * self.error


@cache
def find_truths() -> dict[tuple[str, str], Truth]:
    """Return what whole runs found, by treebank and construction.

    For 1.3 these are the runs on the test set that come with the package, with three seeds, for 2.16 the
    answers of the survey, most of which come from all sentences (research/ud-2.16).
    """
    found = {
        (f"{each.treebank} {each.release}", each.transform): Truth(each.difference, each.error)
        for each in measured_in_1_3()
    }
    with open(Path(__file__).parents[1] / "ud-2.16" / "answers.csv", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["uas_delta"] and line["construction"] in PAPER:
                width = float(line["uas_delta_high"]) - float(line["uas_delta_low"])
                truth = Truth(float(line["uas_delta"]), width / 2 / NormalDist().inv_cdf(0.975))
                found[f"{line['treebank']} {line['release']}", line["construction"]] = truth
    return found


class MeasuredRow(msgspec.Struct):
    """Hold a row of the differences that come with the package."""

    treebank: str
    release: str
    transform: str
    difference: float
    error: float


def measured_in_1_3() -> list[MeasuredRow]:
    """Return the differences that come with the package, with their treebanks."""
    lines = (DATA / "differences.csv").read_text(encoding="utf-8").splitlines()
    return msgspec.convert(list(csv.DictReader(lines)), list[MeasuredRow], strict=False)


def print_row(*cells: object) -> None:
    """Print a row of a table."""
    print(row(*cells), flush=True)
