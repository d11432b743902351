"""Coordinations headed by their coordinator: ``cc`` (rule 2.5).

::

    UD v2     have -> apples -> {pears, bananas -> and}
    prague    have -> and -> {apples, pears, bananas}
    moscow    have -> apples -> pears -> and -> bananas
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from learnability.transforms.base import Family, SidePreferences, Transformation
from learnability.transforms.coordination import COORDINATION_FAMILY
from learnability.treebanks.labels import is_coordinator
from learnability.treebanks.sentence import Tree


class Cc(Transformation):
    """Coordinators head their coordination (Prague), or conjuncts form a chain (Moscow)."""

    name = "cc"
    description = "coordinators head their coordination (Prague style)"
    site_labels = "cc between conjuncts (not cc:preconj), one site per coordination"
    options: ClassVar = {"style": ("prague", "moscow"), "head": ("last", "first")}

    @property
    def family(self) -> Family:
        """Coordination has a family of its own."""
        return COORDINATION_FAMILY

    def is_site_label(self, deprel: str) -> bool:
        """``cc`` and its subtypes but ``cc:preconj``."""
        return is_coordinator(deprel)

    def invert(
        self,
        tree: Tree,
        sites: Collection[int] | None = None,
        side_preferences: SidePreferences | None = None,
    ) -> Tree:
        """See :meth:`Transformation.invert`."""
        raise NotImplementedError
