"""Papers: the experiments of 2012, 2013 and 2015 on oracles, and the experiment and the tables of 2018."""

from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="papers",
    studies=("learnability.extensions.papers.oracles.declaration:DECLARATION",),
    comparisons=("learnability.extensions.papers.annotation_2018.declaration:PAPER_TABLES",),
)
