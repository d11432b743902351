"""History: which releases or commits made a treebank easier to learn, and which of their changes did it."""

from learnability.extending import Extension

EXTENSION = Extension(name="history", studies=("learnability.extensions.history.declaration:DECLARATION",))
