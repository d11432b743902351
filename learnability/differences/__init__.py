"""Find and count what differs between two annotations of the same sentences, without training."""

from learnability.differences.comparison import Differences, diff

__all__ = ["Differences", "diff"]
