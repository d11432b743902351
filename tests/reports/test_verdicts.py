"""One text per construction: its answer, and the evidence for it. Only here are whole sentences tested."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from random import Random
from typing import Any

import pytest
from finished_runs import FINISHED, ROWS, USUAL, config, row
from result_rows import HandRow, compared, finished

from learnability.evidence.rows import LostArcs
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.content import NextStage
from learnability.reports.next_steps import find_next_step
from learnability.reports.text import format_signed, points
from learnability.reports.verdicts import (
    count_excluded,
    describe_open,
    explain_reading,
    summarise,
    summarise_treebanks,
    verdict,
    verdicts,
)
from learnability.running.config import RunConfig
from learnability.statistics.inference import Side
from learnability.statistics.prediction import Belief

BACK, WORDS, NUCLEI = (
    ScoringBasis.CONVERTED,
    ScoringBasis.WORDS,
    ScoringBasis.PHRASES,
)


@pytest.mark.parametrize(
    ("base", "alternative", "favoured"), [(1.0, 1.5, ""), (0.4, 1.0, "UD"), (3.2, 1.0, "the alternative")]
)
def test_crossing_arcs_favour_an_annotation(base: float, alternative: float, favoured: str) -> None:
    text = verdict(compared_row(compared(0.9, 0.93), lost_arcs=LostArcs(base, alternative)))
    said = f"{base:.1f} % of the arcs of UD and {alternative:.1f} % of those of the alternative"
    assert (said in text) == bool(favoured)
    assert (f"favours {favoured}. Use --parser covington or --parser graph:nonprojective" in text) == bool(
        favoured
    )


def test_it_counts_what_open_answers_exclude() -> None:
    names, draw = {Side.FIRST: "UD", Side.SECOND: "the alternative"}, Random(5)
    ends = [(-draw.uniform(0.1, 2.0), draw.uniform(0.1, 2.0)) for _ in range(200)]
    found = [Difference(None, None, 0.0, low=low, high=high) for low, high in ends]
    text = count_excluded(found, names)
    assert text.startswith("Of 200 open answers, intervals exclude that UD is a point ahead in ")
    counts = list(map(int, re.findall(r"\d+", text.replace("200", ""))))
    expected = []
    for sides in ([1], [-1], [1, -1]):
        for most in (1.0, 0.5):
            holds = [any(low <= side * most <= high for side in sides) for low, high in ends]
            expected.append(holds.count(False))
    assert counts == expected
    assert all(0 < count < 200 for count in counts)
    assert count_excluded([], names) == ""


TOGETHER = "If we also count results in other languages"
ALONE = "The answer uses only this treebank."


def compared_row(*differences: dict[str, Any], **values: Any) -> HandRow:
    """A pair with these differences and values, the only one of its run."""
    (only,) = finished(row(**{name: value for one in differences for name, value in one.items()}, **values))
    return only


@pytest.mark.parametrize(
    ("delta", "elsewhere", "leaning"),
    [
        (0.9, None, ""),
        (0.2, Belief(0.0, 1.0), ""),
        (0.6, Belief(0.01, 1.0), f" {TOGETHER}, UD is probably ahead (probability 87 %). {ALONE}"),
        (
            -0.6,
            Belief(0.0, 1.0),
            " The alternative is probably ahead (probability 87 %), "
            f"judging by the usual size of differences. {ALONE}",
        ),
        (
            0.6,
            Belief(-1.5, 0.25),
            f"{TOGETHER}, the alternative is probably ahead (probability 87 %). {ALONE}",
        ),
        (0.6, Belief(4.0, 0.25), f" {TOGETHER}, UD is probably ahead (probability 99 %). {ALONE}"),
        (0.6, Belief(-0.6, 0.25), ""),
        (1.4, Belief(-9.0, 0.25), None),  # what is clear leans nowhere
    ],
)
def test_where_an_open_difference_leans(delta: float, elsewhere: Belief | None, leaning: str | None) -> None:
    text = verdict(compared_row(compared(delta, 0.93), elsewhere=elsewhere))
    assert ("probably ahead" in text) == bool(leaning)
    assert (TOGETHER in text) == (TOGETHER in (leaning or ""))
    assert (leaning or "") in text


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            [
                compared(1.4, 0.4),
                compared(1.2, 0.4, WORDS),
                compared(1, 0.5, NUCLEI),
                compared(0.9, 0.6, BACK),
            ],
            "det: UD is easier to learn. It scores 1.4 points higher (1.0 to 1.8), each parser tested on its "
            "own annotation. If you need UD trees, train on UD, too: converted back to UD, it scores 0.9 "
            "points higher (0.3 to 1.5).",
        ),
        (
            [compared(-3.27, 0.8), compared(-2.67, 0.8, WORDS), compared(1.45, 0.9, BACK)],
            "det: the alternative is easier to learn. It scores 3.3 points higher (2.5 to 4.1), each parser "
            "tested on its own annotation. If you need UD trees, train on UD: converted back to UD, it "
            "scores 1.4 points higher (0.5 to 2.4).",
        ),
        (
            [compared(-1.5, 0.8), compared(-0.3, 0.9, WORDS), compared(-1.2, 0.9, BACK)],
            "det: it is open which is easier to learn. The alternative is ahead only with punctuation, by "
            "1.5 points (0.0 to 2.3). Without punctuation, the alternative is 0.3 points ahead, but not "
            "clearly (−0.6 to 1.2), so the answer is open. If you need UD trees, train on the alternative: "
            "converted back to UD, it scores 1.2 points higher (0.3 to 2.1).",
        ),
        (
            [compared(-1.5, 0.8), compared(1.2, 0.9, WORDS)],
            "det: it is open which is easier to learn. The alternative is ahead only with punctuation, by "
            "1.5 points (0.0 to 2.3). Without punctuation, the UD parser scores 1.2 points higher (0.3 to "
            "2.1), so the answer is open.",
        ),
        (
            [compared(-1.5, 0.8), compared(-0.1, 0.3, WORDS)],
            "det: no difference that matters. The alternative is ahead only with punctuation, by 1.5 points "
            "(0.0 to 2.3). Without punctuation, the difference, if any, is under half a point.",
        ),
        (
            [compared(0.05, 0.3), compared(0.04, 0.3, NUCLEI), compared(-0.1, 0.3, BACK)],
            "det: no difference that matters. The difference, if any, is under half a point: UD +0.1 (−0.2 "
            "to 0.3). If you need UD trees, it does not matter which you train on. Converted back to UD, the "
            "difference, if any, is under half a point: the alternative +0.1 (−0.2 to 0.4).",
        ),
        (
            [compared(0.4, 0.9), compared(1.1, 1.0, NUCLEI), compared(0.6, 1.0, BACK)],
            "det: it is open which is easier to learn. UD is at most 1.3 points ahead, and the alternative "
            "at most 0.5 (estimate: UD +0.4). If you need UD trees, it is open, too, which to train on: UD "
            "is 0.6 points ahead, but not clearly (−0.4 to 1.6).",
        ),
        (
            [compared(0.4, 0.9), compared(1.1, 1.0, NUCLEI), compared(0.0, 1.0, BACK)],
            "det: it is open which is easier to learn. UD is at most 1.3 points ahead, and the alternative "
            "at most 0.5 (estimate: UD +0.4). If you need UD trees, it is open, too, which to train on: the "
            "difference is 0.0, and neither side is clearly ahead (−1.0 to 1.0).",
        ),
        (
            [compared(-1.5, 0.8), compared(1.2, 0.9, NUCLEI), compared(0.6, 1.0, BACK)],
            "det: the alternative is easier to learn, but only inside phrases. It scores 1.5 points higher "
            "(0.7 to 2.3), each parser tested on its own annotation. Between phrases, the UD parser scores "
            "1.2 points higher (0.3 to 2.1). If you need UD trees, it is open which to train on: UD is 0.6 "
            "points ahead, but not clearly (−0.4 to 1.6).",
        ),
        (
            [compared(-1.5, 0.8), compared(-0.2, 0.9, NUCLEI), compared(-1.1, 0.9, BACK)],
            "det: the alternative is easier to learn. It scores 1.5 points higher (0.7 to 2.3), each parser "
            "tested on its own annotation. Between phrases, the alternative is 0.2 points ahead, but not "
            "clearly (−0.7 to 1.1). If you need UD trees, train on the alternative, too: converted back to "
            "UD, it scores 1.1 points higher (0.2 to 2.0).",
        ),
    ],
)
def test_the_answer_comes_first_then_the_evidence(found: list[dict[str, Any]], said: str) -> None:
    assert verdict(compared_row(*found)) == said


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([compared(2.0, 0.4)], "det: UD is easier to learn, and 1 more word in 50 gets the right head."),
        (
            [compared(0.4, 0.9)],
            "det is open: UD is at most 1.3 points ahead, and the alternative at most 0.5.",
        ),
        (
            [compared(0.05, 0.3)],
            "det: no difference that matters, because UD is at most 0.3 points ahead, and the alternative at "
            "most 0.2.",
        ),
        (
            [compared(-1.5, 0.8), compared(-0.2, 0.9, WORDS)],
            "det is open: the alternative is ahead only with punctuation, by 1.5 points (0.0 to 2.3).",
        ),
        (
            [compared(-1.5, 0.8), compared(1.2, 0.9, WORDS)],
            "det is open: the alternative is ahead with punctuation, and UD without it.",
        ),
        ([{}], "det: not computed."),
    ],
)
def test_one_sentence_says_the_answer_and_what_an_open_one_excludes(
    found: list[dict[str, Any]], said: str
) -> None:
    assert summarise(compared_row(*found)) == said


def test_one_sentence_names_the_treebanks_of_each_answer() -> None:
    rows = [
        compared_row(found, treebank=f"UD_{name}")
        for name, found in zip("ABCDEFG", [compared(2.0, 0.4), *[compared(0.4, 0.9)] * 6], strict=True)
    ]
    assert summarise_treebanks(rows[:3]) == "UD is easier in UD_A; open in UD_B and UD_C"
    assert summarise_treebanks([*rows[1:], rows[0]]) == "UD is easier in UD_A; open in 6 treebanks"
    assert describe_open(rows[:1]) == ""
    wider = compared_row(compared(-2.0, 4.0), treebank="UD_H")
    assert describe_open([*rows, wider]) == (
        "Where it is open, UD is at most 2.0 points ahead, and the alternative at most 6.0."
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"places": 0, "test_places": 0}, "This construction does not occur in this treebank."),
        ({"places": 0, "test_places": 0, "against": "moscow"}, "The trees are the same in both."),
        ({"test_places": 0}, "No example in the test set; at least 10 are needed."),
        ({"test_places": 1}, "Only 1 example in the test set; at least 10 are needed."),
        ({"test_places": 9}, "Only 9 examples in the test set; at least 10 are needed."),
        ({"test_places": 10}, "The test set has too few sentences; at least 6 are needed."),
    ],
)
def test_with_too_few_examples_it_says_what_is_missing_and_no_side(values: dict[str, Any], said: str) -> None:
    scores = {} if "places" in values else {"uas_base": 80.0, "uas_alternative": 70.0, "uas_delta": 10.0}
    name = "det against moscow" if "against" in values else "det"
    assert verdict(compared_row(scores, **values)) == f"{name}: too few examples. {said}"


def test_the_name_has_the_variant_and_a_pair_may_not_be_computed() -> None:
    assert verdict(compared_row(compared(1.4, 0.4), variant="x=y")).startswith(
        "det:x=y: UD is easier to learn."
    )
    assert verdict(compared_row()) == "det: not computed."


def las(delta: float, half: float) -> dict[str, Any]:
    return {"labelled": True} | compared(delta, half, score=Score.LAS)


def test_las_has_its_own_answer_and_may_say_otherwise() -> None:
    said = verdict(compared_row(compared(0.4, 0.9), las(-1.5, 1.0)))
    assert said.startswith("det: it is open which is easier to learn. UD is at most 1.3")
    assert said.endswith(
        " With relations (LAS): the alternative is easier to learn. It scores 1.5 points higher (0.5 to "
        "2.5), each parser tested on its own annotation."
    )
    for delta, ahead in ((-1.5, "det"), (1.5, "moscow")):
        said = verdict(compared_row(compared(1.4, 0.4), las(delta, 0.9), against="moscow"))
        assert said.startswith("det against moscow: moscow is easier to learn. It scores 1.4 points")
        assert f"(LAS): {ahead} is easier to learn. It scores 1.5 points higher" in said
    assert "LAS" not in verdict(FINISHED)


def test_what_does_not_survive_the_correction_has_an_interval_with_zero() -> None:
    weak, _ = finished(row(**compared(1.0, 0.9)), row(**compared(0.1, 2.0)))
    assert verdict(weak) == (
        "det: it is open which is easier to learn. UD is at most 2.0 points ahead, and the alternative at "
        "most 0.03 (estimate: UD +1.0)."
    )
    strong, _ = finished(row(**compared(1.0, 0.8)), row(**compared(0.1, 2.0)))
    assert "It scores 1.0 points higher (0.1 to 1.9)" in verdict(strong)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (compared(2.0, 0.4), "annotation. So 1 more word in 50 gets the right head."),
        (compared(0.05, 0.3), "under half a point (1 word in 200): UD"),
    ],
)
def test_the_first_number_comes_with_its_meaning(found: dict[str, Any], said: str) -> None:
    first, second, _ = verdicts([compared_row(found), compared_row(found), row(places=0)])
    assert said in first
    assert "word in" not in second


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.15, "3.1"), (0.04, "0.04"), (-0.04, "−0.04"), (0.003, "0.003"), (0.0, "0.0"), (-1.26, "−1.3")],
)
def test_points_never_show_zero_for_what_is_not(value: float, text: str) -> None:
    assert points(value) == text


def test_what_holds_for_all_verdicts_of_a_run() -> None:
    corrected = "Intervals account for testing 2 constructions."
    assert explain_reading(ROWS, 3) == [corrected]
    assert explain_reading(ROWS[:1], 3) == explain_reading(ROWS[2:], 1) == []
    one, two = explain_reading(ROWS, 1), explain_reading(ROWS[:1], 2)
    assert one[0] == corrected
    assert one[1].startswith("With one seed we cannot measure training noise")
    assert two[0].startswith("With two seeds we can hardly measure training noise")
    assert one[1].endswith("Use --seeds 3 or more.")


OFFER = NextStage("dance until it is clear", 50)


def next_steps(
    *rows: Any, about: RunConfig | None = None, offer: NextStage | None = OFFER, folder: str = "RUN"
) -> list[tuple[str, str]]:
    """The next steps of a run with these rows."""
    about = about or config(parsers=[asdict(USUAL) | {"seconds": 0.6}])
    step = find_next_step(about, rows, offer)
    return [] if step is None else [(step.why, step.command(folder))]


def test_the_next_step_is_what_a_study_offers_for_what_is_open() -> None:
    small = compared_row(compared(0.4, 0.9), places=50, train_tokens=10_000)
    few = compared_row(uas_ud_only(), construction="mwe", places=40, test_places=3, train_tokens=10_000)
    rare = compared_row(uas_ud_only(), construction="name", places=4, test_places=3, train_tokens=10_000)
    ((why, command),) = next_steps(small, few, rare, FINISHED, folder="runs/UD X")
    assert command == "learnability run --resume --out 'runs/UD X'"
    assert "(det, mwe): dance until it is clear" in why
    # 0.6 s for 1,000 tokens, three annotations of 10,000, 50 trainings of each
    assert "(about 15 minutes of one processor)" in why
    ((why, _),) = next_steps(replace(small, train_tokens=900), FINISHED)
    assert "(less than a minute of one processor)" in why
    assert next_steps(rare, FINISHED) == []
    together = compared_row(uas_ud_only(), construction="name", places=8, test_places=3, train_tokens=10_000)
    assert next_steps(together, FINISHED)
    assert next_steps(small, offer=None) == []


def test_the_next_step_is_about_the_first_parser() -> None:
    by_first, by_second = (
        compared_row(compared(0.4, 0.9), construction=name, parser=parser, places=50, train_tokens=10_000)
        for name, parser in (("det", "first"), ("case", "second"))
    )
    about = config(parsers=[asdict(USUAL) | {"title": title} for title in ("first", "second")])
    ((why, _),) = next_steps(by_first, by_second, FINISHED, about=about)
    assert "(det):" in why
    assert next_steps(by_second, about=about) == []


def uas_ud_only() -> dict[str, Any]:
    return {"uas_base": 80.0, "uas_alternative": 70.0, "uas_delta": 10.0}


@pytest.mark.parametrize(("value", "text"), [(1.0, "+1.00"), (-1.234, "−1.23"), (-0.001, "0.00")])
def test_signed_numbers(value: float, text: str) -> None:
    assert format_signed(value) == text


def test_the_cost_of_conversion_is_named_where_it_could_explain_the_gap() -> None:
    ahead = (compared(0.1, 0.2), compared(3, 0.9, BACK))
    cost = " Converting back costs up to {} points on its own, which could explain this gap."
    assert verdict(compared_row(*ahead, converted_back_uas_ceiling=92.5)).endswith(cost.format("7.5"))
    for ceiling in (97.1, None):  # a cost below the gap cannot explain it
        assert "Converting" not in verdict(compared_row(*ahead, converted_back_uas_ceiling=ceiling))
    both = (compared(3, 0.9), compared(3, 0.9, BACK))
    assert verdict(compared_row(*both, converted_back_uas_ceiling=92.5)).endswith(cost.format("7.5"))
    other_side = (compared(-3, 0.9), compared(-3, 0.9, BACK))
    assert "Converting" not in verdict(compared_row(*other_side, converted_back_uas_ceiling=92.5))
