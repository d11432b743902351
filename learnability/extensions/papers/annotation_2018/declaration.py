"""Declare what the tables of the 2018 paper add to `compare`."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.reports.comparison_output import OutputDeclaration
from learnability.support.options import option


@dataclass(frozen=True)
class PaperOptions:
    """Choose whether the tables are made."""

    tables_2018: bool = option(False, "Also make the tables and figures of the 2018 paper.")


PAPER_TABLES = OutputDeclaration(
    name="annotation_2018",
    output="learnability.extensions.papers.annotation_2018.output:PaperTables",
    options=PaperOptions,
    help="--tables-2018 also shows how often UD wins, and how often each indirect indicator names the side "
    "ahead, beside what the paper reported.",
)
