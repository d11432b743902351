"""Measure trees and parses: attachment and phrase scores, predictability, derivations, tree shape."""

from learnability.metrics.attachment import AttachmentScores, attachment_scores
from learnability.metrics.derivation import derivation_perplexity
from learnability.metrics.flat import FlatTrees, projective_sentences
from learnability.metrics.phrases import Phrases, find_phrases, phrase_scores
from learnability.metrics.predictability import predictability
from learnability.metrics.shape import tree_shape

__all__ = [
    "AttachmentScores",
    "FlatTrees",
    "Phrases",
    "attachment_scores",
    "derivation_perplexity",
    "find_phrases",
    "phrase_scores",
    "predictability",
    "projective_sentences",
    "tree_shape",
]
