"""The parts of a step from one version to the next, and what their differences show, in words."""

from __future__ import annotations

from enum import StrEnum

from learnability.statistics.significance import Side

UNCHANGED, TOO_FEW = "unchanged", "too few changes"
"""What is said of parts that are not tested."""

DECISIONS = {
    Side.UD: "easier",
    Side.ALTERNATIVE: "harder",
    Side.EQUAL: "no meaningful difference",
    Side.NONE: "open",
}
"""What a difference shows of the later version; the side called UD is the one with the higher score."""

CLEAR = (Side.UD, Side.ALTERNATIVE)
"""What a clear difference shows."""


class PartKind(StrEnum):
    """Name what changed between two versions."""

    SENTENCES = "sentences"
    ANNOTATION = "annotation"
    TAGS = "tags"
