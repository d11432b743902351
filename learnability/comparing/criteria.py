"""The criteria that pick a scheme without comparing two parsers: one registry, which everything else follows.

A criterion has a value for the original annotation and one for the transformed, and picks the better side. A
new one is a function of :class:`MeasuredTrees` and an entry in :data:`CRITERIA`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from learnability.metrics import derivation_complexity, derivation_perplexity, predictability
from learnability.statistics.significance import winner
from learnability.treebanks.sentence import Tree

NO_DIFFERENCE = 1e-9
"""Values that differ by less are equal: sums in another order differ by rounding errors."""


@dataclass(frozen=True)
class MeasuredTrees:
    """The train and dev trees of one annotation, not lifted, and which are projective in both annotations."""

    train: Sequence[Tree]
    dev: Sequence[Tree]
    projective: Sequence[bool]
    projective_dev: Sequence[bool]


@dataclass(frozen=True)
class Criterion:
    """One criterion.

    Attributes:
        key, title: its name in columns and records, and in a sentence.
        heading, tile: its name over a column of a table, of a figure.
        measure: computes the value of one annotation, None where it is not defined; no function for the
            criterion that needs a training.
        lower_is_better: the side with the lower value is picked, not that with the higher.
        compared: its name in the tables of `compare`.
    """

    key: str
    title: str
    heading: str
    tile: str
    meaning: str
    measure: Callable[[MeasuredTrees], float | None] | None = None
    lower_is_better: bool = True
    compared: str = ""

    @property
    def picked(self) -> str:
        """Which side it picks, in words."""
        if self.measure is None:
            return "the side with the larger mean share over seeds and iterations; `none` if they are equal"
        side = "lower" if self.lower_is_better else "higher"
        return f"the side with the {side} value; `none` if they are equal"

    def favour(self, original: float, transformed: float) -> float:
        """By how much the values speak for the original; negative: for the transformed."""
        return transformed - original if self.lower_is_better else original - transformed


def pick(original_is_better_by: float) -> str:
    """The sign of a difference as a pick; `none` for 0 (up to rounding errors) or an undefined difference."""
    return winner(original_is_better_by if abs(original_is_better_by) >= NO_DIFFERENCE else 0)


def _perplexity(trees: MeasuredTrees) -> float | None:
    train, dev = trees.projective, trees.projective_dev
    if not (any(train) and any(dev)):
        return None
    return derivation_perplexity(trees.train, trees.dev, train_mask=train, dev_mask=dev).perplexity


def _complexity(trees: MeasuredTrees) -> float | None:
    from learnability.parsing.stepwise import static_sequences  # numba is slow to import

    heads = [tree.heads for tree, use in zip(trees.train, trees.projective, strict=True) if use]
    return derivation_complexity(static_sequences(heads)) if heads else None


CRITERIA = (
    Criterion(
        "multiref", "multi-reference training", "multi-reference", "multi-ref.",
        "which annotation survives training against all references",
        lower_is_better=False, compared="multiple references",
    ),
    Criterion(
        "predictability", "predictability", "predictability", "predictab.",
        "H(dependent's tag given head's tag), in bits, over the arcs of the training part. Low: knowing the "
        "head tells much of its dependents",
        lambda trees: predictability(trees.train),
    ),
    Criterion(
        "perplexity", "derivation perplexity", "perplexity", "perplexity",
        "*derivation perplexity*: of a trigram model of the words in the order in which an arc-eager parser "
        "attaches them. Estimated on the training part (interpolated Witten-Bell), measured on the dev part",
        _perplexity,
    ),
    Criterion(
        "complexity", "derivation complexity", "complexity", "complexity",
        "*derivation complexity*: number of distinct substrings of the transition sequences that build the "
        "training trees",
        _complexity,
    ),
)  # fmt: skip
"""All criteria, in the order of their columns."""

MEASURES = tuple(criterion for criterion in CRITERIA if criterion.measure)
"""Those that need no parser."""

COMPARED_NAMES = {c.key: c.compared or c.title for c in CRITERIA} | {
    "always_ud": "always UD",
    "majority": "majority of the other languages, per transformation",
    "noise_ceiling": "noise ceiling: two halves of the seeds name the same winner",
}
"""What the criteria are called in the tables of `compare`, and what is set beside them."""


def measured(trees: MeasuredTrees) -> dict[str, float]:
    """The values of all measures that are defined for these trees, by key."""
    values = {c.key: c.measure(trees) for c in MEASURES if c.measure}
    return {key: value for key, value in values.items() if value is not None}
