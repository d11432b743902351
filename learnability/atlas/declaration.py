"""Declare what the atlas adds to `compare`."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.reports.comparison_output import OutputDeclaration
from learnability.support.options import option


@dataclass(frozen=True)
class PublicationOptions:
    """Choose the folder of the atlas; None if it is not asked for."""

    atlas: str | None = option(
        None,
        "Also write a static site to this folder: a page for each construction and treebank.",
        metavar="DIR",
    )


ATLAS = OutputDeclaration(
    name="atlas",
    output="learnability.atlas.publication:Publication",
    options=PublicationOptions,
    help="--atlas is for many treebanks: a site to browse and to cite.",
)
