"""Compare annotations: settings (a), (b) and (c), and the measures."""

from learnability.studies.declaration import Declaration

DECLARATION = Declaration(
    name="run",
    summary="Measure which annotation of a treebank a parser learns best.",
    study="learnability.studies.main.study:MainStudy",
    takes="treebank",
    named=("transform", "scheme"),
    cross_validates=True,
    several=True,
    compares=True,
)
