"""The figure of a history: its heights, and where its line is thick."""

from __future__ import annotations

import msgspec
import pytest

from learnability.evidence.score_differences import Difference
from learnability.extensions.history.figure import releases_figure
from learnability.extensions.history.outcome import PartKind, Step, StepPart
from learnability.extensions.history.trainings import StepFacts
from learnability.extensions.history.versions import SentenceCounts
from learnability.metrics.scores import Score
from learnability.statistics.inference import Side

pytestmark = pytest.mark.figures

COUNTS = SentenceCounts(shared=100, deleted=0, new=0, reworded=0, moved=0)
FACTS = StepFacts(
    earlier="2.1", later="2.2", digests={}, sentences=COUNTS, words=1000, heads=50, relations=0, tags=0
)


def step_part(step: Step, kind: PartKind, delta: float, side: Side) -> StepPart:
    difference = Difference(None, None, delta, low=delta - 1, high=delta + 1, better=side)
    return StepPart(step, kind, 50, "", {Score.UAS: difference}, {})


def test_the_line_adds_up_all_parts_and_is_thick_where_one_is_clear() -> None:
    first = Step("UD_A@2.1", (FACTS,))
    second = Step("UD_A@2.2", (msgspec.structs.replace(FACTS, earlier="2.2", later="2.4"),))
    third = Step("UD_A@2.4", (msgspec.structs.replace(FACTS, earlier="2.4", later="2.5"),))
    parts = [
        step_part(first, PartKind.ANNOTATION, 1.5, Side.FIRST),
        step_part(first, PartKind.TAGS, -0.25, Side.NONE),
        step_part(second, PartKind.SENTENCES, -0.5, Side.NONE),
    ]
    drawn = releases_figure([first, second, third], parts, Score.UAS)
    assert drawn.data.rows == (
        ("2.1", "0.0000", ""),
        ("2.2", "1.2500", "annotation"),
        ("2.4", "0.7500", ""),
        ("2.5", "0.7500", ""),
    )
    assert drawn.svg.count("stroke-width: 2.6") == 1
    assert drawn.svg.count("stroke-dasharray") == 2
    assert "changed trees +1.5" in drawn.svg
    assert "sentences added or deleted −0.5" not in drawn.svg
