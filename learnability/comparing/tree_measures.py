"""List the measures of an annotation that need no parser, which `measure` prints.

A measure has a value for the trees of one annotation. A new one is a function of :class:`MeasuredTrees` and
an entry in :data:`TREE_MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress

from learnability.errors import InputError
from learnability.metrics import derivation_perplexity, predictability, tree_shape
from learnability.metrics.shape import TreeShape
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class MeasuredTrees:
    """Hold the train and dev trees of one annotation, not lifted, and which are projective in both.

    `held_out` is the number of sentences at the end of `train` that are also `dev` (of a single file).
    """

    train: Sequence[Tree]
    dev: Sequence[Tree]
    projective: Sequence[bool]
    projective_dev: Sequence[bool]
    held_out: int = field(default=0, kw_only=True)

    @cached_property
    def shape(self) -> TreeShape:
        return tree_shape(self.train)


@dataclass(frozen=True)
class TreeMeasure:
    """Hold one measure of the trees of an annotation.

    `measure` gives None where it is not defined (`undefined` says why), or raises an InputError that says
    so.
    """

    key: str
    summary: str
    measure: Callable[[MeasuredTrees], float | int | None]
    undefined: str = field(default="", kw_only=True)

    def value(self, trees: MeasuredTrees) -> tuple[float | int | None, str]:
        """Return the value of one annotation; None and the reason where it is not defined for these trees."""
        try:
            value = self.measure(trees)
        except InputError as error:
            return None, str(error).partition("; ")[0]
        return value, self.undefined if value is None else ""


def _perplexity(trees: MeasuredTrees) -> float | None:
    known = len(trees.train) - trees.held_out
    train = list(compress(trees.train[:known], trees.projective))
    dev = list(compress(trees.dev, trees.projective_dev))
    return derivation_perplexity(train, dev) if train and dev else None


TREE_MEASURES = (
    TreeMeasure(
        "predictability", "H(dependent UPOS | head UPOS) in bits over all arcs (the paper's)",
        lambda trees: predictability(trees.train),
    ),
    TreeMeasure(
        "perplexity", "trigram perplexity of dev's words in the order of attachment (the paper's)",
        measure=_perplexity, undefined="no projective sentence to train on, or none to measure",
    ),
    TreeMeasure(
        "projective_sentences", "sentences used for perplexity",
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
