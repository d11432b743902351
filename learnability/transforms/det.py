"""Determiners as heads: ``det`` (docs/rules.md, Function heads).

::

    UD     lives -> city -> {in, the, big}
    det    lives -> the -> {in, city -> big}        (`in` lies beyond `the`)
"""

from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import DET


class Det(FunctionHeads):
    """Determiners head their noun phrase."""

    name = "det"
    description = "determiners head their noun phrase"
    site_labels = "det, det:*"
    labels = DET
