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

from learnability.parsing.arc_numbering import (
    DISTANCES,
    Long,
    chunks,
    enter_keys,
    most_keys_of,
    new_numbering,
    new_part_space,
    note_sentences,
    parts_of,
    sieve_corpus,
    with_room_for,
)
from learnability.parsing.bundles import bundle
from learnability.parsing.encoding import Corpus
from learnability.parsing.graph_features import (
    BUCKETS,
    compile_arc_templates,
)
from learnability.parsing.jit import Flags, Ints, Keys, njit
from learnability.parsing.perceptron import Perceptron, new_perceptron
from learnability.parsing.token_classifier import empty_slots, number_keys

FEWEST = 2
"""The pairs of words with which a feature must occur (research/loglinear)."""


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
