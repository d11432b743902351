"""Clause markers as heads: ``mark`` (rule 2.2).

::

    UD      says -> like -> {that, you}
    mark    says -> that -> like -> you
"""

from __future__ import annotations

from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import MARK, universal


class Mark(FunctionHeads):
    """Subordinating conjunctions and infinitive markers head their clause."""

    name = "mark"
    description = "subordinating conjunctions and infinitive markers head their clause"
    site_labels = "mark, mark:*"

    def is_site_label(self, deprel: str) -> bool:
        """``mark`` and its subtypes."""
        return universal(deprel) in MARK
