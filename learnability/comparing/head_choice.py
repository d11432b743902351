"""Choose the heads of one annotation by a log-linear model that sees the trees of another one.

The candidates of a token are the words around it in the tree that is seen, and the root. The objective is
convex, and each step sees all tokens, so the result depends on no order and no seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

FARTHEST = 4
"""The most steps, up and down together, to a candidate; the root is one at any distance."""

PENALTY = 0.1
"""The factor of half the squared weights (a normal prior)."""

FEWEST = 2
"""In how many candidates a feature occurs at least."""

STEPS, RATE, SMALLEST = 60, 0.5, 1e-6
"""The steps of AdaGrad (Duchi et al. 2011) on all tokens at once, its rate, and the first sum of squares. Its
sums are those of sparse matrices, which one thread makes, so the bytes are the same on any machine."""

Matrix = NDArray[np.float64]
Feature = tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """Represent a word that may be the head of a token.

    Attributes:
        word: its number; 0 for the root.
        path: the way to it in the tree: the steps up, and the relations of the words down to it.
    """

    word: int
    path: str


class SeenTree:
    """Hold a tree with what features ask of it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.dependents: list[list[int]] = [[] for _ in range(len(tree) + 1)]
        for token, head in enumerate(tree.heads, start=1):
            self.dependents[head].append(token)

    @cached_property
    def relations_below(self) -> list[str]:
        """Return the relations of the dependents of each word, the root first; each once, in order."""
        deprels = self.tree.deprels
        return [" ".join(sorted({deprels[t - 1] for t in tokens})) for tokens in self.dependents]

    def tag(self, word: int) -> str:
        """Return the tag of a word; that of the root is empty."""
        return self.tree.upos[word - 1] if word else ""

    def form(self, word: int) -> str:
        """Return the form of a word; that of the root is empty."""
        return self.tree.forms[word - 1] if word else ""

    def relation(self, word: int) -> str:
        """Return the relation of a word; that of the root is empty."""
        return self.tree.deprels[word - 1] if word else ""

    def candidates(self, token: int) -> Iterator[Candidate]:
        """Yield the words around a token: those below each of its nearest ancestors, and the root."""
        came_from, ancestor = 0, token
        for up in range(FARTHEST + 1):
            if up:
                yield Candidate(ancestor, str(up))
            yield from self._below(ancestor, str(up), came_from, FARTHEST - up)
            if not ancestor:
                return
            came_from, ancestor = ancestor, self.tree.heads[ancestor - 1]
        yield Candidate(0, "root")

    def _below(self, word: int, path: str, leave_out: int, steps: int) -> Iterator[Candidate]:
        """Yield the words below a word, without those below one of its dependents."""
        if not steps:
            return
        for dependent in self.dependents[word]:
            if dependent != leave_out:
                way = f"{path} {universal(self.relation(dependent))}"
                yield Candidate(dependent, way)
                yield from self._below(dependent, way, 0, steps - 1)

    def features(self, token: int, candidate: Candidate) -> Iterator[Feature]:
        """Yield the features of a candidate of a token."""
        word, path = candidate.word, candidate.path
        relation, tag = self.relation(token), self.tag(token)
        head = self.tree.heads[token - 1]
        below, below_head = self.relations_below[word], self.relations_below[head]
        side = "left" if word < token else "right"
        is_nearest = str(
            all(not min(token, word) < other < max(token, word) for other in self.dependents[head])
        )
        yield "1", path
        yield "2", path, relation
        yield "3", path, relation, tag
        yield "4", path, self.tag(word), tag
        yield "5", path, self.relation(word), relation
        yield "6", path, below, relation
        yield "7", path, self.relations_below[token], relation
        yield "8", path, below_head, relation
        yield "9", path, side, is_nearest, relation
        yield "10", path, self.form(token)
        yield "11", path, self.form(word)
        yield "12", relation, tag, self.relation(word), below, side
        yield "13", path, self.tag(head), self.tag(word), relation
        yield "14", path, self.form(head)


