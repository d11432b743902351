"""Show what one treebank says about one construction in a cell: a word, a mark and a colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from learnability.evidence.answers import (
    TOO_FEW_EXAMPLES,
    TOO_FEW_TREEBANKS,
    TREEBANKS_DISAGREE,
    own_side,
)
from learnability.evidence.differences import Difference
from learnability.evidence.panel import DIVIDED, Panel
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import StoredPair
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.schemes.catalogue import CATALOGUE
from learnability.statistics.inference import Side
from learnability.support.nouns import count_noun
from learnability.treebanks.labels import release_key


class CellOutcome(StrEnum):
    """What a cell shows, by which it is coloured, marked and filtered."""

    BASE = "base"
    ALTERNATIVE = "alternative"
    EQUAL = "equal"
    DIVIDED = "divided"
    OPEN = "open"
    FEW = "few"
    MISSING = "missing"


MARKS = {
    CellOutcome.BASE: "▲",
    CellOutcome.ALTERNATIVE: "▼",
    CellOutcome.EQUAL: "=",
    CellOutcome.DIVIDED: "✕",
    CellOutcome.OPEN: "○",
    CellOutcome.FEW: "·",
    CellOutcome.MISSING: "–",
}
"""The mark of each outcome, so that nothing depends on colour."""

_OF_SIDE = {Side.FIRST: CellOutcome.BASE, Side.SECOND: CellOutcome.ALTERNATIVE, Side.EQUAL: CellOutcome.EQUAL}

NOT_COMPUTED = "not computed"


class AtlasColumn(NamedTuple):
    """A column of the atlas: its title, the name of the construction, and the score."""

    title: str
    construction: str
    score: Score


def columns_of(evidence: Evidence) -> list[AtlasColumn]:
    """Return the columns: each construction, by each score where the runs are labelled."""
    labelled = evidence.names_scores
    columns: dict[AtlasColumn, None] = {}
    for _, construction, score in evidence.list_scored():
        name = construction.row.name
        columns[AtlasColumn(f"{name} {score.upper()}" if labelled else name, name, score)] = None
    return list(columns)


@dataclass(frozen=True)
class AtlasCell:
    """Hold what a treebank says about a construction.

    Attributes:
        pairs: one for each parser, those included that were not tested.
        panels: all parsers together by score; none where one parser ran.
    """

    treebank: str
    construction: str
    pairs: tuple[StoredPair, ...]
    panels: tuple[Panel, ...] = ()

    @property
    def rows(self) -> list[ComparisonRow]:
        """Return the rows of its parsers."""
        return [pair.row for pair in self.pairs]

    def panel(self, score: Score) -> Panel | None:
        """Return all parsers together by this score, if at least two were tested."""
        return next((p for p in self.panels if p.score is score and p.verdict is not None), None)

    def answer(self, score: Score) -> str:
        """Return the answer in words: as `compare` gives it, or what all parsers together show."""
        panel = self.panel(score)
        if panel is None:
            return answer_of(self._find_telling_row(score), score)
        return _common_answer(panel)

    def outcome(self, score: Score) -> CellOutcome:
        """Return what the answer says, for colour and mark."""
        panel = self.panel(score)
        if panel is None:
            return outcome_of(self._find_telling_row(score), score)
        return CellOutcome.DIVIDED if panel.verdict == DIVIDED else _of_side(panel.verdict)

    def difference(self, score: Score) -> Difference | None:
        """Return the difference that the answer follows from; of several parsers their mean."""
        panel = self.panel(score)
        if panel is None:
            return self._find_telling_row(score).difference(score)
        if panel.mean_delta is None:
            return None
        low, high = (panel.mean.low, panel.mean.high) if panel.mean else (None, None)
        return Difference(None, None, panel.mean_delta, low=low, high=high)

    def _find_telling_row(self, score: Score) -> ComparisonRow:
        """Return the row of the parser that was tested, else the first."""
        return next((row for row in self.rows if row.difference(score) is not None), self.rows[0])


def answer_of(row: ComparisonRow, score: Score) -> str:
    """Return the answer of a row, or that it was not computed."""
    return row.answer(score) or NOT_COMPUTED


def outcome_of(row: ComparisonRow, score: Score) -> CellOutcome:
    """Return what the answer of a row says."""
    match row.answer(score):
        case "":
            return CellOutcome.MISSING
        case answer if answer == TOO_FEW_EXAMPLES:
            return CellOutcome.FEW
        case answer if answer == TREEBANKS_DISAGREE:
            return CellOutcome.DIVIDED
        case answer if answer == TOO_FEW_TREEBANKS:
            return CellOutcome.MISSING
    return _of_side(own_side(row, score))


def _of_side(side: str | None) -> CellOutcome:
    return next((outcome for known, outcome in _OF_SIDE.items() if known == side), CellOutcome.OPEN)


def _common_answer(panel: Panel) -> str:
    """Return what all parsers together show, in a few words."""
    every = count_noun(len(panel.heard), "parser")
    match panel.verdict:
        case verdict if verdict == DIVIDED:
            return "parsers disagree"
        case Side.FIRST | Side.SECOND as side:
            name = panel.rows[0].base if side == Side.FIRST else "alternative"
            return f"{name} easier ({len(panel.parsers(side))} of {every})"
        case Side.EQUAL:
            return f"no meaningful difference ({len(panel.parsers(Side.EQUAL))} of {every})"
    return f"open ({every})"


def cells_of(evidence: Evidence) -> dict[tuple[str, str], AtlasCell]:
    """Return the cells by treebank and construction: the treebanks by name, old releases first."""
    pairs = pairs_of(evidence)
    panels = evidence.panels()
    found: dict[tuple[str, str], AtlasCell] = {}
    names = dict.fromkeys(c.row.name for c in evidence.constructions)
    for treebank in treebanks_of(pairs):
        for name in names:
            chosen = tuple(c for c in pairs if c.treebank == treebank and c.row.name == name)
            if not chosen:
                continue
            together = tuple(
                panel
                for panel in panels
                if (panel.rows[0].treebank_label, panel.rows[0].name) == (treebank, name)
            )
            found[treebank, name] = AtlasCell(treebank, name, chosen, together)
    return found


def pairs_of(evidence: Evidence) -> list[StoredPair]:
    """Return all pairs, tested or not, in the order of the constructions."""
    return [c for construction in evidence.constructions for c in all_of(construction)]


def all_of(construction: Construction) -> list[StoredPair]:
    """Return the pairs of a construction, with the corrected answers, and those that were not tested."""
    return [*construction.pairs, *construction.untested]


def treebanks_of(pairs: Sequence[StoredPair]) -> list[str]:
    """Return the labels of the treebanks by name; releases of one stand together, the oldest first."""
    known = {c.treebank: (c.row.treebank.casefold(), release_key(c.row.release)) for c in pairs}
    return sorted(known, key=lambda label: (*known[label], label))


def description_of(construction: str) -> str:
    """Return what a construction changes, as `learnability list` says it; empty for one that is not known."""
    base, _, options = construction.partition(":")
    if construction in CATALOGUE:
        return CATALOGUE[construction].description
    return f"{CATALOGUE[base].description} ({options})" if base in CATALOGUE else ""
