"""Number the parts of the arcs of a corpus, and the features of each part (see `arc_parts`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.encoding import Corpus, string_number
from learnability.parsing.features import bucket, mix
from learnability.parsing.graph_features import (
    BUCKETS,
    ArcSpace,
    ArcTemplates,
    add_between,
    fill_halves,
    new_arc_space,
)
from learnability.parsing.jit import Flags, Ints, Keys, njit
from learnability.parsing.perceptron import entry, free_slot, slot_of
from learnability.parsing.token_classifier import empty_slots

Counts = NDArray[np.uint8]
Long = NDArray[np.int64]

MOST = 2
"""The largest count of the sieve."""

DISTANCES: Keys = np.array([0, *(string_number(f"distance {b}") for b in range(1, BUCKETS + 1))], np.uint64)
"""What the key of a feature gets for each class of distances, after 0 for the weight of all distances."""


@njit
def parts_of(n: int) -> int:
    """Return the number of parts of a sentence: pairs of positions, then ends by side, word and distance."""
    return n * (n + 1) // 2 + 2 * (n + 1) * BUCKETS


@njit
def pair_part(n: int, left: int, right: int) -> int:
    """Return the number of the part of a pair within its sentence."""
    return left * (2 * n + 1 - left) // 2 + right - left - 1


@njit
def end_part(n: int, side: int, word: int, distance: int) -> int:
    """Return the number of the part of an end, left (0) or right (1), within its sentence."""
    return n * (n + 1) // 2 + (side * (n + 1) + word) * BUCKETS + distance - 1


@njit
def pairs_at_end(n: int, side: int, word: int, distance: int) -> int:
    """Return with how many pairs the part of an end occurs."""
    others = n - word if side == 0 else word
    first = distance if distance < 6 else 11
    last = distance if distance < 5 else (10 if distance == 5 else others)
    return max(0, min(last, others) - first + 1)


@bundle
class PartSpace(NamedTuple):
    """Scratch arrays for the keys of the parts of a sentence.

    Attributes:
        arcs: the halves of the features.
        keys: uint64[most], keys of the current part without distance, then the kept keys of tags between.
    """

    arcs: ArcSpace
    keys: Keys


def new_part_space(longest: int, templates: ArcTemplates) -> PartSpace:
    """Allocate scratch space for sentences of up to `longest` tokens."""
    arcs = new_arc_space(longest, templates)
    return PartSpace(arcs._replace(score=arcs.score[:0]), np.zeros_like(arcs.keys))


@njit
def fill_pair(left: int, right: int, tags: int, t: ArcTemplates, space: PartSpace) -> int:
    """Write the keys of a pair, whose tags between are kept in `space.arcs.keys`; return how many."""
    pairs, halves = t.pairs[0], space.arcs.halves
    for f in range(pairs):
        space.keys[f] = halves[0, left, f] + halves[1, right, f]
    ends = halves[0, left, pairs] + halves[1, right, pairs]
    for b in range(tags):
        space.keys[pairs + b] = ends + space.arcs.keys[b]
    return int(pairs + tags)


@njit
def fill_end(side: int, word: int, t: ArcTemplates, space: PartSpace) -> int:
    """Write the keys of the features of one end; return how many."""
    first, count = t.pairs[0] + 1, t.offset.shape[1]
    for f in range(first, count):
        space.keys[f - first] = space.arcs.halves[side, word, f]
    return int(count - first)


@njit
def sieve_corpus(corpus: Corpus, distances: Keys, t: ArcTemplates, space: PartSpace, sieve: Counts) -> None:
    """Count the features in cells of `sieve`, no further than `MOST`; features may share a cell."""
    mask = np.uint64(sieve.shape[0] - 1)
    for sentence in range(corpus.length.shape[0]):
        n, base = corpus.length[sentence], corpus.start[sentence]
        fill_halves(n, base, corpus.attributes, t, space.arcs)
        for left in range(n):
            tags = 0
            for right in range(left + 1, n + 1):
                if right - 1 > left:
                    tags = add_between(right - 1, left, tags, space.arcs, 0)
                used = fill_pair(left, right, tags, t, space)
                distance = distances[bucket(right - left)]
                for f in range(used):
                    for key in (space.keys[f], space.keys[f] + distance):
                        cell = (key >> np.uint64(20)) & mask
                        sieve[cell] = min(MOST, sieve[cell] + 1)
        for side in range(2):
            for word in range(n + 1):
                used = fill_end(side, word, t, space)
                for b in range(1, BUCKETS + 1):
                    times = pairs_at_end(n, side, word, b)
                    for f in range(used if times > 0 else 0):
                        for key in (space.keys[f], space.keys[f] + distances[b]):
                            cell = (key >> np.uint64(20)) & mask
                            sieve[cell] = min(MOST, sieve[cell] + times)


@bundle
class FeatureNumbers(NamedTuple):
    """Numbers of features, from 0, and what is known of each.

    Attributes:
        slots: uint64[2^b], the table of numbers, each plus 1.
        key: uint64[features], without the distance.
        distance: uint8[features], the class of the distance; 0 for all distances.
        pairs: int32[features], the pairs of words with the feature.
        mark: uint64[features, 1], the sum of the marks of its parts.
        meta: int64[1], the features so far.
    """

    slots: Keys
    key: Keys
    distance: Flags
    pairs: Ints
    mark: Keys
    meta: Long


@njit
def note_part(
    used: int, b: int, times: int, number: Ints, first: int, distances: Keys, sieve: Counts,
    known: FeatureNumbers, space: PartSpace, mark: np.uint64,
) -> int:  # fmt: skip
    """Append the numbers of the features of a part to `number`; return its new length.

    Args:
        used: the keys in `space.keys`.
        b: the class of the distance.
        times: the pairs of words of the part.
        number: int32[room], receives the numbers.
        first: where to begin.
        distances: those of `DISTANCES`.
        sieve: the counts of cells.
        known: the numbers so far, with room for twice the keys.
        space: the keys.
        mark: the random mark of the part.
    """
    mask, count = np.uint64(sieve.shape[0] - 1), first
    for f in range(used):
        for k in range(2):
            key = space.keys[f] + distances[b * k]
            if sieve[(key >> np.uint64(20)) & mask] < MOST:
                continue
            slot = slot_of(known.slots, key)
            if known.slots[slot] == 0:
                new = known.meta[0]
                known.slots[slot] = entry(key, new + 1)
                known.key[new], known.distance[new] = space.keys[f], b * k
                known.meta[0] += 1
            i = np.int64(known.slots[slot] & np.uint64(0xFFFFFFFF)) - 1
            known.pairs[i] += times
            known.mark[i, 0] += mark
            number[count] = i
            count += 1
    return count


@njit
def note_sentences(
    begin: int, end: int, corpus: Corpus, distances: Keys, t: ArcTemplates, sieve: Counts,
    known: FeatureNumbers,
    space: PartSpace, part_start: Long, number: Ints, start: Long,
) -> int:  # fmt: skip
    """Write the numbers of the features of the parts of some sentences; return how many they are.

    Args:
        begin: the first sentence.
        end: the sentence after the last.
        corpus: all sentences.
        distances: those of `DISTANCES`.
        t: the templates.
        sieve: the counts of cells.
        known: the numbers so far, with room for all features of these sentences.
        space: scratch space.
        part_start: int64[sentences], the first part of each sentence.
        number: int32[room], receives the numbers of the features of one part after the other.
        start: int64[parts + 1], receives where the numbers of each part end, counted from the first part of
            `begin`; shifted by one part.
    """
    count = 0
    for sentence in range(begin, end):
        n, base, part = corpus.length[sentence], corpus.start[sentence], part_start[sentence]
        fill_halves(n, base, corpus.attributes, t, space.arcs)
        for left in range(n):
            tags = 0
            for right in range(left + 1, n + 1):
                if right - 1 > left:
                    tags = add_between(right - 1, left, tags, space.arcs, 0)
                used, b = fill_pair(left, right, tags, t, space), bucket(right - left)
                mark = mix(np.uint64(part + 1))
                count = note_part(used, b, 1, number, count, distances, sieve, known, space, mark)
                part += 1
                start[part] = count
        for side in range(2):
            for word in range(n + 1):
                used = fill_end(side, word, t, space)
                for b in range(1, BUCKETS + 1):
                    times = pairs_at_end(n, side, word, b)
                    mark = mix(np.uint64(part + 1))
                    if times > 0:
                        count = note_part(used, b, times, number, count, distances, sieve, known, space, mark)
                    part += 1
                    start[part] = count
    return count


@njit
def enter_keys(known: Keys, slots: Keys) -> None:
    """Enter keys into an empty table; their rows are 1, 2, ..."""
    for i in range(known.shape[0]):
        slots[free_slot(slots, known[i])] = entry(known[i], i + 1)


def most_keys_of(length: Long, tags: int, t: ArcTemplates) -> Long:
    """Return the largest number of keys of each sentence, int64[sentences]."""
    pairs, ends = int(t.pairs[0]), t.offset.shape[1] - int(t.pairs[0]) - 1
    between = np.minimum(np.maximum(length - 1, 0), tags)
    most: Long = length * (length + 1) * (pairs + between) + 4 * (length + 1) * BUCKETS * ends
    return most


CHUNK = 1 << 22
"""The most keys that are numbered at once, but for a long sentence."""


def chunks(most_keys: Long) -> list[tuple[int, int]]:
    """Return the first sentence and the one after the last of each chunk."""
    found, begin, keys = [], 0, 0
    for i, count in enumerate(most_keys.tolist()):
        if keys and keys + count > CHUNK:
            found.append((begin, i))
            begin, keys = i, 0
        keys += count
    return [*found, (begin, len(most_keys))] if len(most_keys) else []


def new_numbering(room: int) -> FeatureNumbers:
    """Return numbers of no features, with room for some."""
    return FeatureNumbers(
        empty_slots(2 * room), np.zeros(room, np.uint64), np.zeros(room, np.uint8), np.zeros(room, np.int32),
        np.zeros((room, 1), np.uint64), np.zeros(1, np.int64),
    )  # fmt: skip


def with_room_for(known: FeatureNumbers, features: int) -> FeatureNumbers:
    """Return the same numbers with room for more features."""
    used = int(known.meta[0])
    if used + features <= len(known.key):
        return known
    larger = new_numbering(max(2 * len(known.key), used + features))
    larger.key[:used], larger.distance[:used] = known.key[:used], known.distance[:used]
    larger.pairs[:used], larger.mark[:used] = known.pairs[:used], known.mark[:used]
    larger.meta[0] = used
    enter_keys(known.key[:used] + DISTANCES[known.distance[:used]], larger.slots)
    return larger
