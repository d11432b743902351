"""Two small studies that build on a run, each with trainings on two shares of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from learnability.comparing.cells import OwnCell
from learnability.evidence.grouping import trainings
from learnability.reports.content import Outcome
from learnability.reports.section import Section
from learnability.running.cell import Cell
from learnability.running.config import as_json_bytes
from learnability.running.records import Records
from learnability.studies.declaration import Declaration, NoOptions
from learnability.studies.registry import known_studies
from learnability.studies.study import Study


class HalfStudy(Study[NoOptions]):
    """Train on a half and a third of the data."""

    SHARES: ClassVar[tuple[float, float]] = (1 / 2, 1 / 3)

    def cells(self) -> list[OwnCell]:
        place: dict[str, Any] = {"treebank": self.plan.single(), "parser": self.plan.parsers[0]}
        return [OwnCell(**place, share=share) for share in self.SHARES]

    def next_cells(self, records: Records) -> Sequence[Cell[Any]]:
        return [replace(cell, seed=seed) for cell in self.cells() for seed in self.plan.seeds]

    def outcome(self, records: Records) -> Outcome | None:
        trained = [trainings(records, cell, self.plan.seeds) for cell in self.cells()]
        scores = [[training.percent("uas") for training in seeds] for seeds in trained]
        name = type(self).__name__
        files = {f"{name}.json": as_json_bytes(scores)}
        return Outcome(files=files, values={name: scores}, sections=(Section(name, (str(scores),)),))


class QuarterStudy(HalfStudy):
    """Train on a quarter and a fifth of the data."""

    SHARES = (1 / 4, 1 / 5)


HALF = Declaration(name="half", study="further_studies:HalfStudy")
QUARTER = Declaration(name="quarter", study="further_studies:QuarterStudy")


@contextmanager
def known_further_studies() -> Iterator[None]:
    """Register both."""
    with pytest.MonkeyPatch.context() as patch:
        for declaration in (HALF, QUARTER):
            patch.setitem(known_studies(), declaration.name, declaration)
        yield
