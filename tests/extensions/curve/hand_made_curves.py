"""Learning curves written by hand."""

from __future__ import annotations

from dataclasses import replace

from learnability.evidence.score_differences import Difference
from learnability.metrics.scores import Score
from learnability.statistics.inference import Side
from learnability.studies.curve.curves import Curve, LearningCurve

UAS = (
    Curve(((60.0, 61.0), (65.0, 66.0)), 63.0, 90.0),
    Curve(((50.0, 51.0), (55.0, 56.0)), 53.0, None),
)
AREA = Difference(
    63.0, 53.0, 10.0, 0.5, 9.0, 9.0, 11.0, p_value=0.001, p_holm=0.002, p_equal=1.0, better=Side.FIRST
)
CURVES = (
    LearningCurve("UD_X", "", 2, 5, (0.5, 1), (100.0, 200.0), "det", {Score.UAS: UAS}, {Score.UAS: AREA}),
)
"""The learning curves of a run."""


def labelled_curves() -> tuple[LearningCurve, ...]:
    """:data:`CURVES` of labelled parsers, LAS five points below UAS."""
    base, alternative = (
        replace(
            curve,
            scores=tuple(tuple(score - 5 for score in share) for share in curve.scores),
            area=curve.area - 5,
        )
        for curve in UAS
    )
    curves = {Score.UAS: UAS, Score.LAS: (base, alternative)}
    areas = {Score.UAS: AREA, Score.LAS: replace(AREA, base=58.0, alternative=48.0)}
    return (replace(CURVES[0], curves=curves, areas=areas),)
