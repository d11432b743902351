"""Expectations: which annotation should be easier to learn, judged from properties of the trees alone."""

from learnability.support.headings import ListedCommand
from learnability.support.plugins import Extension

EXTENSION = Extension(
    name="expectations",
    studies=("learnability.extensions.expectations.declaration:DECLARATION",),
    commands={
        "expect": ListedCommand(
            summary="Expect, from trees alone, which annotation is easier.",
            command="learnability.extensions.expectations.command:command",
        )
    },
)
