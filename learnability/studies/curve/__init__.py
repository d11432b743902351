"""Curve: how the comparison depends on the amount of training data."""

from learnability.studies.declaration import SEVEN, Declaration
from learnability.support.plugins import Extension

DECLARATION = Declaration(
    name="curve",
    study="learnability.studies.curve.study:CurveStudy",
    run_option="Also train on 1/16, 1/8, 1/4 and 1/2 of the data: which annotation needs less?",
    default=SEVEN,
)

EXTENSION = Extension(name="curve", studies=("learnability.studies.curve:DECLARATION",))
