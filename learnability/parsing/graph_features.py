"""Compute the features of arcs, and the scores of all arcs of a sentence.

The features of an arc are those of McDonald, Crammer & Pereira (2005, Table 1): the words at its two ends,
the tags beside these words, and the tags between them. A template names the left end L and the right end R,
whichever is the head, the words before and after them (Lb, La, Rb, Ra), and B, each different tag between
them. Attributes are those of `templates`.

A feature has a weight for each direction, and a weight for each direction and distance, so one look-up
scores both arcs between two words. A template is the sum of a left and a right half, each computed once per
word. The features of one end are looked up once per word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.encoding import string_number
from learnability.parsing.features import COLUMNS, bucket
from learnability.parsing.jit import Ints, Keys, Scores, njit
from learnability.parsing.perceptron import Perceptron, add, find_rows, score
from learnability.parsing.vectors import pad_row

TEMPLATES = """
L.w  L.p  L.wp  L.p+La.p  Lb.p+L.p  Lb.p+L.p+La.p
R.w  R.p  R.wp  R.p+Ra.p  Rb.p+R.p  Rb.p+R.p+Ra.p
L.p+R.p  L.w+R.w  L.wp+R.wp  L.wp+R.p  L.p+R.wp  L.w+R.p  L.p+R.w
L.p+La.p+Rb.p+R.p  Lb.p+L.p+Rb.p+R.p  L.p+La.p+R.p+Ra.p  Lb.p+L.p+R.p+Ra.p
L.p+B.p+R.p
"""

BUCKETS = 6
"""The number of classes of distances, see `features.bucket`."""

CLASSES = 2 * (1 + BUCKETS)
"""The number of weights of a feature. Weights 0 and 1 are for the left and the right end as head; weights 2b
and 2b + 1 for the same at a distance of class b."""

STEPS = {"b": -1, "": 0, "a": 1}
"""The letter after L or R: the word before, at, or after that end of the arc."""


@bundle
class ArcTemplates(NamedTuple):
    """Compiled templates: first those of both ends, then that of the tags between, then those of one end.

    Attributes:
        atoms: int32[a, 4], side (0 left), template, step from the word, column of each atom.
        salt: uint64[a], an odd random number for each atom.
        offset: uint64[2, templates], the random number of each half.
        between: uint64[1], the odd random number of the tags between.
        pairs: int64[1], the number of templates that read both ends.
    """

    atoms: Ints
    salt: Keys
    offset: Keys
    between: Keys
    pairs: NDArray[np.int64]


def compile_arc_templates() -> ArcTemplates:
    """Compile `TEMPLATES`, which has as many templates of the left end as of the right, and one with B."""
    by_words: dict[str, list[list[str]]] = {"L": [], "R": [], "LR": [], "BLR": []}
    for template in (template.split("+") for template in TEMPLATES.split()):
        words = "".join(sorted({atom[0] for atom in template}))
        by_words[words].append(template)
    both_ends, (between,) = by_words["LR"], by_words["BLR"]
    atoms, salt, offset = [], [], []
    for side, end in enumerate("LR"):
        for number, template in enumerate([*both_ends, between, *by_words[end]]):
            name = "+".join(template)
            offset.append(string_number(f"{end} {name}"))
            for atom in template:
                if atom[0] == end:
                    step, column = atom[1:].split(".")
                    atoms.append((side, number, STEPS[step], COLUMNS.index(column)))
                    salt.append(string_number(f"{atom} {name}") | 1)
    return ArcTemplates(
        np.array(atoms, np.int32), np.array(salt, np.uint64), np.array(offset, np.uint64).reshape(2, -1),
        np.array([string_number("B") | 1], np.uint64), np.array([len(both_ends)]),
    )  # fmt: skip


@bundle
class ArcSpace(NamedTuple):
    """Scratch arrays for the features of the current sentence.

    Attributes:
        halves: uint64[2, n + 1, templates], the left and right halves of the features of each word.
        between: uint64[n + 1], the number that each word adds to a feature when it stands between.
        same: int32[n + 1], the first word with the same tag.
        seen: int32[n + 1], by the first word of a tag, the last search for different tags that met the tag.
        alone: float32[2, n + 1, as a row of weights], the scores of the features of one end, as the left and
            the right end.
        keys, rows: uint64[k], int32[k], of the current pair of words.
        score: float32[n + 1, n + 1], of each arc by dependent and head.
    """

    halves: Keys
    between: Keys
    same: Ints
    seen: Ints
    alone: Scores
    keys: Keys
    rows: Ints
    score: Scores


def new_arc_space(longest: int, templates: ArcTemplates) -> ArcSpace:
    """Allocate scratch space for sentences of up to `longest` tokens."""
    words, count = longest + 1, templates.offset.shape[1]
    return ArcSpace(
        halves=np.zeros((2, words, count), np.uint64),
        between=np.zeros(words, np.uint64),
        same=np.zeros(words, np.int32),
        seen=np.zeros(words, np.int32),
        alone=np.zeros((2, words, pad_row(CLASSES)), np.float32),
        keys=np.zeros(2 * (count + longest), np.uint64),
        rows=np.zeros(2 * count + longest, np.int32),
        score=np.zeros((words, words), np.float32),
    )


@njit
def most_rows(n: int, t: ArcTemplates) -> int:
    """Return the largest number of rows that an update with a sentence of n tokens may add."""
    return int(2 * n * (2 * t.offset.shape[1] + n))


@njit
def fill_halves(n: int, base: int, attributes: Keys, t: ArcTemplates, space: ArcSpace) -> None:
    """Write the halves of the features of a sentence; `base` is the row of its root in `attributes`."""
    for side in range(2):
        for i in range(n + 1):
            for f in range(t.offset.shape[1]):
                space.halves[side, i, f] = t.offset[side, f]
    for a in range(t.atoms.shape[0]):
        side, f, step, column = t.atoms[a, 0], t.atoms[a, 1], t.atoms[a, 2], t.atoms[a, 3]
        for i in range(n + 1):
            j = i + step
            if j < 0 or j > n:
                j = n + 2
            space.halves[side, i, f] += attributes[base + j, column] * t.salt[a]
    for i in range(n + 1):
        tag = attributes[base + i, 1]
        space.between[i] = tag * t.between[0]
        space.seen[i] = -1
        first = 0
        while attributes[base + first, 1] != tag:
            first += 1
        space.same[i] = first


@njit
def add_between(word: int, search: int, count: int, space: ArcSpace, first: int) -> int:
    """Append the word's part to the keys, unless this search has met its tag; return their new number."""
    if space.seen[space.same[word]] == search:
        return count
    space.seen[space.same[word]] = search
    space.keys[first + count] = space.between[word]
    return count + 1


