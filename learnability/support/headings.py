"""Name the headings under which help lists the commands."""

from __future__ import annotations

from enum import StrEnum


class Heading(StrEnum):
    """Represent a heading of the list of commands; help shows them in this order."""

    GET = "Get"
    LOOK = "Look"
    COMPARE = "Compare"
    REWRITE = "Rewrite"
    PARSER = "A parser"
    MORE = "More"
