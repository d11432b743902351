"""Find and count what differs between two annotations of the same sentences, without training."""

from learnability.differences.comparison import AnnotationDiff, diff
from learnability.differences.rules import LearnedRule

__all__ = ["AnnotationDiff", "LearnedRule", "diff"]
