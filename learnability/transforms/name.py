"""Names as chains: ``name`` (docs/rules.md, Flat expressions).

::

    UD           won -> Hillary -> {Rodham, Clinton}
    chain        won -> Hillary -> Rodham -> Clinton
    last-head    won -> Clinton -> {Hillary, Rodham}
"""

from learnability.transforms.flat_expressions import FlatExpressions
from learnability.treebanks.labels import is_name


class Name(FlatExpressions):
    """Each word of a name attaches to its neighbour."""

    name = "name"
    description = "words of names form a chain"
    site_labels = "v1 name; v2 flat:name, else flat but not flat:foreign (from the second on a side)"

    def is_site_label(self, deprel: str) -> bool:
        """``name`` (v1), ``flat:name`` or, where the treebank does not use it, ``flat`` (v2)."""
        return is_name(deprel, self.conventions)
