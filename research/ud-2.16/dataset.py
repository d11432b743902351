"""Write the answers of the survey as a CLDF dataset, from their file alone.

    python research/ud-2.16/dataset.py ANSWERS OUT [--ud-home DIR]

ANSWERS is `answers.csv`. The tables are those of `learnability compare --cldf`, with fewer values: the file
has neither p values nor the reasons of answers. No sentence of a treebank is passed on. Where treebanks are
below DIR, their licences and the digests of their files are added.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from learnability.atlas import cldf
from learnability.atlas.sentences import DrawnPairs, SentenceSource
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.names import annotation_spelled
from learnability.comparing.pair import Pair
from learnability.evidence.questions import Answer, AnsweredQuestion, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import FIRST_SCORE
from learnability.running.cell import treebank_id
from learnability.running.config import RunConfig, TreebankDesign
from learnability.running.records import FORMAT
from learnability.support.files import folder_atomically
from learnability.treebanks.locate import TreebankFiles, list_treebanks

SCHEMES = ("sud",)
"""What the survey compared as a scheme (`--alternative`), not as a construction."""

PARSER, SEEDS = "arc-eager", 1
"""The parser of the survey, and its trainings on each test set."""

FOLDED = 5
"""The folds of a comparison on all sentences; the dataset does not say how many."""


class NoSentences(SentenceSource):
    """Know the licences of treebanks, and pass no sentence on."""

    def pairs(self, pairs: Sequence[StoredPair]) -> DrawnPairs:
        """Return none."""
        return DrawnPairs()


def main() -> None:
    """Write the dataset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ud-home")
    arguments = parser.parse_args()
    with arguments.answers.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[str, TreebankFiles] = {}
    if arguments.ud_home:
        found = {treebank_id(each.name, each.release): each for each in list_treebanks(arguments.ud_home)}
    run = run_of_answers(rows, found)
    with folder_atomically(arguments.out, cldf.FILES) as folder:
        cldf.write_dataset(folder, evidence_of(run), [run], NoSentences([run], lambda config: found))
    print(f"{len(rows)} rows, {sum(path.stat().st_size for path in arguments.out.iterdir()):,} bytes")


def run_of_answers(rows: Sequence[Mapping[str, str]], found: Mapping[str, TreebankFiles]) -> StoredRun:
    """Return a run that has these answers; of treebanks that are found, it has the digests of files."""
    names = dict.fromkeys((row["treebank"], row["release"]) for row in rows)
    treebanks = tuple(
        TreebankDesign(label := treebank_id(*name), *name, sha256=digests_of(found.get(label)))
        for name in names
    )
    config = RunConfig(
        format=FORMAT, arguments={}, options={}, studies={}, treebanks=treebanks, pairs=[], parsers=(),
        versions={},
    )  # fmt: skip
    folder = Path("survey")
    return StoredRun(folder, config, tuple(StoredPair(row_of(row), folder, PARSER) for row in rows))


def digests_of(files: TreebankFiles | None) -> dict[str, str]:
    """Return the SHA-256 of each file of a treebank, by its path; none without files."""
    paths = [] if files is None else list(files.paths())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def row_of(row: Mapping[str, str]) -> ComparisonRow:
    """Return the row of a line: its answers and its differences in UAS."""
    name = row["construction"]
    annotation = annotation_spelled(f"scheme:{name}" if name in SCHEMES else name)
    differences = {}
    if row["uas_delta"]:
        base, delta = float(row["uas_base"]), float(row["uas_delta"])
        low, high = float(row["uas_delta_low"]), float(row["uas_delta_high"])
        differences[FIRST_SCORE, ScoringBasis.ANNOTATION] = Difference(
            base, base - delta, delta, low=low, high=high
        )
    everywhere = row["tested_on"] == "all sentences"
    return ComparisonRow(
        treebank=row["treebank"],
        release=row["release"],
        pair=Pair(UD, annotation).facts,
        seeds=None if everywhere else SEEDS,
        places=int(row["places"] or 0),
        test_places=int(row["test_places"] or 0),
        folds=FOLDED if everywhere else 1,
        differences=differences,
        answers={
            (FIRST_SCORE, Question.EASIER): AnsweredQuestion(answer_named(row["easier"])),
            (FIRST_SCORE, Question.TRAIN_ON): AnsweredQuestion(answer_named(row["train_on"])),
        },
    )


def answer_named(text: str) -> Answer:
    """Return the answer that files call so."""
    return next(answer for answer in Answer if answer.named("UD") == text)


def evidence_of(run: StoredRun) -> Evidence:
    """Return the constructions of a run without means over treebanks, which its answers do not need."""
    constructions = []
    for name in dict.fromkeys(pair.construction for pair in run.pairs):
        pairs = [pair for pair in run.pairs if pair.construction == name]
        tested = tuple(pair for pair in pairs if pair.row.difference() is not None)
        untested = tuple(pair for pair in pairs if pair.row.difference() is None)
        constructions.append(Construction(pairs[0].row, {}, tested, untested))
    return Evidence(tuple(constructions), run.pairs, ())


if __name__ == "__main__":
    main()
