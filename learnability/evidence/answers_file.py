"""Read a file of answers (`answers.csv`), such as a survey publishes it, in place of the runs behind it.

It has the answers of single treebanks and their differences in UAS, and neither standard errors nor records.
So there are no means over treebanks, no p values and no sentences of parsers.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from learnability.comparing.names import annotation_named
from learnability.comparing.pair import Pair
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.evidence.questions import Answer, AnsweredQuestion, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import FIRST_SCORE
from learnability.running.cell import treebank_id
from learnability.running.config import RunConfig, TreebankDesign
from learnability.running.records import FORMAT
from learnability.support.toml_section import read_text

ANSWERS = "answers.csv"
"""What a folder calls its file of answers."""

COLUMNS = (
    *("treebank", "release", "construction", "tested_on", "places", "test_places", "easier", "train_on"),
    *("uas_base", "uas_delta", "uas_delta_low", "uas_delta_high"),
)
"""The columns that are read."""

PARSER = "arc-eager"
"""The parser of answers whose file names none."""

FOLDED = 5
"""The folds of a comparison on all sentences; the file does not say how many."""


def find_answers(path: Path) -> Path | None:
    """Return the file of answers that a user names, or that is in the folder; None if there is none."""
    inside = path / ANSWERS
    if inside.is_file():
        return inside
    return path if path.suffix == ".csv" and path.is_file() else None


def is_file_of_answers(config: RunConfig) -> bool:
    """Return whether a run is a file of answers: it names no parsers, and has no sentences."""
    return not config.parsers


def read_answers(path: Path) -> StoredRun:
    """Return a run that has the answers of a file.

    Raises:
        InputError: the file lacks a column, or has a value that cannot be read, with its line.
    """
    reader = csv.DictReader(read_text(path, "file of answers").splitlines())
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{path}:1: the column {missing[0]!r} is missing; name a file of answers")
    pairs, treebanks = [], dict[tuple[str, str], TreebankDesign]()
    for number, line in enumerate(reader, start=2):
        try:
            row = _row_of(line)
        except (ValueError, TypeError, LookupError, InputError) as error:
            raise InputError(f"{path}:{number}: {error}; correct the line") from None
        pairs.append(StoredPair(row, path.parent, PARSER))
        name = row.treebank, row.release
        treebanks.setdefault(name, TreebankDesign(treebank_id(*name), *name, sha256={}))
    config = RunConfig(
        format=FORMAT, arguments={}, options={}, studies={}, treebanks=tuple(treebanks.values()), pairs=[],
        parsers=(), versions={},
    )  # fmt: skip
    return StoredRun(path.parent, config, tuple(pairs))


def combine_answers(runs: Sequence[StoredRun]) -> Evidence:
    """Return the constructions of files of answers, without means over treebanks."""
    pairs = [pair for run in runs for pair in run.pairs]
    constructions = []
    for name in dict.fromkeys(pair.construction for pair in pairs):
        found = [pair for pair in pairs if pair.construction == name]
        tested = tuple(pair for pair in found if pair.row.difference() is not None)
        untested = tuple(pair for pair in found if pair.row.difference() is None)
        over_all = replace(found[0].row, treebank="", release="", answers={}, differences={})
        constructions.append(Construction(over_all, {}, tested, untested))
    return Evidence(tuple(constructions), tuple(pairs), ())


def _row_of(line: Mapping[str, str]) -> ComparisonRow:
    differences = {}
    if line["uas_delta"]:
        base, delta = float(line["uas_base"]), float(line["uas_delta"])
        low, high = float(line["uas_delta_low"]), float(line["uas_delta_high"])
        differences[FIRST_SCORE, ScoringBasis.ANNOTATION] = Difference(
            base, base - delta, delta, low=low, high=high
        )
    everywhere = line["tested_on"] == "all sentences"
    return ComparisonRow(
        treebank=line["treebank"],
        release=line["release"],
        pair=Pair(UD, annotation_named(line["construction"])).facts,
        seeds=None,
        places=int(line["places"] or 0),
        test_places=int(line["test_places"] or 0),
        folds=FOLDED if everywhere else 1,
        differences=differences,
        answers={
            (FIRST_SCORE, question): AnsweredQuestion(_answer_named(line[str(question)]))
            for question in Question
        },
    )


def _answer_named(text: str) -> Answer:
    for answer in Answer:
        if answer.named("UD") == text:
            return answer
    raise ValueError(f"there is no answer {text!r}")
