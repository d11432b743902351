"""Derivation complexity against the sets of all substrings, and derivations against the static oracle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

from brute_force import projective_trees

from learnability.parsing.stepwise import Oracle
from learnability.parsing.systems import SYSTEMS
from learnability.treebanks.sentence import Tree
from research.reproduction.complexity import count_substrings, derive


def substrings(sequences: Sequence[Sequence[int]]) -> set[tuple[int, ...]]:
    return {tuple(s[i:j]) for s in sequences for i in range(len(s)) for j in range(i + 1, len(s) + 1)}


def test_complexity_equals_the_set_of_substrings() -> None:
    short = [sequence for n in range(5) for sequence in product((0, 1), repeat=n)]
    chance = random.Random(5)
    base = [chance.randint(0, 1) for _ in range(60)]
    for sequences in (*product(short, repeat=2), [], [base, base[7:], base + base, [1] * 70, base]):
        assert count_substrings(sequences) == len(substrings(sequences)), sequences


def test_derivations_are_those_of_the_static_oracle() -> None:
    names = SYSTEMS["arc-eager-root-first"].transitions
    for heads in projective_trees(4):
        tree = Tree(tuple("abcd"), ("X",) * 4, heads, ("x",) * 4)
        taken = Oracle(tree, "arc-eager-root-first").derivation().transitions
        assert [names.index(str(transition)) for transition in taken] == derive(heads), heads
