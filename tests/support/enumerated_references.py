"""All references of a sentence, one by one: the slow twin of the factors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from kernels import costs
from numpy.typing import NDArray

from learnability.multiref.references import ReferenceSet, reference_set
from learnability.parsing import transitions
from learnability.parsing.encoding import UNLABELLED
from learnability.parsing.oracle import Gold, new_gold, set_gold
from learnability.parsing.transitions import TransitionSystem
from learnability.transforms.base import Transformation
from learnability.treebanks.sentence import Tree

Labels = Literal["keep", "external"] | None

ALL = "case+cop+cc+det+mark+mwe+name"


class Enumerated:
    """The references of one sentence, one by one, each with its own single-reference oracle."""

    def __init__(
        self, tree: Tree, rule: Transformation, system: TransitionSystem, labels: Labels = None
    ) -> None:
        self.labelled = [t for _, t in reference_set(tree, rule, labels=labels).enumerate()]
        self.trees = [t.heads for t in self.labelled]
        self.alive = list(range(len(self.trees)))
        self.system = system.kernels
        n = len(tree)
        self.golds: list[Gold] = []
        for heads in self.trees:
            gold = new_gold(n)
            padded = np.array([0, *heads, 0, 0], np.int32)
            set_gold(gold, n, transitions.root_position(self.system, n), padded, UNLABELLED, 0)
            self.golds.append(gold)

    def costs(self, c: object, mask: NDArray[np.uint8]) -> NDArray[np.int64]:
        """int64[alive, transitions]: each surviving reference's cost of each transition."""
        rows = []
        for i in self.alive:
            out = np.zeros(len(mask), np.int32)
            costs(self.system, c, self.golds[i], mask, out)
            rows.append(out)
        return np.array(rows, np.int64)


def survivors(alive: NDArray[np.uint8], references: ReferenceSet) -> set[tuple[int, ...]]:
    """The trees of the product of the surviving options, or of the selections alive in every part."""
    found = [list(references.tree.heads)]
    first = 0
    for factor in references.factors:
        starts = [first + sum(len(q.options) for q in factor.parts[:i]) for i in range(len(factor.parts))]
        kept = [
            factor.option(number).heads
            for number in range(len(factor))
            if all(
                alive[start + (number if factor.ends else part.number(number))]
                for start, part in zip(starts, factor.parts, strict=True)
            )
        ]
        first = starts[-1] + len(factor.parts[-1].options)
        found = [
            [
                dict(zip(factor.tokens, heads, strict=True)).get(token, head)
                for token, head in enumerate(base, 1)
            ]
            for base in found
            for heads in kept
        ]
    return {tuple(heads) for heads in found}


def has_parts(tree: Tree, rule: Transformation) -> bool:
    """Whether, with 8 options at most, a factor is in parts, and none cut; heads only and with labels."""
    factors = [
        factor
        for labels in (None, "keep", "external")
        for factor in reference_set(tree, rule, labels=labels, max_options=8).factors
    ]
    return any(len(factor.parts) > 1 for factor in factors) and not any(factor.cut for factor in factors)
