"""Define a study: a question about a treebank that a run answers.

A study says which cells it wants, given the records so far, and what the records show once they are there.
The run itself (`studies.runner`) knows no study by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError
from learnability.evidence.rows import ComparisonRow
from learnability.reports.content import Outcome
from learnability.running.cell import Cell
from learnability.running.records import Records

Options = TypeVar("Options")


class Study(ABC, Generic[Options]):
    """Represent a question about treebanks, asked with options; `plan`: what the run works on.

    `REFINES`: whether it answers again, from more data, what the run has answered on its test sets.
    `ADAPTS`: whether results decide what else is computed.
    """

    REFINES: ClassVar[bool] = False
    ADAPTS: ClassVar[bool] = False

    def __init__(self, plan: RunPlan, options: Options) -> None:
        self.plan, self.options = plan, options

    @classmethod
    def find_obstacle(cls, run: ExperimentOptions) -> str:
        """Return why the question cannot be asked of such a run, and what to do; empty if it can."""
        return ""

    @classmethod
    def check(cls, run: ExperimentOptions, options: Options) -> None:
        """Refuse, before anything is read, options that do not go together, with an InputError."""
        if obstacle := cls.find_obstacle(run):
            raise InputError(obstacle)

    @classmethod
    def check_plan(cls, plan: RunPlan, options: Options) -> None:
        """Refuse treebanks that are unfit for the question with an InputError, before anything is written."""

    @classmethod
    def follows_changes(cls, plan: RunPlan, records: Records) -> bool:
        """Return whether a finished run goes on with its records although files may have changed since.

        Args:
            plan: that of the run, with the files as they are now.
            records: what came out of the files as they were.
        """
        return False

    @classmethod
    def continue_options(
        cls, earlier: Options, now: Options, records: Records, *, is_chosen: bool
    ) -> Options:
        """Return the options of a study that is asked again.

        Args:
            earlier: those with which it was asked before.
            now: those with which it is asked now.
            records: what came out so far.
            is_chosen: whether `now` was chosen; else it is the default.

        Raises:
            InputError: what is recorded would be lost with the options of now.
        """
        return now

    @abstractmethod
    def next_cells(self, records: Records) -> Iterable[Cell[Any]]:
        """Return the cells to compute, the best first, given the records so far.

        The engine takes the cells one by one while records are added, and calls it again after the last. A
        cell whose record depends on others is returned when these are there; cells that are recorded already
        may be returned again.
        """

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the cells that will be wanted as far as it is known before anything is computed."""
        return tuple(self.next_cells(Records()))

    def cells_ahead(self, records: Records) -> Iterable[Cell[Any]] | None:
        """Return all cells that may be wanted yet, and any that are recorded; None while that is unknown.

        A study that `ADAPTS` may stop before the last of them.
        """
        return self.plan_cells()

    def notes(self) -> Sequence[str]:
        """Return what a user should know before the run: sentences for `--dry-run`."""
        return ()

    @abstractmethod
    def outcome(self, records: Records) -> Outcome | None:
        """Return what the records show; None if a cell that it needs has failed or is missing."""

    @classmethod
    def combine(cls, runs: Sequence[tuple[Self, Records]]) -> Outcome | None:
        """Return what finished runs show together; None if that says no more than each of them.

        Runs that compare annotations are combined without it (`evidence.survey`).

        Args:
            runs: the study of each run, and its records.

        Raises:
            InputError: they do not belong together.
        """
        return None

    def complete_outcome(self, outcome: Outcome, rows: Sequence[ComparisonRow], records: Records) -> Outcome:
        """Return the outcome with what it says beside the comparisons of the run.

        Args:
            outcome: what the records show.
            rows: the comparisons of all studies of the run, each on the most sentences on which it was made;
                none in a run that makes none.
            records: those of the run.
        """
        return outcome
