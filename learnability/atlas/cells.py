"""Show what one treebank says about one construction in a cell: a word, a mark and a colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from learnability.evidence.differences import Difference
from learnability.evidence.panel import DIVIDED, Panel
from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import StoredPair
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
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
        return [pair.row for pair in self.pairs]

    def panel(self, score: Score) -> Panel | None:
        """Return all parsers together by this score, if at least two were tested."""
        return next((p for p in self.panels if p.score is score and p.verdict is not None), None)

    def easier(self, score: Score) -> str:
        """Return which is easier, in words: as `compare` gives it, or what all parsers together show."""
        panel = self.panel(score)
        if panel is None:
            return answer_of(self._find_telling_row(score), score)
        return _common_answer(panel)

    def train_on(self, score: Score) -> str:
        """Return which to train on if UD trees are needed; for several parsers, those that tell."""
        panel = self.panel(score)
        if panel is None:
            return self._find_telling_row(score).name_answer(Question.TRAIN_ON, score)
        return _common_training(panel)

    def outcome(self, score: Score) -> CellOutcome:
        """Return what the answer says, for colour and mark."""
        panel = self.panel(score)
        if panel is None:
            return outcome_of(self._find_telling_row(score), score)
        if panel.verdict is None or panel.verdict == DIVIDED:
            return CellOutcome.DIVIDED
        return _OUTCOMES[Answer.of_side(Side(panel.verdict))]

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
    """Return which is easier by a row, or that it was not computed."""
    return row.name_answer(Question.EASIER, score) or NOT_COMPUTED


def outcome_of(row: ComparisonRow, score: Score) -> CellOutcome:
    """Return what the answer of a row says."""
    answered = row.easier(score)
    if answered.reason == Reason.TREEBANKS_DISAGREE:
        return CellOutcome.DIVIDED
    return _OUTCOMES[answered.answer]


def _common_answer(panel: Panel) -> str:
    if panel.verdict is None or panel.verdict == DIVIDED:
        return "parsers disagree"
    answer, every = Answer.of_side(Side(panel.verdict)), count_noun(len(panel.heard), "parser")
    number = "" if answer is Answer.OPEN else f"{len(panel.parsers(panel.verdict))} of "
    return f"{answer.named(panel.rows[0].base)} ({number}{every})"


def _common_training(panel: Panel) -> str:
    """Return which to train on by the parsers that tell, with their number: `UD (1 of 2 parsers)`."""
    every = count_noun(len(panel.heard), "parser")
    answers = Counter(row.train_on(panel.score).answer for row in panel.heard)
    told = [answer for answer in (Answer.BASE, Answer.ALTERNATIVE, Answer.SAME) if answers[answer]]
    if not told:
        return f"{Answer.OPEN} ({every})" if answers[Answer.OPEN] else ""
    base = panel.rows[0].base
    return ", ".join(f"{answer.named(base)} ({answers[answer]} of {every})" for answer in told)


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
