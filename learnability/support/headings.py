"""Name the headings under which help lists the commands, and what it says of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Heading(StrEnum):
    """Represent a heading of the list of commands; help shows them in this order."""

    GET = "Get"
    LOOK = "Look"
    COMPARE = "Compare"
    REWRITE = "Rewrite"
    PARSER = "A parser"
    MORE = "More"

    @property
    def is_in_front(self) -> bool:
        return self not in (Heading.PARSER, Heading.MORE)


@dataclass(frozen=True, kw_only=True)
class ListedCommand:
    """Represent a command in the list of all, which imports none of them.

    Attributes:
        summary: one line of at most 66 characters; empty for a study, whose declaration has it.
        heading: where it stands.
        command: where the click command is, as ``module:object``; empty in the core, which has it in
            ``learnability/commands/NAME.py``.
    """

    summary: str = ""
    heading: Heading = Heading.MORE
    command: str = ""
