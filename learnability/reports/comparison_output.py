"""Define what extensions add to a comparison of finished runs: options, tables, figures, folders of files.

Declarations are read to show help, so this module imports nothing that takes long.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from learnability.support.plugins import import_object, with_brought

if TYPE_CHECKING:
    from learnability.evidence.stored_runs import StoredRun
    from learnability.evidence.survey import Evidence
    from learnability.reports.figures import Figure
    from learnability.reports.text import Table
    from learnability.support.progress import Stages

Options = TypeVar("Options")


@dataclass(frozen=True, kw_only=True)
class OutputDeclaration:
    """Represent an addition to comparisons as `compare` sees it.

    Attributes:
        name: its name.
        output: where its class is, as ``module:Class``.
        options: dataclass of its options (`support.options`).
        help: sentences for the help of `compare`.
    """

    name: str
    output: str
    options: type[Any]
    help: str

    def load(self) -> type[ComparisonOutput[Any]]:
        """Return the class."""
        output: type[ComparisonOutput[Any]] = import_object(self.output)
        return output


@cache
def known_outputs() -> dict[str, OutputDeclaration]:
    """Return what extensions add to comparisons, by name.

    Raises:
        InputError: an extension is faulty.
    """

    def as_declaration(loaded: object) -> OutputDeclaration | None:
        return loaded if isinstance(loaded, OutputDeclaration) else None

    kind = "an OutputDeclaration"
    return with_brought({}, lambda extension: extension.comparisons, as_declaration, kind)


@dataclass(frozen=True)
class Supplement:
    """Hold additions to the page and the files of a comparison.

    Attributes:
        slug: what links call it.
        heading: above the tables.
        tables: on the terminal and on the page.
        figures: on the page, and as files.
        values: for JSON.
        files: rows of CSV files, by name.
    """

    slug: str
    heading: str
    tables: Sequence[Table]
    figures: Sequence[Figure]
    values: Mapping[str, Any]
    files: Mapping[str, Sequence[Mapping[str, Any]]]


class ComparisonOutput(ABC, Generic[Options]):
    """Represent an addition to a comparison, asked for with options."""

    def __init__(self, options: Options) -> None:
        self.options = options

    @property
    def is_of_first_answers(self) -> bool:
        """Return whether it is about the answers that the runs had before other studies refined them."""
        return False

    def check(self, out: str | None) -> None:
        """Refuse what cannot be written beside the folder of tables with an InputError, before long work."""

    def supplement(self, evidence: Evidence) -> Supplement | None:
        """Return what the comparison shows besides; None if that was not asked for.

        Raises:
            InputError: the runs are unfit for it.
        """
        return None

    def write(self, evidence: Evidence, runs: Sequence[StoredRun], stages: Stages) -> Iterator[str]:
        """Write what else was asked for, and yield what was written, a line each."""
        return iter(())

    def check_complete(self) -> None:
        """Raise an InputError if something could not be written; everything else has been."""

    @classmethod
    def of_report(cls, evidence: Evidence) -> Supplement | None:
        """Return what the report of a run over many treebanks shows besides; None for nothing."""
        return None

    @classmethod
    def tables(cls, evidence: Evidence) -> Mapping[str, object]:
        """Return further attributes of :class:`~learnability.RunComparison`, by name."""
        return {}
