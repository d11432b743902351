"""Define the history of a treebank as a study: which cells it wants, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from learnability.extending import (
    Cell,
    ExperimentOptions,
    InputError,
    Outcome,
    PageHeader,
    Records,
    RunPlan,
    Study,
    count_noun,
)
from learnability.extensions.history.declaration import HistoryOptions
from learnability.extensions.history.files import group_values, history_files, part_values
from learnability.extensions.history.linked_changes import MOST_GROUPS
from learnability.extensions.history.outcome import History
from learnability.extensions.history.section import (
    changed_sections,
    history_sections,
    left_out_section,
    limits,
)
from learnability.extensions.history.selecting import check_one_range, missing_releases
from learnability.extensions.history.trainings import Stage, StageCell
from learnability.extensions.history.versions import VersionedFiles

QUESTION = "which versions made it easier to learn?"


class HistoryStudy(Study[HistoryOptions]):
    """Split each step between versions into parts, and find the changes behind clear effects.

    The treebanks of the plan are the earlier versions of the steps, each with the later one.
    """

    ADAPTS = True

    def __init__(self, plan: RunPlan, options: HistoryOptions) -> None:
        super().__init__(plan, options)
        self._explaining: tuple[StageCell, ...] | None = None

    @classmethod
    def check(cls, run: ExperimentOptions, options: HistoryOptions) -> None:
        """Refuse several parsers, and labels that only rules can make, with an InputError."""
        check_one_range(options)
        if len(run.parsers) > 1:
            raise InputError("history trains one kind of parser; name one in `parsers`")
        if run.labels == "keep":
            raise InputError("`labels='keep'` works with rules, not with versions; use `labels='external'`")

    @classmethod
    def check_plan(cls, plan: RunPlan, options: HistoryOptions) -> None:
        """Refuse treebanks that are no versions of one treebank, with an InputError."""
        if not all(isinstance(files, VersionedFiles) for files in plan.treebanks):
            raise InputError("history compares versions; use `releases` or `commits`")

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the counts, and the trainings of steps in which trees, tags and sentences change."""
        history = History(self.plan, Records())
        cells: list[Cell[Any]] = []
        for counted_cell in history.step_cells():
            cells.append(counted_cell)
            for stage in Stage:
                cell = StageCell(
                    treebank=counted_cell.treebank,
                    fold=counted_cell.fold,
                    parser=counted_cell.parser,
                    stage=stage,
                )
                cells += [replace(cell, seed=seed) for seed in self.plan.seeds]
        return cells

    def cells_ahead(self, records: Records) -> Iterator[Cell[Any]] | None:
        """Return what is trained if every change has a clear effect; None before the changes are counted."""
        history = History(self.plan, records)
        return history.most_cells() if history.steps else None

    def notes(self) -> Sequence[str]:
        """Return how much the groups of changes may take beside the plan."""
        of_group = [cell for cell in self.plan_cells() if getattr(cell, "stage", None) is Stage.LATER_TREES]
        seconds = (MOST_GROUPS + 1) * self.plan.seconds(of_group)
        return [
            "That is the most: parts of a step that change (almost) nothing are not trained. Groups of "
            "changes behind a clear effect are trained, too: "
            f"at most about {seconds:,.0f} seconds more on one processor."
        ]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the counts of all steps, then what the parts need, then what the groups need."""
        if self._explaining is not None:  # all others are recorded
            yield from self._explaining
            return
        history = History(self.plan, records)
        yield from history.step_cells()
        if not history.steps:
            return
        yield from history.part_cells()
        if history.parts:
            self._explaining = tuple(history.explaining_cells())
            yield from self._explaining

    def outcome(self, records: Records) -> Outcome | None:
        """Return what each version did; None if a training failed."""
        history = History(self.plan, records)
        if not history.parts or history.groups is None:
            return None
        last = history.steps[-1]
        releases = [*(step.earlier for step in history.steps), last.later]
        name = self.plan.treebanks[0].name
        missing = missing_releases(name, self.options.releases, releases)
        words = last.sum_counts("words")
        parser = self.plan.options.parsers[0].title
        return Outcome(
            files=history_files(history),
            values={
                "history": [part_values(part, history.scores) for part in history.parts],
                "groups": [group_values(effect, history.scores) for effect in history.groups],
            },
            answers=tuple(history_sections(history, missing)),
            details=(*changed_sections(history), *left_out_section(history)),
            header=PageHeader(
                QUESTION,
                f"{count_noun(len(releases), 'version')} · {count_noun(words, 'word')} tested in {last.name} "
                f"· {count_noun(len(self.plan.seeds), 'training')} each",
                limits(history.labelled, self.plan.options.tags, parser),
            ),
        )
