"""Collect what a run shows: the same for the terminal, the page, the card and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnability.evidence.pair_evidence import PairEvidence
    from learnability.evidence.panel import Panel
    from learnability.evidence.rows import ComparisonRow
    from learnability.reports.figures import Figure
    from learnability.reports.section import Section
    from learnability.running.config import RunConfig
    from learnability.running.records import Record, Records
    from learnability.support.values import JsonObject


@dataclass(frozen=True)
class Offer:
    """Offer what a run would do next about the constructions that it leaves open.

    Attributes:
        text: what it does, as a sentence says it.
        trainings: how many trainings per annotation it usually takes.
    """

    text: str
    trainings: int


@dataclass(frozen=True)
class Opening:
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
        panels: what several parsers say of them together.
        answers: sections that come before the comparisons.
        sections: those that come after them.
        details: those that the terminal shows with `--details` only; the report has them.
        figures: for the report, besides those of the comparisons.
        says_all: whether the answers say what the rows say, so that these are a detail.
        opening: what the page says of itself; None: that it compares annotations.
        page: the file to open first; empty: the report.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    pairs: Sequence[JsonObject] = ()
    rows: Sequence[ComparisonRow] = ()
    refined: Sequence[ComparisonRow] = ()
    panels: Sequence[Panel] = ()
    answers: Sequence[Section] = ()
    sections: Sequence[Section] = ()
    details: Sequence[Section] = ()
    figures: Sequence[Figure] = ()
    says_all: bool = False
    opening: Opening | None = None
    page: str = ""


@dataclass(frozen=True, kw_only=True)
class RunContent:
    """Hold what a run shows: the outcomes of its studies, one after the other, and what they share.

    Attributes:
        config: its config.json.
        folder: where it is, as its command was typed: the same wherever pages are made again.
        records: all that came out; `failed`: the records of what did not.
        rows: the comparisons, each on the most sentences on which it was made; none in a run that makes none.
        panels: what several parsers say of them together.
        outcomes: those of its studies.
        offer: what the run would do next about what is open; None if nothing.
    """

    config: RunConfig
    folder: str = "RUN"
    records: Records
    failed: Sequence[Record] = ()
    rows: Sequence[ComparisonRow] = ()
    panels: Sequence[Panel] = ()
    outcomes: Sequence[Outcome] = ()
    offer: Offer | None = None

    @property
    def answers(self) -> list[Section]:
        """Return the sections that come before the comparisons."""
        return [section for outcome in self.outcomes for section in outcome.answers]

    @property
    def sections(self) -> list[Section]:
        """Return the sections that come after the comparisons."""
        return [section for outcome in self.outcomes for section in outcome.sections]

    @property
    def details(self) -> list[Section]:
        """Return the sections that the terminal shows on request only."""
        return [section for outcome in self.outcomes for section in outcome.details]

    @property
    def figures(self) -> list[Figure]:
        """Return the figures besides those of the comparisons."""
        return [figure for outcome in self.outcomes for figure in outcome.figures]

    @property
    def says_all(self) -> bool:
        """Return whether the answers say what the rows say, so that these are a detail."""
        return any(outcome.says_all for outcome in self.outcomes)

    @property
    def opening(self) -> Opening | None:
        """Return what the page says of itself; None: that it compares annotations."""
        return next((outcome.opening for outcome in reversed(self.outcomes) if outcome.opening), None)

    @property
    def page(self) -> str:
        """Return the file to open first; empty: the report."""
        return next((outcome.page for outcome in reversed(self.outcomes) if outcome.page), "")

    @cached_property
    def values(self) -> JsonObject:
        """Return what `--json` prints."""
        from learnability.evidence.columns import row_details, row_values

        values: JsonObject = {}
        if self.rows:
            values["rows"] = [{**row_values(row), **row_details(row)} for row in self.rows]
        if self.panels:
            values["parsers"] = [panel.values() for panel in self.panels]
        for outcome in self.outcomes:
            values.update(outcome.values)
        return values

    @property
    def parser(self) -> str:
        """Return the parser, where one was trained alone."""
        return self.config.parsers[0].title

    @cached_property
    def evidence(self) -> list[PairEvidence]:
        """Return the rows with the records that they were made from."""
        from learnability.evidence.pair_evidence import evidence_of

        return evidence_of(self.config, self.rows, self.records)
