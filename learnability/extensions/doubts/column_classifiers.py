"""Classifiers of tags, features, lemmas and subtypes, which are trained on the other folds.

They read the annotated sentence but for the value in doubt: the form and its affixes, the words around it
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

from learnability.extending import Tree, WordReader, universal
from learnability.extensions.doubts.columns import (
    FEATS,
    LEMMA,
    SUBTYPE,
    UPOS,
    are_alternatives,
    doubted_words,
    group_of,
    values_in,
)
from learnability.extensions.doubts.lemma_edits import apply_edit, edit_of
from learnability.extensions.doubts.results import ColumnScores, finite

ITERATIONS = 5
"""Passes over the training tokens."""

MOST_EDITS, FEWEST = 200, 2
"""The ways to make a lemma that are learned, at most, and how often each has to occur."""

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


def templates_of(column: str) -> tuple[list[str], list[str]]:
    """Return the templates of a column: those without the value in doubt, and those with it."""
    texts = [text for text in TEMPLATES[group_of(column)].replace("\n", "|").split("|") if text]
    varying = [text for text in texts if any(atom.startswith("v") for atom in text.split())]
    return [text for text in texts if text not in varying], varying


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
    def reader(self) -> WordReader:
        """Return what makes features of the sentences."""
        return WordReader(self.trees)

    @cached_property
    def forms(self) -> list[str]:
        return [form for tree in self.trees for form in tree.forms]

    @cached_property
    def in_training(self) -> int:
        return sum(map(len, self.trees[: self.trained]))

    @cached_property
    def attributes(self) -> dict[str, NDArray[np.uint64]]:
        """Return the attributes of all rows but the value in doubt, by letter."""
        found = self.reader.form_attributes()
        own, siblings = _relations_around(self.trees)
        for letter, values in (
            ("t", [tag for tree in self.trees for tag in values_in(tree, UPOS)]),
            ("m", [lemma for tree in self.trees for lemma in values_in(tree, LEMMA)]),
            ("n", [feats for tree in self.trees for feats in tree.feats or ("",) * len(tree)]),
            ("r", [universal(deprel) for tree in self.trees for deprel in tree.deprels]),
            ("c", own),
            ("s", siblings),
        ):
            found[letter] = self.reader.atoms(letter, values)
        return found

    def keys(self, column: str, doubted: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return uint64[items, features], what the classifier of a column reads of the words that are
        doubted."""
        values = [value for tree in self.trees for value in values_in(tree, column)]
        fixed, varying = templates_of(column)
        if not varying:
            return self.reader.combine(self.attributes, fixed, doubted)
        attributes = {**self.attributes, "v": self.reader.atoms("v", values)}
        same = self._fixed_keys(group_of(column))[doubted]
        return np.hstack([same, self.reader.combine(attributes, varying, doubted)])

    def _fixed_keys(self, group: str) -> NDArray[np.uint64]:
        """Return uint64[words, features], those that do not depend on the value in doubt; the last ones are
        kept, because the columns of a group share them."""
        if group not in self._kept:
            self._kept.clear()
            self._kept[group] = self.reader.combine(self.attributes, templates_of(group)[0])
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


def score_columns(
    train: Sequence[Tree], test: Sequence[Tree], columns: Sequence[str], seed: int
) -> list[ColumnScores]:
    """Train a classifier for each column, and return how it sees the values of the test sentences."""
    words = ClassifiedWords([*train, *test], len(train))
    return [score_column(words, column, seed) for column in columns]


def score_column(words: ClassifiedWords, column: str, seed: int) -> ColumnScores:
    """Train the classifier of a column, and return how it sees the values of the test sentences."""
    values = [value for tree in words.trees for value in values_in(tree, column)]
    doubted = np.flatnonzero(doubted_words(words.trees, column))
    before = int(np.searchsorted(doubted, words.in_training))
    answers: list[object] = [
        edit_of(words.forms[word], values[word]) if column == LEMMA else values[word]
        for word in doubted.tolist()
    ]
    counts = Counter(answers[:before])
    names = [name for name, count in counts.most_common(MOST_EDITS) if column != LEMMA or count >= FEWEST]
    number = {name: i for i, name in enumerate(names)}
    gold = np.array([number.get(answer, -1) for answer in answers], np.int32)
    keys = words.keys(column, doubted)
    scores = np.zeros((len(doubted) - before, len(names)), np.float32)
    if len(names) > 1:
        taught = np.flatnonzero(gold[:before] >= 0)
        scores = words.reader.learn_and_score(
            keys[:before][taught],
            gold[taught],
            keys[before:],
            classes=len(names),
            seed=seed,
            iterations=ITERATIONS,
        )
    return _compare(words, column, doubted[before:], values, names, gold[before:], scores)


def _compare(
    words: ClassifiedWords,
    column: str,
    tested: NDArray[np.int64],
    values: Sequence[str],
    names: Sequence[object],
    gold: NDArray[np.int32],
    scores: NDArray[np.float32],
) -> ColumnScores:
    """Return the margins of annotated values over their best rivals."""
    could_stand = are_alternatives(column)
    order = np.argsort(-scores, axis=1, kind="stable")
    rivals: dict[str, int] = {}
    margins: list[float] = []
    chosen: list[int] = []
    for i, word in enumerate(tested.tolist()):
        annotated, rival, best = values[word], None, 0.0
        for k in order[i].tolist():
            name = names[k]
            value = apply_edit(words.forms[word], name) if column == LEMMA else name
            if could_stand(value, annotated) and (value or column != LEMMA):
                rival, best = value, float(scores[i, k])
                break
        own = float(scores[i, gold[i]]) if gold[i] >= 0 else 0.0
        if rival is None:
            margins.append(np.inf)
            chosen.append(rivals.setdefault(annotated, len(rivals)))
        else:
            margins.append(own - best)
            chosen.append(rivals.setdefault(rival, len(rivals)))
    return ColumnScores(column=column, margins=finite(np.array(margins)), rivals=chosen, names=list(rivals))
