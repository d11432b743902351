"""Read words for classifiers of their tags, features, lemmas, XPOS and subtypes, and train these.

They read the annotated sentence but for the value in question: the form and its affixes, the words around it
with their tags, its head and its dependents, and the values of these in the same column, which show
agreement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus, encode_heads, encode_tokens, string_number
from learnability.parsing.features import scatter
from learnability.parsing.jit import Keys
from learnability.parsing.tagger import ATTRIBUTES, attributes_of
from learnability.parsing.token_classifier import combine_atoms, neighbours_of, score_classes, train_on_keys
from learnability.regularities.lemma_edits import LemmaEdit, edit_of
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

ITERATIONS = 5
"""Passes over the training tokens."""

MOST_EDITS, FEWEST = 200, 2
"""The ways to make a lemma that are learned, at most, and how often each has to occur."""

UPOS, XPOS, FEATS, LEMMA, SUBTYPE = "upos", "xpos", "feats", "lemma", "subtype"

FORM = "wi|li|1i|2i|3i|4i|5i|6i|7i|xi"
"""Templates of the word itself (`tagger.ATTRIBUTES`), for all columns. Those below also read: t the tag, m
the lemma, r the universal relation, n all features, c the relations of the dependents, s those of the other
dependents of the head, v the value in the column in doubt; of the words of `token_classifier.TEMPLATES`, and
of y, z, the second word before and after."""

AROUND = "lb|la|ly|lz|3b|3a|lb li|li la|xb xi|2i 2a"

TEMPLATES: Mapping[str, str] = {
    UPOS: f"""
{FORM}
{AROUND}
vb|va|vb vy|va vz|vb va|li vb|li va|3i vb|3i va|vb va 3i|vb va li|ri|ri vh|vh #side|li ri|li vh
vl vr|vf ve|ri vl vr|3i ri|lh ri|#left #right|vh vg ri|ci|li ci|ni|li ni|3i ni|mi|mi ri
""",
    FEATS: f"""
{FORM}
ti|ti li|ti wi|ti 1i|ti 2i|ti 3i|ti 4i|mi|mi ti|mi 2i|mi 3i|mi 4i|ti tb|ti ta|ti lb|ti la|ti li lb
ti li la|vb ti|va ti|vb va ti|vy ti|vz ti|ti ri|ti ri th|ti vh ri|ti vh ri li|vl tl ti|vr tr ti
vf tf ti|ve te ti|lh ri ti|li ri ti|3i ri ti|2i vh ri|ci ti|li ci|3i ci|ti #left|ti #right|ti le
ti lf|ti ll|ti lr|ti th #side
""",
    LEMMA: f"""
{FORM}
ti|ti li|ti wi|ti 1i|ti 2i|ti 3i|ti 4i|ti 5i|ti 6i|ti 7i|ti xi|ni ti|1i ni|2i ni|3i ni|4i ni|li ni
xi xb|ti xi xb|1i 5i ti|ti 3i xi
""",
    SUBTYPE: """
