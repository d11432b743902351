"""Define the comparison of treebanks of one language as a study: which cells it wants, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from learnability.extensions.harmonise.line_costs import TrainedTreebanks
from learnability.extensions.harmonise.report import contents_of_trainings, sections_of, values_of
from learnability.extensions.harmonise.selecting import LanguageFiles, compare_members
from learnability.extensions.harmonise.treebank_comparison import PlannedCells, TreebankComparison


class HarmoniseStudy(Study[HarmoniseOptions]):
    """Find the conventions in which treebanks of one language differ."""

    def __init__(self, plan: RunPlan, options: HarmoniseOptions) -> None:
        super().__init__(plan, options)
        self._latest: TreebankComparison | None = None

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

    def _compare(self, records: Records) -> TreebankComparison | None:
        """Return the comparison as far as it is recorded; None before the files are."""
        kept = records.result(self._files())
        if kept is None:
            return None
        if self._latest is None or self._latest.records is not records:
            reading = self.plan.options.data.reading
            members = (Version.of_treebank(each.read_again(**reading)) for each in kept.treebanks)
            self._latest = TreebankComparison(
                compare_members(members), self.settings, records, self.plan.single()
            )
        return self._latest

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the files, the taggers, and the parsers of one and of two treebanks."""
        (files,) = self.plan.treebanks
        assert isinstance(files, LanguageFiles)
        planned = PlannedCells(len(files.members), self.settings, self.plan.single())
        return [self._files(), *planned.tags(), *planned.parses(), *planned.together()]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the files, then the cells of each step."""
        yield self._files()
        if comparison := self._compare(records):
            yield from comparison.next_cells()

    def outcome(self, records: Records) -> Outcome | None:
        """Return how the treebanks differ; None if a cell has failed."""
        comparison = self._compare(records)
        if comparison is None or not comparison.is_complete:
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
