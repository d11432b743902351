"""Auxiliaries as heads: ``aux``, the verb groups of de Lhoneux & Nivre 2016; not part of the 2018 paper.

::

    UD     injured -> {She, could, have, been}
    aux    could -> {She, have -> been -> injured}

Together with ``cop``, the passive auxiliaries are sites of ``cop``.
"""

from learnability.transforms.base import Promises
from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import AUX


class Auxiliary(FunctionHeads):
    """Auxiliaries, the passive ones included, head their verb."""

    name = "aux"
    description = "auxiliaries head their verb (verb groups)"
    site_labels = "aux, aux:*, auxpass, auxpass:*"
    labels = AUX
    promises = Promises(invertible=(0.95, 0.98))
