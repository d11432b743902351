"""One text per condition: its decision, and the figures that speak for it."""

from __future__ import annotations

from typing import Any

import pytest
from finished_runs import FINISHED, ROWS, config, content_of, records, row
from result_rows import HandRow, compared, finished

from learnability.evidence.differences import ComparisonKind
from learnability.metrics.scores import Score
from learnability.reports.evidence import evidence_of
from learnability.reports.quotes import paper_section
from learnability.reports.text import signed
from learnability.reports.verdicts import reading, verdict, verdicts

BACK, WORDS, NUCLEI = (
    ComparisonKind.CONVERTED,
    ComparisonKind.WORDS,
    ComparisonKind.PHRASES,
)


def judged(*differences: dict[str, Any], **values: Any) -> HandRow:
    """A condition with these differences and values, the only one of its run."""
    (only,) = finished(row(**{name: value for one in differences for name, value in one.items()}, **values))
    return only


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
            "det: keep UD. UD is ahead by 1.40 UAS (1.00 to 1.80, p < 0.001) on their own references, "
            "by 0.90 UAS (0.30 to 1.50, p = 0.003) after conversion to UD, likewise without punctuation and "
            "between nuclei.",
        ),
        (
            [compared(-3.27, 0.8), compared(-2.67, 0.8, WORDS), compared(1.45, 0.9, BACK)],
            "det: alternative easier, UD output worse. The alternative is ahead by 3.27 "
            "UAS (2.47 to 4.07, p < 0.001) on their own references, likewise without punctuation; UD is "
            "ahead by 1.45 UAS (0.55 to 2.35, p = 0.002) after conversion to UD.",
        ),
        (
            [compared(-1.5, 0.8), compared(-0.3, 0.9, WORDS), compared(-1.2, 0.9, BACK)],
            "det: open, alternative output better. The alternative is ahead by 1.50 "
            "UAS (0.70 to 2.30, p < 0.001) on their own references, by 1.20 UAS (0.30 to 2.10, p = 0.009) "
            "after conversion to UD; no difference is shown: −0.30 UAS (−1.20 to +0.60, p = 0.514) without "
            "punctuation.",
        ),
        (
            [compared(-1.5, 0.8), compared(-0.1, 0.3, WORDS)],
            "det: punctuation only. The alternative is ahead by 1.50 UAS (0.70 to 2.30, p < 0.001) "
            "on their own references; half a point or more is excluded: −0.10 UAS (−0.40 to +0.20, p = "
            "0.514) without punctuation.",
        ),
        (
            [compared(0.05, 0.3), compared(0.04, 0.3, NUCLEI), compared(-0.1, 0.3, BACK)],
            "det: no meaningful difference. Half a point or more is excluded: +0.05 UAS (−0.25 "
            "to +0.35, p = 0.744) on their own references, −0.10 UAS (−0.40 to +0.20, p = 0.514) after "
            "conversion to UD, likewise between nuclei.",
        ),
        (
            [compared(0.4, 0.9), compared(1.1, 1.0, NUCLEI), compared(0.6, 1.0, BACK)],
            "det: open. No difference is shown: +0.40 UAS (−0.50 to +1.30, p = 0.384) on their own "
            "references, +0.60 UAS (−0.40 to +1.60, p = 0.240) after conversion to UD; UD is ahead by 1.10 "
            "UAS (0.10 to 2.10, p = 0.031) between nuclei.",
        ),
    ],
    ids=["keep", "contradiction", "not without punctuation", "punctuation", "equal", "open"],
)
def test_the_decision_comes_first_then_who_is_ahead_where(found: list[dict[str, Any]], said: str) -> None:
    assert verdict(judged(*found)) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"places": 0, "test_places": 0}, "The treebank has no place where it applies."),
        ({"places": 0, "test_places": 0, "against": "moscow"}, "The trees are the same in both."),
        ({"test_places": 0}, "The test part has no site; at least 10 are needed."),
        ({"test_places": 1}, "The test part has only 1 site; at least 10 are needed."),
        ({"test_places": 9}, "The test part has only 9 sites; at least 10 are needed."),
        ({"test_places": 10}, "The test part has too few sentences; at least 6 are needed."),
    ],
)
def test_without_enough_data_it_says_what_is_missing_and_no_side(values: dict[str, Any], said: str) -> None:
    scores = {} if "places" in values else {"uas_ud": 80.0, "uas_alternative": 70.0, "uas_delta": 10.0}
    name = "det against moscow" if "against" in values else "det"
    assert verdict(judged(scores, **values)) == f"{name}: too few examples. {said}"


