"""Predict from short trainings which annotation is easier to learn."""

from dataclasses import dataclass

from learnability.studies.declaration import SEVEN, Declaration


@dataclass(frozen=True)
class PredictOptions:
    """Choose how certain a prediction must be.

    Attributes:
        threshold: the least probability, from 0.5 to 1, with which a side is named.
    """

    threshold: float = 0.95


DECLARATION = Declaration(
    name="predict",
    study="learnability.studies.predict.study:PredictStudy",
    options=PredictOptions,
    cross_validates=True,
    several=True,
    default=SEVEN,
)
