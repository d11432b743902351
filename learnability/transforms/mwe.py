"""Fixed expressions as chains: ``mwe`` (docs/rules.md, Flat expressions).

::

    UD           rain -> in -> {spite, of}
    chain        rain -> in -> spite -> of
    last-head    rain -> of -> {in, spite}
"""

from learnability.transforms.flat_expressions import FlatExpressions
from learnability.treebanks.labels import MWE


class Mwe(FlatExpressions):
    """Each word of a fixed expression, or of a word split in the text, attaches to its neighbour."""

    name = "mwe"
    description = "words of fixed expressions and split words form a chain"
    site_labels = "mwe, fixed, goeswith (from the second on a side)"
    labels = MWE
