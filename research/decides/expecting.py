"""Expect differences in treebanks from their trees alone, keep them in a file, and hold them against runs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnability.comparing.names import annotation_spelled
from learnability.errors import InputError
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import runs_to_compare
from learnability.running.processes import map_in_processes
from learnability.studies.runner import refined_run
from learnability.treebanks.families import language_of, origin_of
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.splits import read_treebank
from research.decides.model import Expectation, ExpectationModel, Expectations
from research.decides.properties import Properties, measure_properties
from research.decides.scoring import Judged

COLUMNS = (
    *("treebank", "release", "construction", "variant", "family", "is_fitted", "probability"),
    *("expected_delta", "expected_error", "mean_delta", "mean_error"),
)
"""The columns of a file of expectations; `probability`: that UD is easier."""


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


class ExpectedPair(NamedTuple):
    """Hold what we expect of a construction in a treebank.

    Attributes:
        name: the pair.
        family: the family of the language.
        is_fitted: whether the model was fitted to a release of the treebank.
        expectations: what we expect; None where there are too few promoted words.
    """

    name: PairName
    family: str
    is_fitted: bool
    expectations: Expectations | None


def expect_pairs(
    treebanks: Sequence[TreebankFiles], model: ExpectationModel, jobs: int
) -> list[ExpectedPair]:
    """Return what we expect of the constructions of the model in each treebank.

    Raises:
        InputError: a treebank cannot be read.
    """
    spellings = [construction.construction for construction in model.constructions]
    measured = map_in_processes(partial(measure_treebank, spellings=spellings), treebanks, jobs)
    pairs = []
    for files, of_treebank in zip(treebanks, measured, strict=True):
        family, is_fitted = family_of_treebank(files), files.name in model.treebanks
        for construction, properties in zip(model.constructions, of_treebank, strict=True):
            name = name_pair(files.name, files.release, construction.construction)
            expectations = None
            if properties is not None and properties.suffice:
                expectations = construction.expect(properties, family)
            pairs.append(ExpectedPair(name, family, is_fitted, expectations))
    return pairs


def name_pair(treebank: str, release: str, spelling: str) -> PairName:
    return PairName(treebank, release, *annotation_spelled(spelling).construction)


def measure_treebank(files: TreebankFiles, spellings: Sequence[str]) -> list[Properties | None]:
    """Return the properties of constructions, as config.json spells them, in all sentences of a treebank.

    Raises:
        InputError: a file cannot be read or is malformed, or it has no sentences.
    """
    treebank = read_treebank(files)
    trees = [sentence.tree for _, part in treebank.splits() for sentence in part]
    if not trees:
        raise InputError(f"{files.name} has no sentences; leave it out")
    return measure_properties(trees, treebank.conventions, list(map(annotation_spelled, spellings)))


def family_of_treebank(files: TreebankFiles) -> str:
    """Return the family of the language of a treebank."""
    paths = [path for _, split in files.splits() for path in split]
    return origin_of(language_of(files.name, paths)).family


def write_expectations(path: Path, pairs: Sequence[ExpectedPair]) -> None:
    """Write what is expected, a line for each construction of a treebank; empty where nothing is."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for pair in pairs:
            numbers: list[float] = []
            if pair.expectations is not None:
                by_properties, alone = pair.expectations
                numbers = [by_properties.probability]
                numbers += [by_properties.delta, by_properties.error, alone.delta, alone.error]
            cells = [f"{value:.6g}" for value in numbers] or [""] * 5
            writer.writerow([*pair.name, pair.family, "yes" if pair.is_fitted else "", *cells])


def read_expectations(path: Path) -> list[ExpectedPair]:
    """Return the expectations in a file that :func:`write_expectations` made.

    Raises:
        InputError: the file has other columns.
    """
    pairs = []
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise InputError(f"{path} has other columns; name a file that `decides.py expect` wrote")
        for row in rows:
            expectations = None
            if row["expected_delta"]:
                by_properties, alone = (
                    Expectation(float(row[f"{kind}_delta"]), float(row[f"{kind}_error"]) ** 2)
                    for kind in ("expected", "mean")
                )
                expectations = Expectations(by_properties, alone)
            name = PairName(*(row[field] for field in PairName._fields))
            pairs.append(ExpectedPair(name, row["family"], row["is_fitted"] == "yes", expectations))
    return pairs


def read_measured(folders: Iterable[Path], parser: str) -> dict[PairName, Difference]:
    """Return the tested differences in UAS between UD and alternatives that finished runs measured.

    Args:
        folders: of runs, or with runs below them.
        parser: whose differences are taken where a run has several parsers.

    Raises:
        InputError: there is no finished run.
    """
    found: dict[PairName, Difference] = {}
    for folder in runs_to_compare(folders).finished:
        for row in (pair.row for pair in refined_run(folder).pairs):
            difference = row.difference()
            is_of_ud = not row.pair.against and row.parser in ("", parser)
            if is_of_ud and difference is not None and difference.error:
                name = PairName(row.treebank, row.release, row.pair.construction, row.pair.variant)
                found[name] = difference
    return found


def hold_against(
    pairs: Sequence[ExpectedPair], measured: dict[PairName, Difference]
) -> dict[str, dict[str, Judged]]:
    """Return by construction what properties, and what the mean alone, let us expect beside results.

    Pairs of treebanks that the model was fitted to are left out.
    """
    held: dict[str, list[tuple[ExpectedPair, Expectations, Difference]]] = {}
    for pair in pairs:
        difference = measured.get(pair.name)
        if pair.expectations is not None and difference is not None and not pair.is_fitted:
            held.setdefault(pair.name.title, []).append((pair, pair.expectations, difference))
    return {
        title: {
            "properties": _judged([each.by_properties for _, each, _ in of_title], of_title),
            "mean": _judged([each.alone for _, each, _ in of_title], of_title),
        }
        for title, of_title in held.items()
    }


def _judged(
    expected: Sequence[Expectation], held: Sequence[tuple[ExpectedPair, Expectations, Difference]]
) -> Judged:
    """Return expectations of pairs beside what was measured."""
    return Judged(
        expected=np.array([each.delta for each in expected]),
        variances=np.array([each.variance for each in expected]),
        measured=np.array([difference.delta for _, _, difference in held]),
        errors=np.array([difference.error for _, _, difference in held], np.float64),
        clear=np.array([difference.is_clear for _, _, difference in held]),
        families=[pair.family for pair, _, _ in held],
    )
