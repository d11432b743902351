"""Combinations: which constructions together are easiest to learn, by one joint training or by a search."""

from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="combinations",
    studies=(
        "learnability.extensions.combinations.joint.declaration:DECLARATION",
        "learnability.extensions.combinations.search.declaration:DECLARATION",
    ),
)
