"""Declare the study that says beside the results of a run what its trees let us expect."""

from learnability.studies.declaration import Declaration

DECLARATION = Declaration(
    name="expect",
    study="learnability.extensions.expectations.study:ExpectStudy",
    run_option="Also say which side the trees alone let us expect, and whether the answers agree.",
    cross_validates=True,
    several=True,
)