@njit
def score_arcs(n: int, p: Perceptron, t: ArcTemplates, space: ArcSpace) -> None:
    """Write the score of every arc between two words, and from the root; call `fill_halves` first."""
    pairs, count = t.pairs[0], t.offset.shape[1]
    keys, rows, weight = space.keys, space.rows, p.weight
    kept = keys[pairs + n :]  # keys of the tags between; pairs with the same left end share them
    for side in range(2):
        for i in range(n + 1):
            score(p, space.halves[side, i, pairs + 1 :], rows[: count - pairs - 1], space.alone[side, i])
    for left in range(n):
        tags = 0  # number of different tags between
        for right in range(left + 1, n + 1):
            if right - 1 > left:
                tags = add_between(right - 1, left, tags, space, pairs + n)
            for f in range(pairs):
                keys[f] = space.halves[0, left, f] + space.halves[1, right, f]
            ends = space.halves[0, left, pairs] + space.halves[1, right, pairs]
            for b in range(tags):
                keys[pairs + b] = ends + kept[b]
            used = pairs + tags
            find_rows(p, keys[:used], rows)
            c = 2 * bucket(right - left)
            from_left, from_right = space.alone[0, left], space.alone[1, right]
            a = from_left[0] + from_right[0] + from_left[c] + from_right[c]
            b = from_left[1] + from_right[1] + from_left[c + 1] + from_right[c + 1]
            for f in range(used):
                row = np.uint32(rows[f])
                a += weight[row, 0] + weight[row, c]
                b += weight[row, 1] + weight[row, c + 1]
            space.score[right, left], space.score[left, right] = a, b


@njit
def learn_arc(
    head: int, dependent: int, amount: float, search: int, p: Perceptron, t: ArcTemplates, space: ArcSpace
) -> None:
    """Add `amount` to the weights of an arc; `search` must be a number that no other search had."""
    pairs, count = t.pairs[0], t.offset.shape[1]
    left, right = min(head, dependent), max(head, dependent)
    halves, keys = space.halves, space.keys
    used = 0
    for word in range(left + 1, right):
        used = add_between(word, search, used, space, 0)
    ends = halves[0, left, pairs] + halves[1, right, pairs]
    for b in range(used):
        keys[b] += ends
    for f in range(pairs):
        keys[used + f] = halves[0, left, f] + halves[1, right, f]
    used += pairs
    for side in range(2):
        for f in range(pairs + 1, count):
            keys[used] = halves[side, right if side else left, f]
            used += 1
    direction = 0 if head == left else 1
    keys, rows = keys[:used], space.rows[:used]
    find_rows(p, keys, rows)
    add(p, keys, rows, direction, amount)
    add(p, keys, rows, 2 * bucket(right - left) + direction, amount)
