"""Combinations: which constructions together are easiest to learn."""

from learnability.studies.declaration import Declaration, DefaultConstructions
from learnability.support.plugins import Extension


def all_variants() -> tuple[str, ...]:
    """Return all variants of the constructions of the 2018 paper, as they are typed."""
    from learnability.transforms.registry import every_variant

    return every_variant()


DECLARATION = Declaration(
    name="combinations",
    study="learnability.studies.combinations.study:CombinationsStudy",
    works_on="treebank",
    summary="Find the combination of constructions that is easiest to learn.",
    help="""Find the combination of constructions that is easiest to learn.

    All combinations race against each other and UD in short trainings. The finalists are trained in full and
    compared with UD on the test set, which was not used before. Without --transform all variants of all
    constructions take part. combinations.json has the finalists, best.toml the combination that was found.
    """,
    example="learnability combinations --treebank demo --transform case --transform det --transform cop",
    shared=("seeds", "iterations", "tags"),
    names_transforms=True,
    default=DefaultConstructions(all_variants, " Default: all variants of the seven of the paper."),
    compares=True,
)

EXTENSION = Extension(name="combinations", studies=("learnability.studies.combinations:DECLARATION",))
