"""Curve: how the comparison depends on the amount of training data."""

from learnability.support.plugins import Extension

EXTENSION = Extension(name="curve", studies=("learnability.studies.curve.declaration:DECLARATION",))
