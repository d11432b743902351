"""Transformations defined by their labels alone: a head inversion or a chain (rules 2.2 and 2.4)."""

from __future__ import annotations

from collections.abc import Collection

from learnability.errors import InputError
from learnability.transforms.base import Promises
from learnability.transforms.chains import FlatExpressions
from learnability.transforms.function_heads import FunctionHeads
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Conventions


def _check(name: str, labels: Collection[str]) -> tuple[str, ...]:
    if not labels:
        raise InputError(f"{name}: no labels; give at least one relation")
    return tuple(labels)


class HeadInversion(FunctionHeads):
    """The words with one of `labels` head the word they depend on; ``case`` is one with ``("case",)``.

    A label without subtype stands for all its subtypes too.
    """

    name = ""  # each instance has its own
    site_labels = ""
    description = ""
    promises = Promises(invertible=(0.0, 0.0))  # how well it inverts depends on the labels

    def __init__(
        self, name: str, labels: Collection[str], conventions: Conventions, description: str = ""
    ) -> None:
        super().__init__(conventions)
        self.name, self.labels = name, _check(name, labels)  # type: ignore[misc]
        self.site_labels = ", ".join(self.labels)  # type: ignore[misc]
        self.description = description or f"{self.site_labels} as heads"  # type: ignore[misc]

    def is_site_label(self, deprel: str) -> bool:
        """Whether `deprel` or its universal part is one of the labels."""
        return deprel in self.labels or universal(deprel) in self.labels


class Chain(FlatExpressions):
    """The words with one of `labels` that depend on one word form a chain; ``mwe`` is one."""

    name = ""
    site_labels = ""
    description = ""
    promises = Promises(invertible=(0.0, 0.0))

    def __init__(
        self,
        name: str,
        labels: Collection[str],
        conventions: Conventions,
        description: str = "",
        **chosen: str,
    ) -> None:
        super().__init__(conventions, **chosen)
        self.name, self.labels = name, _check(name, labels)  # type: ignore[misc]
        self.site_labels = ", ".join(self.labels)  # type: ignore[misc]
        self.description = description or f"{self.site_labels} in chains"  # type: ignore[misc]

    def is_site_label(self, deprel: str) -> bool:
        """Whether `deprel` or its universal part is one of the labels."""
        return deprel in self.labels or universal(deprel) in self.labels

    @property
    def promised(self) -> Promises:
        """Nothing about the inverse: it depends on the labels."""
        return self.promises


KINDS: dict[str, type[HeadInversion] | type[Chain]] = {"head-inversion": HeadInversion, "chain": Chain}
"""The kinds of transformation that labels alone define, by their names in a scheme file."""
