"""One sentence per condition: the side only where it is sure, and what speaks for it."""

from __future__ import annotations

from typing import Any

import pytest
from finished_runs import FINISHED, ROWS, config, records, row

from learnability.reports.evidence import evidence_of
from learnability.reports.text import signed
from learnability.reports.verdicts import criteria, verdict, verdicts


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {},
            "UD's det annotation is easier: +1.40 ± 0.40 UAS (95 % interval +1.00 to +1.80), p < 0.001; "
            "all three criteria agree.",
        ),
        (
            {"better": "transformed", "uas_delta": -1.4, "uas_delta_low": -1.8, "uas_delta_high": -1.0},
            "The alternative det annotation is easier: −1.40 ± 0.40 UAS (95 % interval −1.80 to −1.00), "
            "p < 0.001; all three criteria disagree.",
        ),
        ({"better": "none"}, "det: no difference found: +1.40 ± 0.40 UAS"),
        ({"variant": "x=y"}, "UD's det:x=y annotation is easier"),
        ({"sites": 0}, "det: the treebank has no place where it applies."),
        ({"uas_delta": None}, "det: not computed."),
        ({"test_sites": 0}, "det: no test sentence has a site"),
        ({"better": "none", "test_sentences": 1}, "det: one test sentence cannot tell (+1.40 UAS)."),
        ({"better": "none", "test_sentences": 5}, "det: 5 test sentences cannot tell (+1.40 UAS)."),
        ({"better": "none", "test_sentences": 6}, "det: no difference found"),
    ],
)
def test_the_verdict_names_the_side_only_if_it_is_sure(values: dict[str, Any], expected: str) -> None:
    assert verdict(FINISHED | values).startswith(expected)


LABELLED = {
    "las_delta": -1.5,
    "las_delta_low": -2.5,
    "las_delta_high": -0.5,
    "las_p_value": 0.01,
    "las_p_holm": 0.07,
    "las_better": "transformed",
}


def test_las_has_its_own_sentence_and_may_say_otherwise() -> None:
    said = verdict(FINISHED | {"better": "none"} | LABELLED, tests=7)
    assert said.startswith("det: no difference found: +1.40 ± 0.40 UAS (95 % interval +1.00 to +1.80)")
    assert said.endswith(
        ". By LAS the alternative annotation is easier: −1.50 ± 1.00 LAS (95 % interval −2.50 to −0.50), "
        "p = 0.010 (0.07 after correction for 7 comparisons)."
    )
    said = verdict(FINISHED | LABELLED | {"las_better": "none"})
    assert said.startswith("UD's det annotation is easier")
    assert ". By LAS no difference was found: −1.50 ± 1.00 LAS" in said
    power = {"test_sentences": 100, "las_sentences_needed": 1234, "las_better": "none"}
    assert "; about 1,234 test sentences (here 100) would" in verdict(FINISHED | LABELLED | power)
    ud = verdict(FINISHED | LABELLED | {"las_better": "original"})
    assert ". By LAS UD's annotation is easier: −1.50" in ud
    against = FINISHED | LABELLED | {"against": "moscow"}
    assert ". By LAS det is easier: −1.50" in verdict(against)
    assert ". By LAS moscow is easier: −1.50" in verdict(against | {"las_better": "original"})
    assert "LAS" not in verdict(FINISHED)
    assert "LAS" not in verdict(FINISHED | LABELLED | {"las_delta": None})


def test_what_does_not_survive_the_correction_is_said() -> None:
    weak = FINISHED | {"p_value": 0.02, "p_holm": 0.14}
    assert "p = 0.020 (0.14 after correction for 7 comparisons);" in verdict(weak, tests=7)
    assert "p = 0.020;" in verdict(FINISHED | {"p_value": 0.02, "p_holm": 0.04})


def test_without_a_difference_the_power_is_stated() -> None:
    power = {"sentences_needed": 9300, "test_sentences": 454}
    none = FINISHED | {"better": "none"}
    said = verdict(none | power)
    assert said.endswith(
        "; about 9,300 test sentences (here 454) would show a difference of 0.5 (power 80 %)."
    )
    assert "would show" not in verdict(none)  # rows read from results.csv do not know
    assert "would show" not in verdict(FINISHED | power)


@pytest.mark.parametrize(
    ("picks", "said"),
    [
        (("original", "original", "original", "original"), "all four criteria agree"),
        (
            ("original", "transformed", "none", None),
            "multi-reference training agrees, predictability disagrees, derivation perplexity is undecided",
        ),
        (
            ("transformed", "original", "original", "none"),
            "predictability and derivation perplexity agree, multi-reference training disagrees, "
            "derivation complexity is undecided",
        ),
        ((None, None, "none", "none"), "derivation perplexity and derivation complexity are undecided"),
        ((None, None, None, None), "no criterion was computed"),
        ((None, None, "original", None), "derivation perplexity agrees"),
    ],
)
def test_the_criteria(picks: tuple[str | None, ...], said: str) -> None:
    names = ("pick_multiref", "pick_predictability", "pick_perplexity", "pick_complexity")
    assert criteria(row(better="original") | dict(zip(names, picks, strict=True))) == said


def test_verdicts_of_a_run() -> None:
    det, case, mwe = verdicts([ROWS[0] | {"p_value": 0.03, "p_holm": 0.06}, *ROWS[1:]])
    assert "(0.06 after correction for 2 comparisons)" in det
    assert case.startswith("case: no difference found")
    assert mwe == "mwe: the treebank has no place where it applies."
    assert verdicts([*ROWS, row(treebank="UD_Y", sites=0)])[0].startswith("UD_X: UD's det")


def test_records_of_a_seed_or_fold_that_is_missing_are_left_out() -> None:
    kept = [record for record in records() if record.key != "UD_X/b/det/2/0"]
    det, case, mwe = evidence_of(ROWS, kept, config())
    assert (len(det.a), len(det.b), len(case.b), len(mwe.b)) == (2, 0, 2, 0)
    assert [len(fold.tokens) for fold in (*det.a[0], *mwe.a[0])] == [4, 4]


@pytest.mark.parametrize(("value", "text"), [(1.0, "+1.00"), (-1.234, "−1.23"), (-0.001, "0.00")])
def test_signed_numbers(value: float, text: str) -> None:
    assert signed(value) == text
