"""Clause markers as heads: ``mark`` (docs/rules.md, Function heads).

::

    UD      says -> like -> {that, you}
    mark    says -> that -> like -> you
"""

from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import MARK


class Mark(FunctionHeads):
    """Subordinating conjunctions and infinitive markers head their clause."""

    name = "mark"
    description = "subordinating conjunctions and infinitive markers head their clause"
    site_labels = "mark, mark:*"
    labels = MARK
