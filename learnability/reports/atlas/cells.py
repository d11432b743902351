"""Show what one treebank says about one construction in a cell: a word, a mark and a colour."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import StoredPair
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.treebanks.releases import Release


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

_OUTCOMES = {
    Answer.BASE: CellOutcome.BASE,
    Answer.ALTERNATIVE: CellOutcome.ALTERNATIVE,
    Answer.SAME: CellOutcome.EQUAL,
    Answer.OPEN: CellOutcome.OPEN,
    Answer.TOO_FEW_EXAMPLES: CellOutcome.FEW,
    Answer.TOO_FEW_TREEBANKS: CellOutcome.MISSING,
    Answer.NONE: CellOutcome.MISSING,
}

NOT_COMPUTED = "not computed"


class AtlasColumn(NamedTuple):
    """A column of the atlas: its title, the name of the construction, and the score."""

    title: str
    construction: str
    score: Score


def columns_of(evidence: Evidence) -> list[AtlasColumn]:
    """Return the columns: each construction, by each score where the runs are labelled."""
    columns = []
    for _, construction, score in evidence.list_scored():
        name = construction.row.name
        title = f"{name} {score.upper()}" if evidence.names_scores else name
        columns.append(AtlasColumn(title, name, score))
    return columns


def answer_of(row: ComparisonRow, score: Score) -> str:
    return row.name_answer(Question.EASIER, score) or NOT_COMPUTED


def outcome_of(row: ComparisonRow, score: Score) -> CellOutcome:
    """Return what the answer of a row says."""
    answered = row.easier(score)
    if answered.reason == Reason.TREEBANKS_DISAGREE:
        return CellOutcome.DIVIDED
    return _OUTCOMES[answered.answer]


def pairs_of(evidence: Evidence) -> list[StoredPair]:
    """Return all pairs, tested or not, in the order of the constructions."""
    return [c for construction in evidence.constructions for c in all_of(construction)]


def all_of(construction: Construction) -> list[StoredPair]:
    """Return the pairs of a construction, with the corrected answers, and those that were not tested."""
    return [*construction.pairs, *construction.untested]


def treebanks_of(pairs: Sequence[StoredPair]) -> list[str]:
    """Return the labels of the treebanks by name; releases of one stand together, the oldest first."""
    known = {c.treebank: (c.row.treebank.casefold(), Release.key(c.row.release)) for c in pairs}
    return sorted(known, key=lambda label: (*known[label], label))
