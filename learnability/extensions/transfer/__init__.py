"""Find out which annotation parsers transfer to languages that they have not seen."""

from learnability.extending import Extension

EXTENSION = Extension(
    name="transfer",
    studies=("learnability.extensions.transfer.declaration:DECLARATION",),
)
