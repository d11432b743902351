"""Fixed expressions as chains: ``mwe`` (rule 2.4).

::

    UD           rain -> in -> {spite, of}
    chain        rain -> in -> spite -> of
    last-head    rain -> of -> {in, spite}
"""

from __future__ import annotations

from learnability.transforms.chains import FlatExpressions
from learnability.treebanks.labels import MWE, universal


class Mwe(FlatExpressions):
    """Each word of a fixed expression, or of a word split in the text, attaches to its neighbour."""

    name = "mwe"
    description = "words of fixed expressions and split words form a chain"
    site_labels = "mwe, fixed, goeswith (from the second on a side)"

    def is_site_label(self, deprel: str) -> bool:
        """``mwe`` (v1), ``fixed`` (v2), ``goeswith``."""
        return universal(deprel) in MWE
