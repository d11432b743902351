"""Declare the study of combinations, and the two that earlier versions had in its place."""

from dataclasses import dataclass

from learnability.studies.declaration import Declaration, Usual


def all_variants() -> tuple[str, ...]:
    """Return all variants of the constructions of the 2018 paper, as they are typed."""
    from learnability.transforms.registry import every_variant

    return every_variant()


DECLARATION = Declaration(
    name="combinations",
    study="learnability.extensions.combinations.study:CombinationsStudy",
    takes="treebank",
    summary="Find the combination of constructions that is easiest to learn.",
    help="""Find the combination of constructions that is easiest to learn.

    One training on UD and all constructions at once shows which combination a parser prefers. All
    combinations then race against each other and UD in short trainings. The finalists, and the combination
    that the first training recommends, are trained in full and compared with UD on the test set, which was
    not used before. Without --transform all variants of all constructions take part. combinations.json has
    every step, best.toml the combination that was found.
    """,
    example="learnability combinations --treebank demo --transform case --transform det --transform cop",
    shared=("seeds", "iterations", "tags"),
    names_transforms=True,
    usual=Usual(all_variants, " Default: all variants of the seven of the paper."),
    compares=True,
)

EARLIER_SEARCH = Declaration(
    name="search",
    study="learnability.extensions.combinations.study:EarlierSearch",
    takes="treebank",
    compares=True,
)
"""The races alone. Runs that earlier versions recorded have this study; no command starts it."""


@dataclass(frozen=True)
class EarlierJointOptions:
    """Hold the options of joint trainings in runs that earlier versions recorded.

    Attributes:
        verify: how many combinations were trained alone, too.
    """

    verify: int = 0


EARLIER_JOINT = Declaration(
    name="joint",
    study="learnability.extensions.combinations.study:EarlierJoint",
    options=EarlierJointOptions,
)
"""The joint training alone, in a run of something else. No command starts it either."""
