"""Expectations: which annotation should be easier to learn, judged from properties of the trees alone."""

from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="expectations",
    commands={"expect": "learnability.extensions.expectations.command:command"},
)
