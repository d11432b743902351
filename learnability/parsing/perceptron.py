"""The averaged perceptron over sparse binary features, its table kept exact and compact.

A feature gets a row of weights when it is first updated; rows are numbered in that order, so the features
used most lie together in memory. The table maps the upper bits of a feature's 64-bit key to the row; the
lower 32 bits are compared. Two features are taken for one only if both agree: with 2^20 features this
happens about once in 2^12 trainings for any pair (`benchmarks/` measures it).

Averages use the lazy trick: with w the current weights, u the sum of (step x update), the average over all
steps is w - u / step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.jit import Flags, Ints, Keys, Scores, njit

ROWS, STEP = range(2)
"""Entries of `Perceptron.meta`: rows in use, steps made."""


class Perceptron(NamedTuple):
    """Weights of a linear classifier with K classes over hashed features.

    Attributes:
        slots: uint64[2^b], 0 or (lower 32 bits of the key) * 2^32 + row + 1.
        weight: float32[rows, K], current (or, in a trained model, averaged) weights.
        total: float64[rows, K], sums of step x update; empty in a trained model.
        keys: uint64[rows], the key of every row; empty in a trained model.
        meta: int64[2], see `ROWS` and `STEP`.
    """

    slots: Keys
    weight: Scores
    total: NDArray[np.float64]
    keys: Keys
    meta: NDArray[np.int64]


def new_perceptron(classes: int, rows: int = 1 << 16) -> Perceptron:
    """A perceptron without weights, with room for `rows` features."""
    slots = 1 << max(4, (2 * rows - 1).bit_length())  # a power of two, at most half full
    return Perceptron(
        np.zeros(slots, np.uint64), np.zeros((rows, classes), np.float32), np.zeros((rows, classes)),
        np.zeros(rows, np.uint64), np.zeros(2, np.int64),
    )  # fmt: skip


def with_room(p: Perceptron, features: int) -> Perceptron:
    """The same perceptron with room for at least `features` more features."""
    rows, used = len(p.keys), int(p.meta[ROWS])
    if used + features <= rows:
        return p
    while rows < used + features:
        rows *= 2
    larger = new_perceptron(p.weight.shape[1], rows)
    larger.meta[:] = p.meta
    for new, old in ((larger.weight, p.weight), (larger.total, p.total), (larger.keys, p.keys)):
        new[:used] = old[:used]
    rebuild_slots(larger)
    return larger


def averaged(p: Perceptron) -> Perceptron:
    """The averaged weights, without what only training needs."""
    rows, steps = int(p.meta[ROWS]), max(int(p.meta[STEP]), 1)
    weight = (p.weight[:rows] - p.total[:rows] / steps).astype(np.float32)
    nothing = np.zeros((0, p.weight.shape[1])), np.zeros(0, np.uint64)
    return Perceptron(p.slots.copy(), weight, *nothing, p.meta.copy())


@njit
def rebuild_slots(p: Perceptron) -> None:
    """Enter the rows in use into an empty table."""
    for row in range(p.meta[ROWS]):
        p.slots[free_slot(p.slots, p.keys[row])] = entry(p.keys[row], row)


@njit
def entry(key: np.uint64, row: int) -> np.uint64:
    """The slot content for a key and its row."""
    return (key << np.uint64(32)) | np.uint64(row + 1)


@njit
def free_slot(slots: Keys, key: np.uint64) -> np.int64:
    """The first empty slot for a key that is not in the table."""
    last = np.int64(slots.shape[0] - 1)
    i = np.int64(key >> np.uint64(33)) & last
    while slots[i] != 0:
        i = (i + 1) & last
    return np.int64(i)


@njit
def find_rows(slots: Keys, keys: Keys, out: Ints) -> None:
    """Write the row of each key, -1 where it has none."""
    last = np.int64(slots.shape[0] - 1)
    low = np.uint64(0xFFFFFFFF)
    for f in range(keys.shape[0]):
        key = keys[f]
        i = np.int64(key >> np.uint64(33)) & last
        e = slots[i]
        while e != 0 and (e >> np.uint64(32)) != (key & low):
            i = (i + 1) & last
            e = slots[i]
        out[f] = np.int64(e & low) - 1  # an empty slot holds 0


@njit
def score_four(p: Perceptron, keys: Keys, rows: Ints, out: Scores) -> None:
    """Find the rows and set out[k] to the sum of the class's weights, for four classes: in registers."""
    find_rows(p.slots, keys, rows)
    weight = p.weight
    a = b = c = d = np.float32(0)
    for f in range(rows.shape[0]):
        row = rows[f]
        if row >= 0:
            r = np.uint32(row)
            a += weight[r, 0]
            b += weight[r, 1]
            c += weight[r, 2]
            d += weight[r, 3]
    out[0], out[1], out[2], out[3] = a, b, c, d


@njit
def best_class(p: Perceptron, keys: Keys, rows: Ints, scores: Scores) -> int:
    """The class with the highest score, the first of equals; the rows of the features are left in `rows`."""
    find_rows(p.slots, keys, rows)
    classes = p.weight.shape[1]
    for k in range(classes):
        scores[k] = 0.0
    for f in range(rows.shape[0]):
        row = rows[f]
        if row >= 0:
            for k in range(classes):
                scores[k] += p.weight[np.uint32(row), k]
    return int(np.argmax(scores))


@njit
def has_room(p: Perceptron, features: int) -> bool:
    """Whether there is room for so many more features."""
    return bool(p.meta[ROWS] + features <= p.keys.shape[0])


@njit
def best_of(scores: Scores, mask: Flags) -> int:
    """The class with the highest score in the mask; among equals the lowest number; -1 without any."""
    best = -1
    for k in range(mask.shape[0]):
        if mask[k] == 1 and (best < 0 or scores[k] > scores[best]):
            best = k
    return best


@njit
def add(p: Perceptron, keys: Keys, rows: Ints, which: int, amount: float) -> None:
    """Half of an update: add `amount` to class `which` on every feature; new ones (row -1) get rows."""
    step = np.float64(p.meta[STEP])
    for f in range(keys.shape[0]):
        if rows[f] < 0:
            rows[f] = p.meta[ROWS]
            p.meta[ROWS] += 1
            p.keys[rows[f]] = keys[f]
            p.slots[free_slot(p.slots, keys[f])] = entry(keys[f], rows[f])
        p.weight[rows[f], which] += np.float32(amount)
        p.total[rows[f], which] += step * amount


@njit
def update(p: Perceptron, keys: Keys, rows: Ints, good: int, bad: int) -> None:
    """Perceptron update: +1 for class `good`, -1 for class `bad` on every feature; see `add`."""
    add(p, keys, rows, good, 1.0)
    add(p, keys, rows, bad, -1.0)
