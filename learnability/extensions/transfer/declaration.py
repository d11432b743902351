"""Declare the study of parsers that have seen other languages only, and its options."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from learnability.extending import SEVEN, Declaration, Heading, option


@dataclass(frozen=True)
class TransferOptions:
    """Choose the languages that are parsed, and those that parsers learn from."""

    PANEL: ClassVar[str] = "Languages"

    every_language: bool = option(
        False, "Parse the largest treebank of each language below --ud-home.", flags=("--all",)
    )
    source: tuple[str, ...] = option(
        (), "Learn from this treebank; repeatable. Default: the largest treebank of each language below "
        "--ud-home.", metavar="T", multiple=True, completes="treebanks",
    )  # fmt: skip
    leave_out: Literal["family", "language"] = option(
        "family", "Never learn from the family of the language that is parsed, or from that language alone.",
        choices=("family", "language"),
    )  # fmt: skip
    words: int = option(
        1_500, "Words that a parser learns from in each treebank.", metavar="N", least=100, most=1_000_000
    )

    @property
    def choice_of_sources(self) -> tuple[object, ...]:
        """Return what runs must have in common that are put together."""
        return self.source, self.leave_out, self.words


DECLARATION = Declaration(
    name="transfer",
    study="learnability.extensions.transfer.study:TransferStudy",
    options=TransferOptions,
    works_on="treebanks",
    heading=Heading.COMPARE,
    summary="Find which annotation parsers of other languages transfer.",
    help="""Train parsers on other languages, and find out in which annotation they parse a language better.

    Parsers see tags in place of words. They learn from equally many words of each source, in UD and in each
    alternative, and are tested on all sentences of the target. By default no source is of the family of the
    target. Each training draws other sentences. The answer compares arcs between phrases, which are the same
    in both annotations; where these are undefined, parses converted to UD.
    """,
    run_option="Also ask parsers of other languages, which is another question. They learn from the largest "
    "treebank of each language beside this one.",
    example="learnability transfer --treebank UD_Tamil-TTB --transform case",
    shared=("seeds", "iterations", "parsers", "labels"),
    names_transforms=True,
    default=SEVEN,
    defaults={"tags": "only"},
    several=True,
    folder="transfer",
    selects="learnability.extensions.transfer.targets:TransferTarget",
)
