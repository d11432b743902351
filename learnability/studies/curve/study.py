"""Define learning curves as a study: cells, files and sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from learnability.comparing.pair import alternatives_of
from learnability.reports.content import Outcome
from learnability.reports.section import Section
from learnability.running.cell import Cell
from learnability.running.config import as_json_bytes
from learnability.running.records import Records
from learnability.studies.curve.curves import CURVE_SHARES, curve_cell, learning_curves
from learnability.studies.curve.figure import curves_figures
from learnability.studies.curve.section import curves_section
from learnability.studies.declaration import NoOptions
from learnability.studies.study import Study

CURVES_FILE = "learning_curve.json"

NO_CURVES = Section(
    "How much data does it take?",
    ("No learning curve: no construction occurs in the training set, or a training has failed.",),
)


class CurveStudy(Study[NoOptions]):
    """Train on growing parts of the training data, by the first parser of the run."""

    def next_cells(self, records: Records) -> Sequence[Cell[Any]]:
        """Return the trainings on parts, the largest first; that on all data is the run's."""
        return [
            replace(curve_cell(self.plan, annotation, share), seed=seed)
            for share in reversed(CURVE_SHARES[:-1])
            for annotation in (None, *alternatives_of(self.plan.options))
            for seed in self.plan.seeds
        ]

    def outcome(self, records: Records) -> Outcome:
        """Return a curve for each pair that has places and of which no training has failed."""
        curves = learning_curves(self.plan, records)
        values = [curve.as_json() for curve in curves]
        return Outcome(
            files={CURVES_FILE: as_json_bytes({"curves": values})} if curves else {},
            values={"learning_curves": values},
            sections=(curves_section(curves) if curves else NO_CURVES,),
            figures=tuple(curves_figures(curves)),
        )
