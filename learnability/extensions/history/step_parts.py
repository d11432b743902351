"""Define the parts of a step from one version to the next, and say what their differences show."""

from __future__ import annotations

from enum import StrEnum

from learnability.extending import Side

UNCHANGED, TOO_FEW = "unchanged", "too few changes"
"""The answers for parts that are not tested."""

DECISIONS = {
    Side.FIRST: "easier",
    Side.SECOND: "harder",
    Side.EQUAL: "no difference that matters",
    Side.NONE: "open",
}
"""The answer about the later version; the side called UD is the one with the higher score."""


class PartKind(StrEnum):
    """Name what changed between two versions."""

    SENTENCES = "sentences"
    ANNOTATION = "annotation"
    TAGS = "tags"
