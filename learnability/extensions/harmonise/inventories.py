"""Find what one treebank has and the others lack: a tag, a feature, a value, a relation, a subtype."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from learnability.extending import Contexts, WordTable
from learnability.extensions.harmonise.agreeing_forms import SidesOfForms
from learnability.extensions.harmonise.conventions import InventoryDifference

Words = NDArray[np.int64]

LACKING = 0.02
"""The share of the words that a side would have if it had a value as often; with fewer it lacks the value."""

SELDOM = 0.1
"""How often each of the others has a value that the treebank lacks, as a share of the one that has most."""

FEWEST = 5
"""The words with a value that a side has."""

SURE = 3.0
"""How sure it has to be that a side lacks a value, as a decimal logarithm."""

OFTEN = 0.05
"""The share of a form with a tag that the treebank lacks, whose words are the matter of this line."""


def compare_inventories(table: WordTable, treebank: int) -> tuple[InventoryDifference, ...]:
    """Return what a treebank has and the others lack, and the reverse: tags, relations, subtypes, features,
    then values, the most frequent first.
    """
    found = list(_differences(table, treebank))
    order = {name: place for place, name in enumerate(("upos", "relation", "deprel", "feats"))}
    found.sort(key=lambda each: (order.get(each.column, len(order)), -sum(each.counts), each.value))
    return tuple(found)


def _differences(table: WordTable, treebank: int) -> Iterator[InventoryDifference]:
    """Yield the differences of all columns; values of what one side lacks as a whole are left out."""
    relations: set[str] = set()
    for name in ("upos", "relation", "deprel"):
        column = table.column(name)
        every = _count_by_treebank(table, column.codes, len(column.names))
        for each in _of_column(table, treebank, name, every, column.codes, column.names):
            if name == "relation":
                relations.add(each.value)
            if name != "deprel" or (":" in each.value and each.value.partition(":")[0] not in relations):
                yield each
    for feature in table.features:
        column = table.column(f"feats:{feature}")
        every = _count_by_treebank(table, column.codes, len(column.names))
        has = np.array([value != "" for value in column.names])
        presence = np.stack([every[~has].sum(axis=0), every[has].sum(axis=0)])
        lacking: list[InventoryDifference] = []
        if any(of_value[1] for of_value in _find_lacking(presence, treebank)):
            there = has[column.codes].astype(np.int32)
            lacking = list(_of_column(table, treebank, "feats", presence, there, ("", feature)))
        yield from lacking or _of_column(
            table, treebank, f"feats:{feature}", every, column.codes, column.names
        )


def _count_by_treebank(table: WordTable, codes: NDArray[np.int32], values: int) -> Words:
    size = int(table.treebank.max()) + 1
    keys = codes * np.int64(size) + table.treebank
    return np.bincount(keys, minlength=values * size).reshape(-1, size)


def _find_lacking(every: Words, treebank: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    words = every.sum(axis=0)
    others = [number for number in range(every.shape[1]) if number != treebank]
    mine, theirs = every[:, treebank], every[:, others].sum(axis=1)
    ratio = words[treebank] / max(1, words[others].sum())
    own = (mine >= FEWEST) & (theirs <= LACKING * mine / ratio)
    rates = every[:, others] / np.maximum(1, words[others])
    have = (rates >= SELDOM * rates.max(axis=1, keepdims=True)).all(axis=1)
    return own, (theirs >= FEWEST) & (mine <= LACKING * theirs * ratio) & have


def _of_column(
    table: WordTable,
    treebank: int,
    name: str,
    every: Words,
    codes: NDArray[np.int32],
    names: tuple[str, ...],
) -> Iterator[InventoryDifference]:
    own, missing = _find_lacking(every, treebank)
    for number in np.flatnonzero(own | missing).tolist():
        if names[number] in ("", "_"):
            continue
        has = codes == number
        sureness = _sureness(table, treebank, has, is_own=bool(own[number]))
        if sureness < SURE + np.log10(len(names)):
            continue
        places = _places(table, treebank, has, is_own=bool(own[number]))
        yield InventoryDifference(
            name, names[number], bool(own[number]), tuple(every[number].tolist()), places, sureness
        )


def _sureness(table: WordTable, treebank: int, has: NDArray[np.bool_], *, is_own: bool) -> float:
    form = table.column("form").codes
    words = np.flatnonzero(np.isin(form, form[has]))
    document = Contexts.number_together(form[words], table.document[words], words=len(words))
    is_home = (table.treebank[words] == treebank) == is_own
    sides = SidesOfForms.of(np.zeros(len(words), np.int64), form[words], has[words], is_home)
    return float(sides.find_sureness(1 / np.bincount(document)[document], 1)[0])


def _places(table: WordTable, treebank: int, has: NDArray[np.bool_], *, is_own: bool) -> NDArray[np.int64]:
    is_first = table.treebank == treebank
    if is_own:
        return np.flatnonzero(has & is_first)
    form = table.column("form").codes
    elsewhere = ~is_first
    size = int(form.max()) + 1
    often = np.bincount(form[elsewhere & has], minlength=size) >= OFTEN * np.maximum(
        1, np.bincount(form[elsewhere], minlength=size)
    )
    return np.flatnonzero(is_first & often[form])
