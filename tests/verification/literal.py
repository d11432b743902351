"""The references of real sentences, written out one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import compress, product

import numpy as np
import twins
from naive_rules import Naive
from restoring import joint
from tally import Tally
from trees import is_projective

from learnability.parsing.systems import SYSTEMS
from learnability.transforms.registry import PAPER
from learnability.treebanks.sentence import Conventions, Tree

Treebanks = list[tuple[Conventions, list[Tree]]]
Heads = tuple[int, ...]

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]
ALL = "+".join(PAPER)


def references(
    tree: Tree, spec: str, conventions: Conventions, most: int = 10
) -> dict[frozenset[int], Heads]:
    """The heads under every selection of the places; of a sentence with too many places none."""
    places, naive = joint(spec, conventions).places(tree), Naive(tree, spec, conventions)
    found: dict[frozenset[int], Heads] = {}
    if len(places) > most:
        return found
    for answers in product((False, True), repeat=len(places)):
        chosen = list(compress(places, answers))
        selected: dict[str, list[int]] = {}
        for place in chosen:
            selected.setdefault(place.transform, []).append(place.token)
        found[frozenset(place.token for place in chosen)] = naive.apply(selected)[0]
    return found


def sentences(
    treebanks: Treebanks, spec: str, number: int, longest: int, most_places: int
) -> Iterator[tuple[Conventions, Tree]]:
    """So many projective sentences of each treebank that have places, and not too many."""
    draw = random.Random(spec)
    for conventions, trees in treebanks:
        rule, found = joint(spec, conventions), 0
        for tree in draw.sample(trees, len(trees)):
            if found == number:
                break
            short = len(tree) <= longest and is_projective(tree.heads)
            if short and 1 <= len(rule.places(tree)) <= most_places:
                yield conventions, tree
                found += 1


def compare_weights(tally: Tally, found: np.ndarray, model: twins.Model) -> None:
    """Every averaged weight vector, as multisets: the twin has no keys."""
    expected = np.array(list(model.averaged().values()), np.float32)
    kind = ",".join(["f4"] * expected.shape[1])
    one, other = (np.sort(np.ascontiguousarray(w).view(kind).ravel()) for w in (found, expected))
    tally.same(len(one), len(other), "rows of weights")
    tally.count(len(other), int(len(one) != len(other) or (one != other).sum()), "weights")
