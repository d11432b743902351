"""Predict from short trainings which annotation is easier to learn."""

from learnability.studies.declaration import SEVEN, Declaration

DECLARATION = Declaration(
    name="predict",
    study="learnability.studies.predict.study:PredictStudy",
    cross_validates=True,
    several=True,
    default=SEVEN,
)
