"""Choose the heads of one annotation by a log-linear model that sees the trees of another one.

The candidates of a token are the words around it in the tree that is seen, and the root. The objective is
convex, and each step sees all tokens, so the result depends on no order and no seed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FARTHEST = 4
"""The most steps, up and down together, to a candidate; the root is one at any distance."""

PENALTY = 0.1
"""The factor of half the squared weights (a normal prior)."""

FEWEST = 2
"""In how many candidates a feature occurs at least."""

STEPS, RATE, SMALLEST = 60, 0.5, 1e-6
"""The steps of AdaGrad (Duchi et al. 2011) on all tokens at once, its rate, and the first sum of squares. Its
sums are those of sparse matrices, which one thread makes, so the bytes are the same on any machine."""

Kind = Literal["path", "relation", "tag", "form", "below", "side", "nearest"]
Column = tuple[str, Kind]
"""Of which word a feature says what: of the token, the candidate, the token's head in the tree that is seen,
or of the way from the token to the candidate."""

PATH: Column = ("way", "path")
RELATION: Column = ("token", "relation")
TEMPLATES: tuple[tuple[Column, ...], ...] = (
    (PATH,),
    (PATH, RELATION),
    (PATH, RELATION, ("token", "tag")),
    (PATH, ("candidate", "tag"), ("token", "tag")),
    (PATH, ("candidate", "relation"), RELATION),
    (PATH, ("candidate", "below"), RELATION),
    (PATH, ("token", "below"), RELATION),
    (PATH, ("head", "below"), RELATION),
    (PATH, ("way", "side"), ("way", "nearest"), RELATION),
    (PATH, ("token", "form")),
    (PATH, ("candidate", "form")),
    (RELATION, ("token", "tag"), ("candidate", "relation"), ("candidate", "below"), ("way", "side")),
    (PATH, ("head", "tag"), ("candidate", "tag"), RELATION),
    (PATH, ("head", "form")),
)
"""The features of a candidate: each is the values of these columns together."""

Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


class ValueNumbers:
    """Number the values of each kind; values that were not seen in training have the number -1."""

    def __init__(self) -> None:
        self.numbers: dict[Kind, dict[str, int]] = {}
        self.learns = True

    def number(self, kind: Kind, value: str) -> int:
        """Return the number of a value."""
        known = self.numbers.setdefault(kind, {})
        return known.setdefault(value, len(known)) if self.learns else known.get(value, -1)

    def count(self, kind: Kind) -> int:
        return len(self.numbers.get(kind, ()))


@dataclass(frozen=True, eq=False)
class HeadChoice:
    """Hold a trained model.

    Attributes:
        numbers: numbers the values of columns.
        keys: for each template, int64[features] ascending, the features that it has.
        weights: float64[all features], those of the first template first.
    """

    numbers: ValueNumbers
    keys: Sequence[Numbers]
    weights: Matrix


@dataclass(frozen=True, eq=False)
class Choices:
    """Hold the candidates of tokens, those of one token together.

    Attributes:
        words: int64[candidates], the number of each in its sentence.
        starts: int64[tokens], where the candidates of each token begin.
        columns: for each column, int64[candidates], the number of its value.
    """

    words: Numbers
    starts: Numbers
    columns: Mapping[Column, Numbers]


def train_head_choice(pairs: Sequence[tuple[Tree, Tree]]) -> HeadChoice:
    """Train a model of the heads of the first tree of each pair, which sees the second one."""
    numbers = ValueNumbers()
    choices = list_choices([tree for _, tree in pairs], numbers)
    numbers.learns = False
    keys = []
    for template in TEMPLATES:
        values, counts = np.unique(_keys(choices, template, numbers), return_counts=True)
        keys.append(values[counts >= FEWEST])
    gold = np.array([head for tree, _ in pairs for head in tree.heads], np.int64)
    features = find_features(choices, keys, numbers)
    return HeadChoice(numbers, keys, _fit(Objective.of(choices, features, gold)))


def choose_heads(model: HeadChoice, trees: Sequence[Tree]) -> list[int]:
    """Return the likeliest head of every token, the first of several; together they may be no tree."""
    choices = list_choices(trees, model.numbers)
    scores = find_features(choices, model.keys, model.numbers) @ model.weights
    ends = [*choices.starts[1:].tolist(), len(choices.words)]
    return [
        int(choices.words[start + int(np.argmax(scores[start:end]))])
        for start, end in zip(choices.starts.tolist(), ends, strict=True)
    ]


def list_choices(trees: Sequence[Tree], numbers: ValueNumbers) -> Choices:
    """Return the candidates of all tokens, with the values of their columns."""
    words: list[int] = []
    starts: list[int] = []
    paths: list[int] = []
    nearest: list[int] = []
    places: dict[str, list[int]] = {"token": [], "candidate": [], "head": []}
    of_words: dict[Kind, list[int]] = {"relation": [], "tag": [], "form": [], "below": []}
    for seen in map(SeenTree, trees):
        before = len(of_words["tag"])
        for kind, values in seen.values_of_words().items():
            of_words[kind] += [numbers.number(kind, value) for value in values]
        for token, head in enumerate(seen.tree.heads, start=1):
            starts.append(len(words))
            for word, path in seen.candidates(token):
                words.append(word)
                paths.append(numbers.number("path", path))
                nearest.append(seen.is_nearest(token, word))
                places["candidate"].append(before + word)
            count = len(words) - starts[-1]
            places["token"] += [before + token] * count
            places["head"] += [before + head] * count
    at = {place: np.array(found, np.int64) for place, found in places.items()}
    values_of = {kind: np.array(found, np.int64) for kind, found in of_words.items()}
    columns: dict[Column, Numbers] = {
        PATH: np.array(paths, np.int64),
        ("way", "nearest"): np.array(nearest, np.int64),
        ("way", "side"): (at["candidate"] < at["token"]).astype(np.int64),
    }
    for place, kind in {column for template in TEMPLATES for column in template if column[0] != "way"}:
        columns[place, kind] = values_of[kind][at[place]]
    return Choices(np.array(words, np.int64), np.array(starts, np.int64), columns)


class SeenTree:
    """Hold a tree with what features ask of it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.dependents: list[list[int]] = [[] for _ in range(len(tree) + 1)]
        for token, head in enumerate(tree.heads, start=1):
            self.dependents[head].append(token)
        self._relations = ["", *map(universal, tree.deprels)]

    def values_of_words(self) -> dict[Kind, list[str]]:
        """Return what features say of each word, the root first."""
        deprels = self.tree.deprels
        below = [" ".join(sorted({deprels[word - 1] for word in words})) for words in self.dependents]
        return {
            "relation": ["", *deprels],
            "tag": ["", *self.tree.upos],
            "form": ["", *self.tree.forms],
            "below": below,
        }

    def is_nearest(self, token: int, word: int) -> bool:
        """Return whether no other dependent of the token's head stands between these two."""
        siblings = self.dependents[self.tree.heads[token - 1]]
        first, last = min(token, word), max(token, word)
        return bisect_left(siblings, last) <= bisect_right(siblings, first)

    def candidates(self, token: int) -> Iterator[tuple[int, str]]:
        """Yield the words around a token, those below each of its nearest ancestors, and the root.

        Each comes with the way to it: the steps up, and the relations of the words down to it.
        """
        came_from, ancestor = 0, token
        for up in range(FARTHEST + 1):
            if up:
                yield ancestor, str(up)
            yield from self._below(ancestor, str(up), came_from, FARTHEST - up)
            if not ancestor:
                return
            came_from, ancestor = ancestor, self.tree.heads[ancestor - 1]
        yield 0, "root"

    def _below(self, word: int, path: str, leave_out: int, steps: int) -> Iterator[tuple[int, str]]:
        if not steps:
            return
        for dependent in self.dependents[word]:
            if dependent != leave_out:
                way = f"{path} {self._relations[dependent]}"
                yield dependent, way
                yield from self._below(dependent, way, 0, steps - 1)


