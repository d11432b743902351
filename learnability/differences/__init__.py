"""Find and count what differs between two annotations of the same sentences, without training."""

from learnability.differences.comparison import AnnotationDiff, diff

__all__ = ["AnnotationDiff", "diff"]
