"""Measure trees and parses: attachment and nucleus scores, predictability, derivations, tree shape."""

from learnability.metrics.attachment import AttachmentScores, attachment_scores
from learnability.metrics.derivation import derivation_complexity, derivation_perplexity
from learnability.metrics.flat import FlatTrees, projective_sentences
from learnability.metrics.nucleus import Nuclei, find_nuclei, nucleus_scores
from learnability.metrics.predictability import head_given_dependent, predictability
from learnability.metrics.shape import tree_shape

__all__ = [
    "AttachmentScores",
    "FlatTrees",
    "Nuclei",
    "attachment_scores",
    "derivation_complexity",
    "derivation_perplexity",
    "find_nuclei",
    "head_given_dependent",
    "nucleus_scores",
    "predictability",
    "projective_sentences",
    "tree_shape",
]