@dataclass(frozen=True, eq=False)
class HeadChoice:
    """Hold a trained model.

    Attributes:
        numbers: the number of each feature.
        weights: float64[features].
    """

    numbers: dict[Feature, int]
    weights: Matrix


@dataclass(frozen=True, eq=False)
class _Choices:
    """Hold the candidates of tokens, those of one token together.

    Attributes:
        words: int64[candidates], the number of each in its sentence.
        starts: int64[tokens], where the candidates of each token begin.
        features: float64[candidates, features], 1 for each feature that a candidate has.
    """

    words: NDArray[np.int64]
    starts: NDArray[np.int64]
    features: csr_array


def train_head_choice(pairs: Sequence[tuple[Tree, Tree]]) -> HeadChoice:
    """Train a model of the heads of the first tree of each pair, which sees the second one."""
    numbers: dict[Feature, int] = {}
    choices = _list_choices([tree for _, tree in pairs], numbers, learns=True)
    often = np.asarray(choices.features.sum(axis=0)).ravel() >= FEWEST
    seen = choices.features[:, np.flatnonzero(often)].tocsr()
    gold = np.array([head for tree, _ in pairs for head in tree.heads], np.int64)
    weights = np.zeros(len(numbers))
    weights[often] = _fit(choices.words, choices.starts, seen, gold)
    return HeadChoice(numbers, weights)


def _fit(
    words: NDArray[np.int64], starts: NDArray[np.int64], seen: csr_array, gold: NDArray[np.int64]
) -> Matrix:
    """Return the weights of the features that make the gold heads most probable.

    A token teaches nothing if its head is no candidate.
    """
    lengths = np.diff(starts, append=len(words))
    is_gold = words == np.repeat(gold, lengths)
    teaches = np.add.reduceat(is_gold, starts) > 0
    counted = np.repeat(teaches, lengths)
    by_feature = seen.T.tocsr()
    observed = by_feature @ is_gold.astype(np.float64)

    weights, squares = np.zeros(seen.shape[1]), np.full(seen.shape[1], SMALLEST)
    for _ in range(STEPS):
        probabilities = _probabilities(seen @ weights, starts, lengths) * counted
        gradient = by_feature @ probabilities - observed + PENALTY * weights
        squares += gradient**2
        weights -= RATE * gradient / np.sqrt(squares)
    return weights


def _probabilities(scores: Matrix, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Matrix:
    """Return the probability of each candidate among those of its token."""
    exponentials: Matrix = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
    sums: Matrix = np.add.reduceat(exponentials, starts)
    return exponentials / np.repeat(sums, lengths)


def choose_heads(model: HeadChoice, trees: Sequence[Tree]) -> list[int]:
    """Return the likeliest head of every token, the first of several; together they may be no tree."""
    choices = _list_choices(trees, model.numbers, learns=False)
    scores = choices.features @ model.weights
    ends = [*choices.starts[1:].tolist(), len(choices.words)]
    return [
        int(choices.words[start + int(np.argmax(scores[start:end]))])
        for start, end in zip(choices.starts.tolist(), ends, strict=True)
    ]


def _list_choices(trees: Sequence[Tree], numbers: dict[Feature, int], *, learns: bool) -> _Choices:
    """Return the candidates of all tokens with their features; `learns`: new features get a number."""
    words: list[int] = []
    starts: list[int] = []
    columns: list[int] = []
    ends = [0]
    for tree in map(SeenTree, trees):
        for token in range(1, len(tree.tree) + 1):
            starts.append(len(words))
            for candidate in tree.candidates(token):
                words.append(candidate.word)
                for feature in tree.features(token, candidate):
                    number = numbers.setdefault(feature, len(numbers)) if learns else numbers.get(feature)
                    if number is not None:
                        columns.append(number)
                ends.append(len(columns))
    shape = len(words), len(numbers)
    entries = np.ones(len(columns)), np.array(columns, np.int32), np.array(ends, np.int32)
    return _Choices(np.array(words), np.array(starts), csr_array(entries, shape=shape))
