"""Declare the study of conventions that differ between treebanks, and its options."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.extending import Declaration, Heading, option


@dataclass(frozen=True)
class HarmoniseOptions:
    """Choose how much parsers learn from."""

    PANEL: ClassVar[str] = "Trainings"

    words: int = option(
        25_000, "The most words that a parser learns from.", metavar="N", least=500, most=10_000_000
    )


@dataclass(frozen=True)
class CountingOptions:
    """Choose which conventions are listed, and whether parsers are trained, too."""

    PANEL: ClassVar[str] = "Conventions"

    columns: tuple[str, ...] = option(
        (), "Compare only these columns: upos, xpos, lemma, feats, feats:Number, relation, subtype, head, "
        "split; repeatable, or with commas.", metavar="COLUMN", multiple=True,
    )  # fmt: skip
    context: str = option(
        "", "List only conventions in contexts with this value, for example AUX or lemma=be.", metavar="VALUE"
    )
    most: int = option(
        20, "List the N first conventions: of those of labels, and of the others.",
        flags=("--max",), metavar="N", least=1, most=1_000_000,
    )  # fmt: skip
    line: int | None = option(
        None, "Explain line N alone: sentences of both sides, exceptions, queries for Grew-match.",
        metavar="N", least=1, most=1_000_000,
    )  # fmt: skip
    check: bool = option(
        False, "Write nothing, and end with exit code 1 if anything differs in these columns and contexts."
    )
    train_parsers: bool = option(
        False, "Train parsers, and say what conventions of trees and tags cost them (takes minutes).",
        flags=("--train",),
    )  # fmt: skip


DECLARATION = Declaration(
    name="harmonise",
    study="learnability.extensions.harmonise.study:HarmoniseStudy",
    options=HarmoniseOptions,
    works_on="treebanks",
    heading=Heading.COMPARE,
    summary="Find conventions that differ between treebanks.",
    help="""Find the conventions in which treebanks of one language differ.

    A, B and others are names of treebanks, folders or files; NAME@2.16 names a release. Words are counted:
    where A mostly has a value that the others hardly ever have in the same context, for the same forms, a
    convention differs. All columns are compared, and nothing is trained. --out writes the lines, and the
    words with proposals that `doubts --apply` reads.

    With --train, parsers of each treebank also parse the others, which takes minutes. They say what
    conventions cost a parser, and what adding a treebank gains.
    """,
    example="learnability harmonise UD_Turkish-IMST UD_Turkish-BOUN",
    shared=("seeds",),
    selects="learnability.extensions.harmonise.selecting:LanguageSelection",
    arguments=("A", "B [C...]"),
    instead="learnability.extensions.harmonise.counting:count_if_asked",
    instead_options=CountingOptions,
)
