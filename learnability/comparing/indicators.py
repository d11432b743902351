"""List the measures of an annotation that need no parser, and the indicators among them.

A measure has a value for the trees of one annotation; `measure` prints all of them. An indicator is a measure
that picks a scheme without comparing two parsers: the side with the better value. `run` has columns for its
values and its picks. A new measure is a function of :class:`MeasuredTrees` and an entry in
:data:`TREE_MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from learnability.errors import InputError
from learnability.metrics import (
    derivation_complexity,
    derivation_perplexity,
    head_given_dependent,
    predictability,
    tree_shape,
)
from learnability.metrics.shape import TreeShape
from learnability.statistics.inference import winner
from learnability.treebanks.sentence import Tree

NO_DIFFERENCE = 1e-9
"""Values that differ by less are equal: sums in another order differ by rounding errors."""


@dataclass(frozen=True)
class MeasuredTrees:
    """Hold the train and dev trees of one annotation, not lifted.

    Attributes:
        train, dev: the trees.
        projective, projective_dev: whether each tree is projective in both annotations.
        held_out: where a single file is measured, the number of sentences at the end of `train` that are also
            `dev`.
    """

    train: Sequence[Tree]
    dev: Sequence[Tree]
    projective: Sequence[bool]
    projective_dev: Sequence[bool]
    held_out: int = field(default=0, kw_only=True)

    @cached_property
    def shape(self) -> TreeShape:
        return tree_shape(self.train)


Compute = Callable[..., float | int | None]
"""Computes a measure of :class:`MeasuredTrees`; the options of a variant are keyword arguments."""


@dataclass(frozen=True)
class MeasureVariant:
    """Another way to compute a measure: its suffix, what it does, and the options it sets."""

    suffix: str
    summary: str
    options: dict[str, Any]


@dataclass(frozen=True)
class TreeMeasure:
    """Hold one measure of the trees of an annotation.

    Attributes:
        summary: what it is, for `list metrics`.
        measure: computes the value of one annotation. It gives None where it is not defined (`undefined` says
            why), or raises an InputError that says so. Only the indicator that needs a training has no
            function.
        variants: every combination of them is measured, too.
    """

    key: str
    summary: str = ""
    measure: Compute | None = None
    undefined: str = field(default="", kw_only=True)
    variants: tuple[MeasureVariant, ...] = field(default=(), kw_only=True)

    def value(self, trees: MeasuredTrees, **variant: Any) -> tuple[float | int | None, str]:
        """Return the value of one annotation; None and the reason where it is not defined for these trees."""
        assert self.measure is not None
        try:
            value = self.measure(trees, **variant)
        except InputError as error:
            return None, str(error).partition("; ")[0]
        return value, self.undefined if value is None else ""

    def named_variants(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name of each variant, that without any suffix first, and its options."""
        for used in product((False, True), repeat=len(self.variants)):
            chosen = [variant for variant, on in zip(self.variants, used, strict=True) if on]
            options = {name: value for variant in chosen for name, value in variant.options.items()}
            yield ":".join((self.key, *(variant.suffix for variant in chosen))), options


@dataclass(frozen=True, kw_only=True)
class Indicator(TreeMeasure):
    """Represent a measure that picks a side.

    Attributes:
        title: its name in a sentence.
        heading, tile: its name over a column of a table, of a figure.
        meaning: what it is, in a report.
        lower_is_better: the side with the lower value is picked, not that with the higher.
    """

    title: str
    heading: str
    tile: str
    meaning: str
    lower_is_better: bool = True

    @property
    def picked(self) -> str:
        """Return a description of the side that it picks."""
        if self.measure is None:
            return "the side with the larger mean share over seeds and iterations; `none` if they are equal"
        side = "lower" if self.lower_is_better else "higher"
        return f"the side with the {side} value; `none` if they are equal"

    def favour(self, base: float, alternative: float) -> float:
        """Return how far the values favour the original; negative: the transformed annotation."""
        return alternative - base if self.lower_is_better else base - alternative


def pick(base_is_better_by: float) -> str:
    """Return the sign of a difference as a pick; `none` for 0 (up to rounding errors) or no difference."""
    return winner(base_is_better_by if abs(base_is_better_by) >= NO_DIFFERENCE else 0)


def _predictability(trees: MeasuredTrees, **variant: Any) -> float:
    return predictability(trees.train, **variant)


def _head_given_dependent(trees: MeasuredTrees, **variant: Any) -> float:
    return head_given_dependent(trees.train, **variant)


def _perplexity(trees: MeasuredTrees, **variant: Any) -> float | None:
    count = len(trees.train) - trees.held_out
    train, dev = trees.projective[:count], trees.projective_dev
    if not (any(train) and any(dev)):
        return None
    known = trees.train[:count]
    return derivation_perplexity(known, trees.dev, train_mask=train, dev_mask=dev, **variant).perplexity


def _complexity(trees: MeasuredTrees) -> float | None:
    from learnability.parsing.stepwise import static_sequences  # numba is slow to import

    heads = [tree.heads for tree, use in zip(trees.train, trees.projective, strict=True) if use]
    return derivation_complexity(static_sequences(heads)) if heads else None


