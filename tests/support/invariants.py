"""Find what contradicts what in rows: intervals, p values, what differences show, and answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.evidence.questions import PUNCTUATION, Answer, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import Score
from learnability.statistics.holm import holm
from learnability.statistics.inference import AHEAD, EFFECT, Side

ROUNDED, P_ROUNDED = 5e-5, 5e-7
"""How far values of results.csv may be from what they are of."""

OWN = ScoringBasis.ANNOTATION


def contradictions(rows: Sequence[ComparisonRow], *, settled: bool = False) -> list[str]:
    """Return what contradicts what in the rows of runs; `settled`: some are corrected with others."""
    wrong = []
    for treebank, parser in dict.fromkeys((row.treebank_label, row.parser) for row in rows):
        family = [row for row in rows if (row.treebank_label, row.parser) == (treebank, parser)]
        for score in Score:
            for basis in ScoringBasis.of(score):
                wrong += _of_family(family, score, basis, settled=settled)
            wrong += [told for row in family for told in _of_answer(row, score)]
    return wrong


def side_of(answer: str, base: str) -> Side | None:
    """Return the side that an answer names, as files call it; None if nothing was tested."""
    sides = {base: Side.FIRST, "alternative": Side.SECOND, "no difference that matters": Side.EQUAL}
    return {**sides, "open": Side.NONE, "too few examples": None, "": None}[answer]


def _of_family(
    family: Sequence[ComparisonRow], score: Score, basis: ScoringBasis, *, settled: bool
) -> Iterator[str]:
    differences = [row.difference(score, basis) for row in family]
    of_level = [_of_level(one, "p_value") for one in differences]
    of_equal = [_of_level(one, "p_equal") for one in differences]
    for row, one, p_holm, p_equal_holm in zip(
        family, differences, holm(of_level), holm(of_equal), strict=True
    ):
        where = f"{row.treebank_label} {row.name} {score} {basis}"
        if one is None:
            continue
        told = (one.error, one.low, one.high, one.p_value, one.p_holm, one.p_equal, one.better)
        if None in told:
            if set(told) != {None}:
                yield f"{where}: is tested by half"
            continue
        yield from (f"{where}: {text}" for text in _of_difference(one))
        assert one.p_holm is not None
        assert p_holm is not None
        assert one.p_equal_holm is not None
        assert p_equal_holm is not None
        room = P_ROUNDED * (2 * len(family) + 2)
        if basis is OWN and one.better is Side.NONE and row.easier(score).reason in PUNCTUATION:
            if p_holm >= 0.05 + room:
                yield f"{where}: is not even ahead with punctuation"
        elif basis is OWN and one.better is Side.EQUAL and p_holm < 0.05 + room:
            pass  # ahead only with punctuation, and under half a point
        elif not settled and abs(one.p_holm - p_holm) > room:
            yield f"{where}: p is {one.p_holm} after correction, not {p_holm}"
        if not settled and abs(one.p_equal_holm - p_equal_holm) > room:
            yield f"{where}: p of equality is {one.p_equal_holm} after correction, not {p_equal_holm}"


def _of_level(one: Difference | None, name: str) -> float | None:
    """Return a p value of a test that has a share of the level."""
    value: float | None = getattr(one, name) if one else None
    return None if one is None or value is None else min(1.0, value / one.share)


def _of_difference(one: Difference) -> Iterator[str]:
    """Yield what contradicts what in a tested difference."""
    assert one.low is not None
    assert one.high is not None
    assert one.p_holm is not None
    assert one.p_equal_holm is not None
    assert one.p_value is not None
    assert one.error is not None
    assert one.uncorrected_low is not None
    assert one.uncorrected_high is not None
    for low, high, p in (
        (one.low, one.high, one.p_holm),
        (one.uncorrected_low, one.uncorrected_high, one.p_value),
    ):
        outside, edge = max(low, -high), abs(p - 0.05)
        if (outside > 0) != (p < 0.05) and abs(outside) > ROUNDED and edge > P_ROUNDED:
            yield f"{low} to {high}, p = {p}"
    if not one.low <= one.delta <= one.high:
        yield f"{one.delta} is not in {one.low} to {one.high}"
    if one.better is Side.EQUAL:
        if not -EFFECT - ROUNDED <= one.low <= 0 <= one.high <= EFFECT + ROUNDED:
            yield f"is under half a point, but {one.low} to {one.high}"
    elif one.better is Side.NONE and max(-one.low, one.high) < EFFECT - ROUNDED:
        yield f"is open, but {one.low} to {one.high}"
    elif not 1.95 * one.error <= (one.high - one.low) / 2 + ROUNDED and 0 not in (one.low, one.high):
        yield f"standard error {one.error}, but {one.low} to {one.high}"
    side = Side.FIRST if one.delta > 0 else Side.SECOND
    shown = side if one.p_holm < 0.05 else Side.EQUAL if one.p_equal_holm < 0.05 else Side.NONE
    edges = [abs(p - 0.05) for p in (one.p_holm, one.p_equal_holm)]
    if shown != one.better and min(edges) > P_ROUNDED and 0 not in (one.low, one.high):
        yield f"shows {one.better}, not {shown}"


def _of_answer(row: ComparisonRow, score: Score) -> Iterator[str]:
    """Yield where an answer contradicts the difference that it follows from, or has no reason."""
    for question in Question:
        answered, difference = row.answered(question, score), row.difference(score, question.basis)
        where = f"{row.treebank_label} {row.name} {score} {question}"
        if answered.answer is Answer.OPEN and not answered.reason:
            yield f"{where}: is open without a reason"
        if difference is None or difference.p_value is None or answered.side is None:
            continue
        assert difference.low is not None
        assert difference.high is not None
        expected = Side.NONE if answered.reason == Reason.ONLY_PUNCTUATION else answered.side
        if difference.better not in (expected, answered.side):
            yield f"{where}: {answered.answer!r}, but the difference shows {difference.better}"
        excludes = difference.low > 0 or difference.high < 0
        if excludes != (answered.side in AHEAD):
            yield f"{where}: {answered.answer!r}, but {difference.low} to {difference.high}"
