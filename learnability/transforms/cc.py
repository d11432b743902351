"""Coordinations headed by their coordinator: ``cc`` (docs/rules.md, Coordination).

::

    UD v2     have -> apples -> {pears, bananas -> and}
    prague    have -> and -> {apples, pears, bananas}
    moscow    have -> apples -> pears -> and -> bananas
"""

from learnability.transforms.coordination import Coordinations
from learnability.treebanks.labels import is_coordinator


class Cc(Coordinations):
    """Coordinators head their coordination (Prague), or conjuncts form a chain (Moscow)."""

    name = "cc"
    description = "coordinators head their coordination (Prague style)"
    site_labels = "cc between conjuncts (not cc:preconj), one site per coordination"

    def is_site_label(self, deprel: str) -> bool:
        """``cc`` and its subtypes but ``cc:preconj``."""
        return is_coordinator(deprel)