def test_the_name_has_the_variant_and_a_condition_may_not_be_computed() -> None:
    assert verdict(judged(compared(1.4, 0.4), variant="x=y")).startswith("det:x=y: keep UD.")
    assert verdict(judged()) == "det: not computed."


def las(delta: float, half: float) -> dict[str, Any]:
    return {"labelled": True} | compared(delta, half, score=Score.LAS)


def test_las_has_its_own_decision_and_may_say_otherwise() -> None:
    said = verdict(judged(compared(0.4, 0.9), las(-1.5, 1.0)))
    assert said.startswith("det: open. No difference is shown: +0.40 UAS")
    assert said.endswith(
        " By LAS: alternative easier. The alternative is ahead by "
        "1.50 LAS (0.50 to 2.50, p = 0.003) on their own references."
    )
    said = verdict(judged(compared(1.4, 0.4), las(0.5, 0.9)))
    assert "det: keep UD. " in said
    assert "By LAS: open. No difference is shown: +0.50 LAS" in said
    power = {"test_sentences": 100, "uas_sentences_needed": 500, "las_sentences_needed": 1234}
    assert "About 1,200 test sentences (here 100)" in verdict(
        judged(compared(1.4, 0.4), las(0.5, 0.9), **power)
    )
    assert "By LAS: keep UD. UD is ahead by 1.50 LAS" in verdict(judged(compared(1.4, 0.4), las(1.5, 0.9)))
    for delta, ahead in ((-1.5, "det"), (1.5, "moscow")):
        said = verdict(judged(compared(1.4, 0.4), las(delta, 0.9), against="moscow"))
        assert said.startswith("det against moscow: keep moscow. moscow is ahead by 1.40 UAS")
        assert f"{ahead} is ahead by 1.50 LAS" in said
    assert "LAS" not in verdict(FINISHED)


def test_what_does_not_survive_the_correction_is_said() -> None:
    weak, _ = finished(row(**compared(1.0, 0.9)), row(**compared(0.1, 2.0)))
    assert verdict(weak).startswith("det: open. No difference is shown: ")
    assert "+1.00 UAS (+0.10 to +1.90, p = 0.059, uncorrected 0.029)" in verdict(weak)
    strong, _ = finished(row(**compared(1.0, 0.8)), row(**compared(0.1, 2.0)))
    assert "by 1.00 UAS (0.20 to 1.80, p = 0.029)" in verdict(strong)


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (9345, "About 9,300 test sentences (here 454) would show half a point (power 80 %, p uncorrected)."),
        (99_950, "About 100,000 test sentences (here 454)"),
        (None, "More test sentences alone would not show half a point; more --seeds are needed."),
    ],
)
def test_without_a_difference_the_power_is_stated(needed: int | None, said: str) -> None:
    power = {"uas_sentences_needed": needed, "test_sentences": 454}
    assert said in verdict(judged(compared(0.4, 0.9), **power))
    for shown in (compared(1.4, 0.4), compared(0.05, 0.3)):
        assert "half a point;" not in verdict(judged(shown, **power))
        assert "would show" not in verdict(judged(shown, **power))
    # rows read from results.csv do not know
    assert "half a point" not in verdict(judged(compared(0.4, 0.9)))


def test_verdicts_of_a_run() -> None:
    det, case, mwe = verdicts(ROWS)
    assert det.startswith("det: keep UD. UD is ahead by 1.40 UAS")
    assert case.startswith("case: open. No difference is shown: −0.25 UAS")
    assert mwe == "mwe: too few examples. The treebank has no place where it applies."
    assert verdicts([*ROWS, row(treebank="UD_Y", places=0)])[0].startswith("UD_X: det: keep UD.")


