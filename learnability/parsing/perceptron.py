"""Learn an averaged perceptron over sparse binary features, with an exact and compact table of weights.

A feature gets a row of weights when it is first updated. Rows are numbered in that order, so the most
frequent features lie together in memory. The table maps the upper bits of a feature's 64-bit key to the row
and compares the lower 32 bits. It confuses two features only if both agree, 52 bits with 2^20 slots: some
pair of 2^20 features does so in about one of 2^13 trainings.

Row 0 belongs to no feature and stays zero, so callers need not check whether a feature has weights. The
memory of a large model is slow, so all rows of a configuration are prefetched before the first is read
(research/performance, The bound of the memory).

Averages use the lazy trick: with w the current weights, u the sum of (step x update), the average over all
steps is w - u / step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.jit import Flags, Ints, Keys, Scores, njit
from learnability.parsing.vectors import aligned_zeros, pad_row, prefetch, sum_rows

ROWS, STEP, CLASSES = range(3)
"""Entries of `Perceptron.meta`: rows in use, steps made, classes."""


@bundle
class Perceptron(NamedTuple):
    """Weights of a linear classifier with K classes over hashed features.

    Attributes:
        slots: uint64[2^b], 0 or (lower 32 bits of the key) * 2^32 + row.
        weight: float32[rows, `vectors.pad_row(K)`], current weights (in a trained model: averaged), then
            zeros.
        total: float64[rows, K], sums of step x update; empty in a trained model.
        keys: uint64[rows], the key of every row; empty in a trained model.
        meta: int64[3], see `ROWS`, `STEP` and `CLASSES`.
    """

    slots: Keys
    weight: Scores
    total: NDArray[np.float64]
    keys: Keys
    meta: NDArray[np.int64]


def new_perceptron(classes: int, rows: int = 1 << 16) -> Perceptron:
    """Return a perceptron without weights, with room for `rows` features."""
    slots = 1 << max(4, (2 * rows - 1).bit_length())  # a power of two, at most half full
    return Perceptron(
        np.zeros(slots, np.uint64), aligned_zeros(rows, pad_row(classes)), np.zeros((rows, classes)),
        np.zeros(rows, np.uint64), np.array([1, 0, classes]),
    )  # fmt: skip


def features_of(p: Perceptron) -> int:
    return int(p.meta[ROWS]) - 1


def with_room(p: Perceptron, features: int) -> Perceptron:
    """Return a perceptron with the same weights and room for at least `features` more features."""
    rows, used = len(p.keys), int(p.meta[ROWS])
    if used + features <= rows:
        return p
    while rows < used + features:
        rows *= 2
    larger = new_perceptron(int(p.meta[CLASSES]), rows)
    larger.meta[:] = p.meta
    for new, old in ((larger.weight, p.weight), (larger.total, p.total), (larger.keys, p.keys)):
        new[:used] = old[:used]
    rebuild_slots(larger)
    return larger


def average_weights(p: Perceptron) -> Perceptron:
    """Return the averaged weights, without the arrays that only training needs."""
    weight = aligned_zeros(int(p.meta[ROWS]), p.weight.shape[1])
    average(p, weight)
    return Perceptron(p.slots.copy(), weight, p.total[:0].copy(), p.keys[:0].copy(), p.meta.copy())


@njit
def average(p: Perceptron, out: Scores) -> None:
    """Write the averaged weights of the rows in use to `out` (float32[rows, as `weight`])."""
    steps = max(p.meta[STEP], 1)
    for row in range(p.meta[ROWS]):
        for k in range(p.meta[CLASSES]):
            out[row, k] = p.weight[row, k] - p.total[row, k] / steps


@njit
def rebuild_slots(p: Perceptron) -> None:
    """Enter the rows in use into an empty table."""
    for row in range(1, p.meta[ROWS]):
        p.slots[free_slot(p.slots, p.keys[row])] = entry(p.keys[row], row)


@njit
def entry(key: np.uint64, row: int) -> np.uint64:
    """Return the slot content for a key and its row."""
    return (key << np.uint64(32)) | np.uint64(row)


@njit
def home(slots: Keys, key: np.uint64) -> np.int64:
    """Return the first slot where a key may be; further candidates are the slots after it."""
    return np.int64(key >> np.uint64(33)) & np.int64(slots.shape[0] - 1)


@njit
def slot_of(slots: Keys, key: np.uint64) -> np.int64:
    """Return the slot of a key, or the empty one where it belongs."""
    i, low = home(slots, key), key & np.uint64(0xFFFFFFFF)
    while slots[i] != 0 and (slots[i] >> np.uint64(32)) != low:
        i = (i + 1) & np.int64(slots.shape[0] - 1)
    return np.int64(i)


@njit
def free_slot(slots: Keys, key: np.uint64) -> np.int64:
    """Return the first empty slot for a key that is not in the table."""
    i = home(slots, key)
    while slots[i] != 0:
        i = (i + 1) & np.int64(slots.shape[0] - 1)
    return np.int64(i)


@njit
def find_rows(p: Perceptron, keys: Keys, out: Ints) -> None:
    """Write the row of each key (0 if it has none) to `out` and prefetch the weights."""
    for f in range(keys.shape[0]):
        prefetch(p.slots, int(home(p.slots, keys[f])))
    for f in range(keys.shape[0]):
        out[f] = row = int(p.slots[slot_of(p.slots, keys[f])] & np.uint64(0xFFFFFFFF))
        prefetch(p.weight, row)


@njit
def score(p: Perceptron, keys: Keys, rows: Ints, out: Scores) -> None:
    """Set out[k] to the sum of the weights of class k, and leave the rows of the features in `rows`.

    `out`: float32[as a row of weights]; `rows`: int32[as keys].
    """
    find_rows(p, keys, rows)
    sum_rows(p.weight, rows, out)


@njit
def best_class(p: Perceptron, keys: Keys, rows: Ints, scores: Scores) -> int:
    """Return the class with the highest score, the first of equals; see :func:`score`."""
    score(p, keys, rows, scores)
    best = 0
    for k in range(1, p.meta[CLASSES]):
        if scores[k] > scores[best]:
            best = k
    return best


@njit
def has_room(p: Perceptron, features: int) -> bool:
    return bool(p.meta[ROWS] + features <= p.keys.shape[0])


@njit
def best_of(scores: Scores, mask: Flags) -> int:
    """Return the class of the mask with the highest score, the lowest of equals; -1 if the mask is empty."""
    best = -1
    for k in range(mask.shape[0]):
        if mask[k] == 1 and (best < 0 or scores[k] > scores[best]):
            best = k
    return best


@njit
def first_of(mask: Flags) -> int:
    """Return the first class of the mask; -1 if the mask is empty."""
    for k in range(mask.shape[0]):
        if mask[k] == 1:
            return k
    return -1


@njit
def add(p: Perceptron, keys: Keys, rows: Ints, which: int, amount: float) -> None:
    """Add `amount` to the weights of class `which` on every feature; new features (row 0) get rows."""
    step = np.float64(p.meta[STEP])
    for f in range(keys.shape[0]):
        if rows[f] == 0:
            rows[f] = p.meta[ROWS]
            p.meta[ROWS] += 1
            p.keys[rows[f]] = keys[f]
            p.slots[free_slot(p.slots, keys[f])] = entry(keys[f], rows[f])
        p.weight[rows[f], which] += np.float32(amount)
        p.total[rows[f], which] += step * amount


@njit
def update(p: Perceptron, keys: Keys, rows: Ints, good: int, bad: int) -> None:
    """Update the weights: +1 for class `good`, -1 for class `bad` on every feature; see `add`."""
    add(p, keys, rows, good, 1.0)
    add(p, keys, rows, bad, -1.0)
