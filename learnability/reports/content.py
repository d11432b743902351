"""Hold what the studies of a run show: the same for the terminal, the page, the card and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnability.evidence.rows import ComparisonRow
    from learnability.reports.section import Section
    from learnability.support.values import JsonObject


@dataclass(frozen=True)
class NextStage:
    """Offer what a run would do next about the constructions that it leaves open, as a sentence says it, and
    how many trainings per annotation it usually takes."""

    text: str
    trainings: int


@dataclass(frozen=True)
class PageHeader:
    """Hold what a page says of itself.

    Attributes:
        question: that the page answers, after the names of the treebanks.
        summary: what was compared on how much data, in one line.
        limits: what its numbers do not tell, the most important first.
    """

    question: str
    summary: str
    limits: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Hold what the records of a study show.

    Attributes:
        files: what it writes into the folder of the run, by name.
        values: what `--json` prints, by name.
        pairs: the pairs that it found and compared, as config.json holds them; empty: those of the run.
        rows: its comparisons; a report shows them as its main table.
        refined: comparisons of the run on more sentences, which take the place of those on its test sets.
        answers: sections that come before the comparisons.
        sections: those that come after them.
        details: those that the terminal shows with `--details` only; the report has them.
        replaces_rows: whether the answers say what the rows say, so that these are a detail.
        header: what the page says of itself; None: that it compares annotations.
        page: the file to open, which takes the place of the report; empty: the report.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    pairs: Sequence[JsonObject] = ()
    rows: Sequence[ComparisonRow] = ()
    refined: Sequence[ComparisonRow] = ()
    answers: Sequence[Section] = ()
    sections: Sequence[Section] = ()
    details: Sequence[Section] = ()
    replaces_rows: bool = False
    header: PageHeader | None = None
    page: str = ""