ri|ri li|ri ti|ri 2i|ri 3i|ri mi|ri ni|ri th|ri lh|ri mh|ri nh|ri th ti #side|ri #side|ri tl tr
ri rl|ri rr|ri rf|ri re|ri ll|ri lr|ri lf|ri le|ri mi mh|ri rh|ri rh th|ri ci|ri si|ri ch|ri ci si
ri si nh|ri lb|ri la|ri tb ta|ri 3i th|ri ni th|ri lg|ri tg rh|ri #left #right|ri ti li|ri #distance
""",
}


_SAME_TEMPLATES = {XPOS: FEATS}
"""The columns that read what another one reads."""


def templates_of(column: str) -> tuple[list[str], list[str]]:
    """Return the templates of a column: those without the value in doubt, and those with it."""
    group = column.partition(":")[0]
    texts = TEMPLATES[_SAME_TEMPLATES.get(group, group)].replace("\n", "|").split("|")
    texts = [text for text in texts if text]
    varying = [text for text in texts if any(atom.startswith("v") for atom in text.split())]
    return [text for text in texts if text not in varying], varying


@dataclass(frozen=True, eq=False)
class ScoredValues:
    """Hold how a classifier sees the values that words could have.

    Attributes:
        names: the values by their numbers; of lemmas how they are made from forms.
        scores: float32[words, values].
        annotated: int32[words], the number of the annotated value; -1: it was not learned.
    """

    forms: Sequence[str]
    names: Sequence[object]
    scores: NDArray[np.float32]
    annotated: NDArray[np.int32]

    def value(self, word: int, number: int) -> str:
        """Return a value by its number; a lemma is made from the form of the word."""
        name = self.names[number]
        return name.apply(self.forms[word]) if isinstance(name, LemmaEdit) else str(name)

    def best_values(self) -> list[str]:
        """Return the value of each word with the best score; empty if nothing was learned."""
        if not self.names:
            return [""] * len(self.forms)
        order = np.argsort(-self.scores, axis=1, kind="stable")
        found = []
        for word, numbers in enumerate(order.tolist()):
            values = (self.value(word, number) for number in numbers)
            found.append(next(filter(None, values), ""))
        return found


@dataclass(frozen=True, eq=False)
class ClassifiedWords:
    """The words of training and test sentences as the classifiers read them.

    Attributes:
        trees: the training sentences, then the test sentences.
        trained: the number of the training sentences.
    """

    trees: Sequence[Tree]
    trained: int

    @cached_property
    def forms(self) -> list[str]:
        return [form for tree in self.trees for form in tree.forms]

    @cached_property
    def in_training(self) -> int:
        return sum(map(len, self.trees[: self.trained]))

    @cached_property
    def attributes(self) -> dict[str, Keys]:
        """Return the attributes of all rows but the value in doubt, by letter."""
        known = {form: attributes_of(form) for form in set(self.forms)}
        columns = zip(*(known[form] for form in self.forms), strict=True)
        own, siblings = _relations_around(self.trees)
        values: dict[str, Sequence[object]] = {
            **dict(zip(ATTRIBUTES, columns, strict=True)),
            "t": [tag for tree in self.trees for tag in tree.upos or ("",) * len(tree)],
            "m": [lemma for tree in self.trees for lemma in tree.lemmas or ("",) * len(tree)],
            "n": [feats for tree in self.trees for feats in tree.feats or ("",) * len(tree)],
            "r": [universal(deprel) for tree in self.trees for deprel in tree.deprels],
            "c": own,
            "s": siblings,
        }
        return {letter: self._atoms(letter, of_words) for letter, of_words in values.items()}

    def keys(
        self, column: str, values: Sequence[str] | NDArray[np.int32], words: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """Return uint64[items, features], what the classifier of a column reads of some words.

        Args:
            column: `upos`, `xpos`, `lemma`, `subtype`, or a feature: `feats:Number`.
            values: of all words in this column, or a number for each.
            words: the numbers of the words.
        """
        fixed, varying = templates_of(column)
        if not varying:
            return self._combine(self.attributes, fixed, words)
        attributes = {**self.attributes, "v": self._atoms("v", values)}
        group = column.partition(":")[0]
        same = self._fixed_keys(_SAME_TEMPLATES.get(group, group))[words]
        return np.hstack([same, self._combine(attributes, varying, words)])

    def score_values(
        self,
        column: str,
        values: Sequence[str],
        taught: NDArray[np.int64],
        asked: NDArray[np.int64],
        seed: int,
        seen: NDArray[np.int32] | None = None,
    ) -> ScoredValues:
        """Train a classifier of a column, and return how it sees the values of other words.

        Args:
            column: `upos`, `xpos`, `lemma`, `subtype`, or a feature: `feats:Number`.
            values: of all words in this column.
            taught: the numbers of the words to learn from.
            asked: the numbers of the other words.
            seed: the seed of the order of the words.
            seen: a number for each value that is read beside other words; None: all are read.
        """
        words = np.concatenate([taught, asked])
        answers: list[object] = [
            edit_of(self.forms[word], values[word]) if column == LEMMA else values[word]
            for word in words.tolist()
        ]
        counts = Counter(answers[: len(taught)])
        names = [name for name, count in counts.most_common(MOST_EDITS) if column != LEMMA or count >= FEWEST]
        number = {name: i for i, name in enumerate(names)}
        gold = np.array([number.get(answer, -1) for answer in answers], np.int32)
        scores = np.zeros((len(asked), len(names)), np.float32)
        if len(names) > 1 and len(asked):
            keys = self.keys(column, values if seen is None else seen, words)
            known = np.flatnonzero(gold[: len(taught)] >= 0)
            weights = train_on_keys(
                keys[: len(taught)][known], gold[known], len(names), seed, iterations=ITERATIONS
            )
            scores = score_classes(weights, keys[len(taught) :])
        return ScoredValues([self.forms[word] for word in asked.tolist()], names, scores, gold[len(taught) :])

    @cached_property
    def _corpus(self) -> Corpus:
        return encode_tokens(self.trees, tags="none", columns=())

    @cached_property
    def _neighbours(self) -> dict[str, NDArray[np.int64]]:
        """Return the rows of the words near each word; y and z are the second before and after it."""
        corpus = self._corpus
        found = neighbours_of(corpus, encode_heads(corpus, [tree.heads for tree in self.trees]))
        length = np.repeat(corpus.length, corpus.length)
        base = np.repeat(corpus.start, corpus.length)
        absent, row = base + length + 2, found["i"]
        found["y"] = np.where(row - 2 > base, row - 2, absent)
        found["z"] = np.where(row + 2 <= base + length, row + 2, absent)
        return found

    def _atoms(self, letter: str, values: Sequence[object] | NDArray[np.int32]) -> Keys:
        """Return uint64[rows], the number of each word's value, which differs between letters."""
        number: dict[object, int] = {}
        if isinstance(values, np.ndarray):
            codes = (np.unique(values, return_inverse=True)[1].ravel() + 1).astype(np.uint64)
        else:
            codes = np.array([number.setdefault(value, len(number) + 1) for value in values], np.uint64)
        rows = np.zeros(len(self._corpus.attributes), np.uint64)
        rows[self._corpus.rows_of_tokens()] = codes
        atoms: Keys = scatter(rows + np.uint64(string_number(letter)))
        return atoms

    def _combine(
        self, attributes: Mapping[str, Keys], templates: Sequence[str], words: NDArray[np.int64] | None = None
    ) -> Keys:
        """Return uint64[words, features], those of templates; `attributes`: uint64[rows] by letter."""
        near = self._neighbours
        if words is not None:
            near = {name: rows[words] for name, rows in near.items()}
        return combine_atoms(near, attributes, templates)

    def _fixed_keys(self, group: str) -> NDArray[np.uint64]:
        """Return uint64[words, features], those that do not depend on the value in doubt; the last ones are
        kept, because the columns of a group share them."""
        if group not in self._kept:
            self._kept.clear()
            self._kept[group] = self._combine(self.attributes, templates_of(group)[0])
        return self._kept[group]

    @cached_property
    def _kept(self) -> dict[str, NDArray[np.uint64]]:
        return {}


def _relations_around(trees: Sequence[Tree]) -> tuple[list[str], list[str]]:
    """Return the relations of the dependents of each word, and of the other dependents of its head."""
    own: list[str] = []
    siblings: list[str] = []
    for tree in trees:
        below: list[list[str]] = [[] for _ in range(len(tree) + 1)]
        for head, deprel in zip(tree.heads, tree.deprels, strict=True):
            below[head].append(deprel)
        own += [" ".join(sorted(set(names) - {"punct"})) for names in below[1:]]
        for head, deprel in zip(tree.heads, tree.deprels, strict=True):
            others = list(below[head])
            others.remove(deprel)
            siblings.append(" ".join(sorted(set(others) - {"punct"})))
    return own, siblings
