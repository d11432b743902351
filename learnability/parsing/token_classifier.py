"""A classifier of tokens by their words, tags, neighbours, heads and children: an averaged perceptron.

It looks at a tree as it is, gold or predicted, so it can say of the tokens of a parse what the parser did
not: their relation, or what they are in an annotation scheme.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import perceptron
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import scatter
from learnability.parsing.jit import Ints, Keys, Scores, njit
from learnability.parsing.perceptron import STEP, Perceptron, best_class, has_room, update

ITERATIONS = 8
"""Passes over the training tokens."""

TEMPLATES = (
    "wi", "ti", "wi ti", "wi th", "ti th #side", "wi #side", "wi wh", "wh ti", "wi th #side", "ti #distance",
    "wi #left #right", "ti #left #right", "ti wr", "ti tr", "wi tr", "ti wl", "ti tl", "wi tl", "ti tl tr",
    "wi wr", "wi wl", "ti ta", "wi ta", "ti tb", "wi tb", "ti ta tb", "ti th tg", "ti th tr #side",
    "ti tl tr th", "wi ta tb", "ti tf", "ti te", "ti te tf th #side",
)  # fmt: skip
"""Features as conjunctions of atoms: w (form) or t (tag) of i the token, h its head, g the head's head, b and
a the words before and after, l and r its nearest children on either side, e and f the outermost ones; #side
of the head, #distance (at most 5) to it, numbers of #left and #right children (at most 2)."""


def train_classifier(corpus: Corpus, heads: Ints, gold: Ints, classes: int, seed: int = 1) -> Perceptron:
    """Averaged weights for telling the classes 0, 1, ... of tokens, which come in a new order in each pass.

    `heads`: int32[rows of the corpus], the trees (0 is the root); `gold`: int32[tokens].
    """
    keys = feature_keys(corpus, heads)
    p = perceptron.new_perceptron(classes, 1 << 14)
    scores, rows = np.zeros(classes, np.float32), np.zeros(keys.shape[1], np.int32)
    generator = np.random.default_rng(seed)
    for _ in range(ITERATIONS):
        order = generator.permutation(len(keys)).astype(np.int64)
        done = 0
        while done < len(order):
            p = perceptron.with_room(p, keys.shape[1])
            done = train_tokens(p, order, done, keys, gold, rows, scores)
    return perceptron.averaged(p)


def classify(weights: Perceptron, corpus: Corpus, heads: Ints) -> Ints:
    """int32[tokens]: the likeliest class of every token; `heads` as in :func:`train_classifier`."""
    keys = feature_keys(corpus, heads)
    found = np.zeros(len(keys), np.int32)
    scores, rows = np.zeros(weights.weight.shape[1], np.float32), np.zeros(keys.shape[1], np.int32)
    classify_tokens(weights, keys, rows, scores, found)
    return found


@njit
def train_tokens(
    p: Perceptron, order: NDArray[np.int64], first: int, keys: Keys, gold: Ints, rows: Ints, scores: Scores
) -> int:
    """Train on the tokens order[first], ... while there is room; the index of the first not seen."""
    for i in range(first, order.shape[0]):
        if not has_room(p, keys.shape[1]):
            return i
        token = order[i]
        p.meta[STEP] += 1
        best = best_class(p, keys[token], rows, scores)
        if best != gold[token]:
            update(p, keys[token], rows, gold[token], best)
    return int(order.shape[0])


@njit
def classify_tokens(p: Perceptron, keys: Keys, rows: Ints, scores: Scores, out: Ints) -> None:
    """Write the class of each token to `out` (int32[tokens])."""
    for token in range(keys.shape[0]):
        out[token] = best_class(p, keys[token], rows, scores)


def feature_keys(corpus: Corpus, heads: Ints) -> Keys:
    """uint64[tokens, features]: the features of every token; `heads` as in :func:`train_classifier`."""
    neighbours = _neighbours(corpus, heads)
    word, tag = corpus.attributes[:, 0], corpus.attributes[:, 1]  # as the parser sees them
    atoms: dict[str, Keys] = {"one": np.zeros(len(neighbours["i"]), np.uint64)}
    for name, rows in neighbours.items():
        if name.startswith("#"):
            atoms[name] = rows.astype(np.uint64)
        else:
            atoms[f"w{name}"], atoms[f"t{name}"] = word[rows], tag[rows]
    columns = []
    for number, template in enumerate(TEMPLATES):
        key = np.full(len(atoms["one"]), number + 1, np.uint64)
        for atom in template.split():
            key = scatter(key * np.uint64(0x9E3779B97F4A7C15) + atoms[atom])
        columns.append(key)
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _neighbours(corpus: Corpus, heads: Ints) -> dict[str, NDArray[np.int64]]:
    """int64[tokens] each: the rows of the words around each token (or of "absent"), and counts (with #)."""
    own = corpus.rows_of_tokens()
    base = np.repeat(corpus.start, corpus.length)
    absent = base + np.repeat(corpus.length, corpus.length) + 2
    above = heads[own].astype(np.int64)
    head = base + above
    position = own - base
    nearest_left, nearest_right, first, last = (absent.copy() for _ in range(4))
    left, right = (np.zeros(len(own), np.int64) for _ in range(2))
    index = np.zeros(corpus.attributes.shape[0], np.int64)  # from a row to the number of its token
    index[own] = np.arange(len(own))
    inner = above > 0
    child, parent = own[inner], index[head[inner]]
    on_left = child < own[parent]
    # rows ascend: of repeated targets the last assignment holds, so the order chooses near or far
    nearest_left[parent[on_left]] = child[on_left]
    first[parent[on_left][::-1]] = child[on_left][::-1]
    last[parent[~on_left]] = child[~on_left]
    nearest_right[parent[~on_left][::-1]] = child[~on_left][::-1]
    np.add.at(left, parent[on_left], 1)
    np.add.at(right, parent[~on_left], 1)
    after = np.where(own + 1 < absent - 1, own + 1, absent)
    grand = np.where(inner, base + np.where(inner, heads[head], 0), absent)
    return {
        "i": own, "h": head, "g": grand, "b": own - 1, "a": after,
        "l": nearest_left, "r": nearest_right, "e": first, "f": last,
        "#side": (above > position) + 2 * (above == 0),
        "#distance": np.minimum(np.abs(above - position), 5) + 10 * (above > position),
        "#left": np.minimum(left, 2), "#right": np.minimum(right, 2),
    }  # fmt: skip
