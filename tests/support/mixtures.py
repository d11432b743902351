"""Trees that take each group of changes from one of two trees."""

from __future__ import annotations

import itertools

Heads = tuple[int, ...]


def arcs(heads: Heads) -> tuple[tuple[int, str], ...]:
    return tuple((head, "") for head in heads)


def mixtures(one: Heads, other: Heads, groups: list[tuple[int, ...]]) -> list[Heads]:
    made = []
    for chosen in itertools.product((False, True), repeat=len(groups)):
        heads = list(one)
        for group, taken in zip(groups, chosen, strict=True):
            for token in group if taken else ():
                heads[token - 1] = other[token - 1]
        made.append(tuple(heads))
    return made
