"""Case markers as heads: ``case`` (rule 2.2).

::

    UD        lives -> city -> {in, the, big}
    case      lives -> in -> city -> {the, big}
"""

from __future__ import annotations

from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import CASE, universal


class Case(FunctionHeads):
    """Adpositions and case particles head their noun phrase."""

    name = "case"
    description = "adpositions and case markers head their noun phrase"
    site_labels = "case, case:*"

    def is_site_label(self, deprel: str) -> bool:
        """``case`` and its subtypes."""
        return universal(deprel) in CASE
