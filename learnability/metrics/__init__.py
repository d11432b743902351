"""Measures: attachment and nucleus scores, predictability, derivations, significance, tree shape."""

from learnability.metrics.attachment import AttachmentScores, attachment_scores
from learnability.metrics.derivation import (
    DerivationPerplexity,
    attachment_order,
    derivation_complexity,
    derivation_perplexity,
)
from learnability.metrics.flat import FlatTrees, flatten, flatten_trees, projective_sentences
from learnability.metrics.nucleus import Nuclei, NucleusScores, find_nuclei, nucleus_heads, nucleus_scores
from learnability.metrics.predictability import head_given_dependent, predictability
from learnability.metrics.shape import TreeShape, tree_shape
from learnability.metrics.significance import (
    Comparison,
    better,
    bootstrap_interval,
    compare,
    holm,
    permutation_p,
    sentences_needed,
    winner,
)

__all__ = [
    "AttachmentScores",
    "Comparison",
    "DerivationPerplexity",
    "FlatTrees",
    "Nuclei",
    "NucleusScores",
    "TreeShape",
    "attachment_order",
    "attachment_scores",
    "better",
    "bootstrap_interval",
    "compare",
    "derivation_complexity",
    "derivation_perplexity",
    "find_nuclei",
    "flatten",
    "flatten_trees",
    "head_given_dependent",
    "holm",
    "nucleus_heads",
    "nucleus_scores",
    "permutation_p",
    "predictability",
    "projective_sentences",
    "sentences_needed",
    "tree_shape",
    "winner",
]
