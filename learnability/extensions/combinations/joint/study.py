"""Define the joint training as a study: which cells it wants, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from learnability.comparing.cells import BaseCell
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.run_parsers import multiref_parser
from learnability.errors import InputError
from learnability.evidence.grouping import find_results
from learnability.extensions.combinations.joint.declaration import JointOptions
from learnability.extensions.combinations.joint.outcome import (
    joint_report,
    scheme_cell,
    transformation_annotations,
)
from learnability.extensions.combinations.joint.products import mean_survival
from learnability.extensions.combinations.joint.section import joint_section
from learnability.extensions.combinations.joint.training import JointCell, joint_annotations
from learnability.running.cell import Cell
from learnability.running.folder import as_json_bytes
from learnability.running.records import Records
from learnability.studies.study import Outcome, Study
from learnability.transforms.joint import JointTransformation

JOINT_FILE = "joint.json"


class JointStudy(Study[JointOptions]):
    """Train against all transformations of a run at once, and check the scheme that this advises."""

    @classmethod
    def check(cls, run: ExperimentOptions, options: JointOptions) -> None:
        """Refuse runs without two transformations of UD, or without a parser that can be trained so.

        Raises:
            InputError: see above; two of the transformations are variants of one.
        """
        if not run.against.is_ud:
            raise InputError(
                "joint chooses between UD and constructions; start a run without `against` or `alternative`"
            )
        annotations = joint_annotations(run)
        if len(annotations) < 2:
            raise InputError(
                "joint needs a run with two or more constructions; start a run with more of them, "
                "or with none for all"
            )
        try:
            JointTransformation([rule for annotation in annotations for rule in annotation.parts])
        except InputError as error:
            raise InputError(f"joint cannot combine the constructions: {error}") from None
        if multiref_parser(run) is None:
            who = " or ".join(parser.spelling for parser in run.parsers)
            raise InputError(
                f"{who} cannot train on both annotations, as joint does; start a run with "
                "`parsers='arc-eager'`"
            )

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the joint trainings; which schemes are checked depends on them."""
        return [self._joint_cell(seed) for seed in self.plan.seeds]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield joint trainings of seeds whose setting (a) is there, then the schemes to check."""
        cells = [self._joint_cell(seed) for seed in self.plan.seeds]
        for cell in cells:
            base = records.result(BaseCell(treebank=cell.treebank, parser=cell.parser, seed=cell.seed))
            if base is not None:
                yield replace(cell, iterations=base.iterations)
        trained = find_results(records, self._joint_cell(0), self.plan.seeds)
        if not (trained and self.options.verify):
            return
        schemes = mean_survival([training.survival for (training,) in trained]).schemes
        annotation_of = transformation_annotations(self.plan)
        for scheme in schemes[: self.options.verify]:
            if len(scheme.transforms) > 1:  # UD and single transformations were trained by the run
                cell_of_scheme = scheme_cell(self.plan, annotation_of, scheme.transforms)
                for seed in self.plan.seeds:
                    yield replace(cell_of_scheme, seed=seed)

    def _joint_cell(self, seed: int) -> JointCell:
        return JointCell(treebank=self.plan.single(), parser=self.plan.multiref_parser or "", seed=seed)

    def outcome(self, records: Records) -> Outcome | None:
        """Return what survived and what is advised; None if a training that it needs failed."""
        report = joint_report(self.plan, records, self.options.verify)
        if report is None:
            return None
        return Outcome(
            files={JOINT_FILE: as_json_bytes(report.as_json())},
            values={"joint": report.as_json()},
            sections=(joint_section(report),),
        )
