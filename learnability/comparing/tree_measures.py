"""List the measures of an annotation that need no parser, which `measure` prints.

A measure has a value for the trees of one annotation. A new one is a function of :class:`MeasuredTrees` and
an entry in :data:`TREE_MEASURES`.
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
from learnability.treebanks.sentence import Tree


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
            why), or raises an InputError that says so.
        variants: every combination of them is measured, too.
    """

    key: str
    summary: str
    measure: Compute
    undefined: str = field(default="", kw_only=True)
    variants: tuple[MeasureVariant, ...] = field(default=(), kw_only=True)

    def value(self, trees: MeasuredTrees, **variant: Any) -> tuple[float | int | None, str]:
        """Return the value of one annotation; None and the reason where it is not defined for these trees."""
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
    TreeMeasure(
        "predictability", "H(dependent UPOS | head UPOS) in bits over all arcs (the paper's)",
        measure=_predictability, variants=ENTROPY_VARIANTS,
    ),
    TreeMeasure(
        "head_given_dependent", "H(head UPOS | dependent UPOS) in bits; not in the paper",
        _head_given_dependent, variants=ENTROPY_VARIANTS,
    ),
    TreeMeasure(
        "perplexity", "trigram perplexity of dev's words in the order of attachment (the paper's)",
        measure=_perplexity, variants=ORDER_VARIANTS,
        undefined="no projective sentence to train on, or none to measure",
    ),
    TreeMeasure(
        "complexity", "distinct substrings of the gold arc-eager transition sequences",
        measure=_complexity, undefined="no projective sentence to train on",
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
    (measure, name, options) for measure in TREE_MEASURES for name, options in measure.named_variants()
]
"""Every variant of every measure: the measure, the variant's name and its options."""
