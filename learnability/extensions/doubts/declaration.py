"""Declare the study of doubts and its options."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.extending import Declaration, Heading, option
from learnability.extensions.doubts.columns import column_typed
from learnability.extensions.doubts.merging import decisions_typed


@dataclass(frozen=True)
class DoubtsOptions:
    """Choose which doubts are listed."""

    PANEL: ClassVar[str] = "Doubts"

    every: bool = option(
        False,
        "List every word of the treebank, not only the 1,000 most doubtful.",
        flags=("--all",),
        only_outcome=True,
    )
    column: tuple[str, ...] = option(
        (), "List only doubts about this column: head, punct, subtype, upos, xpos, lemma, feats, "
        "feats:Gender; repeatable. Without it all but punct and subtype.",
        metavar="COLUMN", parse=column_typed, typed=None, multiple=True, only_outcome=True,
    )  # fmt: skip
    beside: tuple[str, ...] = option(
        (), "Count this treebank of the language, too, where words of the treebank mostly agree with it: a "
        "name, folder or file; repeatable.", metavar="UD_X", completes="treebanks",
        multiple=True, only_outcome=True,
    )  # fmt: skip
    decisions: tuple[str, ...] = option(
        (), "Leave out the doubts that are accepted or rejected in this file, and learn from it in which "
        "order the others come: doubts.csv with decisions; repeatable.",
        flags=("--decisions",), metavar="FILE",
        parse=decisions_typed, typed=None, multiple=True, only_outcome=True,
    )  # fmt: skip


@dataclass(frozen=True)
class ApplyOptions:
    """Choose how decisions are applied."""

    PANEL: ClassVar[str] = "Decisions"

    quick: bool = option(
        False, "List only what counting finds, in seconds: the same sentence annotated otherwise, words that "
        "lack what nearly all like them have, and those that break some rules of the guidelines. Nothing is "
        "trained.",
    )  # fmt: skip
    check: float | None = option(
        None, "As --quick, but write nothing, and end with exit code 1 if a row with this score or more is "
        "not decided in --decisions (alone: 0.5), or accepted there, but not applied.",
        metavar="[SCORE]", least=0.0, most=1.0, flag_value=0.5, typed=None,
    )  # fmt: skip
    join: tuple[str, ...] = option(
        (), "Join files of decisions into the file that --out names, and say in what they agree; repeat it "
        "for each file.", metavar="FILE", multiple=True,
    )  # fmt: skip
    tsv: bool = option(
        False, "Print a list for treebanks that are made from other sources: sentence, word, column, old and "
        "new value, reason. With --apply of what is accepted, with --quick and --check of all rows.",
    )  # fmt: skip
    apply: tuple[str, ...] = option(
        (), "Write the corrected files of the treebank, with the proposals that are accepted in this file: "
        "doubts.csv with decisions; repeatable. Nothing is trained.", metavar="FILE", multiple=True,
    )  # fmt: skip
    fix: tuple[str, ...] = option(
        (), "Also accept what is open in the file: of a pattern or its number, or above a score, '>0.9'; "
        "repeatable.", metavar="PATTERN", multiple=True,
    )  # fmt: skip
    diff: bool = option(False, "Print a patch instead of writing files.")


DECLARATION = Declaration(
    name="doubts",
    study="learnability.extensions.doubts.study:DoubtsStudy",
    options=DoubtsOptions,
    works_on="treebank",
    heading=Heading.LOOK,
    summary="List the words whose annotation contradicts the rest.",
    help="""List the words whose annotation contradicts that of the rest of the treebank.

    Parsers that were trained on the other sentences parse every sentence. Where they differ from the
    annotation, or where the treebank annotates the same words in another way, the annotation may be wrong.
    The output: doubts.html (a page to accept and reject proposals) and doubts.csv (the same list for
    spreadsheets). --apply writes what was accepted.
    """,
    example="learnability doubts --treebank demo",
    shared=("seeds", "iterations", "parsers", "tags"),
    defaults={"cross_validate": 5, "seeds": 1, "parsers": ("arc-eager:rich", "arc-hybrid:rich")},
    cross_validates=True,
    instead="learnability.extensions.doubts.command:act_if_asked",
    instead_options=ApplyOptions,
)
