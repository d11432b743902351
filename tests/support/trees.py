"""Trees for all tests: what a tree is, word for word, every tree of a size, and random ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from hypothesis import strategies as st

from learnability.treebanks.sentence import Tree

Heads = tuple[int, ...]

LABELS = ("case", "det", "mark", "cop", "cc", "conj", "fixed", "flat:name", "nsubj", "obl")
TAGS = ("NOUN", "VERB", "DET", "ADP")


def descends(heads: Sequence[int | None], token: int | None, ancestor: int) -> bool:
    """Whether the token stands below `ancestor` (or is it); tokens may still lack a head."""
    while token and token != ancestor:
        token = heads[token - 1]
    return token == ancestor


def is_tree(heads: Sequence[int], *, several_roots: bool = False) -> bool:
    """Every token reaches the root, and one token hangs on it (with `several_roots` any number)."""
    for token in range(1, len(heads) + 1):
        seen = set()
        while token:
            if token in seen:
                return False
            seen.add(token)
            token = heads[token - 1]
    return several_roots or list(heads).count(0) == 1


def is_projective(heads: Sequence[int]) -> bool:
    """No two arcs cross, those from the root (position 0) included."""
    arcs = [(min(arc), max(arc)) for arc in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def nonprojective_tokens(heads: Sequence[int]) -> list[int]:
    """The tokens with a word between them and their head that does not stand below that head."""
    return [
        token
        for token, head in enumerate(heads, start=1)
        if head and not all(descends(heads, w, head) for w in range(min(token, head) + 1, max(token, head)))
    ]


def lifted(heads: Sequence[int]) -> Heads:
    """Nivre & Nilsson 2005: lift the shortest non-projective arc, the leftmost of equals, and again."""
    while crossing := nonprojective_tokens(heads):
        token = min(crossing, key=lambda token: (abs(heads[token - 1] - token), min(heads[token - 1], token)))
        heads = (*heads[: token - 1], heads[heads[token - 1] - 1], *heads[token:])
    return tuple(heads)


def all_trees(n: int, *, several_roots: bool = False) -> Iterator[Heads]:
    """The heads of every tree over n tokens."""
    for heads in itertools.product(range(n + 1), repeat=n):
        if is_tree(heads, several_roots=several_roots):
            yield heads


def random_heads(draw: Random, n: int, *, projective: bool = False) -> Heads:
    """The heads of a random tree with one root; projective by lifting, so that many share a head."""
    order = list(range(1, n + 1))
    draw.shuffle(order)
    heads = [0] * n
    for i, token in enumerate(order[1:], start=1):
        heads[token - 1] = order[draw.randrange(i)]
    while projective and (crossing := nonprojective_tokens(heads)):
        heads[crossing[0] - 1] = heads[heads[crossing[0] - 1] - 1]
    return tuple(heads)


@cache
def random_tree(
    seed: int, n: int, *, labels: Sequence[str] = LABELS, projective: bool = True, words: int = 6
) -> Tree:
    """A random tree over a vocabulary of so many words, each with a tag; every column is filled."""
    draw = Random(seed)
    drawn = [draw.randrange(words) for _ in range(n)]
    heads = random_heads(draw, n, projective=projective)
    return Tree(
        forms=tuple(f"w{w}" for w in drawn),
        upos=tuple(TAGS[w % len(TAGS)] for w in drawn),
        heads=heads,
        deprels=tuple("root" if head == 0 else draw.choice(labels) for head in heads),
        lemmas=tuple(f"m{w // 2}" for w in drawn),
        xpos=tuple(f"X{w % 3}" for w in drawn),
        feats=tuple(f"F={w % 5}" for w in drawn),
    )


@st.composite
def trees_of_heads(
    draw: st.DrawFn, *, shortest: int = 1, longest: int = 9, projective: bool | None = None
) -> Heads:
    """Any :func:`random_heads`; projective or not where `projective` does not say."""
    return _drawn_heads(draw, shortest, longest, projective)[0]


@st.composite
def labelled_trees(
    draw: st.DrawFn, labels: Sequence[str], *, longest: int = 9, projective: bool | None = None
) -> Tree:
    """Any such tree of words that all differ, with labels from `labels` (repeat one to have more of it)."""
    heads, chance = _drawn_heads(draw, 1, longest, projective)
    deprels = tuple("root" if head == 0 else chance.choice(labels) for head in heads)
    forms = tuple(f"w{i}" for i in range(1, len(heads) + 1))
    return Tree(forms, ("X",) * len(heads), heads, deprels)


def _drawn_heads(
    draw: st.DrawFn, shortest: int, longest: int, projective: bool | None
) -> tuple[Heads, Random]:
    """The heads, and what draws the rest: one seed, because each choice of hypothesis takes its time."""
    n = draw(st.integers(shortest, longest))
    kind = draw(st.booleans()) if projective is None else projective
    chance = draw(st.randoms(use_true_random=True))
    return random_heads(chance, n, projective=kind), chance


def shuffled(tree: Tree, step: int) -> Tree:
    """A wrong parse that shares arcs with the tree: every `step`-th head and label is another's."""
    n = len(tree)
    heads = [1 + (head + i) % n if i % step == 0 else head for i, head in enumerate(tree.heads)]
    names = [
        tree.deprels[(i + 1) % n] if i % (step + 1) == 0 else name for i, name in enumerate(tree.deprels)
    ]
    return tree.with_heads(heads, names)