ENTROPY_VARIANTS = (
    MeasureVariant("direction", "with the side on which the dependent stands", {"direction": True}),
    MeasureVariant("root=exclude", "without the arcs from the root", {"root": "exclude"}),
    MeasureVariant("macro", "unweighted mean over the head tags", {"macro": True}),
)

ORDER_VARIANTS = (
    MeasureVariant(
        "arc-standard",
        "attached in the order of arc-standard instead of arc-eager",
        {"order": "arc-standard"},
    ),
    MeasureVariant("tags", "UPOS instead of forms", {"symbols": "tags"}),
)

TREE_MEASURES = (
    Indicator(
        key="trained_on_both",
        title="training on both annotations", heading="trained on both", tile="on both",
        meaning="which annotation the parser prefers when trained on both",
        lower_is_better=False,
    ),
    Indicator(
        key="predictability",
        summary="H(dependent UPOS | head UPOS) in bits over all arcs (the paper's)",
        measure=_predictability, variants=ENTROPY_VARIANTS,
        title="predictability", heading="predictability", tile="predictab.",
        meaning="H(dependent's tag given head's tag), in bits, over the arcs of the training set. "
        "A low value means that the head predicts its dependents well",
    ),
    TreeMeasure(
        "head_given_dependent", "H(head UPOS | dependent UPOS) in bits; not in the paper",
        _head_given_dependent, variants=ENTROPY_VARIANTS,
    ),
    Indicator(
        key="perplexity",
        summary="trigram perplexity of dev's words in the order of attachment (the paper's)",
        measure=_perplexity, variants=ORDER_VARIANTS,
        undefined="no projective sentence to train on, or none to measure",
        title="derivation perplexity", heading="perplexity", tile="perplexity",
        meaning="*derivation perplexity* of a trigram model of the words in the order in which an arc-eager "
        "parser attaches them; estimated on the training set, measured on the development set",
    ),
    Indicator(
        key="complexity",
        summary="distinct substrings of the gold arc-eager transition sequences",
        measure=_complexity, undefined="no projective sentence to train on",
        title="derivation complexity", heading="complexity", tile="complexity",
        meaning="*derivation complexity*: the number of distinct substrings of the transition sequences that "
        "build the training trees",
    ),
    TreeMeasure(
        "projective_sentences", "sentences used for perplexity and complexity",
        lambda trees: int(sum(trees.projective)),
    ),
    TreeMeasure("sentences", "sentences that are measured", lambda trees: trees.shape.sentences),
    TreeMeasure("tokens", "their tokens", lambda trees: trees.shape.tokens),
    TreeMeasure(
        "mean_dependency_length", "mean distance of a token and its head, in tokens",
        lambda trees: trees.shape.mean_dependency_length,
    ),
    TreeMeasure(
        "nonprojective_sentences", "share of the sentences that are not projective",
        lambda trees: trees.shape.nonprojective_sentences,
    ),
    TreeMeasure(
        "nonprojective_arcs", "share of the arcs that are not projective",
        lambda trees: trees.shape.nonprojective_arcs,
    ),
    TreeMeasure(
        "mean_depth", "mean number of arcs from a token up to its root word",
        lambda trees: trees.shape.mean_depth,
    ),
    TreeMeasure(
        "mean_height", "mean over sentences of the depth of the deepest token",
        lambda trees: trees.shape.mean_height,
    ),
    TreeMeasure(
        "mean_arity", "mean number of dependents of the tokens that have any",
        lambda trees: trees.shape.mean_arity,
    ),
    TreeMeasure(
        "max_arity", "largest number of dependents of a token",
        lambda trees: trees.shape.max_arity,
    ),
    TreeMeasure(
        "direction_entropy", "H(side of the dependent | UPOS of dependent and head) in bits",
        lambda trees: trees.shape.direction_entropy, undefined="no token has a UPOS tag",
    ),
)  # fmt: skip
"""All measures, in the order in which they are printed."""

MEASURE_VARIANTS = [
    (measure, name, options)
    for measure in TREE_MEASURES
    if measure.measure
    for name, options in measure.named_variants()
]
"""Every variant of every measure: the measure, the variant's name and its options."""

INDICATORS = tuple(measure for measure in TREE_MEASURES if isinstance(measure, Indicator))
"""The measures that pick a side, in the order of their columns."""

MEASURES = tuple(indicator for indicator in INDICATORS if indicator.measure)
"""The indicators that need no parser."""


@dataclass(frozen=True)
class MeasuredValues:
    """Hold the values of the indicators that need no parser, by key, and why others are not defined."""

    values: dict[str, float] = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)


def measure_trees(trees: MeasuredTrees) -> MeasuredValues:
    """Return the values of all measures for these trees, and why some have none."""
    found = MeasuredValues()
    for indicator in MEASURES:
        value, reason = indicator.value(trees)
        if value is None:
            found.undefined[indicator.key] = reason
        else:
            found.values[indicator.key] = value
    return found
