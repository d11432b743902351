"""Define the parts of a step from one version to the next, and say what their differences show."""

from __future__ import annotations

from enum import StrEnum

from learnability.extending import Difference, Score, Side, describe_size, format_signed

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


PARTS = {
    PartKind.SENTENCES: "sentences added or deleted",
    PartKind.ANNOTATION: "changed trees",
    PartKind.TAGS: "changed tags",
}
"""What a part of a step is called in sentences."""


def describe_finding(difference: Difference, score: Score) -> str:
    """Return what a difference shows, as the rest of a sentence."""
    unit = f"points {score.upper()}" if score.needs_labels else "points"
    if difference.is_clear:
        word = "easier" if difference.delta > 0 else "harder"
        size = describe_size(difference, f"{unit} {word} to learn")
        share = f"1 word in {round(100 / abs(difference.delta)):,}" if difference.delta else ""
        return f"the treebank became {size}, {share}"
    if difference.better is Side.EQUAL:
        return f"the difference, if any, is under half a point ({signed_interval(difference)})"
    return f"no clear effect ({signed_interval(difference)} {unit})"


def signed_interval(difference: Difference, decimals: int = 1) -> str:
    """Return the interval of a difference with signs: ``−0.1 to +0.3``; empty where it is not known."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return ""
    return f"{format_signed(low, decimals)} to {format_signed(high, decimals)}"
