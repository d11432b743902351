"""Harmonise: which conventions differ between treebanks of one language, and what they cost a parser."""

from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="harmonise",
    commands={"harmonise": "learnability.extensions.harmonise.command:command"},
)
