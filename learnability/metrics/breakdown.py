"""Where a scheme helps or hurts: correct heads by kind of token, seen from the sites of a transformation.

A *site token* identifies a site (the function word, the chain member, the coordinator); the other tokens of
the nuclei (of UD) that hold a site token are *its nucleus*; all others are *elsewhere*. Two parsers of
different schemes, each against its own reference, can be compared part by part: a scheme may gain on the
tokens it re-attaches and lose elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.metrics.nucleus import find_nuclei
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

PARTS = ("site", "nucleus", "elsewhere")
"""Site tokens, the other tokens of their nuclei, all others."""

Counts = dict[str, tuple[int, int]]
"""Correct tokens and all tokens, by part or relation."""


def parts_of(trees: Sequence[Tree], sites: Sequence[Collection[int]]) -> list[str]:
    """The part (`PARTS`) of every token. `trees`: gold UD; `sites`: the site tokens (1..n) of each.
    InputError where the lengths do not fit."""
    nuclei = find_nuclei(trees)
    offsets = nuclei.trees.offsets
    if len(sites) != len(trees):
        raise InputError(f"sites of {len(sites)} sentences for {len(trees)} trees; give those of every tree")
    flat = [int(first) + token - 1 for first, own in zip(offsets[:-1], sites, strict=True) for token in own]
    part = np.full(int(offsets[-1]), 2)
    part[np.isin(nuclei.nucleus, nuclei.nucleus[flat])] = 1
    part[flat] = 0
    return [PARTS[number] for number in part.tolist()]


def counts_by(names: Sequence[str], correct: NDArray[np.bool_], order: Iterable[str] = ()) -> Counts:
    """Correct and all tokens per name: those of `order`, then the others in alphabetical order.

    `names`: of each token; `correct`: bool[tokens], the right heads of a parse against its own reference.
    InputError where the lengths do not fit.
    """
    if len(correct) != len(names):
        what = f"{len(correct)} results for {len(names)} tokens"
        raise InputError(f"{what}: compare parses of the same sentences")
    right, every = Counter(compress(names, correct)), Counter(names)
    ordered = dict.fromkeys((*order, *sorted(every)))
    return {name: (right[name], every[name]) for name in ordered}


def by_relation(trees: Sequence[Tree], correct: NDArray[np.bool_]) -> Counts:
    """Correct and all tokens per universal relation of gold UD, in alphabetical order; see `counts_by`."""
    return counts_by([universal(deprel) for tree in trees for deprel in tree.deprels], correct)
