"""Define the history of a treebank as a study: which cells it wants, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from learnability.extensions.history.files import history_files, part_values
from learnability.extensions.history.outcome import History
from learnability.extensions.history.section import (
    changed_sections,
    history_section,
    left_out_section,
    limits,
)
from learnability.extensions.history.selecting import check_one_range, missing_releases
from learnability.extensions.history.trainings import Stage, StageCell
from learnability.extensions.history.versions import VersionedFiles

QUESTION = "which versions made it easier to learn?"


class HistoryStudy(Study[HistoryOptions]):
    """Split each step between versions into parts.

    The treebanks of the plan are the earlier versions of the steps, each with the later one.
    """

    ADAPTS = True

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
                cells += history.list_seeded_cells([cell])
        return cells

    def cells_ahead(self, records: Records) -> Iterator[Cell[Any]] | None:
        """Return what the parts need; None before the changes are counted."""
        history = History(self.plan, records)
        return history.part_cells() if history.steps else None

    def notes(self) -> Sequence[str]:
        return ["That is the most: parts of a step that change (almost) nothing are not trained."]

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the counts of all steps, then what the parts need."""
        history = History(self.plan, records)
        yield from history.step_cells()
        yield from history.part_cells()

    def outcome(self, records: Records) -> Outcome | None:
        """Return what each version did; None if a training failed."""
        history = History(self.plan, records)
        if not history.parts:
            return None
        last = history.steps[-1]
        releases = [*(step.earlier for step in history.steps), last.later]
        name = self.plan.treebanks[0].name
        missing = missing_releases(name, self.options.releases, releases)
        words = last.sum_counts("words")
        parser = self.plan.options.parsers[0].title
        return Outcome(
            files=history_files(history),
            values={"history": [part_values(part, history.scores) for part in history.parts]},
            answers=(history_section(history, missing),),
            details=(*changed_sections(history), *left_out_section(history)),
            header=PageHeader(
                QUESTION,
                f"{count_noun(len(releases), 'version')} · {count_noun(words, 'word')} tested in {last.name} "
                f"· {count_noun(len(self.plan.seeds), 'training')} each",
                limits(history.labelled, self.plan.options.tags, parser),
            ),
        )
