"""Define what extensions add to a comparison of finished runs: options, and folders of files.

Declarations are read to show help, so this module imports nothing that takes long.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from learnability.support.plugins import import_object, with_brought

if TYPE_CHECKING:
    from learnability.evidence.stored_runs import StoredRun
    from learnability.evidence.survey import Evidence
    from learnability.support.progress import ProgressSteps

Options = TypeVar("Options")


@dataclass(frozen=True, kw_only=True)
class OutputDeclaration:
    """Represent an addition to comparisons as `compare` sees it.

    Attributes:
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
    """Return what extensions add to comparisons, by name."""

    def as_declaration(loaded: object) -> OutputDeclaration | None:
        return loaded if isinstance(loaded, OutputDeclaration) else None

    kind = "an OutputDeclaration"
    return with_brought({}, lambda extension: extension.comparisons, as_declaration, kind)


class ComparisonOutput(ABC, Generic[Options]):
    """Represent an addition to a comparison, asked for with options."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def check(self, out: str | None) -> None:
        """Refuse what cannot be written beside the folder of tables with an InputError, before long work."""

    def write(self, evidence: Evidence, runs: Sequence[StoredRun], steps: ProgressSteps) -> Iterator[str]:
        """Write what else was asked for, and yield what was written, a line each."""
        return iter(())
