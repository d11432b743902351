"""Case markers as heads: ``case`` (docs/rules.md, Function heads).

::

    UD        lives -> city -> {in, the, big}
    case      lives -> in -> city -> {the, big}
"""

from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import CASE


class Case(FunctionHeads):
    """Adpositions and case particles head their noun phrase."""

    name = "case"
    description = "adpositions and case markers head their noun phrase"
    site_labels = "case, case:*"
    labels = CASE
