"""Make features of the words of trees from templates, and learn from them to tell classes apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus, encode_heads, encode_tokens, string_number
from learnability.parsing.features import scatter
from learnability.parsing.jit import Ints, Keys
from learnability.parsing.tagger import ATTRIBUTES, attributes_of
from learnability.parsing.token_classifier import combine_atoms, neighbours_of, score_classes, train_on_keys
from learnability.treebanks.sentence import Tree


class WordReader:
    """Make features of the words of trees: attributes of the word, and of words near it."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = trees

    @cached_property
    def _corpus(self) -> Corpus:
        return encode_tokens(self.trees, tags="none", columns=())

    @cached_property
    def _heads(self) -> Ints:
        return encode_heads(self._corpus, [tree.heads for tree in self.trees])

    @cached_property
    def _neighbours(self) -> dict[str, NDArray[np.int64]]:
        """Return the rows of the words near each word; y and z are the second before and after it."""
        found = neighbours_of(self._corpus, self._heads)
        length = np.repeat(self._corpus.length, self._corpus.length)
        base = np.repeat(self._corpus.start, self._corpus.length)
        absent, row = base + length + 2, found["i"]
        found["y"] = np.where(row - 2 > base, row - 2, absent)
        found["z"] = np.where(row + 2 <= base + length, row + 2, absent)
        return found

    def atoms(self, letter: str, values: Sequence[object]) -> Keys:
        """Return uint64[rows], the number of each word's value, which differs between letters."""
        number: dict[object, int] = {}
        codes = np.array([number.setdefault(value, len(number) + 1) for value in values], np.uint64)
        rows = np.zeros(len(self._heads), np.uint64)
        rows[self._corpus.rows_of_tokens()] = codes
        atoms: Keys = scatter(rows + np.uint64(string_number(letter)))
        return atoms

    def form_attributes(self) -> dict[str, Keys]:
        """Return the attributes of the forms of the words, by the letters in `tagger.ATTRIBUTES`."""
        forms = [form for tree in self.trees for form in tree.forms]
        known = {form: attributes_of(form) for form in set(forms)}
        columns = zip(*(known[form] for form in forms), strict=True)
        return {
            letter: self.atoms(letter, column) for letter, column in zip(ATTRIBUTES, columns, strict=True)
        }

    def combine(
        self,
        attributes: Mapping[str, Keys],
        templates: Sequence[str],
        words: NDArray[np.int64] | None = None,
    ) -> Keys:
        """Return uint64[words, features], those of templates (`token_classifier.TEMPLATES`).

        Args:
            attributes: uint64[rows], the attributes of the words by their letters.
            templates: the features; they can also name y and z, the second word before and after.
            words: the numbers of the words; None: all.
        """
        near = self._neighbours
        if words is not None:
            near = {name: rows[words] for name, rows in near.items()}
        return combine_atoms(near, attributes, templates)

    @staticmethod
    def learn_and_score(
        train: Keys, gold: Ints, test: Keys, *, classes: int, seed: int, iterations: int
    ) -> NDArray[np.float32]:
        """Learn classes of words, and return float32[words, classes], the scores of other words.

        Args:
            train: uint64[words, features], those to learn from.
            gold: int32[words], their classes.
            test: uint64[words, features], the others.
            classes: how many there are.
            seed: the seed of the order of the words.
            iterations: passes over the words.
        """
        return score_classes(train_on_keys(train, gold, classes, seed, iterations=iterations), test)
