"""Define the comparison of treebanks of one language as a study: which cells it wants, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from learnability.extending import (
    Cell,
    FilesCell,
    InputError,
    Outcome,
    Records,
    RunPlan,
    Study,
    Version,
)
from learnability.extensions.harmonise.convention_page import PAGE
from learnability.extensions.harmonise.cross_parses import TrainingSettings
from learnability.extensions.harmonise.declaration import HarmoniseOptions
from learnability.extensions.harmonise.files import contents_of_trainings, values_of
from learnability.extensions.harmonise.pattern_lines import TrainedTreebanks
from learnability.extensions.harmonise.report import sections_of
from learnability.extensions.harmonise.selecting import LanguageFiles, compare_members
from learnability.extensions.harmonise.steps import ComparisonSteps, PlannedCells


@dataclass(frozen=True)
class LatestSteps:
    """Hold the steps that this process has made last, and of what, besides their records."""

    steps: ComparisonSteps
    made_of: tuple[TrainingSettings, HarmoniseOptions]


_latest: LatestSteps | None = None
"""Kept, because patterns take time to find, and the outcome needs them again."""


class HarmoniseStudy(Study[HarmoniseOptions]):
    """Find the conventions in which treebanks of one language differ."""

    ADAPTS = True

    @classmethod
    def check_plan(cls, plan: RunPlan, options: HarmoniseOptions) -> None:
        """Refuse what is not several treebanks of a language, with an InputError."""
        if not all(isinstance(files, LanguageFiles) for files in plan.treebanks):
            raise InputError("harmonise compares two treebanks; name a second one")

    @property
    def settings(self) -> TrainingSettings:
        return TrainingSettings(words=self.options.words, seeds=tuple(self.plan.seeds))

    def _files(self) -> FilesCell:
        (files,) = self.plan.treebanks
        return FilesCell(treebank=self.plan.single(), located=files.list_other_files())

    def _steps(self, records: Records) -> ComparisonSteps | None:
        """Return the comparison as far as it is recorded; None before the files are."""
        kept = records.result(self._files())
        if kept is None:
            return None
        global _latest
        made_of = self.settings, self.options
        if _latest is not None and _latest.steps.records is records and _latest.made_of == made_of:
            return _latest.steps
        reading = self.plan.options.data.reading
        label = self.plan.single()
        steps = ComparisonSteps(
            compare_members(Version.of_treebank(each.read_again(**reading)) for each in kept.treebanks),
            self.settings,
            records,
            label,
        )
        _latest = LatestSteps(steps, made_of)
        return steps

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the files, the taggers, and the parsers of one and of two treebanks."""
        (files,) = self.plan.treebanks
        assert isinstance(files, LanguageFiles)
        planned = PlannedCells(len(files.members), self.settings, self.plan.single())
        trained = planned.every_tags(), planned.every_parses(), planned.every_together()
        return [self._files(), *(cell for cells in trained for cell in cells)]

    def cells_ahead(self, records: Records) -> Sequence[Cell[Any]] | None:
        """Return what is trained; None before it is known what can be rewritten."""
        steps = self._steps(records)
        return None if steps is None else steps.cells_ahead()

    def notes(self) -> Sequence[str]:
        """Return what else may be trained."""
        return ["then parsers of treebanks that are rewritten, for each construction that a rule can rewrite"]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the files, then the cells of each step."""
        yield self._files()
        if steps := self._steps(records):
            yield from steps.next_cells()

    def outcome(self, records: Records) -> Outcome | None:
        """Return how the treebanks differ; None if a cell has failed."""
        steps = self._steps(records)
        comparison = None if steps is None else steps.comparison()
        if comparison is None:
            return None
        trained = TrainedTreebanks.of(comparison)
        contents = contents_of_trainings(trained, self._files().located)
        return Outcome(
            files=contents,
            values=values_of(trained),
            answers=tuple(sections_of(trained)),
            replaces_rows=True,
            page=next(name for name in contents if name.endswith(PAGE)),
        )
