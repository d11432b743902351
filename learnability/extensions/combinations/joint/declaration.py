"""Declare the study of all constructions together, and its options."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.studies.declaration import Declaration
from learnability.support.options import option


@dataclass(frozen=True)
class JointOptions:
    """Choose how to check the recommendation."""

    PANEL: ClassVar[str] = "Joint training"

    verify: int = option(
        0, "Train the K schemes that agree most with the jointly trained parser, and rank them.", metavar="K",
        least=1, most=1000, typed=None,
    )  # fmt: skip


DECLARATION = Declaration(
    name="joint",
    study="learnability.extensions.combinations.joint.study:JointStudy",
    options=JointOptions,
    summary="Train once on all constructions together.",
    help="""Train one parser on UD and all transformations of a finished run at once.

    One training shows which annotation a parser prefers when trained on both, how the choices interact, and
    which combination to recommend. --verify checks the recommendation by training the most promising
    combinations. joint.json and a section of the report are added to the folder of the run.
    """,
    example="learnability joint runs/UD_Irish --verify 5",
)
