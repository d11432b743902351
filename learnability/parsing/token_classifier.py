"""Classify tokens by their words, tags, neighbours, heads and children with an averaged perceptron.

The perceptron on tokens is here, and the features that are conjunctions of atoms. The tagger (`tagger`) adds
the tags that it gave to the words before.

It reads a given tree, gold or predicted. So it can predict properties of the tokens of a parse that the
parser did not predict: their relation, or their role in an annotation scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import NO_CHOICE, Corpus
from learnability.parsing.features import ALL_COLUMNS, scatter
from learnability.parsing.jit import Flags, Ints, Keys, Scores, njit
from learnability.parsing.perceptron import (
    CLASSES,
    ROWS,
    STEP,
    Perceptron,
    average_weights,
    best_class,
    best_of,
    entry,
    new_perceptron,
    score,
    slot_of,
)
from learnability.parsing.vectors import prefetch, sum_rows

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

ENDING_TEMPLATES = (
    *TEMPLATES, "3i", "3i th #side", "3i ti wh", "3i wh", "3h ti", "3i 3h #side", "3r ti", "3l ti",
    "3i tl tr", "2i th #side", "2i 2h",
)  # fmt: skip
"""The same with atoms for the last two and three characters of a form (2, 3), which carry case and mood."""

COLUMN_OF_ATOM = {"w": "w", "t": "p", "2": "s2", "3": "s3"}
"""The column of a corpus (`features.ALL_COLUMNS`) that each atom of a word reads."""

COLUMNS_WITH_ENDINGS = ALL_COLUMNS[: ALL_COLUMNS.index("s3") + 1]
"""The columns of a corpus that `ENDING_TEMPLATES` need."""


def train_classifier(
    corpus: Corpus,
    heads: Ints,
    gold: Ints,
    classes: int,
    seed: int = 1,
    *,
    templates: Sequence[str] = TEMPLATES,
) -> Perceptron:
    """Train the classifier on tokens, which come in a new order in each pass; return averaged weights.

    Features that occur with exactly the same training tokens always have the same weights. They are trained
    as a group, a single feature that counts once per member, and share a row. On treebanks this leaves a
    third of the rows. Weights are whole numbers until they are averaged, so sums are exact in any order.

    `heads`: int32[rows of the corpus], the trees (0: the root). `gold`: int32[tokens], classes 0, 1, ...
    """
    return train_on_keys(feature_keys(corpus, heads, templates), gold, classes, seed)


def train_on_keys(
    keys: Keys, gold: Ints, classes: int, seed: int = 1, *, iterations: int | None = None
) -> Perceptron:
    """Train the classifier on tokens with any features.

    `keys`: uint64[tokens, features], the features of each token, all different. `iterations`: passes over the
    tokens, if not `ITERATIONS`. The other arguments, and what is returned: see :func:`train_classifier`.
    """
    tokens, features = keys.shape
    number, known = np.zeros(keys.shape, np.int32), np.zeros(keys.size, np.uint64)
    known = known[: number_keys(keys, empty_slots(keys.size), number, known)].copy()
    del keys  # the largest array
    generator = np.random.default_rng(seed)
    orders = [generator.permutation(tokens).astype(np.int64) for _ in range(iterations or ITERATIONS)]
    # Features with the same training tokens form a group. The sum of random marks of the tokens identifies
    # the set of tokens that have a feature.
    marks = np.zeros((len(known), 1), np.uint64)
    sum_marks(number, scatter(np.arange(1, tokens + 1, dtype=np.uint64)), marks)
    group = np.zeros(marks.shape, np.int32)
    groups = number_keys(marks, empty_slots(2 * len(marks)), group, np.zeros(len(marks), np.uint64))
    length = np.zeros(tokens, np.int32)
    gather(number, group[:, 0], np.zeros(groups, np.int32), length)
    p = new_perceptron(classes, groups + 1)
    size, row = np.bincount(group[:, 0]).astype(np.float32), np.zeros(groups, np.int32)
    space, scores = np.zeros(features, np.int32), np.zeros(p.weight.shape[1], np.float32)
    for order in orders:
        train_tokens(p, order, number, length, gold, size, row, space, scores)
    divide_by_sizes(p, size, row)
    used = row[group[:, 0]]
    slots = empty_slots(2 * int((used > 0).sum()))
    enter_rows(known, used, slots)
    return average_weights(p)._replace(slots=slots)


def classify(
    weights: Perceptron,
    corpus: Corpus,
    heads: Ints,
    *,
    templates: Sequence[str] = TEMPLATES,
    at_roots: Flags = NO_CHOICE,
) -> Ints:
    """Return int32[tokens], the likeliest class of every token.

    `heads`, `templates`: as in :func:`train_classifier`. `at_roots`: uint8[classes], 1 for the classes that
    root words may have; empty: all.
    """
    keys = feature_keys(corpus, heads, templates)
    classes = np.zeros(len(keys), np.int32)
    rows, scores = np.zeros(keys.shape[1], np.int32), np.zeros(weights.weight.shape[1], np.float32)
    is_root = (heads[corpus.rows_of_tokens()] == 0).astype(np.uint8)
    classify_tokens(weights, keys, is_root, at_roots, rows, scores, classes)
    return classes


class Margins(NamedTuple):
    """How a parser or a classifier sees heads or classes of tokens that it need not have chosen.

    Attributes:
        margin: float32[tokens], the score of the head or class minus the highest score of another; infinite
            where there is no other.
        rival: int32[tokens], the head or class with that score.
    """

    margin: Scores
    rival: Ints


def class_margins(weights: Perceptron, keys: Keys, classes: Ints) -> Margins:
    """Return how much likelier the class of each token is than any other.

    `keys`: uint64[tokens, features]. `classes`: int32[tokens]; -1 stands for a class that the classifier does
    not know, whose score is 0.
    """
    scores = score_classes(weights, keys)
    known = np.flatnonzero(classes >= 0)
    gold = np.zeros(len(scores), np.float32)
    gold[known] = scores[known, classes[known]]
    scores[known, classes[known]] = -np.inf
    rivals = np.argmax(scores, axis=1)
    return Margins(gold - scores[np.arange(len(scores)), rivals], rivals.astype(np.int32))


def score_classes(weights: Perceptron, keys: Keys) -> Scores:
    """Return float32[tokens, classes], the score of every class."""
    found = np.zeros((len(keys), int(weights.meta[CLASSES])), np.float32)
    rows, scores = np.zeros(keys.shape[1], np.int32), np.zeros(weights.weight.shape[1], np.float32)
    score_tokens(weights, keys, rows, scores, found)
    return found


def empty_slots(most: int) -> Keys:
    """Return an empty table with more than `most` slots."""
    return np.zeros(1 << most.bit_length(), np.uint64)


@njit
def number_keys(keys: Keys, slots: Keys, number: Ints, known: Keys) -> int:
    """Assign numbers from 0 to the distinct `keys` (uint64[tokens, features]), in order of occurrence.

    Write the number of each key to `number` and the distinct keys to `known`; `slots` is an empty table.
    Returns how many distinct keys there are.
    """
    count = 0
    for token in range(keys.shape[0]):
        for f in range(keys.shape[1]):
            key = keys[token, f]
            i = slot_of(slots, key)
            if slots[i] == 0:
                known[count] = key
                count += 1
                slots[i] = entry(key, count)
            number[token, f] = np.int64(slots[i] & np.uint64(0xFFFFFFFF)) - 1
    return count


@njit
def sum_marks(number: Ints, mark: Keys, marks: Keys) -> None:
    """Add the mark of each token (modulo 2^64) to those of its features, uint64[features, 1]."""
    for token in range(number.shape[0]):
        for f in range(number.shape[1]):
            marks[number[token, f], 0] += mark[token]


@njit
def gather(number: Ints, group: Ints, place: Ints, length: Ints) -> None:
    """Replace the features of each token by their distinct groups, at the beginning of its row.

    Write the number of groups to `length`. `place`: zeros, an entry per group.
    """
    for token in range(number.shape[0]):
        n = 0
        for f in range(number.shape[1]):
            its_group = group[number[token, f]]
            at = place[its_group]
            if at >= n or number[token, at] != its_group:
                at = n
                place[its_group] = at
                number[token, at] = its_group
                n += 1
        length[token] = n


@njit
def train_tokens(
    p: Perceptron, order: NDArray[np.int64], groups: Ints, length: Ints, gold: Ints, size: Scores,
    row: Ints, rows: Ints, scores: Scores,
) -> None:  # fmt: skip
    """Make one pass over the training tokens, with the groups of their features; see :func:`learn_token`.

    The weights of a group are the sums of those of its features, `size` times those of one of them, so that
    a score is a sum of rows.
    """
    for token in order:
        learn_token(p, groups[token, : length[token]], row, size, gold[token], rows, scores)


@njit
def learn_token(
    p: Perceptron, features: Ints, row: Ints, size: Scores, gold: int, rows: Ints, scores: Scores
) -> int:
    """Learn from a token; return its class before that.

    A feature gets its row when it is first updated, so that the weights in use lie together.

    Args:
        p: the weights, with room for new rows.
        features: int32[any], the numbers of the features of the token.
        row: int32[features of all tokens], the row of each (0: none).
        size: float32[features of all tokens], by how much an update changes each; empty: by 1.
        gold: the class of the token.
        rows: scratch, int32[at least as features].
        scores: scratch, float32[as a row of weights].
    """
    p.meta[STEP] += 1
    best = find_class(p, features, row, rows, scores)
    if best == gold:
        return best
    step = np.float64(p.meta[STEP])
    for f in range(features.shape[0]):
        feature = features[f]
        if row[feature] == 0:
            row[feature] = p.meta[ROWS]
            p.meta[ROWS] += 1
        its_row, amount = row[feature], np.float32(1)
        if size.shape[0] > 0:
            amount = size[feature]
        p.weight[its_row, gold] += amount
        p.total[its_row, gold] += step * amount
        p.weight[its_row, best] -= amount
        p.total[its_row, best] -= step * amount
    return best


@njit
def find_class(p: Perceptron, features: Ints, row: Ints, rows: Ints, scores: Scores) -> int:
    """Return the class with the highest score, the first of equals; arguments: see :func:`learn_token`."""
    used = 0
    for f in range(features.shape[0]):
        its_row = row[features[f]]
        if its_row > 0:
            prefetch(p.weight, its_row)
            rows[used] = its_row
            used += 1
    sum_rows(p.weight, rows[:used], scores)
    best = 0
    for k in range(1, p.meta[CLASSES]):
        if scores[k] > scores[best]:
            best = k
    return best


@njit
def divide_by_sizes(p: Perceptron, size: Scores, row: Ints) -> None:
    """Make the weights of groups those of one of their features; see :func:`train_tokens`."""
    for group in range(row.shape[0]):
        if row[group] > 0:
            for k in range(p.meta[CLASSES]):
                p.weight[row[group], k] /= size[group]
                p.total[row[group], k] /= size[group]


@njit
def enter_rows(known: Keys, row: Ints, slots: Keys) -> None:
    """Enter the features that have a row into an empty table."""
    for f in range(known.shape[0]):
        if row[f] > 0:
            slots[slot_of(slots, known[f])] = entry(known[f], row[f])


@njit
def classify_tokens(
    p: Perceptron, keys: Keys, is_root: Flags, at_roots: Flags, rows: Ints, scores: Scores, out: Ints
) -> None:
    """Write the class of each token to `out` (int32[tokens]); `rows`, `scores`: see `perceptron.score`.

    `is_root`: uint8[tokens], 1 for root words; `at_roots`: see :func:`classify`.
    """
    for token in range(keys.shape[0]):
        out[token] = best_class(p, keys[token], rows, scores)
        if is_root[token] == 1 and at_roots.shape[0] > 0:
            out[token] = best_of(scores, at_roots)


@njit
def score_tokens(p: Perceptron, keys: Keys, rows: Ints, scores: Scores, found: Scores) -> None:
    """Write the results of :func:`score_classes`; `rows`, `scores`: see `perceptron.score`."""
    for token in range(keys.shape[0]):
        score(p, keys[token], rows, scores)
        for k in range(found.shape[1]):
            found[token, k] = scores[k]


def feature_keys(
    corpus: Corpus, heads: Ints, templates: Sequence[str] = TEMPLATES, above: Ints | None = None
) -> Keys:
    """Return uint64[tokens, features], those of every token; arguments: see :func:`neighbours_of`."""
    columns_there = ALL_COLUMNS[: corpus.attributes.shape[1]]
    attributes = {
        letter: corpus.attributes[:, columns_there.index(column)]
        for letter, column in COLUMN_OF_ATOM.items()
        if column in columns_there
    }
    return combine_atoms(neighbours_of(corpus, heads, above), attributes, templates)


def combine_atoms(
    neighbours: Mapping[str, NDArray[np.int64]], attributes: Mapping[str, Keys], templates: Sequence[str]
) -> Keys:
    """Return uint64[tokens, features], those of templates as `TEMPLATES`.

    `neighbours`: as :func:`neighbours_of` returns them. `attributes`: uint64[rows], those of words by
    letters.
    """
    columns = []
    for number, template in enumerate(templates):
        key = np.full(len(neighbours["i"]), number + 1, np.uint64)
        for atom in template.split():
            key = scatter(key * np.uint64(0x9E3779B97F4A7C15) + _values_of_atom(atom, neighbours, attributes))
        columns.append(key)
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _values_of_atom(
    atom: str, neighbours: Mapping[str, NDArray[np.int64]], attributes: Mapping[str, Keys]
) -> Keys:
    if atom.startswith("#"):
        return neighbours[atom].astype(np.uint64)
    return attributes[atom[0]][neighbours[atom[1:]]]


def neighbours_of(corpus: Corpus, heads: Ints, above: Ints | None = None) -> dict[str, NDArray[np.int64]]:
    """Return, by atom, the row of a word near each token (or of "absent") or a count (atoms with #).

    Each array is int64[tokens]. `heads`: int32[rows of the corpus], the trees (0: the root). `above`:
    int32[tokens], heads to assume, for one token at a time, while the rest of the tree stays.
    """
    token_rows = corpus.rows_of_tokens()
    base = np.repeat(corpus.start, corpus.length)
    absent = base + np.repeat(corpus.length, corpus.length) + 2
    annotated = heads[token_rows].astype(np.int64)
    position = token_rows - base
    nearest_left, nearest_right, first, last = (absent.copy() for _ in range(4))
    left, right = (np.zeros(len(token_rows), np.int64) for _ in range(2))
    index = np.zeros(corpus.attributes.shape[0], np.int64)  # from a row to the number of its token
    index[token_rows] = np.arange(len(token_rows))
    inner = annotated > 0
    child, parent = token_rows[inner], index[(base + annotated)[inner]]
    on_left = child < token_rows[parent]
    # Rows ascend. Where a parent occurs several times, the last assignment holds: the order of the children
    # decides between the nearest and the outermost child.
    nearest_left[parent[on_left]] = child[on_left]
    first[parent[on_left][::-1]] = child[on_left][::-1]
    last[parent[~on_left]] = child[~on_left]
    nearest_right[parent[~on_left][::-1]] = child[~on_left][::-1]
    np.add.at(left, parent[on_left], 1)
    np.add.at(right, parent[~on_left], 1)
    after = np.where(token_rows + 1 < absent - 1, token_rows + 1, absent)
    looked_at = annotated if above is None else above.astype(np.int64)
    head = base + looked_at
    grand = np.where(looked_at > 0, base + np.where(looked_at > 0, heads[head], 0), absent)
    return {
        "i": token_rows, "h": head, "g": grand, "b": token_rows - 1, "a": after,
        "l": nearest_left, "r": nearest_right, "e": first, "f": last,
        "#side": (looked_at > position) + 2 * (looked_at == 0),
        "#distance": np.minimum(np.abs(looked_at - position), 5) + 10 * (looked_at > position),
        "#left": np.minimum(left, 2), "#right": np.minimum(right, 2),
    }  # fmt: skip
