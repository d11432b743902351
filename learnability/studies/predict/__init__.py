"""Predict from short trainings which annotation is easier to learn."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.studies.declaration import Declaration
from learnability.support.options import option


@dataclass(frozen=True)
class PredictOptions:
    """Choose how certain a prediction must be, and whether to train parsers in full where it is not."""

    PANEL: ClassVar[str] = "Prediction"

    threshold: float = option(
        0.95, "Name a side only if its probability is at least P.", metavar="P", least=0.5, most=1.0
    )
    undecided: bool = option(
        False, "Train the parsers in full where the prediction is open; --parser chooses them."
    )


DECLARATION = Declaration(
    name="predict",
    study="learnability.studies.predict.study:PredictStudy",
    options=PredictOptions,
    takes="treebanks",
    summary="Predict which annotation is easier, from short trainings.",
    help="""Predict which annotation of a treebank a parser learns best, with its probability.

    Short trainings on samples of the training set cost a few percent of a run. Do not treat a
    prediction as a measurement: `learnability run` may find another answer if the difference is small. With
    --undecided, parsers are trained in full where the prediction is open.
    """,
    example="learnability predict --treebank demo",
    shared=("seeds", "parsers", "tags"),
    named=("transform", "scheme"),
    several=True,
    folder="predict",
)
