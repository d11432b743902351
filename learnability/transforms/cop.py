"""Copulas and passive auxiliaries as heads: ``cop`` (docs/rules.md, Function heads).

::

    UD                     dancer -> {Ivan, is, the, best}
    cop                    is -> {Ivan, dancer -> {the, best}}

Options: ``reattach=clause`` moves the dependents of the clause to the copula even where they lie on the
predicate's side of it (*Is he nice?*: ``Is -> {he, nice, ?}``), as far as this keeps projectivity.
``passive=guess`` also takes a plain ``aux`` for a passive auxiliary where its head has Voice=Pass or a
passive subject; off by default, because it finds more false sites than true ones in some treebanks.
"""

from __future__ import annotations

from typing import ClassVar

from learnability.transforms.base import Promises
from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import COP, is_passive_auxiliary, labels, universal
from learnability.treebanks.sentence import ROOT, Tree

_PASSIVE_SUBJECTS = ("nsubjpass", "csubjpass", "nsubj:pass", "csubj:pass")


class Cop(FunctionHeads):
    """Copulas and passive auxiliaries head their predicate."""

    name = "cop"
    description = "copulas and passive auxiliaries head their predicate"
    site_labels = "cop, cop:*, auxpass, auxpass:*, aux:pass"
    promises = Promises(invertible=(0.94, 0.95))
    guessed = labels("aux")
    options: ClassVar = {"reattach": ("min", "clause"), "passive": ("label", "guess")}

    @property
    def clausal(self) -> bool:
        """With ``reattach=clause``."""
        return self.option["reattach"] == "clause"

    @property
    def promised(self) -> Promises:
        """``clause`` is not reliably invertible: what moved from the inside looks like the copula's own."""
        return Promises(invertible=(0.1, 0.1)) if self.clausal else self.promises

    def is_site_label(self, deprel: str) -> bool:
        """``cop`` and its subtypes, ``auxpass`` and its subtypes, ``aux:pass``."""
        return universal(deprel) in COP or is_passive_auxiliary(deprel)

    def candidates(self, tree: Tree) -> list[int]:
        """With ``passive=guess`` also auxiliaries whose head has a passive subject or Voice=Pass."""
        sites = super().candidates(tree)
        auxiliaries = [t for t, name in enumerate(tree.deprels, start=1) if universal(name) in self.guessed]
        if self.option["passive"] == "label" or not auxiliaries:
            return sites
        passive = {
            tree.heads[token - 1]
            for token, name in enumerate(tree.deprels, start=1)
            if name.startswith(_PASSIVE_SUBJECTS)
        }
        passive |= {t for t, feats in enumerate(tree.feats, start=1) if "Voice=Pass" in feats.split("|")}
        passive.discard(ROOT)
        return sorted({*sites, *(token for token in auxiliaries if tree.heads[token - 1] in passive)})
