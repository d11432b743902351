"""What to do about a construction: one decision per condition, from all its differences at once.

What one score shows, another may contradict: an annotation may be easier to learn on its own reference and
yet give worse UD trees to those who convert its parses back. So the decision looks at what the difference
shows (`better`: a side, `equal`, or `none`) on the own references, without punctuation, between
nuclei, and after conversion to UD. :data:`CASES` is the whole table; the first case that fits decides
(docs/decisions.md has it with what to conclude from each).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.evidence.differences import Basis
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import Score

ORIGINAL, TRANSFORMED, EQUAL, NONE = "original", "transformed", "equal", "none"

NOT_ENOUGH_DATA = "not enough data"
ONLY_PUNCTUATION = "only punctuation differs"
PREDICTED = "predicted, not measured"
TREEBANKS_DISAGREE = "treebanks disagree"

UNDEFINED = "undefined"
"""What a basis shows on which nothing can be compared: between given annotations no rule leads back."""


@dataclass(frozen=True)
class DecisionCase:
    """A decision, and what has to be shown for it on each basis; a basis not named may show anything.

    `{original}` stands for UD, or for the scheme of `--against`.
    """

    decision: str
    shown: Mapping[Basis, Sequence[str]]


CASES = (
    DecisionCase("{original} easier in itself, not for users of UD trees",
                 {Basis.OWN: [ORIGINAL], Basis.BACK: [TRANSFORMED]}),
    DecisionCase("keep {original}", {Basis.OWN: [ORIGINAL]}),
    DecisionCase("alternative easier in itself, not for users of UD trees",
                 {Basis.OWN: [TRANSFORMED], Basis.BACK: [ORIGINAL]}),
    DecisionCase("alternative easier in itself, not between phrases",
                 {Basis.OWN: [TRANSFORMED], Basis.NUCLEI: [ORIGINAL]}),
    DecisionCase("alternative better throughout", {Basis.OWN: [TRANSFORMED], Basis.BACK: [TRANSFORMED]}),
    DecisionCase("alternative easier", {Basis.OWN: [TRANSFORMED], Basis.BACK: [UNDEFINED]}),
    DecisionCase("alternative easier in itself, for users of UD trees not shown", {Basis.OWN: [TRANSFORMED]}),
    DecisionCase("as easy, but keep {original} for users of UD trees",
                 {Basis.OWN: [EQUAL], Basis.BACK: [ORIGINAL]}),
    DecisionCase("as easy, and alternative better for users of UD trees",
                 {Basis.OWN: [EQUAL], Basis.BACK: [TRANSFORMED]}),
    DecisionCase("no difference of half a point or more", {Basis.OWN: [EQUAL]}),
    DecisionCase("undecided, but {original} better for users of UD trees", {Basis.BACK: [ORIGINAL]}),
    DecisionCase("undecided, but alternative better for users of UD trees", {Basis.BACK: [TRANSFORMED]}),
    DecisionCase("undecided", {}),
)  # fmt: skip
"""The decisions, of which the first that fits is taken."""


def own_side(row: ComparisonRow, score: Score = Score.UAS) -> str | None:
    """Return what the own references show; `none` where one side is ahead, but not without punctuation."""
    own, words = row.difference(score), row.difference(score, Basis.WORDS)
    side = own.better if own else None
    return NONE if side in (ORIGINAL, TRANSFORMED) and words and words.better != side else side


def decision(row: ComparisonRow, score: Score = Score.UAS) -> str:
    """Return the decision on a condition by this score; empty where nothing was computed."""
    own = row.difference(score)
    if own is None:
        return NOT_ENOUGH_DATA if row.sites == 0 else ""
    if own.p_value is None:
        return NOT_ENOUGH_DATA
    shown = {basis: difference.better for basis, difference in row.by_basis(score).items()}
    if own_side(row, score) != own.better:
        if shown[Basis.WORDS] != NONE:
            return ONLY_PUNCTUATION
        shown[Basis.OWN] = NONE  # what is left without punctuation is open
    fits = (
        case
        for case in CASES
        if all(shown.get(basis, UNDEFINED) in sides for basis, sides in case.shown.items())
    )
    return next(fits).decision.format(original=row.original)
