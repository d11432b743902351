"""Predict what a run would find, from short trainings of both annotations on samples of the training set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.cells import ShortCell
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair, pairs_of
from learnability.comparing.plan import id_of_files
from learnability.parsers.trainer import USUAL_PARSER
from learnability.reports.content import Outcome
from learnability.running.cell import Cell
from learnability.running.records import Records
from learnability.studies.declaration import NoOptions
from learnability.studies.predict.predictions import (
    SEEDS,
    SHARE,
    PairPrediction,
    predict_difference,
    predictions_csv,
)
from learnability.studies.predict.section import (
    expect_from_languages,
    open_page,
    predictions_section,
)
from learnability.studies.study import Study
from learnability.treebanks.families import language_of
from learnability.treebanks.locate import TreebankFiles

PREDICTIONS_FILE = "predictions.csv"


class PredictStudy(Study[NoOptions]):
    """Predict which annotation is easier."""

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

    def next_cells(self, records: Records) -> Iterable[Cell[Any]]:
        return self.plan_cells()

    def outcome(self, records: Records) -> Outcome:
        """Return the predictions."""
        predicted = list(self.predictions(records))
        return Outcome(
            files={PREDICTIONS_FILE: predictions_csv(predicted)},
            values={"predictions": [prediction.values() for prediction in predicted]},
            answers=(predictions_section(predicted),),
            header=open_page(predicted),
        )

    def predictions(self, records: Records) -> Iterator[PairPrediction]:
        """Yield the prediction for every treebank and pair whose short trainings are all recorded."""
        another = any(parser.title != USUAL_PARSER for parser in self.plan.options.parsers)
        for files, pair in self._pairs():
            cells = _short_cells(files, pair)
            if all(cell.key in records for cell in cells):
                trained = [found for cell in cells if (found := records.result(cell)) is not None]
                yield PairPrediction(files, pair, predict_difference(trained, another=another))

    def _pairs(self) -> Iterator[tuple[TreebankFiles, Pair[Annotation]]]:
        with_facts = zip(self.plan.treebanks, self.plan.facts, strict=True)
        divided = [files for files, facts in with_facts if facts.folds == 1]
        return product(divided, pairs_of(self.plan.options))


def _short_cells(files: TreebankFiles, pair: Pair[Annotation]) -> list[ShortCell]:
    return [
        ShortCell(treebank=id_of_files(files), annotation=pair.alternative, seed=seed, share=SHARE)
        for seed in SEEDS
    ]
