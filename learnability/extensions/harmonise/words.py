"""The words of a treebank, one after the other, with what parsers say of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnability.extending import PUNCT, Tree, universal
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses, Parsed

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

FUNCTION_TAGS = frozenset({"ADP", "ADV", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
"""The tags of words whose lemmas matter for their place in a tree."""

ROOT_TAG = "ROOT"
"""Stands for the tag of the head of a root word."""


@dataclass(frozen=True)
class TreebankWords:
    """Hold the columns of all words of a treebank; entry i of each belongs to the same word.

    Attributes:
        treebank: the treebank.
    """

    treebank: ComparedTreebank

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.treebank.trees

    @cached_property
    def tags(self) -> Sequence[str]:
        return [tag for tree in self.trees for tag in tree.upos or ("",) * len(tree)]

    @cached_property
    def relations(self) -> Sequence[str]:
        return [deprel for tree in self.trees for deprel in tree.deprels]

    @cached_property
    def lemmas(self) -> Sequence[str]:
        """Return the lemmas."""
        return [lemma for tree in self.trees for lemma in tree.lemmas_or_forms()]

    @cached_property
    def function_lemmas(self) -> Sequence[str]:
        """Return the lemmas of function words, and nothing for others."""
        pairs = zip(self.tags, self.lemmas, strict=True)
        return [lemma if tag in FUNCTION_TAGS else "" for tag, lemma in pairs]

    @cached_property
    def heads(self) -> Codes:
        """Return int64[words], the heads as annotated; 0 for the root."""
        return heads_of(self.trees)

    @cached_property
    def starts(self) -> Codes:
        """Return int64[sentences], the index of the first word of each."""
        lengths = [len(tree) for tree in self.trees]
        return np.cumsum([0, *lengths], dtype=np.int64)[:-1]

    @cached_property
    def sentences(self) -> Codes:
        """Return int64[words], the sentence of each word."""
        return np.repeat(np.arange(len(self.trees)), [len(tree) for tree in self.trees])

    @cached_property
    def head_places(self) -> Codes:
        """Return int64[words], the index of the head of each word; -1 for the root."""
        return np.where(self.heads > 0, self.starts[self.sentences] + self.heads - 1, -1)

    @cached_property
    def are_punctuation(self) -> Flags:
        """Return bool[words], which words are labelled as punctuation."""
        return np.array([universal(deprel) in PUNCT for deprel in self.relations], bool)


def heads_of(trees: Parsed) -> Codes:
    """Return int64[words], the heads of all words, one after the other."""
    return np.array([head for tree in trees for head in tree.heads], np.int64)


def words_of(parses: CrossParses) -> tuple[TreebankWords, ...]:
    return tuple(map(TreebankWords, parses.treebanks))
