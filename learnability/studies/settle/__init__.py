"""Settle what a run leaves open: test every sentence of the treebank, with as many trainings as it takes."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.studies.declaration import Declaration
from learnability.support.options import option


@dataclass(frozen=True)
class SettleOptions:
    """How far `settle` goes."""

    PANEL: ClassVar[str] = "Settling"

    most_seeds: int = option(
        10, "Train each fold at most this many times per annotation.", metavar="N", least=2, most=100
    )
    folds: int = option(
        10,
        "Cut the treebank into this many folds, each of which is tested once.",
        metavar="K",
        least=3,
        most=20,
    )


DECLARATION = Declaration(
    name="settle",
    study="learnability.studies.settle.study:SettleStudy",
    options=SettleOptions,
    summary="Settle what a run leaves open, on every sentence of the treebank.",
    help="""Test every sentence of the treebank for the constructions that a finished run leaves open.

    The treebank is cut into folds along its documents. Each fold is parsed by parsers trained on the others:
    first twice in each annotation, then more often. Training stops for a construction when its answer is
    clear, or when more trainings would not help. settled.csv and a section of the report are added to the
    folder of the run.
    """,
    example="learnability settle runs/UD_Irish",
    offer="test every sentence of the treebank, and train until the answer is clear",
    cross_validates=True,
    several=True,
)
