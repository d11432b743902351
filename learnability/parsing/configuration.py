"""Represent the configuration of a transition-based parser as flat arrays, with the arcs collected so far.

Positions of a sentence with n tokens: 1..n are the tokens. The artificial root is position 0 where it
comes first and n + 1 where it comes last. Position n + 2 stands for "absent". It is its own head and
its own dependent, so features can follow links without a test.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from learnability.parsing.bundles import bundle
from learnability.parsing.jit import Flags, Ints, Keys, njit

N, SIZE, FRONT, ROOT, LAST_FRONT = range(5)
"""Entries of `KernelConfiguration.at`: number of tokens, size of the stack, front of the buffer, position of
the root, last position of the buffer."""


@bundle
class KernelConfiguration(NamedTuple):
    """Represent a configuration c = (stack, buffer, arcs); all arrays are scratch space reused between
    sentences.

    Attributes:
        at: int32[5], the scalars named above; the buffer is positions `at[FRONT]` to `at[LAST_FRONT]`.
        stack: int32[n + 3], its top at `at[SIZE] - 1`. Covington: the list lambda1; easy-first: lambda.
        stacked: uint8[n + 3], 1 while a position is on the stack.
        head: int32[n + 3], the head of each position; the absent position without one.
        label: int32[n + 3], the label of each position's arc; 0 without one.
        left1, left2: int32[n + 3], the outermost and second outermost left dependent of a position so far.
        right1, right2: int32[n + 3], the same on the right.
        near_left, near_right: int32[n + 3], the innermost dependent on each side.
        left_count, right_count: int32[n + 3], the number of dependents on each side.
        left_set, right_set: uint64[n + 3], the labels of the dependents on each side as bits (modulo 64).
    """

    at: Ints
    stack: Ints
    stacked: Flags
    head: Ints
    label: Ints
    left1: Ints
    left2: Ints
    right1: Ints
    right2: Ints
    near_left: Ints
    near_right: Ints
    left_count: Ints
    right_count: Ints
    left_set: Keys
    right_set: Keys


def new_configuration(longest: int) -> KernelConfiguration:
    """Allocate a configuration for sentences of up to `longest` tokens."""
    kinds = {"stacked": np.uint8, "left_set": np.uint64, "right_set": np.uint64}
    arrays = {name: np.zeros(longest + 3, kinds.get(name, np.int32)) for name in KernelConfiguration._fields}
    return KernelConfiguration(**{**arrays, "at": np.zeros(5, np.int32)})


@njit
def clear(c: KernelConfiguration, n: int, root: int, front: int, last_front: int) -> None:
    """Reset c to n tokens, no arcs, an empty stack, and the given positions of the root and the buffer."""
    absent = n + 2
    c.at[N], c.at[SIZE], c.at[ROOT], c.at[FRONT], c.at[LAST_FRONT] = n, 0, root, front, last_front
    for i in range(n + 3):
        c.stacked[i] = c.label[i] = c.left_count[i] = c.right_count[i] = c.left_set[i] = c.right_set[i] = 0
        c.head[i] = c.left1[i] = c.left2[i] = c.right1[i] = c.right2[i] = absent
        c.near_left[i] = c.near_right[i] = absent


@njit
def absent(c: KernelConfiguration) -> int:
    return int(c.at[N] + 2)


@njit
def headless(c: KernelConfiguration, i: int) -> bool:
    return bool(c.head[i] == c.at[N] + 2)


@njit
def top(c: KernelConfiguration) -> int:
    """Return the top s of the stack, or the absent position."""
    return int(c.stack[c.at[SIZE] - 1] if c.at[SIZE] > 0 else c.at[N] + 2)


@njit
def second(c: KernelConfiguration) -> int:
    """Return the word s1 below the top of the stack, or the absent position."""
    return int(c.stack[c.at[SIZE] - 2] if c.at[SIZE] > 1 else c.at[N] + 2)


@njit
def front(c: KernelConfiguration) -> int:
    """Return the front b of the buffer; one position after its last where the buffer is empty."""
    return int(np.int64(c.at[FRONT]))


@njit
def is_complete(c: KernelConfiguration, gold: Ints, word: int) -> bool:
    """Return whether no word in the buffer has `word` as its gold head."""
    for k in range(c.at[FRONT], c.at[N] + 1):  # noqa: SIM110 (a kernel knows no generators)
        if gold[k] == word:
            return False
    return True


@njit
def has_front(c: KernelConfiguration) -> bool:
    return bool(c.at[FRONT] <= c.at[LAST_FRONT])


@njit
def shift(c: KernelConfiguration) -> None:
    """Move the front of the buffer to the stack."""
    push(c, c.at[FRONT])
    c.at[FRONT] += 1


@njit
def push(c: KernelConfiguration, i: int) -> None:
    """Put position i on the stack."""
    c.stack[c.at[SIZE]] = i
    c.stacked[i] = 1
    c.at[SIZE] += 1


@njit
def pop(c: KernelConfiguration) -> int:
    """Take the top off the stack and return its position."""
    c.at[SIZE] -= 1
    i = np.int64(c.stack[c.at[SIZE]])  # as other positions, so that `add_arc` is compiled once
    c.stacked[i] = 0
    return int(i)


@njit
def add_arc(c: KernelConfiguration, head: int, dependent: int, label: int) -> None:
    """Add the arc (head, label, dependent); on each side, dependents arrive from the inside outwards."""
    absent = c.at[N] + 2
    c.head[dependent] = head
    c.label[dependent] = label
    bit = np.uint64(1) << np.uint64(label & 63)
    if dependent < head:
        if c.near_left[head] == absent:
            c.near_left[head] = dependent
        c.left2[head] = c.left1[head]
        c.left1[head] = dependent
        c.left_count[head] += 1
        c.left_set[head] |= bit
    else:
        if c.near_right[head] == absent:
            c.near_right[head] = dependent
        c.right2[head] = c.right1[head]
        c.right1[head] = dependent
        c.right_count[head] += 1
        c.right_set[head] |= bit
