"""Small made-up treebanks for the tests of training and parsing."""

from __future__ import annotations

import numpy as np
from brute_force import is_projective, is_tree

from learnability.treebanks.sentence import Tree

TAGS = ("NOUN", "VERB", "DET", "ADP")
LABELS = ("nsubj", "obj", "det", "case")


def random_heads(random: np.random.Generator, n: int, projective: bool) -> tuple[int, ...]:
    """A random tree with one root word."""
    while True:
        heads = tuple(int(h) for h in random.integers(0, n + 1, size=n))
        if heads.count(0) == 1 and is_tree(heads) and (not projective or is_projective(heads)):
            return heads


def random_tree(random: np.random.Generator, n: int, projective: bool = True) -> Tree:
    """A random tree over a small vocabulary, every column filled."""
    words = [int(w) for w in random.integers(0, 12, size=n)]
    heads = random_heads(random, n, projective)
    return Tree(
        forms=tuple(f"w{w}" for w in words),
        upos=tuple(TAGS[w % 4] for w in words),
        heads=heads,
        deprels=tuple("root" if h == 0 else LABELS[w % 4] for h, w in zip(heads, words, strict=True)),
        lemmas=tuple(f"m{w // 2}" for w in words),
        xpos=tuple(f"X{w % 3}" for w in words),
        feats=tuple(f"F={w % 5}" for w in words),
    )


def random_treebank(seed: int, sentences: int, longest: int = 7, projective: bool = True) -> list[Tree]:
    """So many random trees of 1 to `longest` words."""
    random = np.random.default_rng(seed)
    return [random_tree(random, int(random.integers(1, longest + 1)), projective) for _ in range(sentences)]
