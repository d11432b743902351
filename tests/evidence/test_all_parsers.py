"""What several parsers say together: the rule, the mean, the words, and how far they agree."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from result_rows import HandRow, compared, empty_row, finished

from learnability.evidence.all_parsers import (
    DIVIDED,
    AllParsers,
    all_parsers_csv,
    combine_parsers,
    common_answer,
)
from learnability.evidence.questions import Answer, AnsweredQuestion, Question, Reason
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.all_parsers import (
    all_parsers_table,
    explain_sentences,
    tell_common_answer,
)
from learnability.statistics.inference import Side

SIDES = tuple(Side)
DELTAS = {Side.FIRST: (2.0, 0.5), Side.SECOND: (-2.0, 0.5), Side.EQUAL: (0.0, 0.2), Side.NONE: (0.4, 1.5)}
"""A difference, and half its interval, that show a side."""


def row(side: str, parser: str, transform: str = "det", treebank: str = "UD_X") -> HandRow:
    """What a parser that shows this side says of a pair."""
    base = empty_row() | {"treebank": treebank, "release": "", "construction": transform, "variant": ""}
    base |= {"places": 12, "test_places": 50, "parser": parser}
    if side == "unheard":
        return base
    delta, half = DELTAS[side]
    words = (
        compared(0.1, 1.0, ScoringBasis.WORDS)
        if side == "punctuation"
        else compared(delta, half, ScoringBasis.WORDS)
    )
    return base | compared(delta, half) | words


def all_parsers(*sides: str) -> AllParsers:
    """All parsers A, B, ... that show these sides."""
    (made,) = combine_parsers(finished(*(row(side, "ABCDEFG"[i]) for i, side in enumerate(sides))))
    return made


def test_the_rule_by_enumeration() -> None:
    for number in range(2, 6):
        for sides in product(SIDES, repeat=number):
            for_ud, against = sides.count(Side.FIRST), sides.count(Side.SECOND)
            if for_ud and against:
                expected = DIVIDED
            elif for_ud > number / 2:
                expected = Side.FIRST
            elif against > number / 2:
                expected = Side.SECOND
            elif not for_ud and not against and sides.count(Side.EQUAL) > number / 2:
                expected = Side.EQUAL
            else:
                expected = Side.NONE
            assert common_answer(sides) == expected, sides
    assert common_answer([Side.FIRST]) is None
    assert common_answer([Side.FIRST, None]) is None


def test_each_parser_is_corrected_by_itself() -> None:
    alone = finished(row(Side.FIRST, "A"), row(Side.NONE, "A", "case"))
    both = finished(
        row(Side.FIRST, "A"),
        row(Side.NONE, "B"),
        row(Side.NONE, "A", "case"),
        row(Side.NONE, "B", "case"),
        row(Side.NONE, "B", "cc"),
    )
    assert [r["uas_p_holm"] for r in both if r.parser == "A"] == [r["uas_p_holm"] for r in alone]
    assert both[0]["uas_p_holm"] == pytest.approx(2 * both[0]["uas_p_value"])


def test_a_side_that_punctuation_alone_shows_is_none() -> None:
    only = row(Side.FIRST, "A") | compared(0.1, 1.0, ScoringBasis.WORDS)
    (made,) = combine_parsers(finished(only, row(Side.FIRST, "B")))
    assert made.parsers(Side.FIRST) == ["B"]
    assert made.parsers(Side.NONE) == ["A"]


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        ((Side.FIRST,) * 5, "UD is easier for all five parsers."),
        (
            (Side.SECOND,) * 2,
            "the alternative is easier for both parsers.",
        ),
        (
            (Side.SECOND, Side.SECOND, Side.NONE, Side.SECOND, Side.EQUAL),
            "the alternative is easier for three (A, B and D) of five parsers, and no parser favours the "
            "other.",
        ),
        (
            (Side.FIRST, Side.SECOND, Side.NONE),
            "the parsers disagree: of three parsers, UD is easier for one (A), and the alternative is "
            "easier for one (B).",
        ),
        (
            (Side.FIRST, Side.NONE, Side.NONE),
            "open: UD is easier for only one (A) of three parsers.",
        ),
        (
            (Side.EQUAL, Side.EQUAL, Side.NONE),
            "no difference that matters (under 0.5) for two (A and B) of three parsers.",
        ),
        ((Side.NONE, Side.NONE), "open: neither parser finds a clear difference."),
        (
            (Side.NONE, Side.EQUAL, Side.NONE),
            "open: none of three parsers finds a clear difference; no difference that matters for one (B).",
        ),
        (
            (Side.FIRST, "unheard", Side.FIRST),
            "UD is easier for both parsers. Did not run: B.",
        ),
        ((Side.FIRST, "unheard"), "no common answer, because only one of two parsers ran. Did not run: B."),
    ],
)
def test_in_words(sides: tuple[str, ...], said: str) -> None:
    assert tell_common_answer(all_parsers(*sides)) == f"det: {said}"


def test_without_enough_data_nobody_is_to_blame() -> None:
    rows = [row("unheard", parser) | {"test_places": 3, "easier": "too few examples"} for parser in "AB"]
    said = "det: too few examples. Only 3 examples in the test set; at least 10 are needed."
    assert tell_common_answer(combine_parsers(rows)[0]) == said


def test_the_alternative_has_its_name_against_another_scheme() -> None:
    rows = finished(*(row(Side.SECOND, parser) | {"against": "sud"} for parser in "AB"))
    assert tell_common_answer(combine_parsers(rows)[0]).startswith("det: det is easier for both parsers.")


def test_parsers_that_were_tested_on_other_sentences_have_no_mean() -> None:
    first, second = finished(row(Side.FIRST, "A"), row(Side.FIRST, "B"))
    (same,) = combine_parsers([first, second])
    assert same.mean_delta == pytest.approx(2.0)
    (mixed,) = combine_parsers([first, replace(second, folds=5)])
    assert mixed.mean_delta is None
    assert mixed.by_sentences == {"test set": ["A"], "all sentences": ["B"]}
    assert mixed.values()["mean_delta"] is None
    (said,) = explain_sentences([mixed])
    assert said.startswith("det: B was tested on all sentences, the others on the test set. To test")
    assert explain_sentences([same]) == []


def test_file_and_table_have_every_parser() -> None:
    rows = finished(
        *(row(s, j, t) for t in ("det", "case") for j, s in zip("AB", (Side.FIRST, Side.EQUAL), strict=True))
    )
    made = combine_parsers(rows)
    header, *lines = all_parsers_csv(made).decode().splitlines()
    assert header.startswith("treebank,release,construction,variant,against,score,parsers,base,")
    assert lines[0].startswith("UD_X,,det,,,uas,2,1,0,1,0,none,1.0000,0.0000,2.0000")
    table = all_parsers_table(made)
    assert table.headings[:4] == ("construction", "easier\n(all parsers)", "A", "B")
    assert [str(cell) for cell in table.rows[1]] == ["case", "open", "UD +2.0*", "0.0="]


def with_output(side: str, parser: str, back: str) -> HandRow:
    """What a parser shows on its own annotation, and after conversion back to UD."""
    return row(side, parser) | compared(*DELTAS[back], ScoringBasis.CONVERTED)


@pytest.mark.parametrize(
    ("shown", "said", "cell"),
    [
        (
            ((Side.SECOND, Side.FIRST), (Side.SECOND, Side.NONE)),
            "the alternative is easier for both parsers, but training on UD gives better UD trees with "
            "one (A).",
            "UD +2.0* (A)",
        ),
        (
            ((Side.SECOND, Side.FIRST), (Side.SECOND, Side.FIRST)),
            "the alternative is easier for both parsers, but training on UD gives better UD trees with "
            "two (A and B).",
            "UD +2.0* (A), UD +2.0* (B)",
        ),
        (
            ((Side.SECOND, Side.SECOND), (Side.SECOND, Side.NONE)),
            "the alternative is easier for both parsers.",
            "alt. +2.0* (A)",
        ),
        (
            ((Side.FIRST, Side.SECOND), (Side.FIRST, Side.FIRST)),
            "UD is easier for both parsers, but training on the alternative gives better UD trees with "
            "one (A).",
            "alt. +2.0* (A), UD +2.0* (B)",
        ),
        (
            ((Side.NONE, Side.FIRST), (Side.NONE, Side.SECOND)),
            "open: neither parser finds a clear difference, but training on UD gives better UD trees with "
            "one (A) and training on the alternative gives better UD trees with one (B).",
            "UD +2.0* (A), alt. +2.0* (B)",
        ),
        (
            ((Side.EQUAL, Side.EQUAL), (Side.EQUAL, Side.NONE)),
            "no difference that matters (under 0.5) for two (A and B) of two parsers.",
            "open",
        ),
    ],
)
def test_a_contrary_result_of_one_parser_is_said(
    shown: tuple[tuple[Side, Side], ...], said: str, cell: str
) -> None:
    (made,) = combine_parsers(
        finished(*(with_output(own, "AB"[i], back) for i, (own, back) in enumerate(shown)))
    )
    assert tell_common_answer(made) == f"det: {said}"
    table = all_parsers_table([made])
    assert table.headings[-1] == "train on\n(for UD trees)"
    assert table.rows[0][-1] == cell
    by_output = [sum(back == side for _, back in shown) for side in (Side.FIRST, Side.SECOND)]
    values = made.values()
    assert [values["better_output_base"], values["better_output_alternative"]] == by_output


def test_that_it_may_hold_less_by_one_parser_is_said() -> None:
    rows = finished(*(with_output(Side.SECOND, parser, Side.NONE) for parser in "ABC"))
    answered = {(Score.UAS, Question.EASIER): AnsweredQuestion(Answer.ALTERNATIVE, Reason.HOLDS_LESS)}
    rows[2] = replace(rows[2], answers={**rows[2].answers, **answered})
    (made,) = combine_parsers(rows)
    assert made.verdict == Side.SECOND
    assert "but it may hold less, by one (C)" in tell_common_answer(made)