def test_what_holds_for_all_verdicts_of_a_run() -> None:
    corrected = "Every p is corrected for the 2 conditions of the run (Holm); intervals are not."
    assert reading(ROWS, 3) == [corrected]
    assert reading(ROWS[:1], 3) == reading(ROWS[2:], 1) == []
    one, two = reading(ROWS, 1), reading(ROWS[:1], 2)
    assert one[0] == corrected
    assert one[1].startswith(
        "One seed: how much the scores change when parsers are trained again is not known"
    )
    assert two[0].startswith("Two seeds: how much the scores change when parsers are trained again is hardly")
    assert one[1].endswith("Give --seeds 3 or more.")


def test_lines_for_a_paper() -> None:
    rows = [one | {"seeds": 3, "release": "2.16"} for one in ROWS]
    section = paper_section(rows, "arc-eager")
    assert section.sentences[0] == (
        "UD_X 2.16, det: keep UD. UAS is 80.00 with UD and 78.60 with the alternative, each parser tested on "
        "its own annotation (+1.40 [+1.00, +1.80], p < 0.001); converted back to UD, the difference is +0.70 "
        "[+0.10, +1.30], p = 0.044 (arc-eager, 3 seeds; p values by Holm)."
    )
    assert len(section.sentences) == 2  # mwe has too few examples
    head, rule, det, case, gap, _, in_latex, last = section.lines
    assert head.count("|") == rule.count("|") == det.count("|") == case.count("|") == 11
    assert gap == ""
    assert det == (
        "| UD_X 2.16 | det | UAS | 80.00 | 78.60 | +1.40 [+1.00, +1.80], p < 0.001 | "
        "+0.70 [+0.10, +1.30], p = 0.044 | keep UD | 3 | arc-eager |"
    )
    assert in_latex == (
        r"UD\_X 2.16 & det & UAS & 80.00 & 78.60 & $+$1.40 [$+$1.00, $+$1.80], p $<$ 0.001 & "
        r"$+$0.70 [$+$0.10, $+$1.30], p $=$ 0.044 & keep UD & 3 & arc-eager \\"
    )
    assert r"$-$0.25 [$-$1.00, $+$0.50]" in last
    back = compared(0.1, 2.0, BACK)
    weak = [
        one | {"seeds": 1} for one in finished(row(**compared(1.0, 0.9), **back), row(**compared(0.1, 2.0)))
    ]
    assert "(+1.00 [+0.10, +1.90], p = 0.059); converted" in paper_section(weak, "x").sentences[0]
    labelled = [judged(compared(1.4, 0.4), las(1.5, 0.9), seeds=1)]
    uas, by_las = paper_section(labelled, "arc-eager").sentences
    assert ("UAS is 80.00" in uas, "LAS is 80.00" in by_las) == (True, True)
    few = row(uas_ud=80.0, uas_alternative=70.0, uas_delta=10.0, test_places=2)
    assert paper_section(finished(few, ROWS[2]), "arc-eager") is None


def test_records_of_a_seed_or_fold_that_is_missing_are_left_out() -> None:
    kept = [record for record in records() if record.key != "UD_X/b/det/2/0/judge=arc-eager"]
    det, case, mwe = evidence_of(content_of(ROWS, kept, config()))
    assert (len(det.a), len(det.b), len(case.b), len(mwe.b)) == (2, 0, 2, 0)
    assert [len(fold.tokens) for fold in (*det.a[0], *mwe.a[0])] == [len(det.a[0][0].tokens)] * 2


@pytest.mark.parametrize(("value", "text"), [(1.0, "+1.00"), (-1.234, "−1.23"), (-0.001, "0.00")])
def test_signed_numbers(value: float, text: str) -> None:
    assert signed(value) == text


def test_what_the_conversion_loses_by_itself_is_said_where_ud_is_ahead_after_it() -> None:
    ahead = (compared(0.1, 0.2), compared(3, 0.9, BACK))
    loses = "Conversion itself loses {} (measured on gold trees)"
    assert verdict(judged(*ahead, converted_back_uas_ceiling=97.1)).endswith(f"{loses.format('2.90')}.")
    turned = verdict(judged(*ahead, converted_back_uas_ceiling=92.5))
    assert turned.endswith(f"{loses.format('7.50')}, which may account for the difference after it.")
    assert "gold trees" not in verdict(judged(*ahead, converted_back_uas_ceiling=99.6))
    assert "gold trees" not in verdict(
        judged(compared(0.1, 0.2), compared(-3, 0.9, BACK), converted_back_uas_ceiling=92.5)
    )
