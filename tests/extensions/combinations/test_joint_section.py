"""The joint training in words and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from learnability.evidence.differences import Difference
from learnability.extensions.combinations.joint.outcome import JointReport, VerifiedScheme
from learnability.extensions.combinations.joint.products import (
    Interaction,
    JointSurvival,
    SchemeAgreement,
    TransformSurvival,
)
from learnability.extensions.combinations.joint.section import joint_section
from learnability.metrics.scores import Score
from learnability.statistics.inference import Side


def interaction(of: str, given: str, within: str, places: float, share: float, other: float) -> Interaction:
    return Interaction(of, given, within, places, 100, share, other, share - other)


def scheme(names: str, agreement: float) -> SchemeAgreement:
    return SchemeAgreement(tuple(names.split()), agreement + 0.15, agreement + 0.1, agreement)


def trained(names: str, agreement: float, uas: float, rank: int, **changes: Any) -> VerifiedScheme:
    none: dict[Score, Difference | None] = {Score.UAS: None, Score.LAS: None}
    facts = (tuple(names.split()), "single", agreement, uas, None, None, rank, None, None)
    return replace(VerifiedScheme(*facts, from_ud=none, from_advised=none), **changes)


def shown_by_both(delta: float, p: float, better: str) -> dict[Score, Difference | None]:
    """A difference of scores of 79, with an interval of 0.2 points on either side, by both scores."""
    shown = Difference(
        79.0, 79.0 - delta, delta, 0.1, 9.0, delta - 0.2, delta + 0.2, p_value=p / 2, p_holm=p, p_equal=0.5,
        better=Side(better),
    )  # fmt: skip
    return {Score.UAS: shown, Score.LAS: shown}


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
    places=300,
    factors=210,
    largest_factor=4,
    largest_set=9,
    factors_in_parts=0,
    factors_cut=0,
    survival=SURVIVAL,
    advised_in=2,
    verified=(
        trained("case", 0.5, 79.25, 1, from_advised=shown_by_both(-0.25, 0.5, "none")),
        trained("case det", 0.7, 79.0, 2, from_ud=shown_by_both(-0.5, 0.03, "alternative")),
        trained("", 0.2, 78.5, 3),
    ),
    uas_base=78.5,
    las_base=None,
)


def joint(**changes: Any) -> JointReport:
    return replace(JOINT, **changes)


def test_the_joint_training_in_words() -> None:
    section = joint_section(joint())
    assert section.sentences == (
        "Recommended scheme: case+det. It agrees with what the jointly trained parser preferred for 70 % "
        "of the heads and at 80 % of the places. Each of the 2 trainings, taken alone, recommends it.",
        "Checked: trained alone, the recommended scheme scores 79.00 UAS, rank 2 of 3 schemes. Compared with "
        "UD, the recommended scheme scores 0.5 points higher (0.3 to 0.7). Compared with the best "
        "(case, 79.25), case is 0.2 points ahead, but not clearly (0.05 to 0.5).",
        "case: trained on both, the parser preferred the alternative at 75.0 % of 200 places ± 2.0 points "
        "over "
        "seeds.",
        "det: trained on both, the parser preferred UD's annotation at 75.0 % of 100 places ± 1.0 points "
        "over seeds.",
        # det given case is left out: ten places say nothing
        "case depends on det: the parser preferred the alternative of case at 90 % of its places in "
        "sentences where it preferred that of det, and at 50 % elsewhere.",
        "Based on 300 places in 40 sentences, with up to 2^9 trees for one sentence (mean of 2 trainings).",
    )


def test_what_else_is_said() -> None:
    best = (trained("case det", 0.7, 79.5, 1), trained("", 0.2, 78.5, 2))
    said = " ".join(joint_section(joint(seeds=1, factors_cut=3, verified=best)).sentences)
    assert "79.50 UAS, rank 1 of 2 schemes. Compared with UD, the test set has too few examples." in said
    assert (
        "It comes from one training, so we cannot tell how much it depends on chance. Use more --seeds."
        in said
    )
    assert "(one training; for 3 of 210 groups of linked places we kept only two trees)" in said
    said = joint_section(joint(advised_in=1)).sentences[0]
    assert said.endswith("Taken alone, 1 of 2 trainings would recommend it.")
    one = TransformSurvival("det", 1, 1.0, None)
    tiny = replace(SURVIVAL, survival=(one,), interactions=())
    said = joint_section(joint(seeds=1, survival=tiny, places=1, factors=1, sentences=1)).sentences
    assert "det: trained on both, the parser preferred the alternative at 100.0 % of 1 place." in said
    assert said[-1].startswith("Based on 1 place in 1 sentence, ")
    unverified = joint_section(joint(verified=()))
    assert not any("Checked" in sentence for sentence in unverified.sentences)
    assert unverified.sentences[0].endswith(
        "This does not show whether a parser learns this scheme better than UD. --verify tests that."
    )
    assert len(unverified.tables) == 4


def test_without_places_nothing_is_advised() -> None:
    nothing = JointSurvival(2, (), (), (scheme("", 1.0),))
    section = joint_section(joint(places=0, factors=0, survival=nothing))
    assert section.sentences == (
        "None of the constructions occurs in the training set, so there is nothing to choose between.",
    )
    assert section.tables == ()


def test_one_is_singular_and_zero_has_no_minus() -> None:
    alone = (trained("case det", 0.7, 78.5 - 1e-12, 1),)
    section = joint_section(joint(seeds=1, factors_cut=1, verified=alone))
    assert "78.50 UAS, rank 1 of 1 scheme. " in section.sentences[1]
    assert section.sentences[-1].endswith("; for 1 of 210 groups of linked places we kept only two trees).")
    assert section.tables[-1].rows[0][4] == "0.0"


def test_a_labelled_verification_in_words_and_in_its_table() -> None:
    verified = (
        trained("case", 0.5, 79.25, 1, las=70.0, las_rank=2),
        trained("case det", 0.7, 79.0, 2, las=71.5, las_rank=1, from_ud=shown_by_both(0.5, 0.0, "base")),
        trained("", 0.2, 78.5, 3, las=69.0, las_rank=3),
    )
    section = joint_section(joint(verified=verified, las_base=69.0))
    uas, las = section.sentences[1:3]
    assert uas.startswith("Checked: trained alone, the recommended scheme scores 79.00 UAS, rank 2 of 3")
    assert las == (
        "Checked: trained alone, the recommended scheme scores 71.50 LAS, rank 1 of 3 schemes. Compared "
        "with UD, "
        "the UD parser scores 0.5 points higher (0.3 to 0.7)."
    )
    table = section.tables[-1]
    assert table.headings[6:10] == ("LAS", "difference\nfrom UD", "p\n(Holm)", "LAS rank")
    assert [tuple(map(str, row[6:10])) for row in table.rows] == [
        ("70.00", "scheme +1.0", "", "2"), ("71.50", "UD +0.5 (0.3 to 0.7)*", "<.001", "1"),
        ("69.00", "", "", "3"),
    ]  # fmt: skip
    case, both, base = verified
    verified = (replace(case, las_rank=1), replace(both, las=69.5, las_rank=2), base)
    said = joint_section(joint(verified=verified, las_base=69.0)).sentences[2]
    assert "69.50 LAS, rank 2 of 3 schemes. " in said
    assert "Compared with the best (case, 70.00), the test set has too few examples." in said


def test_the_tables_of_the_joint_training() -> None:
    survival, sentence, factor, schemes, verified = joint_section(joint()).tables
    assert survival.rows == (("case", "200", "75.0 %", "2.0"), ("det", "100", "25.0 %", "1.0"))
    assert sentence.rows == (("case", "", "90 % / 50 %"), ("det", "90 % / 10 %", ""))
    assert factor.rows == (("case", "", "100 % / 25 %"), ("det", "", ""))
    assert schemes.rows[0] == ("case+det", "70.0 %", "85.0 %", "80.0 %")
    assert verified.rows[0] == ("case", "1", "single", "79.25", "scheme +0.8", "", "", "50.0 %")
    assert verified.rows[2][0] == "UD"
