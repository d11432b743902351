"""Two questions per pair: every combination of what the comparisons may show, against a slow twin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from result_rows import HandRow, compared, empty_row, finished

from learnability.evidence.answers import is_left_open
from learnability.evidence.questions import Answer, AnsweredQuestion, Reason
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.verdicts import explain_reading, verdict
from learnability.statistics.inference import Side

SHOWN = {Side.FIRST: (1.4, 0.4), Side.SECOND: (-1.4, 0.4), Side.EQUAL: (0.1, 0.2), Side.NONE: (0.8, 1.2)}
"""A difference of delta ± half points that shows this."""

SMALL = {Side.FIRST: (0.2, 0.1), Side.SECOND: (-0.2, 0.1)}
"""A side that is clearly ahead, by clearly less than half a point."""

OWN, WORDS, PHRASES, BACK = ScoringBasis.of(Score.UAS)

NOTHING = None
"""What stands for a comparison that was not made."""


def row_of(shown: Mapping[ScoringBasis, str], score: Score = Score.UAS, **values: Any) -> HandRow:
    """A row of a run with one pair in which the comparisons show this."""
    row = (
        empty_row(labelled=score is Score.LAS)
        | {"construction": "cop", "variant": "", "places": 90, "test_places": 30}
        | values
    )
    for basis, side in shown.items():
        row |= compared(*SHOWN[Side(side)], basis, score)
    (row,) = finished(row)
    return row


@pytest.mark.parametrize(("restored", "reason"), [(98.7, ""), (98.5, "may hold less"), (60, "may hold less")])
def test_a_side_that_is_easier_and_loses_more_may_hold_less(restored: float, reason: str) -> None:
    row = row_of({OWN: "alternative"}, restored={Score.UAS: restored})  # alternative +1.4
    assert row.easier() == AnsweredQuestion(Answer.ALTERNATIVE, reason)
    assert ("cannot restore" in " ".join(verdict(row).split())) == bool(reason)
    ud = row_of({OWN: "base"}, restored={Score.UAS: restored})
    assert ud.easier().reason == ""


def test_a_run_says_what_no_way_back_restores_whoever_is_ahead() -> None:
    """Of a single treebank: with relations where parsers predict them."""
    row = row_of({OWN: "base"}, restored={Score.UAS: 98.5})
    lost = "cop: a way back learned from the training set cannot restore 1.5 % of the words of UD."
    assert explain_reading([row], 3)[-1] == lost
    labelled = replace(row, restored={Score.UAS: 98.5, Score.LAS: 96})
    assert " 4.0 % " in explain_reading([labelled], 3)[-1]
    nothing = replace(row, restored={Score.UAS: 100})
    assert not any("restore" in text for text in explain_reading([nothing], 3))
    other = replace(row, treebank="UD_Other")
    assert not any("restore" in text for text in explain_reading([row, other], 3))


def slow_easier(own: Side, words: Side | None, phrases: Side | None, *, is_small: bool) -> tuple[str, str]:
    """Which is easier, and the reason, read off docs/answers.md line by line."""
    named = {Side.FIRST: "UD", Side.SECOND: "alternative"}
    if own is Side.EQUAL:
        return "no difference that matters", ""
    if own is Side.NONE:
        return "open", "the interval includes 0"
    if words is Side.EQUAL:
        return "no difference that matters", "only punctuation"
    if words is not None and words is not own:
        if is_small:
            return "no difference that matters", ""
        if words is Side.NONE:
            return "open", "ahead only with punctuation"
        return "open", "without punctuation the other side is ahead"
    if own is Side.SECOND and phrases is Side.FIRST:
        return "alternative", "only inside phrases"
    return named[own], ""


def slow_train_on(back: Side | None, *, converts: bool) -> tuple[str, str]:
    """Which to train on for UD trees, and the reason."""
    if not converts:
        return "", "no rule converts parses back to UD"
    if back is None:
        return "", ""
    if back is Side.NONE:
        return "open", "the interval includes 0"
    return {Side.FIRST: "UD", Side.SECOND: "alternative", Side.EQUAL: "no difference that matters"}[back], ""


EVERY_SIDE = list(SHOWN)


def test_every_combination_of_what_the_comparisons_show() -> None:
    """Sides, with small leads as well × without punctuation × between phrases × converted back.

    Every second one is against another scheme than UD.
    """
    leads = [(side, values, False) for side, values in SHOWN.items()]
    leads += [(side, values, True) for side, values in SMALL.items()]
    maybe = [*EVERY_SIDE, NOTHING]
    reached = set()
    for number, ((own, values, is_small), words, phrases, back) in enumerate(
        product(leads, maybe, maybe, maybe)
    ):
        row = empty_row() | {"construction": "cop", "places": 90, "test_places": 30} | compared(*values)
        for basis, side in ((WORDS, words), (PHRASES, phrases), (BACK, back)):
            if side is not None:
                row |= compared(*SHOWN[side], basis)
        converts = back is not None
        named = row | {"against": "prague"} if number % 2 else row
        (answered,) = finished(named | {"has_conversion_back": converts})
        easier = slow_easier(own, words, phrases, is_small=is_small)
        train_on = slow_train_on(back, converts=converts)
        base = {"UD": named.base}
        assert answered["easier"] == base.get(easier[0], easier[0])
        assert answered["train_on"] == base.get(train_on[0], train_on[0])
        assert (answered["easier_reason"], answered["train_on_reason"]) == (easier[1], train_on[1])
        reached.add((easier, train_on))
    assert {easier for easier, _ in reached} == {
        ("UD", ""),
        ("alternative", ""),
        ("alternative", "only inside phrases"),
        ("no difference that matters", ""),
        ("no difference that matters", "only punctuation"),
        ("open", "the interval includes 0"),
        ("open", "ahead only with punctuation"),
        ("open", "without punctuation the other side is ahead"),
    }
    assert len({train_on for _, train_on in reached}) == 5


def test_a_rule_that_failed_gives_no_answer_and_no_reason() -> None:
    (row,) = finished(empty_row() | {"places": 90, "test_places": 30} | compared(1.4, 0.4))
    assert (row["train_on"], row["train_on_reason"]) == ("", "")


def test_what_changes_tags_says_why_nothing_follows_for_ud_trees() -> None:
    changed = {"has_conversion_back": False, "changed_columns": ("upos",)}
    (row,) = finished(empty_row() | {"places": 90, "test_places": 30} | changed | compared(1.4, 0.4))
    assert (row["train_on"], row["train_on_reason"]) == ("", "no rule restores the tags of UD")


@pytest.mark.parametrize("words", [Side.EQUAL, Side.NONE, Side.FIRST])
def test_a_side_that_is_ahead_only_with_punctuation_has_no_star(words: Side) -> None:
    """Its interval is extended to 0, and it is as probable as what is left without punctuation."""
    row = row_of({OWN: Side.SECOND, WORDS: words})
    low, high, p_holm = row["uas_delta_low"], row["uas_delta_high"], row["uas_p_holm"]
    assert (low, high).count(0.0) == 1
    assert p_holm > 0.05
    same_side = row["without_punctuation_uas_winner"] == row["uas_winner"]
    assert p_holm == (row["without_punctuation_uas_p_holm"] if same_side else 1.0)
    assert row["uas_better"] == Side.NONE


def test_more_data_is_asked_for_where_it_may_answer() -> None:
    open_rows = [
        row_of({OWN: Side.NONE}),
        row_of({OWN: Side.FIRST, WORDS: Side.NONE}),
        finished(empty_row() | {"places": 40, "uas_base": 80.0, "uas_alternative": 79.0, "uas_delta": 1.0})[
            0
        ],
    ]
    assert all(map(is_left_open, open_rows))
    answered = [
        row_of({OWN: Side.FIRST, BACK: Side.NONE}),
        row_of({OWN: Side.EQUAL}),
        row_of({OWN: Side.FIRST, WORDS: Side.EQUAL}),
        row_of({OWN: Side.FIRST, WORDS: Side.SECOND}),  # both sides are clear: data would not help
        row_of({OWN: Side.NONE}, places=4, test_places=5),  # too rare to be settled
    ]
    assert not any(map(is_left_open, answered))


def test_answers_and_sides_name_each_other() -> None:
    for side in Side:
        assert Answer.of_side(side).side is side
    assert [answer for answer in Answer if answer.side is None] == [
        Answer.TOO_FEW_EXAMPLES,
        Answer.TOO_FEW_TREEBANKS,
        Answer.NONE,
    ]
    assert [answer.named("prague") for answer in Answer] == [
        "prague", "alternative", "no difference that matters", "open", "too few examples",
        "too few treebanks", "",
    ]  # fmt: skip


def test_without_enough_data_there_is_no_answer() -> None:
    untested = empty_row() | {"uas_base": 80.0, "uas_alternative": 79.0, "uas_delta": 1.0, "places": 40}
    back = {"converted_back_uas_base": 80.0, "converted_back_uas_alternative": 79.0}
    (row,) = finished(untested | back | {"converted_back_uas_delta": 1.0})
    assert row["easier"] == row["train_on"] == "too few examples"
    assert (row["uas_p_holm"], row["uas_better"]) == (None, None)
    (row,) = finished(empty_row() | {"places": 0})
    assert row["easier"] == row["train_on"] == "too few examples"
    # a training that failed or lifting that took the places away
    assert finished(empty_row() | {"places": 40})[0]["easier"] == ""
    assert finished(empty_row())[0].easier() == AnsweredQuestion(Answer.NONE)


def test_las_is_decided_by_itself() -> None:
    shown = {OWN: Side.SECOND, WORDS: Side.SECOND, BACK: Side.SECOND}
    row = row_of(shown, Score.LAS, **compared(1.4, 0.4))
    assert (row["easier"], row["train_on"]) == ("UD", "")
    assert (row["las_easier"], row["las_train_on"]) == ("alternative", "alternative")


def test_the_correction_for_several_pairs_decides() -> None:
    weak = compared(1.0, 0.9)  # p is 0.03
    alone, *together = (
        finished(*[empty_row() | {"places": 90, "construction": "cop", "variant": ""} | weak] * n)[0]
        for n in (1, 2)
    )
    assert alone["easier"] == "UD"
    assert together[0]["uas_p_value"] < 0.05 < together[0]["uas_p_holm"]
    assert together[0].easier() == AnsweredQuestion(Answer.OPEN, Reason.UNCLEAR)
