"""Determiners as heads: ``det`` (rule 2.2).

::

    UD     lives -> city -> {in, the, big}
    det    lives -> the -> {in, city -> big}        (`in` lies beyond `the`)
"""

from __future__ import annotations

from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import DET, universal


class Det(FunctionHeads):
    """Determiners head their noun phrase."""

    name = "det"
    description = "determiners head their noun phrase"
    site_labels = "det, det:*"

    def is_site_label(self, deprel: str) -> bool:
        """``det`` and its subtypes."""
        return universal(deprel) in DET
