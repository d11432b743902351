"""Harmonise: which conventions differ between treebanks of one language, and what they cost a parser."""

from learnability.support.headings import ListedCommand
from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="harmonise",
    commands={
        "harmonise": ListedCommand(
            summary="Find conventions that differ between treebanks.",
            command="learnability.extensions.harmonise.command:command",
        )
    },
)
