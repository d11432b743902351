"""Combinations: which constructions together are easiest to learn."""

from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="combinations",
    studies=("learnability.studies.combinations.declaration:DECLARATION",),
)
