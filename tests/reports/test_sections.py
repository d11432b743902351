"""The joint training and the learning curves in words and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from finished_runs import labelled_curves
from rich.text import Text

from learnability.experiments.joint import JointReport, VerifiedScheme
from learnability.experiments.learning_curve import Curve, LearningCurve
from learnability.metrics.scores import Score
from learnability.multiref.joint import Interaction, JointSurvival, SchemeAgreement, TransformSurvival
from learnability.reports.curves import curves_section
from learnability.reports.joint import joint_section
from learnability.reports.text import Section, Table, print_section


def interaction(of: str, given: str, within: str, sites: float, share: float, other: float) -> Interaction:
    return Interaction(of, given, within, sites, 100, share, other, share - other)


def scheme(names: str, agreement: float) -> SchemeAgreement:
    return SchemeAgreement(tuple(names.split()), agreement + 0.15, agreement + 0.1, agreement)


def trained(names: str, agreement: float, uas: float, rank: int, **changes: Any) -> VerifiedScheme:
    own = VerifiedScheme(tuple(names.split()), "single", agreement, uas, None, None, rank, None, None)
    return replace(own, **changes)


SURVIVAL = JointSurvival(
    seeds=2,
    survival=(
        TransformSurvival("case", 200, 0.75, 0.02),
        TransformSurvival("det", 100, 0.25, 0.01),
    ),
    interactions=(
        interaction("case", "det", "sentence", 40, 0.9, 0.5),
        interaction("det", "case", "sentence", 10, 0.9, 0.1),
        interaction("case", "det", "factor", 4, 1.0, 0.25),
    ),
    schemes=(scheme("case det", 0.7), scheme("case", 0.5), scheme("", 0.2), scheme("det", 0.1)),
)

JOINT = JointReport(
    treebank="UD_X",
    release="",
    transforms=("case", "det"),
    seeds=2,
    iterations=(10, 10),
    sentences=40,
    sites=300,
    factors=210,
    largest_factor=4,
    largest_set=9,
    factors_in_parts=0,
    factors_cut=0,
    survival=SURVIVAL,
    verified=(trained("case", 0.5, 79.25, 1), trained("case det", 0.7, 79.0, 2), trained("", 0.2, 78.5, 3)),
    uas_ud=78.5,
    las_ud=None,
)


def joint(**changes: Any) -> JointReport:
    return replace(JOINT, **changes)


def test_the_joint_training_in_words() -> None:
    section = joint_section(joint())
    assert section.sentences == (
        "Advised scheme: case+det (70% of the heads and 80% of the sites survived as it has them).",
        "Verified: trained by itself the advised scheme reaches 79.00 UAS, number 2 of 3 schemes; the best "
        "is case with 79.25 (UD: 78.50).",
        "case: the alternative survived at 75% of 200 sites ± 2 points over seeds.",
        "det: UD's annotation survived at 75% of 100 sites ± 1 points over seeds.",
        # det given case is left out: ten sites say nothing
        "case depends on det: its alternative survived at 90% of its sites in sentences where that of det "
        "did, at 50% where it did not.",
        "Read from 300 sites in 210 factors of 40 sentences, up to 2^9 trees for one of them (mean of 2 "
        "trainings).",
    )


def test_what_else_is_said() -> None:
    best = (trained("case det", 0.7, 79.5, 1), trained("", 0.2, 78.5, 2))
    said = " ".join(joint_section(joint(seeds=1, factors_cut=3, verified=best)).sentences)
    assert "the best of 2 schemes (UD: 78.50)" in said
    assert "one training: no protection against chance; 3 factors cut to two options" in said
    one = TransformSurvival("det", 1, 1.0, None)
    tiny = replace(SURVIVAL, survival=(one,), interactions=())
    said = joint_section(joint(seeds=1, survival=tiny, sites=1, factors=1, sentences=1)).sentences
    assert "det: the alternative survived at 100% of 1 site." in said
    assert said[-1].startswith("Read from 1 site in 1 factor of 1 sentence, ")
    unverified = joint_section(joint(verified=()))
    assert not any("Verified" in sentence for sentence in unverified.sentences)
    assert len(unverified.tables) == 4


def test_without_sites_nothing_is_advised() -> None:
    nothing = JointSurvival(2, (), (), (scheme("", 1.0),))
    section = joint_section(joint(sites=0, factors=0, survival=nothing))
    assert section.sentences == (
        "No transformation has a site in the training trees: there is nothing to choose between.",
    )
    assert section.tables == ()


def test_one_is_singular_and_zero_has_no_minus() -> None:
    alone = (trained("case det", 0.7, 78.5 - 1e-12, 1),)
    section = joint_section(joint(seeds=1, factors_cut=1, verified=alone))
    assert section.sentences[1].endswith("78.50 UAS, the best of 1 scheme (UD: 78.50).")
    assert section.sentences[-1].endswith("chance; 1 factor cut to two options).")
    assert section.tables[-1].rows[0][4] == "+0.00"


def test_a_labelled_verification_in_words_and_in_its_table() -> None:
    verified = (
        trained("case", 0.5, 79.25, 1, las=70.0, las_rank=2),
        trained("case det", 0.7, 79.0, 2, las=71.5, las_rank=1),
        trained("", 0.2, 78.5, 3, las=69.0, las_rank=3),
    )
    section = joint_section(joint(verified=verified, las_ud=69.0))
    assert section.sentences[1] == (
        "Verified: trained by itself the advised scheme reaches 79.00 UAS, number 2 of 3 schemes; the best "
        "is case with 79.25 (UD: 78.50); 71.50 LAS, the best of 3 schemes (UD: 69.00)."
    )
    table = section.tables[-1]
    assert table.headings[5:8] == ("LAS", "minus UD", "LAS rank")
    assert [row[5:8] for row in table.rows] == [
        ("70.00", "+1.00", "2"), ("71.50", "+2.50", "1"), ("69.00", "+0.00", "3"),
    ]  # fmt: skip
    case, both, ud = verified
    verified = (replace(case, las_rank=1), replace(both, las=69.5, las_rank=2), ud)
    said = joint_section(joint(verified=verified, las_ud=69.0)).sentences[1]
    assert said.endswith("; 69.50 LAS, number 2 of 3 schemes; the best is case with 70.00 (UD: 69.00).")


def test_the_tables_of_the_joint_training() -> None:
    survival, sentence, factor, schemes, verified = joint_section(joint()).tables
    assert survival.rows == (("case", "200", "75.0%", "2.0"), ("det", "100", "25.0%", "1.0"))
    assert sentence.rows == (("case", "", "90% / 50%"), ("det", "90% / 10%", ""))
    assert factor.rows == (("case", "", "100% / 25%"), ("det", "", ""))
    assert schemes.rows[0] == ("case+det", "70.0%", "85.0%", "80.0%")
    assert verified.rows[0] == ("case", "1", "single", "79.25", "+0.75", "", "50.0%")
    assert verified.rows[2][0] == "UD"


def curve(
    original: Sequence[float],
    other: Sequence[float],
    needs: tuple[float | None, float | None] = (None, None),
    spread: float | None = 0.1,
    test_sites: int = 9,
) -> LearningCurve:
    """Curves of two amounts of data; `spread`: of the difference of their areas over two seeds."""
    off = (0.0,) if spread is None else (-spread / math.sqrt(2), spread / math.sqrt(2))
    first = tuple(tuple(mean + by for by in off) for mean in original)
    second = tuple((mean,) * len(off) for mean in other)
    pair = (Curve(first, sum(original) / 2, needs[0]), Curve(second, sum(other) / 2, needs[1]))
    facts = (len(off), test_sites, (0.5, 1.0), (100.0, 200.0))
    return LearningCurve("UD_X", "", *facts, "case", {Score.UAS: pair})


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            curve([70, 80], [69, 79], (190.0, None)),
            "case: UD is ahead by 1.00 UAS on average over the amounts of data (sd over seeds 0.10); UD "
            "reaches the alternative's final score with 95% of the data (190 tokens).",
        ),
        (
            curve([70, 80], [69, 82], (None, 170.0), spread=None),
            "case: the alternative is ahead of UD by 0.50 UAS on average over the amounts of data; the "
            "alternative reaches UD's final score with 85% of the data (170 tokens).",
        ),
        (
            curve([70, 80], [69, 80.9], spread=0.2),
            "case: no clear difference, UD +0.05 UAS on average over the amounts of data (sd over seeds "
            "0.20).",
        ),
        (
            curve([70, 80], [71, 79], spread=None),
            "case: no clear difference, UD +0.00 UAS on average over the amounts of data.",
        ),
    ],
)
def test_a_learning_curve_in_words(made: LearningCurve, said: str) -> None:
    assert curves_section([made]).sentences[0] == said


def test_a_condition_without_test_sites_gets_no_verdict() -> None:
    made = curve([70, 80], [69, 79], test_sites=0)
    sentences = curves_section([made, curve([70, 80], [69, 79])]).sentences
    assert len(sentences) == 3
    assert sentences[0].startswith("case: UD is ahead by 1.00 UAS")
    assert sentences[1] == "case: no test sentence has a site, so the scores say nothing about it."


def test_the_tables_of_the_curves() -> None:
    section = curves_section([curve([70, 80], [69, 79], (190.0, None))])
    summary, scores = section.tables
    assert summary.rows == (("case", "75.00", "74.00", "+1.00", "95%", "never"),)
    assert scores.headings == ("scheme", "100", "200")
    assert scores.rows == (("UD", "70.00", "80.00"), ("case", "69.00", "79.00"))
    assert (
        section.sentences[-1]
        == "Each scheme was trained on 1/2, all of the training data (means of 2 seeds)."
    )


def test_labelled_curves_in_words_and_tables() -> None:
    section = curves_section(labelled_curves())
    uas, las, _ = section.sentences
    assert uas.startswith("det: UD is ahead by 10.00 UAS")
    assert las == uas.replace("UAS", "LAS")
    assert [table.title for table in section.tables] == [
        "Mean height of the learning curves, UAS", "UAS by training tokens",
        "Mean height of the learning curves, LAS", "LAS by training tokens",
    ]  # fmt: skip
    assert section.tables[1].rows[0] == ("UD", "60.50", "65.50")
    assert section.tables[3].rows[0] == ("UD", "55.50", "60.50")
    assert section.tables[2].rows == (("det", "58.00", "48.00", "+10.00", "45%", "never"),)


def test_a_section_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("A [title]", ("name", "value"), (("a[b]", "1"),), "A note.")
    print_section(Section("Heading", ("One [bold]sentence[/bold].",), (table,)))
    printed = capsys.readouterr().out
    for text in ("Heading", "- One [bold]sentence[/bold].", "A [title]", "a[b]", "A note."):
        assert text in printed


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_wide_table_goes_on_below(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {
        "COLUMNS": str(columns),
        "FORCE_COLOR": "1",
        "TERM": "xterm",
        "NO_COLOR": "1",
    }.items():
        monkeypatch.setenv(name, value)
    headings = ("scheme", *(f"of column {number}" for number in range(8)))
    row = ("case+cop+mark", *(f"{number}23 / 456" for number in range(8)))
    print_section(
        Section("Heading", ("A sentence of many words. " * 5,), (Table("Title", headings, (row,)),))
    )
    shown = Text.from_ansi(capsys.readouterr().out).plain
    assert max(map(len, shown.splitlines())) <= columns
    cells = [line.split("  ") for line in shown.splitlines() if "case+cop+mark" in line]
    assert [cell.strip() for line in cells for cell in line[1:] if cell.strip()] == list(row[1:])
    assert len(cells) == {40: 4, 60: 2, 80: 2, 120: 1}[columns]
