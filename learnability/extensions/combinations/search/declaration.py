"""Declare the search for the easiest scheme."""

from learnability.studies.declaration import Declaration

DECLARATION = Declaration(
    name="search",
    study="learnability.extensions.combinations.search.study:SearchStudy",
    takes="treebank",
    summary="Search all combinations for the scheme that is easiest to learn.",
    help="""Search all combinations of the transformations for the scheme that is easiest to learn.

    The combinations race against each other and UD in short trainings; the finalists are trained in full and
    compared with UD on the test set, which the search does not use. Without --transform all variants of all
    transformations take part. search.json has the races, best.toml the scheme that was found.
    """,
    example="learnability search --treebank demo --transform case --transform det --transform cop",
    shared=("seeds", "iterations", "tags"),
    named=("transform",),
    usual="variants",
    compares=True,
)
