"""Training against plain Python: Algorithm 1 of the 2018 paper with sets of trees, and the perceptron."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import twins
from kernels import weights_of
from literal import ALL, Heads, Treebanks, compare_weights, references, sentences
from restoring import joint
from tally import Tally

from learnability.multiref.arrays import encode_references
from learnability.multiref.references import reference_set
from learnability.multiref.training import train_on_references
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import FEATURE_SETS, OF_EXPERIMENTS
from learnability.treebanks.sentence import Tree


def algorithm_1(
    trees: list[Tree], sets: list[list[Heads]], name: str, table: str, iterations: int, seed: int
) -> tuple[twins.Model, list[list[Heads]]]:
    """Algorithm 1 as printed: the weights, and per iteration the surviving tree of each sentence."""
    templates = twins.templates_of(table, labelled=False)
    model, order = twins.Model(4), np.random.default_rng(seed)
    survived = []
    for _ in range(iterations):
        last: dict[int, Heads] = {}
        for index in order.permutation(len(trees)):
            alive, a = list(sets[index]), twins.Analysis(name, trees[index])
            while not a.is_final():
                legal = a.legal()
                price = [twins.costs(a, heads) for heads in alive]
                correct = [t for t in legal if any(each[t] == 0 for each in price)]
                found = twins.features(a, templates)
                scores = model.scores(found)
                chosen = max(legal, key=lambda t: (scores[t], -t))
                model.steps += len(legal) > 1
                if chosen not in correct:
                    best = max(correct, key=lambda t: (scores[t], -t))
                    model.update(found, best, chosen)
                    chosen = best
                alive = [heads for heads, each in zip(alive, price, strict=True) if each[chosen] == 0]
                a.take(chosen)
            (last[int(index)],) = alive
        survived.append([last[i] for i in range(len(trees))])
    return model, survived


OF_COMMANDS = (OF_EXPERIMENTS, ParserOptions.features)
"""The feature sets that `run` and `train` take by default."""


@pytest.mark.parametrize("features", OF_COMMANDS)
@pytest.mark.parametrize("spec", ["case", "cop", "cc", "det", ALL])
def test_algorithm_1(
    spec: str, features: str, treebanks: Treebanks, sized: Callable[[int], int], tally: Tally
) -> None:
    """Whole trainings: each averaged weight, the survivor of each sentence and iteration"""
    chosen = list(sentences(treebanks, spec, sized(2), 20, 4))
    trees = [tree for _, tree in chosen]
    literal = [references(tree, spec, conventions) for conventions, tree in chosen]
    options = ParserOptions(seed=3, features=features)
    table = SYSTEMS[options.system].features[features]
    sets = [list(each.values()) for each in literal]
    model, survived = algorithm_1(trees, sets, options.system, table, 3, 3)

    corpus = options.encode(trees)
    encoded = [reference_set(tree, joint(spec, conventions)) for conventions, tree in chosen]
    trained = train_on_references(corpus, *encode_references(corpus, encoded), options, 3)
    compare_weights(tally, weights_of(trained.parser.weights), model)
    for iteration, surviving in enumerate(survived):
        found, bits = [], iter(trained.alternative_shares[iteration] > 0.5)
        for own, each in zip(encoded, literal, strict=True):
            tokens = [place.token for factor in own.factors for place in factor.places]
            found.append(each[frozenset(token for token in tokens if next(bits))])
        tally.count(len(found), sum(a != b for a, b in zip(found, surviving, strict=True)), spec, iteration)


@pytest.mark.parametrize("features", OF_COMMANDS)
@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if not system.in_list])
def test_perceptron(
    name: str, features: str, treebanks: Treebanks, sized: Callable[[int], int], tally: Tally
) -> None:
    """Each averaged weight of every regime, with labels and without, and the parses of other sentences"""
    longest = 12 if name.startswith("arc-eager") else 4  # twins of the others search
    chosen = [tree for _, tree in sentences(treebanks, ALL, sized(4), longest, 4)]
    train, unseen = chosen[::2], chosen[1::2]
    table, names = SYSTEMS[name].features[features], sorted({d for tree in train for d in tree.deprels})
    for oracle, labels in itertools.product(SYSTEMS[name].regimes, ([], names)):
        options = ParserOptions(
            system=name, oracle=oracle, iterations=2, labelled=bool(labels), seed=3, features=features
        )
        trained = train_parser(train, options).parser
        model, label_model, _ = twins.train(
            train, name, oracle, table, FEATURE_SETS[features], labels, iterations=2, seed=3
        )
        compare_weights(tally, weights_of(trained.weights), model)
        if labels:
            compare_weights(tally, weights_of(trained.label_weights), label_model)
            continue
        for tree, parsed in zip(unseen, trained.parse(unseen), strict=True):
            expected = tuple(twins.parse(tree, name, model.averaged(), table))
            tally.same(parsed.heads, expected, name, oracle, tree.forms)
