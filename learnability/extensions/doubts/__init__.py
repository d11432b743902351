"""Doubts: the words whose annotation contradicts that of the rest of the treebank."""

from learnability.extending import Extension

EXTENSION = Extension(
    name="doubts",
    studies=("learnability.extensions.doubts.declaration:DECLARATION",),
)
