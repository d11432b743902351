"""Store reference sets as flat arrays for the kernels, and record which option transforms which place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.multiref.junction import Part
from learnability.multiref.oracle import References
from learnability.multiref.references import ReferenceSet
from learnability.parsing.encoding import NO_LABELS, Corpus, Labels
from learnability.parsing.jit import Flags
from learnability.parsing.oracle import UNKNOWN
from learnability.support.nouns import count_noun


@dataclass(frozen=True)
class PlaceTable:
    """Tell which place is transformed in which option; needed to count the surviving options.

    Attributes:
        sentence: int64[places].
        pairs: int64[3, pairs], every place, every option of its factor, and 1 where it transforms the place.
    """

    sentence: NDArray[np.int64]
    pairs: NDArray[np.int64]
    factors_cut: int

    def alternative_share(self, alive: Flags) -> NDArray[np.float64]:
        """Return float64[places], the share of the surviving options that transform each place."""
        place, option, transformed = self.pairs
        weight = alive[option].astype(np.float64)
        count = np.bincount(place, weight, len(self.sentence))
        hits = np.bincount(place, weight * transformed, len(self.sentence))
        share: NDArray[np.float64] = np.full(len(count), np.nan)
        np.divide(hits, count, out=share, where=count > 0)
        return share


def labels_of(sets: Sequence[ReferenceSet]) -> Labels:
    """Return the deprels that some reference gives to some token, and those of root words among them."""
    return Labels.of_arcs(chain.from_iterable(map(_arcs_of, sets)))


def _arcs_of(references: ReferenceSet) -> Iterator[tuple[int, str]]:
    """Yield the arcs of the references, each a head and a deprel; repeatedly where several have it."""
    yield from zip(references.tree.heads, references.tree.deprels, strict=True)
    for factor in references.factors:
        for part in factor.parts:
            for heads, deprels in zip(part.options, part.labels, strict=True):
                yield from zip(heads, deprels, strict=True)


def encode_references(
    corpus: Corpus, sets: Sequence[ReferenceSet], labels: Labels = NO_LABELS
) -> tuple[References, PlaceTable]:
    """Encode reference sets as flat arrays for training.

    Args:
        corpus: the encoded sentences.
        sets: the reference set of each sentence, in the same order.
        labels: the labels (see `labels_of`); without names: heads only.

    Returns:
        The arrays that the kernels read, and the table of the places.

    Raises:
        InputError: `corpus` is a list of sentences, not encoded ones, or there is not a set for each.
    """
    if not isinstance(corpus, Corpus):
        raise InputError("`corpus` holds sentences; encode them first: `ParserOptions().encode(trees)`")
    if len(sets) != len(corpus.start):
        counts = f"{count_noun(len(sets), 'set')} for {count_noun(len(corpus.start), 'sentence')}"
        raise InputError(f"`sets`: {counts}; give one for each")
    rows = corpus.attributes.shape[0]
    fixed = np.zeros(rows, np.int32)
    fixed_label = np.zeros(rows if labels.names else 0, np.int32)
    number = {label: i for i, label in enumerate(labels.names)}
    parts: list[Part] = []
    first_part, parent, factor_start = list[int](), list[int](), [0]
    touched_rows, touching = list[int](), list[int]()
    places: list[int] = []  # the sentence of each
    pairs: list[tuple[int, int, int]] = []
    options = 0
    for index, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        rows_of_tokens = slice(start + 1, start + 1 + len(references.tree))
        fixed[rows_of_tokens] = references.tree.heads
        if labels.names:
            fixed_label[rows_of_tokens] = [number[deprel] for deprel in references.tree.deprels]
        for factor in references.factors:
            fixed[[start + position for position in factor.tokens]] = UNKNOWN
            first = len(parts)
            touched, seen = set(factor.tokens), set[int]()
            for part in factor.parts:
                # the selection of the part's places in each option, as bits; -1 has all bits set
                selections = (0, -1) if factor.ends else range(len(part.options))
                for i, place in enumerate(part.places):
                    if place in seen:  # parts overlap: one of them is enough to know the place's state
                        continue
                    seen.add(place)
                    for option, selection in enumerate(selections):
                        pairs.append((len(places) + place, options + option, selection >> i & 1))
                touched.update(*part.options)
                options += len(part.options)
                first_part.append(len(parts))
                parent.append(first + part.parent if part.parent >= 0 else -1)
                parts.append(part)
            first_part[-1] = first
            touched.discard(0)
            touched_rows += [start + position for position in touched]
            touching += [len(parts) - 1] * len(touched)
            places += [index] * len(factor.places)
        factor_start.append(len(parts))
    of_row = np.array(touched_rows, np.int64)
    in_order = np.argsort(of_row, kind="stable")  # so the parts that touch a row ascend
    arrays = References(
        fixed=fixed,
        fixed_label=fixed_label,
        factor_start=np.array(factor_start, np.int64),
        touch_start=_starts(np.bincount(of_row, minlength=rows)),
        touch=np.array(touching, np.int64)[in_order],
        first_part=np.array(first_part, np.int64),
        parent=np.array(parent, np.int64),
        alive=np.ones(options, np.uint8),
        belief=np.zeros(options, np.int32),
        allowed=np.zeros(len(labels.names), np.uint8),
        **_of_parts(parts, parent, number),
    )
    table = PlaceTable(
        sentence=np.array(places, np.int64),
        pairs=np.array(pairs, np.int64).reshape(-1, 3).T.copy(),
        factors_cut=sum(factor.cut for references in sets for factor in references.factors),
    )
    return arrays, table


def _of_parts(parts: Sequence[Part], parent: Sequence[int], number: dict[str, int]) -> dict[str, Any]:
    """Return the fields of :class:`References` for parts; `parent`: the number of each part's parent."""
    empty = np.zeros(0, np.int32)
    states, parent_states, message_counts = [], [], []  # of the places that a part shares with its parent
    for part, above in zip(parts, parent, strict=True):
        state, parent_state = np.zeros(len(part.options), np.int32), empty
        if above >= 0:
            state, parent_state = part.shared(parts[above])
        states.append(state)
        parent_states.append(parent_state)
        message_counts.append(int(state.max()) + 1 if len(parent_state) else 0)
    messages = _starts(message_counts)
    heads = (head for part in parts for option in part.options for head in option)
    names = (name for part in parts if number for option in part.labels for name in option)
    return {
        "token_start": _starts(len(part.tokens) for part in parts),
        "option_start": _starts(len(part.options) for part in parts),
        "head_start": _starts(len(part.tokens) * len(part.options) for part in parts),
        "token": np.fromiter((token for part in parts for token in part.tokens), np.int32),
        "head": np.fromiter(heads, np.int32),
        "label": np.fromiter((number[name] for name in names), np.int32),
        "state": np.concatenate([empty, *states]),
        "parent_state": np.concatenate([empty, *parent_states]),
        "parent_state_start": _starts(map(len, parent_states)),
        "message_start": messages,
        "message": np.zeros(messages[-1], np.int32),
        "reply": np.zeros(messages[-1], np.int32),
    }


def _starts(sizes: Iterable[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[sizes + 1]: where each item begins, and where the last ends."""
    counts = sizes if isinstance(sizes, np.ndarray) else np.fromiter(sizes, np.int64)
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
