"""Show where a scheme helps or hurts: correct heads by kind of token.

A *place token* identifies a place that a transformation changes: the function word, the chain member, the
coordinator. *Nucleus* tokens are the other tokens of the UD nuclei that contain a place token. All other
tokens are *elsewhere*. Two parsers of different schemes, each tested on its own annotation, can be compared
by these kinds: a scheme may gain on the tokens that it attaches differently and lose elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.metrics.nucleus import find_nuclei
from learnability.support.nouns import count_noun
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

PARTS = ("place", "nucleus", "elsewhere")
"""Place tokens, the other tokens of their nuclei, all others."""

Counts = dict[str, tuple[int, int]]
"""The numbers of correct tokens and of all tokens, by part or relation."""


def parts_of(trees: Sequence[Tree], places: Sequence[Collection[int]]) -> list[str]:
    """Return the part of every token, one of `PARTS`, sentence after sentence.

    Args:
        trees: the gold UD trees.
        places: the place tokens (1..n) of each tree.

    Raises:
        InputError: `places` has more or fewer entries than `trees`.
    """
    nuclei = find_nuclei(trees)
    offsets = nuclei.trees.offsets
    if len(places) != len(trees):
        raise InputError(
            f"the places are those of {count_noun(len(places), 'sentence')}, but there are "
            f"{count_noun(len(trees), 'tree')}; pass the places of every tree"
        )
    flat: list[int] = []  # indices of the place tokens among all tokens
    for first, tokens in zip(offsets[:-1].tolist(), places, strict=True):
        flat += [first + token - 1 for token in tokens]
    part = np.full(int(offsets[-1]), PARTS.index("elsewhere"))
    part[np.isin(nuclei.nucleus, nuclei.nucleus[flat])] = PARTS.index("nucleus")
    part[flat] = PARTS.index("place")
    return [PARTS[number] for number in part.tolist()]


def counts_by(names: Sequence[str], correct: NDArray[np.bool_], order: Iterable[str] = ()) -> Counts:
    """Count correct and all tokens per name: first the names in `order`, then the others alphabetically.

    Args:
        names: the name of each token's group.
        correct: bool[tokens], whether the parse has the head of its gold tree.
        order: names to list first, even without tokens.

    Raises:
        InputError: `names` and `correct` differ in length.
    """
    if len(correct) != len(names):
        raise InputError(
            f"there are {count_noun(len(correct), 'result')} for {count_noun(len(names), 'token')}; compare "
            "parses of the same sentences"
        )
    right, every = Counter(compress(names, correct)), Counter(names)
    ordered = dict.fromkeys((*order, *sorted(every)))
    return {name: (right[name], every[name]) for name in ordered}


def by_relation(trees: Sequence[Tree], correct: NDArray[np.bool_]) -> Counts:
    """Count correct and all tokens per universal relation of gold UD, alphabetically; see `counts_by`."""
    return counts_by([universal(deprel) for tree in trees for deprel in tree.deprels], correct)
