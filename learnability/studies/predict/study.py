"""Predict what a run would find, from short trainings and from the results in other languages.

Every pair begins with the cheapest short training and gets more expensive ones as long as no side
reaches the threshold (docs/answers.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.cells import ShortCell
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair, pairs_of
from learnability.comparing.plan import RunPlan, id_of_files
from learnability.evidence.rows import ComparisonRow
from learnability.parsers.trainer import USUAL_PARSER
from learnability.reports.content import Outcome
from learnability.running.cell import Cell
from learnability.running.records import Records
from learnability.studies.predict import PredictOptions
from learnability.studies.predict.predictions import (
    UNDECIDED,
    PairPrediction,
    Prediction,
    predict_difference,
    predictions_csv,
)
from learnability.studies.predict.section import (
    expect_from_languages,
    open_page,
    predictions_section,
    short_sentence,
)
from learnability.studies.study import Interim, Study
from learnability.treebanks.families import language_of
from learnability.treebanks.locate import TreebankFiles

PREDICTIONS_FILE = "predictions.csv"

ROUNDS = ((1 / 8, 1), (1 / 4, 1), (1 / 4, 2))
"""The short trainings of a pair: the share of a sample, and the seed that draws it."""


class PredictStudy(Study[PredictOptions]):
    """Predict which annotation is easier."""

    ADAPTS = True

    def __init__(self, plan: RunPlan, options: PredictOptions) -> None:
        super().__init__(plan, options)
        self._predictions: dict[tuple[str, ...], Prediction] = {}

    @classmethod
    def find_obstacle(cls, run: ExperimentOptions) -> str:
        """Return why no prediction can be made of such a run, and what to do; empty if one can."""
        for pair in pairs_of(run):
            if Columns.HEADS not in pair.changes:
                return (
                    f"{pair.alternative.name} moves no head, and predictions were tried on moved heads "
                    "only; compare it in a run"
                )
        if run.data.cross_validate is not None:
            return "predictions are made for a training set; leave out `cross_validate`"
        return ""

    def notes(self) -> Sequence[str]:
        """Return what runs in other languages lead to expect, known before anything is trained."""
        if len(self.plan.treebanks) != 1:
            return ()
        (files,), (facts,) = self.plan.treebanks, self.plan.facts
        sentence = expect_from_languages(pairs_of(self.plan.options), language_of(files.name, facts.sha256))
        return [sentence] if sentence else ()

    def plan_cells(self) -> Sequence[Cell[Any]]:
        return [cell for files, pair in self._pairs() for cell in _short_cells(files, pair)]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the next short trainings of each open prediction, treebank by treebank.

        What records decide that arrive meanwhile comes at once, because processes still have the treebank.
        """
        for files in self._divided_treebanks():
            seen = -1
            while len(records) > seen:
                seen = len(records)
                for pair in pairs_of(self.plan.options):
                    yield from self._next_of_pair(files, pair, records)

    def _next_of_pair(
        self, files: TreebankFiles, pair: Pair[Annotation], records: Records
    ) -> Iterator[ShortCell]:
        finished: list[ShortCell] = []
        for cell in _short_cells(files, pair):
            if cell.key not in records:  # also where dearer ones are recorded: its line may be gone
                yield cell
            if cell.key not in records:
                return
            finished.append(cell)
            if self._side(files, pair, finished, records) != UNDECIDED:
                return

    def cells_ahead(self, records: Records) -> Iterator[Cell[Any]]:
        for files, pair in self._pairs():
            cells = _short_cells(files, pair)
            finished = [cell for cell in cells if cell.key in records]
            if not finished or self._side(files, pair, finished, records) == UNDECIDED:
                yield from cells

    def outcome(self, records: Records) -> Outcome:
        """Return the predictions."""
        predicted = self.predictions(records)
        return Outcome(
            files={PREDICTIONS_FILE: predictions_csv(predicted)},
            values={"predictions": [prediction.values() for prediction in predicted]},
            answers=(predictions_section(predicted),),
            header=open_page(predicted),
        )

    def complete_outcome(self, outcome: Outcome, rows: Sequence[ComparisonRow], records: Records) -> Outcome:
        return replace(outcome, answers=(predictions_section(self.predictions(records), rows),))

    def interim(self, records: Records) -> Iterator[Interim]:
        """Yield the predictions of which a side was decided, or all short trainings are there."""
        for known in self.predictions(records):
            finished = known.prediction.trainings == len(ROUNDS)
            if finished or known.side != UNDECIDED:
                yield Interim(id_of_files(known.files), known.pair.name, short_sentence(known), "prediction")

    def predictions(self, records: Records) -> list[PairPrediction]:
        """Return the prediction for every treebank and pair, except failed ones."""
        predictions = []
        for files, pair in self._pairs():
            finished = [cell for cell in _short_cells(files, pair) if cell.key in records]
            if finished:
                prediction = self._prediction(files, pair, finished, records)
                predictions.append(PairPrediction(files, pair, prediction, self.options.threshold))
        return predictions

    def _pairs(self) -> Iterator[tuple[TreebankFiles, Pair[Annotation]]]:
        return product(self._divided_treebanks(), pairs_of(self.plan.options))

    def _divided_treebanks(self) -> list[TreebankFiles]:
        with_facts = zip(self.plan.treebanks, self.plan.facts, strict=True)
        return [files for files, facts in with_facts if facts.folds == 1]

    def _side(
        self, files: TreebankFiles, pair: Pair[Annotation], done: Sequence[ShortCell], records: Records
    ) -> str:
        return self._prediction(files, pair, done, records).side(self.options.threshold)

    def _prediction(
        self, files: TreebankFiles, pair: Pair[Annotation], done: Sequence[ShortCell], records: Records
    ) -> Prediction:
        keys = tuple(cell.key for cell in done)
        if keys not in self._predictions:
            trained = [(cell.share, found) for cell in done if (found := records.result(cell)) is not None]
            _, facts = self.plan.by_label[id_of_files(files)]
            language = language_of(files.name, facts.sha256)
            another = any(parser.title != USUAL_PARSER for parser in self.plan.options.parsers)
            self._predictions[keys] = predict_difference(pair, language, trained, another=another)
        return self._predictions[keys]


def _short_cells(files: TreebankFiles, pair: Pair[Annotation]) -> list[ShortCell]:
    return [
        ShortCell(treebank=id_of_files(files), annotation=pair.alternative, seed=seed, share=share)
        for share, seed in ROUNDS
    ]
