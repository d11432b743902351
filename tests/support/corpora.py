"""Small made-up treebanks for the tests of training and parsing."""

from __future__ import annotations

from random import Random

from trees import random_tree

from learnability.treebanks.sentence import Tree

LABELS = ("nsubj", "obj", "det", "case")


def random_treebank(seed: int, sentences: int, longest: int = 7, projective: bool = True) -> list[Tree]:
    """So many random trees of 1 to `longest` words."""
    draw = Random(seed)
    return [
        random_tree(
            draw.getrandbits(32), draw.randint(1, longest), labels=LABELS, projective=projective, words=12
        )
        for _ in range(sentences)
    ]