def _keys(choices: Choices, template: Sequence[Column], numbers: ValueNumbers) -> Numbers:
    """Return int64[candidates]: one number for the values of a template together; -1 if one is unknown."""
    keys = np.zeros(len(choices.words), np.int64)
    is_known = np.ones(len(choices.words), bool)
    for column in template:
        values = choices.columns[column]
        keys = keys * max(2, numbers.count(column[1])) + values  # sides and nearest are 0 or 1
        is_known &= values >= 0
    return np.where(is_known, keys, -1)


def find_features(choices: Choices, keys: Sequence[Numbers], numbers: ValueNumbers) -> csr_array:
    """Return float64[candidates, features], 1 for each feature of a model that a candidate has."""
    from scipy.sparse import csr_array

    found = np.full((len(choices.words), len(TEMPLATES)), -1, np.int32)
    before = 0
    for number, (template, known) in enumerate(zip(TEMPLATES, keys, strict=True)):
        if len(known):
            wanted = _keys(choices, template, numbers)
            at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            found[:, number] = np.where(known[at] == wanted, before + at, -1)
        before += len(known)
    ends = np.concatenate(([0], np.cumsum((found >= 0).sum(axis=1))))
    columns = found[found >= 0]
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(choices.words), before))


@dataclass(frozen=True, eq=False)
class Objective:
    """Hold what the heads of tokens are learned from. A token teaches nothing if its head is no candidate."""

    starts: Numbers
    lengths: Numbers
    features: csr_array
    is_gold: NDArray[np.bool_]
    counts: NDArray[np.bool_]

    @classmethod
    def of(cls, choices: Choices, features: csr_array, gold: Numbers) -> Objective:
        """Return the objective for the gold heads of the tokens."""
        lengths = np.diff(choices.starts, append=len(choices.words))
        is_gold = choices.words == np.repeat(gold, lengths)
        teaches = np.add.reduceat(is_gold, choices.starts) > 0
        return cls(choices.starts, lengths, features, is_gold, np.repeat(teaches, lengths))

    def make_gradient(self) -> Callable[[Matrix], Matrix]:
        """Return the gradient of minus the log-likelihood of the gold heads, with its penalty."""
        by_feature = self.features.T.tocsr()
        observed = by_feature @ self.is_gold.astype(np.float64)

        def gradient(weights: Matrix) -> Matrix:
            probabilities = self.probabilities(weights) * self.counts
            found: Matrix = by_feature @ probabilities - observed + PENALTY * weights
            return found

        return gradient

    def probabilities(self, weights: Matrix) -> Matrix:
        """Return the probability of each candidate among those of its token."""
        scores = self.features @ weights
        largest = np.repeat(np.maximum.reduceat(scores, self.starts), self.lengths)
        exponentials: Matrix = np.exp(scores - largest)
        sums: Matrix = np.add.reduceat(exponentials, self.starts)
        return exponentials / np.repeat(sums, self.lengths)


def _fit(objective: Objective) -> Matrix:
    gradient_at = objective.make_gradient()
    weights = np.zeros(objective.features.shape[1])
    squares = np.full(len(weights), SMALLEST)
    for _ in range(STEPS):
        gradient = gradient_at(weights)
        squares += gradient**2
        weights -= RATE * gradient / np.sqrt(squares)
    return weights
