"""The joint training in words and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from learnability.studies.combinations.joint_outcome import JointReport
from learnability.studies.combinations.joint_preferences import (
    Interaction,
    JointSurvival,
    SchemeAgreement,
    TransformSurvival,
)
from learnability.studies.combinations.joint_section import joint_sentences, joint_tables


def interaction(of: str, given: str, within: str, places: float, share: float, other: float) -> Interaction:
    return Interaction(of, given, within, places, 100, share, other, share - other)


def scheme(names: str, agreement: float) -> SchemeAgreement:
    return SchemeAgreement(tuple(names.split()), agreement + 0.15, agreement + 0.1, agreement)


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
    transforms=("case", "det"),
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
)


def joint(**changes: Any) -> JointReport:
    return replace(JOINT, **changes)


def test_the_joint_training_in_words() -> None:
    assert joint_sentences(joint()) == (
        "The joint training recommends case+det. The parser trained on both agreed with it at 80 % of the "
        "places. Each of the 2 trainings, taken alone, recommends it.",
        "case: trained on both, the parser preferred the alternative at 75.0 % of 200 places ± 2.0 points "
        "over seeds.",
        "det: trained on both, the parser preferred UD's annotation at 75.0 % of 100 places ± 1.0 points "
        "over seeds.",
        # det given case is left out: ten places say nothing
        "case depends on det: the parser preferred the alternative of case at 90 % of its places in "
        "sentences where it preferred that of det, and at 50 % elsewhere.",
        "Based on 300 places in 40 sentences, with up to 2^9 trees for one sentence (mean of 2 trainings).",
    )


def test_what_else_is_said() -> None:
    once = {"iterations": (10,)}
    said = " ".join(joint_sentences(joint(**once, factors_cut=3)))
    assert (
        "It comes from one training, so we cannot tell how much it depends on chance. Use more --seeds."
        in said
    )
    assert "(one training; for 3 of 210 groups of linked places we kept only two trees)" in said
    said = joint_sentences(joint(advised_in=1))[0]
    assert said.endswith("Taken alone, 1 of 2 trainings would recommend it.")
    one = TransformSurvival("det", 1, 1.0, None)
    tiny = replace(SURVIVAL, survival=(one,), interactions=())
    sentences = joint_sentences(joint(**once, survival=tiny, places=1, factors=1, sentences=1, factors_cut=1))
    assert "det: trained on both, the parser preferred the alternative at 100.0 % of 1 place." in sentences
    assert sentences[-1].startswith("Based on 1 place in 1 sentence, ")
    assert sentences[-1].endswith("; for 1 of 1 group of linked places we kept only two trees).")


def test_the_tables_of_the_joint_training() -> None:
    survival, sentence, factor, schemes = joint_tables(joint())
    assert survival.rows == (("case", "200", "75.0 %", "2.0"), ("det", "100", "25.0 %", "1.0"))
    assert sentence.rows == (("case", "", "90 % / 50 %"), ("det", "90 % / 10 %", ""))
    assert factor.rows == (("case", "", "100 % / 25 %"), ("det", "", ""))
    assert schemes.rows[0] == ("case+det", "70.0 %", "85.0 %", "80.0 %")
