"""Compute the features of all arcs of a corpus once, as lists of numbers that trainings share.

The features are those of `graph_features`; each has a weight for each direction, and a weight for each
direction and distance. An arc is the sum of three *parts*: the pair of words, the left end at this distance,
and the right end at this distance. A part belongs to both directions. A feature counts if it occurs with at
least `FEWEST` pairs of words, whatever the trees are. So annotations of the same sentences share the parts.

Features that occur in exactly the same parts always have the same weights. They form a group, whose weight is
the sum of theirs. That leaves a third of the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    compile_arc_templates,
    fill_halves,
    new_arc_space,
)
from learnability.parsing.jit import Flags, Ints, Keys, njit
from learnability.parsing.perceptron import Perceptron, entry, free_slot, new_perceptron, slot_of
from learnability.parsing.token_classifier import empty_slots, number_keys

FEWEST = 2
"""The pairs of words with which a feature must occur (research/loglinear)."""

MOST = 2
"""The largest count of the sieve."""

Counts = NDArray[np.uint8]
Long = NDArray[np.int64]

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
class Numbering(NamedTuple):
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
    known: Numbering, space: PartSpace, mark: np.uint64,
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
    begin: int, end: int, corpus: Corpus, distances: Keys, t: ArcTemplates, sieve: Counts, known: Numbering,
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
def gather_groups(number: Ints, start: Long, group: Ints, place: Long, out: Ints, out_start: Long) -> int:
    """Replace the features of each part by their distinct groups; return how many numbers were written.

    Args:
        number: int32[any], the features of one part after the other.
        start: int64[parts + 1], where those of each part begin.
        group: int32[features], the group of each; negative for a feature that does not count.
        place: int64[groups], -1 each.
        out: int32[as number], receives the groups.
        out_start: int64[parts + 1], receives where those of each part begin.
    """
    count = 0
    for part in range(start.shape[0] - 1):
        first = count
        for f in range(start[part], start[part + 1]):
            g = group[number[f]]
            if g >= 0 and (place[g] < first):
                place[g] = count
                out[count] = g
                count += 1
        out_start[part + 1] = count
    return count


@bundle
class ArcParts(NamedTuple):
    """Hold the features of all arcs of a corpus.

    Attributes:
        length: int32[sentences], the tokens of each.
        part_start: int64[sentences], the first part of each.
        arc_start: int64[sentences], the first arc of each: a sentence of n tokens has n (n + 1), by dependent
            and head.
        start: int64[parts + 1], where the groups of each part begin.
        group: int32[any], the groups of one part after the other.
        members: float32[groups], the features of each group.
    """

    length: Ints
    part_start: Long
    arc_start: Long
    start: Long
    group: Ints
    members: NDArray[np.float32]


@dataclass(frozen=True)
class ArcFeatures:
    """Hold the parts of a corpus, and which features are in the groups.

    Attributes:
        parts: the parts.
        key: uint64[features], the key of each without the distance.
        distance: uint8[features], the class of its distance; 0 for all distances.
        group: int32[features], its group.
    """

    parts: ArcParts
    key: Keys
    distance: Flags
    group: Ints

    def weights(self, weight: NDArray[np.float32]) -> Perceptron:
        """Return the weights of features as `graph_features.score_arcs` reads them.

        Args:
            weight: float32[groups, 2], the weight of each group by direction.
        """
        slots = empty_slots(2 * len(self.key))
        row = np.zeros((len(self.key), 1), np.int32)
        known = np.zeros(len(self.key), np.uint64)
        rows = number_keys(self.key.reshape(-1, 1), slots, row, known)
        p = new_perceptron(2 * (1 + BUCKETS), rows + 1)
        p.weight[row[:, 0] + 1, 2 * self.distance.astype(np.int64)] = (
            weight[self.group, 0] / self.parts.members[self.group]
        )
        p.weight[row[:, 0] + 1, 2 * self.distance.astype(np.int64) + 1] = (
            weight[self.group, 1] / self.parts.members[self.group]
        )
        p.meta[0] = rows + 1
        enter_keys(known[:rows], p.slots)
        return p._replace(total=p.total[:0].copy(), keys=p.keys[:0].copy())


@njit
def enter_keys(known: Keys, slots: Keys) -> None:
    """Enter keys into an empty table; their rows are 1, 2, ..."""
    for i in range(known.shape[0]):
        slots[free_slot(slots, known[i])] = entry(known[i], i + 1)


def arc_features(corpus: Corpus, fewest: int = FEWEST) -> ArcFeatures:
    """Return the features of all arcs of the sentences.

    Args:
        corpus: the sentences, encoded.
        fewest: the pairs of words with which a feature must occur.
    """
    templates, length = compile_arc_templates(), corpus.length.astype(np.int64)
    space = new_part_space(int(length.max(initial=0)), templates)
    tags = len(np.unique(corpus.attributes[:, 1]))
    most_keys = most_keys_of(length, tags, templates)
    sieve = np.zeros(1 << max(10, int(most_keys.sum()).bit_length()), np.uint8)
    sieve_corpus(corpus, DISTANCES, templates, space, sieve)
    parts = np.array([parts_of(n) for n in range(int(length.max(initial=0)) + 1)])[length]
    part_start = np.cumsum(parts) - parts
    known, written = new_numbering(1 << 16), []
    start = np.zeros(int(parts.sum()) + 1, np.int64)
    for begin, end in chunks(most_keys):
        room = int(most_keys[begin:end].sum())
        known, number = with_room_for(known, room), np.zeros(room, np.int32)
        first, last = int(part_start[begin]), int(part_start[begin] + parts[begin:end].sum())
        before = int(start[first])
        count = note_sentences(
            begin, end, corpus, DISTANCES, templates, sieve, known, space, part_start, number, start
        )
        start[first + 1 : last + 1] += before
        written.append(number[:count].copy())
    del sieve
    number = np.concatenate(written) if written else np.zeros(0, np.int32)
    features = int(known.meta[0])
    counted = np.flatnonzero(known.pairs[:features] >= fewest)
    mark = np.ascontiguousarray(known.mark[counted])
    found = np.zeros(mark.shape, np.int32)
    groups = number_keys(mark, empty_slots(2 * len(mark)), found, np.zeros(len(mark), np.uint64))
    group = np.full(features, -1, np.int32)
    group[counted] = found[:, 0]
    out, out_start = np.zeros(len(number), np.int32), np.zeros_like(start)
    count = gather_groups(number, start, group, np.full(groups, -1, np.int64), out, out_start)
    arcs = length * (length + 1)
    return ArcFeatures(
        ArcParts(
            corpus.length, part_start, np.cumsum(arcs) - arcs, out_start, out[:count].copy(),
            np.bincount(found[:, 0], minlength=groups).astype(np.float32),
        ),
        known.key[counted], known.distance[counted], found[:, 0].copy(),
    )  # fmt: skip


def most_keys_of(length: Long, tags: int, t: ArcTemplates) -> Long:
    """Return the largest number of keys of each sentence, int64[sentences]."""
    pairs, ends = int(t.pairs[0]), t.offset.shape[1] - int(t.pairs[0]) - 1
    between = np.minimum(np.maximum(length - 1, 0), tags)
    return length * (length + 1) * (pairs + between) + 4 * (length + 1) * BUCKETS * ends


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


def new_numbering(room: int) -> Numbering:
    """Return numbers of no features, with room for some."""
    return Numbering(
        empty_slots(2 * room), np.zeros(room, np.uint64), np.zeros(room, np.uint8), np.zeros(room, np.int32),
        np.zeros((room, 1), np.uint64), np.zeros(1, np.int64),
    )  # fmt: skip


def with_room_for(known: Numbering, features: int) -> Numbering:
    """Return the same numbers with room for more features."""
    used = int(known.meta[0])
    if used + features <= len(known.key):
        return known
    larger = new_numbering(max(2 * len(known.key), used + features))
    for new, old in zip(larger[1:5], known[1:5], strict=True):
        new[:used] = old[:used]
    larger.meta[0] = used
    enter_keys(known.key[:used] + DISTANCES[known.distance[:used]], larger.slots)
    return larger
