"""Labelled reference sets, and pruning them by labels, against enumeration."""

from __future__ import annotations

import random

import numpy as np
import pytest
from enumerated_references import ALL, Labels, has_parts
from reference_trees import SPECS, transformation
from trees import random_tree

from learnability.multiref.arrays import encode_references, labels_of
from learnability.multiref.oracle import allow_labels, prune_labels
from learnability.multiref.references import reference_set
from learnability.parsing.encoding import encode_tokens


@pytest.mark.parametrize("labels", ["keep", "external"])
@pytest.mark.parametrize(("spec", "max_options"), [*((spec, 64) for spec in SPECS), (ALL, 8)])
def test_labelled_sets_are_all_selections_with_their_labels(
    spec: str, max_options: int, labels: Labels
) -> None:
    rule = transformation(spec)
    checked = split = 0
    for seed in range(900):
        tree = random_tree(seed, 4 + seed % 9)
        places = rule.places(tree)
        if not 1 <= len(places) <= 6:
            continue
        references = reference_set(tree, rule, labels=labels, max_options=max_options)
        if any(factor.cut for factor in references.factors):
            continue
        checked += 1
        split += any(len(factor.parts) > 1 for factor in references.factors)
        for selection, found in references.enumerate():
            expected = rule.apply(tree, selection, labels=labels)
            assert (found.heads, found.deprels) == (expected.heads, expected.deprels)
        if checked >= 150 and (split > 10 or max_options > 8):
            break
    assert checked > 20
    assert (split > 10) == (max_options == 8)


@pytest.mark.slow
def test_pruning_by_labels_keeps_what_enumeration_keeps() -> None:
    """Of factors in parts: the selections that survive, and in each part the options that one of them has.

    With kept labels, where roots exchange theirs: else a token's head nearly always tells its label.
    """
    rule, draw = transformation(ALL), random.Random(23)
    pruned = 0
    trees = [random_tree(seed, 9) for seed in range(1500)]
    for tree in filter(lambda tree: has_parts(tree, rule), trees):
        own = reference_set(tree, rule, labels="keep", max_options=8)
        labels, n = labels_of([own]), len(tree)
        names = labels.names
        references, _ = encode_references(encode_tokens([tree]), [own], labels)
        starts = [0]
        for factor in own.factors:
            first = len(starts) - 1
            for part in factor.parts:
                starts.append(starts[-1] + len(part.options))
            if len(factor.parts) == 1:
                continue
            alive = set(range(len(factor)))
            for i, token in enumerate(factor.tokens):
                arcs = {s: (factor.option(s).heads[i], factor.option(s).labels[i]) for s in alive}
                head, name = draw.choice(sorted(set(arcs.values())))
                wanted = {label for own_head, label in arcs.values() if own_head == head}
                found = allow_labels(references, 0, n + 1, head or n + 1, token)
                assert ({names[k] for k in np.flatnonzero(references.allowed)}, found) == (
                    wanted,
                    len(wanted),
                )
                prune_labels(references, 0, n + 1, head or n + 1, token, names.index(name))
                assert allow_labels(references, 0, n + 1, head or n + 1, token) == 1
                assert np.flatnonzero(references.allowed).tolist() == [names.index(name)]
                left = {s for s in alive if arcs[s][0] != head or arcs[s][1] == name}
                pruned += len(left) < len(alive)
                alive = left
                for start, part in zip(starts[first:], factor.parts, strict=False):
                    states = {
                        sum((s >> place & 1) << k for k, place in enumerate(part.places)) for s in alive
                    }
                    kept = references.alive[start : start + len(part.options)]
                    assert set(np.flatnonzero(kept).tolist()) == states
    assert pruned > 10
