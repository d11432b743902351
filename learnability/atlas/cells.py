"""Show what one treebank says about one construction in a cell: a word, a mark and a colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from learnability.evidence.all_parsers import DIVIDED, AllParsers
from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredPair
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.statistics.inference import Side
from learnability.support.nouns import count_noun
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
        all_parsers: all parsers together by score; none where one parser ran.
    """

    treebank: str
    construction: str
    pairs: tuple[StoredPair, ...]
    all_parsers: tuple[AllParsers, ...] = ()

    @property
    def rows(self) -> list[ComparisonRow]:
        return [pair.row for pair in self.pairs]

    def find_all_parsers(self, score: Score) -> AllParsers | None:
        """Return all parsers together by this score, if at least two were tested."""
        return next((p for p in self.all_parsers if p.score is score and p.verdict is not None), None)

    def easier(self, score: Score) -> str:
        """Return which is easier, in words: as `compare` gives it, or what all parsers together show."""
        all_parsers = self.find_all_parsers(score)
        if all_parsers is None:
            return answer_of(self._find_telling_row(score), score)
        return _common_answer(all_parsers)

    def train_on(self, score: Score) -> str:
        """Return which to train on if UD trees are needed; for several parsers, those that tell."""
        all_parsers = self.find_all_parsers(score)
        if all_parsers is None:
            return self._find_telling_row(score).name_answer(Question.TRAIN_ON, score)
        return _common_training(all_parsers)

    def outcome(self, score: Score) -> CellOutcome:
        """Return what the answer says, for colour and mark."""
        all_parsers = self.find_all_parsers(score)
        if all_parsers is None:
            return outcome_of(self._find_telling_row(score), score)
        if all_parsers.verdict is None or all_parsers.verdict == DIVIDED:
            return CellOutcome.DIVIDED
        return _OUTCOMES[Answer.of_side(Side(all_parsers.verdict))]

    def difference(self, score: Score) -> Difference | None:
        """Return the difference that the answer follows from; of several parsers their mean."""
        all_parsers = self.find_all_parsers(score)
        if all_parsers is None:
            return self._find_telling_row(score).difference(score)
        if all_parsers.mean_delta is None:
            return None
        low, high = (all_parsers.mean.low, all_parsers.mean.high) if all_parsers.mean else (None, None)
        return Difference(None, None, all_parsers.mean_delta, low=low, high=high)

    def _find_telling_row(self, score: Score) -> ComparisonRow:
        """Return the row of the parser that was tested, else the first."""
        return next((row for row in self.rows if row.difference(score) is not None), self.rows[0])


def answer_of(row: ComparisonRow, score: Score) -> str:
    return row.name_answer(Question.EASIER, score) or NOT_COMPUTED


def outcome_of(row: ComparisonRow, score: Score) -> CellOutcome:
    """Return what the answer of a row says."""
    answered = row.easier(score)
    if answered.reason == Reason.TREEBANKS_DISAGREE:
        return CellOutcome.DIVIDED
    return _OUTCOMES[answered.answer]


def _common_answer(all_parsers: AllParsers) -> str:
    if all_parsers.verdict is None or all_parsers.verdict == DIVIDED:
        return "parsers disagree"
    answer, every = Answer.of_side(Side(all_parsers.verdict)), count_noun(len(all_parsers.heard), "parser")
    number = "" if answer is Answer.OPEN else f"{len(all_parsers.parsers(all_parsers.verdict))} of "
    return f"{answer.named(all_parsers.rows[0].base)} ({number}{every})"


def _common_training(all_parsers: AllParsers) -> str:
    """Return which to train on by the parsers that tell, with their number: `UD (1 of 2 parsers)`."""
    every = count_noun(len(all_parsers.heard), "parser")
    answers = Counter(row.train_on(all_parsers.score).answer for row in all_parsers.heard)
    told = [answer for answer in (Answer.BASE, Answer.ALTERNATIVE, Answer.SAME) if answers[answer]]
    if not told:
        return f"{Answer.OPEN} ({every})" if answers[Answer.OPEN] else ""
    base = all_parsers.rows[0].base
    return ", ".join(f"{answer.named(base)} ({answers[answer]} of {every})" for answer in told)


def cells_of(evidence: Evidence) -> dict[tuple[str, str], AtlasCell]:
    """Return the cells by treebank and construction: the treebanks by name, old releases first."""
    pairs = pairs_of(evidence)
    combined = evidence.combine_parsers()
    found: dict[tuple[str, str], AtlasCell] = {}
    names = dict.fromkeys(c.row.name for c in evidence.constructions)
    for treebank in treebanks_of(pairs):
        for name in names:
            chosen = tuple(c for c in pairs if c.treebank == treebank and c.row.name == name)
            if not chosen:
                continue
            together = tuple(
                all_parsers
                for all_parsers in combined
                if (all_parsers.rows[0].treebank_label, all_parsers.rows[0].name) == (treebank, name)
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
    known = {c.treebank: (c.row.treebank.casefold(), Release.key(c.row.release)) for c in pairs}
    return sorted(known, key=lambda label: (*known[label], label))
