"""Define transformations by their labels alone (docs/rules.md, Function heads; Flat expressions)."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from learnability.errors import InputError
from learnability.transforms.base import Promises, Rule
from learnability.transforms.flat_expressions import FlatExpressions
from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.sentence import Conventions


class _Defined(Rule):
    """A rule that gets its name, labels and description as arguments."""

    described = "{}"
    # how well the inverse works depends on the labels
    promises = Promises(invertible=(0.0, 0.0))
    weaker: ClassVar = {}

    def __init__(
        self,
        name: str,
        labels: Collection[str],
        conventions: Conventions,
        description: str = "",
        **options: str,
    ) -> None:
        if not labels:
            raise InputError(f"{name} has no labels; pass at least one relation")
        self.name, self.labels = name, tuple(labels)
        self.place_labels = ", ".join(self.labels)
        self.description = description or self.described.format(self.place_labels)
        super().__init__(conventions, **options)


class HeadInversion(_Defined, FunctionHeads):
    """Make the words with a label in `labels` heads of their heads, as ``case`` for ``("case",)``."""

    described = "{} as heads"


class Chain(_Defined, FlatExpressions):
    """Chain the words with a label in `labels` that depend on the same word, as ``mwe`` does."""

    described = "{} in chains"


KINDS: dict[str, type[HeadInversion] | type[Chain]] = {"head-inversion": HeadInversion, "chain": Chain}
"""The kinds of transformation that their labels define, by their names in a scheme file."""


def kind_of(rule: Rule) -> str:
    """Return the kind of a rule that its labels define; empty for a construction with a name of its own."""
    return next((name for name, kind in KINDS.items() if type(rule) is kind), "")
