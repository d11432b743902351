"""Compare annotations: settings (a), (b) and (c), and the measures."""

from learnability.studies.declaration import SEVEN, Declaration
from learnability.support.headings import Heading

DECLARATION = Declaration(
    name="run",
    summary="Measure which annotation of a treebank a parser learns best.",
    study="learnability.studies.main.study:MainStudy",
    works_on="treebank",
    heading=Heading.COMPARE,
    names_transforms=True,
    cross_validates=True,
    several=True,
    compares=True,
    default=SEVEN,
)
