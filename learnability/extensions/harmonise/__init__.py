"""Harmonise: which conventions differ between treebanks of one language, and what they cost a parser."""

from learnability.extending import Extension

EXTENSION = Extension(
    name="harmonise",
    studies=("learnability.extensions.harmonise.declaration:DECLARATION",),
)
