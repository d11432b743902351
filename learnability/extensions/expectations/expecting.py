"""Expect differences in treebanks from their trees alone, and keep expectations in a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from msgspec.structs import asdict

from learnability.comparing.names import annotation_spelled
from learnability.errors import InputError, explain_errors
from learnability.evidence.columns import NAMED, columns_of_topic, csv_bytes
from learnability.extensions.expectations.model import (
    ConstructionModel,
    Expectation,
    ExpectationModel,
    Expectations,
)
from learnability.extensions.expectations.properties import NAMES, Properties, measure_properties
from learnability.running.processes import map_in_processes
from learnability.statistics.inference import Side
from learnability.treebanks.conllu_io import Reading
from learnability.treebanks.families import language_of, origin_of
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Treebank
from learnability.treebanks.splits import read_treebank

EXPECTATIONS_FILE = "expectations.csv"

EXPECTATIONS = columns_of_topic(
    "Expectations",
    *NAMED,
    ("family", "text", "the family of the language"),
    ("is_fitted", "text", "`yes` if the model was fitted to a release of this treebank"),
    ("expected", "choice", "the side that we expect to be easier; empty: too few examples"),
    ("probability", "number", "probability that UD is easier"),
    ("expected_delta", "number", "the difference that we expect, in points; above 0: UD is easier"),
    ("expected_low", "number", "of the 95 % interval"),
    ("expected_high", "number", "of the 95 % interval"),
    ("expected_error", "number", "the standard deviation of the true difference around what we expect"),
    ("mean_delta", "number", "what we would expect without properties, in points"),
    ("mean_error", "number", "the standard deviation around it"),
    ("promoted", "count", "words that are heads of more words in the alternative"),
    ("changed", "number", "square root of the share of words with another head (or tag)"),
    ("before", "number", "share of the promoted words that precede their head in UD"),
    ("order_entropy", "number", "entropy of that side, in bits"),
    ("distance", "number", "mean distance of changed words from their heads in UD"),
    ("stretch", "number", "how much longer it is in the alternative"),
    ("form_entropy", "number", "entropy of the forms of promoted words, in bits"),
    ("bare", "number", "share of words like those they hang on that have no promoted word"),
    ("marked", "number", "share of the promoted words with case or agreement"),
    ("governor_marked", "number", "share of their heads in UD with case"),
    ("length", "number", "logarithm of the mean length of sentences"),
    ("size", "number", "logarithm of the number of words"),
)  # fmt: skip
"""The columns of expectations.csv."""


class PairName(NamedTuple):
    """Name a construction in a treebank, as results.csv does."""

    treebank: str
    release: str
    construction: str
    variant: str

    @property
    def title(self) -> str:
        """Return the construction with its variant, as on the command line."""
        return f"{self.construction}:{self.variant}" if self.variant else self.construction


@dataclass(frozen=True)
class ExpectedPair:
    """Hold what we expect of a construction in a treebank.

    Attributes:
        name: the pair.
        family: the family of the language.
        is_fitted: whether the model was fitted to a release of the treebank.
        properties: those of the trees; None where the alternative changes no word.
        expectations: what we expect; None where there are too few promoted words.
    """

    name: PairName
    family: str
    is_fitted: bool
    properties: Properties | None
    expectations: Expectations | None = None

    @property
    def side(self) -> Side | None:
        """Return the side that we expect to be easier, if any."""
        return None if self.expectations is None else self.expectations.by_properties.side

    def values(self) -> dict[str, Any]:
        """Return the values of the columns of expectations.csv."""
        values: dict[str, Any] = dict.fromkeys(column.name for column in EXPECTATIONS)
        values |= self.name._asdict() | {"against": "", "family": self.family}
        values["is_fitted"] = "yes" if self.is_fitted else ""
        if self.properties is not None:
            values |= asdict(self.properties)
        if self.expectations is not None:
            by_properties, alone = self.expectations
            low, high = by_properties.interval
            values |= {
                "expected": self.side,
                "probability": by_properties.probability,
                "expected_delta": by_properties.delta,
                "expected_low": low,
                "expected_high": high,
                "expected_error": by_properties.error,
                "mean_delta": alone.delta,
                "mean_error": alone.error,
            }
        return values


@dataclass(frozen=True)
class ExpectedTreebank:
    """Hold what we expect in a treebank, and what a user should know about its files."""

    pairs: list[ExpectedPair]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class UnreadTreebank:
    """Represent a treebank that cannot be used, and why."""

    name: str
    problem: str


def expect_pairs(
    treebanks: Sequence[TreebankFiles],
    model: ExpectationModel,
    *,
    jobs: int = 1,
    **reading: Unpack[Reading],
) -> Iterator[ExpectedTreebank | UnreadTreebank]:
    """Yield for each treebank what we expect of the constructions of the model.

    Args:
        treebanks: their files.
        model: the fitted model.
        jobs: the number of processes.
        reading: which sentences are accepted.
    """
    expect = partial(expect_treebank, model=model, **reading)
    yield from map_in_processes(expect, treebanks, jobs)


def expect_treebank(
    files: TreebankFiles, model: ExpectationModel, **reading: Unpack[Reading]
) -> ExpectedTreebank | UnreadTreebank:
    """Return what we expect of the constructions of the model in a treebank; see :func:`expect_pairs`."""
    spellings = [construction.construction for construction in model.constructions]
    try:
        treebank = read_treebank(files, **reading)
        measured = measure_treebank(treebank, spellings)
    except InputError as error:
        return UnreadTreebank(files.name, str(error))
    family, found = family_of_treebank(files), zip(model.constructions, measured, strict=True)
    pairs = [expect_pair(files, family, model, *of_construction) for of_construction in found]
    return ExpectedTreebank(pairs, treebank.warnings if reading.get("skip_incomplete") else ())


def expect_pair(
    files: TreebankFiles,
    family: str,
    model: ExpectationModel,
    construction: ConstructionModel,
    properties: Properties | None,
) -> ExpectedPair:
    """Return what we expect of a construction with these properties in a treebank."""
    title, variant = annotation_spelled(construction.construction).construction
    name = PairName(files.name, files.release, title, variant)
    expectations = None
    if properties is not None and properties.suffice:
        expectations = construction.expect(properties, family)
    return ExpectedPair(name, family, files.name in model.treebanks, properties, expectations)


def measure_treebank(treebank: Treebank, spellings: Sequence[str]) -> list[Properties | None]:
    """Return the properties of constructions in all sentences of a treebank.

    Args:
        treebank: the treebank.
        spellings: the constructions, as config.json spells them.

    Raises:
        InputError: it has no sentences.
    """
    trees = [sentence.tree for _, part in treebank.splits() for sentence in part]
    if not trees:
        raise InputError(f"{treebank.name} has no sentences; leave it out")
    return measure_properties(trees, treebank.conventions, list(map(annotation_spelled, spellings)))


def family_of_treebank(files: TreebankFiles) -> str:
    """Return the family of the language of a treebank."""
    return family_of_files(files.name, [path for _, split in files.splits() for path in split])


def family_of_files(treebank: str, paths: Iterable[str | Path]) -> str:
    """Return the family of the language of a treebank, by its name and its files."""
    return origin_of(language_of(treebank, paths)).family


def expectations_csv(pairs: Sequence[ExpectedPair]) -> bytes:
    """Return the expectations as expectations.csv."""
    return csv_bytes(EXPECTATIONS, [pair.values() for pair in pairs])


def read_expectations(path: Path) -> list[ExpectedPair]:
    """Return the expectations in a file that :func:`expectations_csv` made; properties are not read.

    Raises:
        InputError: the file cannot be read, or has other columns or values.
    """
    with explain_errors(f"{path} cannot be read", "name an expectations.csv that `expect` wrote"):
        text = path.read_text(encoding="utf-8")
    rows = csv.DictReader(io.StringIO(text))
    missing = [column.name for column in EXPECTATIONS if column.name not in (rows.fieldnames or ())]
    if missing:
        raise InputError(f"{path} has no column {missing[0]}; name an expectations.csv that `expect` wrote")
    return [_read_row(row, f"{path}, line {rows.line_num}") for row in rows]


def _read_row(row: dict[str, str], where: str) -> ExpectedPair:
    """Return the pair of a line."""
    name = PairName(*(row[field] for field in PairName._fields))
    pair = ExpectedPair(name, row["family"], row["is_fitted"] == "yes", None)
    if not row["expected"]:
        return pair
    try:
        expectations = Expectations(
            Expectation(float(row["expected_delta"]), float(row["expected_error"]) ** 2),
            Expectation(float(row["mean_delta"]), float(row["mean_error"]) ** 2),
        )
    except ValueError:
        raise InputError(f"{where}: a number is broken; write the file again with `expect`") from None
    if not all(expectation.variance > 0 for expectation in expectations):
        raise InputError(f"{where}: a deviation is not above 0; write the file again with `expect`")
    return replace(pair, expectations=expectations)


assert tuple(column.name for column in EXPECTATIONS[-len(NAMES) :]) == NAMES
