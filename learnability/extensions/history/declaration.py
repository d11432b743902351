"""Declare the study of the history of a treebank, and its options."""

from dataclasses import dataclass
from typing import ClassVar

from learnability.extending import Declaration, Heading, option


@dataclass(frozen=True)
class HistoryOptions:
    """Choose the versions of the treebank."""

    PANEL: ClassVar[str] = "Treebank"

    releases: str | None = option(
        None,
        "Releases: all from A to B that the folders have, or a list of releases.",
        metavar="A..B|A,B,...",
    )
    commits: str | None = option(
        None, "Commits of the git checkout that --treebank names: A and all commits up to B that change its "
        "CoNLL-U files, or a list of commits.", metavar="A..B|A,B,...",
    )  # fmt: skip


DECLARATION = Declaration(
    name="history",
    study="learnability.extensions.history.study:HistoryStudy",
    options=HistoryOptions,
    works_on="treebank",
    heading=Heading.COMPARE,
    summary="Find out which releases made a treebank easier to learn.",
    help="""Compare each release of a treebank with the next one, or each commit of a git checkout.

    Every step is split into what new and deleted sentences did, what changed trees of the same sentences did,
    and what changed tags did. The most frequent changes are named. Sentences with changed words or tokens are
    left out.
    """,
    example="learnability history --treebank UD_Greek-GDT --releases 2.4..2.16",
    shared=("seeds", "iterations", "parsers", "labels", "tags"),
    defaults={"cross_validate": 5},
    cross_validates=True,
    several=True,
    folder="history",
    selects="learnability.extensions.history.selecting:SuccessiveVersions",
)
