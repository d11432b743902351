"""Coordinations headed by their coordinator: ``cc`` (rule 2.5).

::

    UD v2     have -> apples -> {pears, bananas -> and}
    prague    have -> and -> {apples, pears, bananas}
    moscow    have -> apples -> pears -> and -> bananas
"""

from __future__ import annotations

from typing import ClassVar

from learnability.transforms.base import Family, Promises, Transformation
from learnability.transforms.coordination import COORDINATION_FAMILY
from learnability.treebanks.labels import is_coordinator


class Cc(Transformation):
    """Coordinators head their coordination (Prague), or conjuncts form a chain (Moscow)."""

    name = "cc"
    description = "coordinators head their coordination (Prague style)"
    site_labels = "cc between conjuncts (not cc:preconj), one site per coordination"
    options: ClassVar = {"style": ("prague", "moscow"), "head": ("last", "first")}

    @property
    def promised(self) -> Promises:
        """A chain of conjuncts does not tell which dependents are their own."""
        return Promises(invertible=(0.85, 0.85)) if self.chosen["style"] == "moscow" else self.promises

    @property
    def family(self) -> Family:
        """Coordination has a family of its own."""
        return COORDINATION_FAMILY

    def is_site_label(self, deprel: str) -> bool:
        """``cc`` and its subtypes but ``cc:preconj``."""
        return is_coordinator(deprel)
