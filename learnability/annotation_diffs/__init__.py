"""Find and count what differs between two annotations of the same sentences, without training."""

from learnability.annotation_diffs.annotation_diff import AnnotationDiff, diff
from learnability.annotation_diffs.rules import LearnedRule

__all__ = ["AnnotationDiff", "LearnedRule", "diff"]
