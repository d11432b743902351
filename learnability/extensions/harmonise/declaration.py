"""Declare the study of conventions that differ between treebanks, and its options."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.extending import Declaration, Heading, option


@dataclass(frozen=True)
class HarmoniseOptions:
    """Choose how much parsers learn from, and how far the comparison goes."""

    PANEL: ClassVar[str] = "Conventions"

    words: int = option(
        25_000, "The most words that a parser learns from.", metavar="N", least=500, most=10_000_000
    )
    quick: bool = option(
        False, "Find conventions only: no scores of two treebanks together, or rewritten.", only_outcome=True
    )
    answers: bool = option(
        False,
        "Also say which side of each construction and rule is easier to learn (takes minutes).",
        only_outcome=True,
    )


DECLARATION = Declaration(
    name="harmonise",
    study="learnability.extensions.harmonise.study:HarmoniseStudy",
    options=HarmoniseOptions,
    works_on="treebanks",
    heading=Heading.COMPARE,
    summary="Find conventions that differ between treebanks.",
    help="""Find the conventions in which treebanks of one language differ, and what they cost a parser.

    A, B and others are names of treebanks, folders or files; NAME@2.16 names a release. Each treebank is
    parsed by parsers that learned from its other sentences, and by parsers that learned from the other
    treebanks. Where only the latter contradict the annotation, and the same happens the other way round,
    conventions differ. Heads, relations and UPOS are compared; lemmas, features and XPOS are not.
    """,
    example="learnability harmonise UD_Turkish-IMST UD_Turkish-BOUN",
    shared=("seeds",),
    selects="learnability.extensions.harmonise.selecting:LanguageSelection",
    arguments=("A", "B [C...]"),
)
