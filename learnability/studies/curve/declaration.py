"""Declare the study of learning curves."""

from learnability.studies.declaration import SEVEN, Declaration

DECLARATION = Declaration(
    name="curve",
    study="learnability.studies.curve.study:CurveStudy",
    run_option="Also train on 1/16, 1/8, 1/4 and 1/2 of the data: which annotation needs less?",
    default=SEVEN,
)
