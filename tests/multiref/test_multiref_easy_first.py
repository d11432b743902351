"""Easy-first against sets of references: costs and survivors equal enumeration, training commits."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from enumerated_references import survivors
from reference_trees import transformation
from trees import random_tree

from learnability.multiref.arrays import encode_references, label_names
from learnability.multiref.easy_first_training import reference_cost
from learnability.multiref.oracle import prune_word, revive
from learnability.multiref.references import reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing import easy_first, training
from learnability.parsing.easy_first_training import new_points
from learnability.parsing.encoding import UNLABELLED, encode_heads
from learnability.parsing.oracle import set_gold
from learnability.parsing.parser import ParserOptions, train_on_arrays
from learnability.transforms import Transformation
from learnability.treebanks import Tree

SYSTEM = easy_first.EasyFirst()
OPTIONS = ParserOptions(system="easy-first", seed=3)


def sample(spec: str, most: int, count: int) -> list[Tree]:
    rule = transformation(spec)
    trees = (random_tree(seed, 4 + seed % 8) for seed in itertools.count())
    return list(itertools.islice((t for t in trees if 1 <= len(rule.sites(t)) <= most), count))


def walk(tree: Tree, rule: Transformation, draw: random.Random, astray: float) -> None:
    """Parse at random and compare costs and survivors with those of the references one by one."""
    n = len(tree)
    own = reference_set(tree, rule)
    references, _ = encode_references(OPTIONS.encode([tree]), [own])
    trees = [t.heads for _, t in own.enumerate()]
    alive = list(range(len(trees)))
    templates = OPTIONS.templates()
    work, points = training.new_workspace(n, templates, 0), new_points(n, templates)
    c, pending = work.configuration, np.zeros(n + 3, np.int32)
    set_gold(work.gold, n, 0, references.fixed, UNLABELLED, 0)
    revive(references, 0)
    easy_first.initial(c, n)
    while not easy_first.is_final(c):
        easy_first.count_pending(c, work.gold.head, points.pending)
        legal = [t for t in range(2 * n + 2) if easy_first.is_legal(c, t)]
        each = {}
        for i in alive:
            gold = np.array([-1, *trees[i], -1, -1], np.int32)
            easy_first.count_pending(c, gold, pending)
            each[i] = {t: easy_first.cost(c, gold, pending, t) for t in legal}
        found = {t: reference_cost(SYSTEM, references, 0, points, work, t) for t in legal}
        assert found == {t: min(each[i][t] for i in alive) for t in legal}
        least = min(found.values())
        best = [t for t in legal if found[t] == least]
        chosen = draw.choice(legal if draw.random() < astray else best)
        _, dependent = easy_first.arc(c, chosen)
        prune_word(SYSTEM, c, references, dependent, chosen, dependent, dependent)
        kept = min(each[i][chosen] for i in alive)
        alive = [i for i in alive if each[i][chosen] == kept]
        assert survivors(references.alive, tree, rule) == {trees[i] for i in alive}
        easy_first.apply(c, chosen, 0)
    if astray == 0:
        assert len(alive) == 1


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("spec", ["case", "cop", "cc", "det", "case+cop+cc+det+mark+mwe+name"])
def test_costs_and_survivors_equal_enumeration(spec: str, astray: float) -> None:
    draw = random.Random(5)
    for tree in sample(spec, 6, 40):
        walk(tree, transformation(spec), draw, astray)


def test_one_element_sets_give_the_ordinary_training() -> None:
    rule = transformation("mwe")
    trees = [t for t in (random_tree(seed, 3 + seed % 10) for seed in range(80)) if not rule.sites(t)]
    assert len(trees) > 20
    corpus = OPTIONS.encode(trees)
    references, table = encode_references(corpus, [reference_set(t, rule) for t in trees])
    many = train_on_references(corpus, references, table, OPTIONS, 3)
    heads = encode_heads(corpus, [tree.heads for tree in trees])
    options = ParserOptions(system="easy-first", seed=3, iterations=3)
    one = train_on_arrays(corpus, heads, UNLABELLED, [], options, None)
    assert np.array_equal(many.parser.weights.weight, one.parser.weights.weight)
    assert one.features > 500


@pytest.mark.parametrize("labelled", [False, True])
def test_training_commits_to_one_reference(labelled: bool) -> None:
    rule = transformation("case+det")
    trees = sample("case+det", 6, 40)
    options = ParserOptions(system="easy-first", seed=3, labelled=labelled)
    corpus = options.encode(trees)
    sets = [reference_set(tree, rule, labels="external" if labelled else None) for tree in trees]
    names = label_names(sets) if labelled else []
    references, table = encode_references(corpus, sets, names)
    trained = train_on_references(corpus, references, table, options, 3, labels=names)
    starts = references.option_start
    assert {int(references.alive[a:b].sum()) for a, b in itertools.pairwise(starts)} == {1}
    assert set(np.unique(trained.survival)) == {0.0, 1.0}
    parsed = trained.parser.parse(trees)
    assert all(sum(h == 0 for h in tree.heads) == 1 for tree in parsed)
    if labelled:
        assert "comp:case" in {d for tree in parsed for d in tree.deprels}
