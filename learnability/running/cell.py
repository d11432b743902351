"""Define a cell: the unit of work of every run, and the key under which its record is found again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

COMPILATION_SECONDS = 6.0
"""Rough processor seconds to compile the kernels of a parser; only for estimates (research/first_use)."""

Result = TypeVar("Result", bound=msgspec.Struct)


def treebank_id(name: str, release: str) -> str:
    return f"{name}@{release}" if release else name


def key_of(
    treebank: str,
    setting: str,
    subject: str = "",
    seed: int = 0,
    fold: int = 0,
    share: float = 1.0,
    parser: str = "",
) -> str:
    """Return the key under which the record of a cell with these fields is found again."""
    part = "" if share == 1 else f"/{share}"
    by = f"/parser={parser}" if parser else ""
    return f"{treebank}/{setting}/{subject}/{seed}/{fold}{part}{by}"


@dataclass(frozen=True, kw_only=True)
class Cell(ABC, Generic[Result]):
    """Represent a unit of work on a treebank: it is computed from its own fields alone, in any process.

    A study that wants a cell which depends on the records of others waits for these, and writes what it
    has learned from them into the fields of the cell.

    Attributes:
        treebank: label of the treebank (:func:`treebank_id`).
        seed: seed of what is drawn at random; 0 where nothing is.
        fold: number of the fold, 0 unless the treebank is cross-validated.
        parser: spelling of the parser that is trained; empty if none is.
        share: share of the training data that is used.
    """

    SETTING: ClassVar[str]
    """What kind of work it is, in keys and records."""

    RESULT: ClassVar[type[Any]]
    """The struct that the record holds."""

    treebank: str
    seed: int = 0
    fold: int = 0
    parser: str = ""
    share: float = 1.0

    @property
    def subject(self) -> str:
        return ""

    @cached_property
    def key(self) -> str:
        """Return the key under which the record of the cell is found again."""
        place = self.seed, self.fold, self.share, self.parser
        return key_of(self.treebank, self.SETTING, self.subject, *place)

    @property
    def shared(self) -> tuple[Hashable, ...]:
        """Return what a process makes once for all cells that have it in common, from coarse to fine: of the
        treebank, of the subject (folds share trees), of the fold."""
        return self.treebank, self.subject, self.fold

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.treebank, f"({self.SETTING})", self.subject, self.parser)))

    def fold_options(self, options: Any) -> Any:
        """Return the options (`comparing.options.ExperimentOptions`) of the fold that the cell works on."""
        return options

    @abstractmethod
    def compute(self, fold: Any) -> Result | None:
        """Return what comes out on a fold (`comparing.fold.Fold`); None if there is nothing to compute.

        Raises:
            InputError: the data or the options do not allow it.
            RunError: it failed.
        """

    def seconds(self, options: Any, tokens: int) -> float:
        """Return a rough estimate of the processor seconds, with `tokens` of training data."""
        return tokens / 100_000

    def kernels(self, options: Any) -> tuple[WarmUp, ...]:
        return ()


@dataclass(frozen=True)
class WarmUp:
    """Represent a call that compiles or loads kernels of a transition system; equal calls are made once, and
    take roughly so many processor seconds."""

    system: str
    function: Any
    arguments: tuple[Hashable, ...] = ()
    seconds: float = field(default=COMPILATION_SECONDS, compare=False)

    def __call__(self) -> object:
        return self.function(*self.arguments)


def estimate_compiling(calls: Collection[WarmUp], processes: int) -> float:
    """Return roughly how many seconds pass while processes share the calls, if nothing is compiled yet."""
    seconds = [call.seconds for call in calls]
    return max(max(seconds, default=0.0), sum(seconds) / processes)
