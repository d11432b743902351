"""Where a scheme helps or hurts: correct heads by kind of token, seen from the sites of a transformation.

A *site token* identifies a site (the function word, the chain member, the coordinator); the other tokens of
the nuclei (of UD) that hold a site token are *its nucleus*; all others are *elsewhere*. Two parsers of
different schemes, each against its own reference, can be compared part by part: a scheme may gain on the
tokens it re-attaches and lose elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
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


def error_split(
    trees: Sequence[Tree], sites: Sequence[Collection[int]], correct: NDArray[np.bool_]
) -> Counts:
    """Correct and all tokens per part (`PARTS`).

    `trees`: gold UD; `sites`: the site tokens (1..n) of each; `correct`: bool[tokens], the right heads
    of a parse against its own reference.

    Raises:
        InputError: the lengths do not fit.
    """
    nuclei = find_nuclei(trees)
    offsets = nuclei.trees.offsets
    _check(len(correct), int(offsets[-1]))
    if len(sites) != len(trees):
        raise InputError(f"sites of {len(sites)} sentences for {len(trees)} trees; give those of every tree")
    flat = [int(first) + token - 1 for first, own in zip(offsets[:-1], sites, strict=True) for token in own]
    is_site = np.zeros(len(correct), np.bool_)
    is_site[flat] = True
    near = np.isin(nuclei.nucleus, nuclei.nucleus[flat]) & ~is_site
    masks = (is_site, near, ~is_site & ~near)
    return {p: (int(correct[mask].sum()), int(mask.sum())) for p, mask in zip(PARTS, masks, strict=True)}


def by_relation(trees: Sequence[Tree], correct: NDArray[np.bool_]) -> Counts:
    """Correct and all tokens per universal relation of gold UD, in alphabetical order; see `error_split`."""
    names = [universal(deprel) for tree in trees for deprel in tree.deprels]
    _check(len(correct), len(names))
    right = Counter(compress(names, correct))
    return {name: (right[name], total) for name, total in sorted(Counter(names).items())}


def _check(given: int, tokens: int) -> None:
    if given != tokens:
        raise InputError(f"{given} results for {tokens} tokens: compare parses of the same sentences")
