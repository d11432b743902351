"""Declare what the atlas adds to `compare`."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.reports.comparison_output import OutputDeclaration
from learnability.support.options import option


@dataclass(frozen=True)
class PublicationOptions:
    """Choose the folders of the atlas and of the dataset; None for one that is not asked for."""

    atlas: str | None = option(
        None,
        "Also write a static site to this folder: a page for each construction and treebank.",
        metavar="DIR",
    )
    cldf: str | None = option(None, "Also write the answers as a CLDF dataset to this folder.", metavar="DIR")


ATLAS = OutputDeclaration(
    name="atlas",
    output="learnability.atlas.publication:Publication",
    options=PublicationOptions,
    help="--atlas and --cldf are for many treebanks: a site to browse and to cite, and a dataset for "
    "archives.",
)
