"""Harmonise: which conventions differ between treebanks of one language, and what they cost a parser."""

from learnability.support.headings import ListedCommand
from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="harmonise",
    studies=("learnability.extensions.harmonise.declaration:DECLARATION",),
    commands={"harmonise": ListedCommand(command="learnability.extensions.harmonise.command:command")},
)
