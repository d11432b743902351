"""Combinations: which constructions together are easiest to learn."""

from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="combinations",
    studies=(
        "learnability.extensions.combinations.declaration:DECLARATION",
        "learnability.extensions.combinations.declaration:EARLIER_SEARCH",
        "learnability.extensions.combinations.declaration:EARLIER_JOINT",
    ),
)
