"""Predict what a run would find, from short trainings and from the results in other languages.

Every pair begins with the cheapest short training and gets more expensive ones as long as no side
reaches the threshold. With ``--undecided``, parsers are trained in full on what is still undecided at the end
(docs/sooner.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import isnan
from typing import Any

from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.cells import ComparisonCell, ShortCell, comparison_cells, ready
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair, pairs_of
from learnability.comparing.plan import RunPlan, label
from learnability.errors import InputError
from learnability.parsers.trainer import USUAL_PARSER
from learnability.reports.text import time_in_words
from learnability.running.cell import Cell
from learnability.running.records import Records
from learnability.studies.comparisons import compare_plan
from learnability.studies.predict import PredictOptions
from learnability.studies.predict.predictions import (
    UNDECIDED,
    PairPrediction,
    Prediction,
    predict_difference,
    predictions_csv,
)
from learnability.studies.predict.section import open_page, predictions_section
from learnability.studies.study import Outcome, Study
from learnability.treebanks.families import language_of
from learnability.treebanks.locate import TreebankFiles

PREDICTIONS_FILE = "predictions.csv"

ROUNDS = ((1 / 8, 1), (1 / 4, 1), (1 / 4, 2))
"""The short trainings of a pair: the share of a sample, and the seed that draws it."""


class PredictStudy(Study[PredictOptions]):
    """Predict which annotation is easier, and let parsers decide what stays undecided."""

    def __init__(self, plan: RunPlan, options: PredictOptions) -> None:
        super().__init__(plan, options)
        self._predictions: dict[tuple[str, ...], Prediction] = {}
        self._full_cells: dict[tuple[str, tuple[Annotation, ...]], list[ComparisonCell[Any]]] = {}

    @classmethod
    def check(cls, run: ExperimentOptions, options: PredictOptions) -> None:
        """Raise an InputError for a threshold that is not a number, and for unused parsers."""
        if isnan(options.threshold):
            raise InputError("`threshold=nan` is not accepted; use a number from 0.5 to 1")
        for pair in pairs_of(run):
            if Columns.HEADS not in pair.changes:
                raise InputError(
                    f"{pair.alternative.name} moves no head, and predictions were tried on moved heads "
                    "only; compare it in a run"
                )
        if not options.undecided and [parser.title for parser in run.parsers] != [USUAL_PARSER]:
            raise InputError(
                "`parsers` has an effect only with `undecided=True`; add it, or leave out `parsers`"
            )

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the short trainings, of which not all may be wanted."""
        return [cell for files, pair in self._pairs() for cell in _short_cells(files, pair)]

    def notes(self) -> Sequence[str]:
        """Return how much may follow on the short trainings."""
        if not self.options.undecided:
            return ()
        time = time_in_words(self.plan.seconds(comparison_cells(self.plan)))
        return [f"after that, for constructions that stay open: at most about {time} of one processor"]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the next short training of each open prediction, then the full trainings of the parsers."""
        left: dict[str, list[Annotation]] = {}
        for files, pair in self._pairs():
            finished: list[ShortCell] = []
            for cell in _short_cells(files, pair):
                if cell.key not in records:  # also where dearer ones are recorded: its line may be gone
                    yield cell
                    break
                finished.append(cell)
                if self._side(files, pair, finished, records) != UNDECIDED:
                    break
            else:
                left.setdefault(label(files), []).append(pair.alternative)
        if self.options.undecided:
            for name, annotations in left.items():
                yield from ready(self._trained_in_full(name, tuple(annotations)), records)

    def outcome(self, records: Records) -> Outcome:
        """Return the predictions, and a row for each pair on which parsers were trained in full."""
        predicted = self.predictions(records)
        section = predictions_section(predicted, in_full=self.options.undecided)
        outcome = Outcome(
            files={PREDICTIONS_FILE: predictions_csv(predicted)},
            values={"predictions": [prediction.values() for prediction in predicted]},
            answers=(section,),
            opening=open_page(predicted),
        )
        undecided = [prediction.pair.alternative for prediction in predicted if prediction.side == UNDECIDED]
        if not (self.options.undecided and undecided):
            return outcome
        comparisons = compare_plan(self.plan.replace_alternatives(list(dict.fromkeys(undecided))), records)
        return replace(
            comparisons,
            files={**comparisons.files, **outcome.files},
            values={**comparisons.values, **outcome.values},
            answers=(section, *comparisons.answers),
            opening=None,  # a page that compares annotations
        )

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
        return product(self.plan.treebanks, pairs_of(self.plan.options))

    def _side(
        self, files: TreebankFiles, pair: Pair[Annotation], done: Sequence[ShortCell], records: Records
    ) -> str:
        return self._prediction(files, pair, done, records).side(self.options.threshold)

    def _prediction(
        self, files: TreebankFiles, pair: Pair[Annotation], done: Sequence[ShortCell], records: Records
    ) -> Prediction:
        """Return the prediction from the short trainings so far; parsers may be other parsers than theirs."""
        keys = tuple(cell.key for cell in done)
        if keys not in self._predictions:
            trained = [(cell.share, found) for cell in done if (found := records.result(cell)) is not None]
            _, facts = self.plan.by_label[label(files)]
            language = language_of(files.name, facts.sha256)
            another = any(parser.title != USUAL_PARSER for parser in self.plan.options.parsers)
            self._predictions[keys] = predict_difference(pair, language, trained, another=another)
        return self._predictions[keys]

    def _trained_in_full(self, name: str, annotations: tuple[Annotation, ...]) -> list[ComparisonCell[Any]]:
        if (name, annotations) not in self._full_cells:
            cells = comparison_cells(self.plan, annotations)
            self._full_cells[name, annotations] = [cell for cell in cells if cell.treebank == name]
        return self._full_cells[name, annotations]


def _short_cells(files: TreebankFiles, pair: Pair[Annotation]) -> list[ShortCell]:
    """Return the short trainings of a pair, the cheapest first."""
    return [
        ShortCell(treebank=label(files), annotation=pair.alternative, seed=seed, share=share)
        for share, seed in ROUNDS
    ]
