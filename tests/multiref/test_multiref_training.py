"""Whole trainings against Algorithm 1 with enumerated references, and what is read from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from enumerated_references import ALL, Enumerated, Labels, has_parts
from numpy.typing import NDArray
from reference_trees import real_trees, transformation
from trees import random_tree

from learnability.errors import InputError
from learnability.multiref.arrays import encode_references, labels_of
from learnability.multiref.references import reference_set
from learnability.multiref.training import preferred_shares, train_on_references
from learnability.parsing import perceptron, transitions
from learnability.parsing.encoding import (
    NO_CHOICE,
    NO_LABELS,
    UNLABELLED,
    Corpus,
    encode_heads,
    encode_tokens,
)
from learnability.parsing.parser import ParserOptions, train_on
from learnability.parsing.systems import SYSTEMS, system_named
from learnability.parsing.training import Trees, look_at_arc, predict, predict_label
from learnability.parsing.unlabelled import Unlabelled
from learnability.parsing.workspace import Labeller, Model, Workspace, new_workspace
from learnability.transforms.base import Transformation
from learnability.treebanks.sentence import Tree

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]

TRAINED = [name if name == "arc-eager" else pytest.param(name, marks=pytest.mark.slow) for name in WITH_COSTS]
"""The others are trained against sets of references in slow tests: compiling that takes seconds for each."""


@pytest.mark.parametrize("system", TRAINED)
def test_one_element_sets_give_the_ordinary_training(system: str) -> None:
    projective = SYSTEMS[system].projective
    trees = [random_tree(seed, 3 + seed % 10, projective=projective) for seed in range(80)]
    trees = [tree for tree in trees if not transformation("mwe").places(tree)]
    assert len(trees) > 20
    options = ParserOptions(system=system, seed=5, iterations=4)
    corpus = options.encode(trees)
    references, table = encode_references(corpus, [reference_set(t, transformation("mwe")) for t in trees])
    many = train_on_references(corpus, references, table, options, 4)
    heads = encode_heads(corpus, [tree.heads for tree in trees])
    one = train_on(corpus, Trees(heads, UNLABELLED), NO_LABELS, options)
    assert np.array_equal(many.parser.weights.weight, one.parser.weights.weight)
    assert np.array_equal(many.parser.weights.slots, one.parser.weights.slots)
    assert one.features > 500


def algorithm_1(
    trees: list[Tree], rule: Transformation, options: ParserOptions, iterations: int, labels: Labels = None
) -> tuple[list[NDArray[np.float32]], list[list[Tree]]]:
    """Algorithm 1 as printed, with a list of references per sentence; weights and survivors.

    With labels a transition and its label are correct together if some reference has the labelled arc.
    """
    corpus: Corpus = options.encode(trees)
    templates, label_templates = options.templates()
    sets = [reference_set(tree, rule, labels=labels) for tree in trees]
    names = labels_of(sets).names if labels else ()
    learner = perceptron.with_room(perceptron.new_perceptron(transitions.CLASSES), 1 << 17)
    labeller = perceptron.with_room(perceptron.new_perceptron(max(len(names), 1)), 1 << 17 if labels else 1)
    of_arcs = Labeller(label_templates, labeller, NO_CHOICE)
    model = Model(templates, learner, of_arcs if labels else Unlabelled())
    generator = np.random.default_rng(options.seed)
    work = new_workspace(int(corpus.length.max()), templates, label_templates, len(names))
    c, p, facts = work.configuration, learner, system_named(options.system)
    system = facts.kernels
    every = [Enumerated(tree, rule, facts, labels) for tree in trees]
    survived: list[list[Tree]] = []
    for _ in range(iterations):
        last: dict[int, Tree] = {}
        for sentence in generator.permutation(len(trees)):
            many = every[sentence]
            many.alive = list(range(len(many.trees)))
            transitions.initial(system, c, len(trees[sentence]))
            while not transitions.is_final(system, c):
                legal = transitions.legal(system, c, work.mask)
                each = many.costs(c, work.mask)
                correct = {t for t in range(4) if work.mask[t] and (each[:, t] == 0).any()}
                chosen = predict(system, model, corpus.attributes, int(corpus.start[sentence]), work)
                if legal > 1:
                    p.meta[perceptron.STEP] += 1
                    if chosen not in correct:
                        best = max(sorted(correct), key=lambda t: work.scores[t])
                        perceptron.update(learner, work.keys, work.rows, best, chosen)
                        chosen = best
                many.alive = [i for i, row in zip(many.alive, each, strict=True) if row[chosen] == 0]
                label = 0
                head, dependent = transitions.arc(system, c, chosen)
                if labels and dependent <= len(trees[sentence]):
                    base = int(corpus.start[sentence])
                    look_at_arc(of_arcs, corpus.attributes, base, head, dependent, work)
                    label = choose_label(many, head, dependent, names, labeller, work)
                transitions.apply(system, c, chosen, label)
            assert len({(many.trees[i], many.labelled[i].deprels) for i in many.alive}) == 1
            last[int(sentence)] = many.labelled[many.alive[0]]
        survived.append([last[i] for i in range(len(trees))])
    return [perceptron.average_weights(own).weight for own in (learner, labeller)], survived


def choose_label(
    many: Enumerated,
    head: int,
    dependent: int,
    names: Sequence[str],
    labeller: perceptron.Perceptron,
    work: Workspace,
) -> int:
    """Predict a label, update if no surviving reference has it, prune; the label plus 1."""
    position = 0 if head > len(many.trees[0]) else head
    wanted = {
        names.index(many.labelled[i].deprels[dependent - 1])
        for i in many.alive
        if many.trees[i][dependent - 1] == position
    }
    label = predict_label(labeller, work)
    labeller.meta[perceptron.STEP] += 1
    if label not in wanted:
        best = max(sorted(wanted), key=lambda k: work.label_scores[k])
        perceptron.update(labeller, work.label_keys, work.label_rows, best, label)
        label = best
    many.alive = [i for i in many.alive if many.labelled[i].deprels[dependent - 1] == names[label]]
    return label + 1


@cache
def real_trees_with_parts(files: tuple[Path, ...]) -> list[Tree]:
    """Real sentences of which some factor is in parts if it has 8 options at most."""
    return [tree for tree in real_trees(files, 8, ALL, per_file=60) if has_parts(tree, transformation(ALL))]


@pytest.mark.parametrize("labels", [None, "keep", "external"])
@pytest.mark.parametrize(
    ("spec", "max_options"), [("case", 64), ("cc", 64), ("cop", 64), (ALL, 64), (ALL, 8)]
)
def test_training_equals_algorithm_1_with_enumerated_references(
    spec: str, max_options: int, labels: Labels, test_files: list[Path]
) -> None:
    """With factors listed, or (8 options at most) in parts."""
    rule = transformation(spec)
    trees = real_trees(test_files, 6, spec, per_file=2)[:20]
    if max_options == 8:
        trees += real_trees_with_parts(tuple(test_files))[:16]
    options = ParserOptions(seed=3, labelled=labels is not None)
    corpus = options.encode(trees)
    sets = [reference_set(tree, rule, labels=labels, max_options=max_options) for tree in trees]
    factors = [factor for own in sets for factor in own.factors]
    assert not any(factor.cut for factor in factors)
    assert (sum(len(factor.parts) > 1 for factor in factors) > 8) == (max_options == 8)
    known = labels_of(sets) if labels else NO_LABELS
    references, table = encode_references(corpus, sets, known)
    trained = train_on_references(corpus, references, table, options, 3, labels=known)
    weights, survived = algorithm_1(trees, rule, options, 3, labels)
    assert np.array_equal(trained.parser.weights.weight, weights[0])
    if labels:
        assert np.array_equal(trained.parser.label_weights.weight, weights[1])
    for iteration, surviving in enumerate(survived):
        transformed = []
        for references_of, tree in zip(sets, surviving, strict=True):
            for factor in references_of.factors:
                heads = tuple(tree.heads[token - 1] for token in factor.tokens)
                options = map(factor.option, range(len(factor)))
                bits = next(option.selection for option in options if option.heads == heads)
                transformed += [bits >> i & 1 for i in range(len(factor.places))]
        assert trained.alternative_shares[iteration].tolist() == transformed
    assert trained.features > 1000


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in WITH_COSTS])
def test_systems_with_unknown_costs_are_refused(name: str) -> None:
    tree = two(1)
    options = ParserOptions(system=name, oracle="static")
    corpus = options.encode([tree])
    references, table = encode_references(corpus, [reference_set(tree, transformation("case"))])
    with pytest.raises(InputError, match=r"\(it is not .*; choose one of arc-eager, "):
        train_on_references(corpus, references, table, options, 1)


def test_survival_counts_sentences_by_their_majority_and_ties_for_neither() -> None:
    trees = [two(3), two(1), two(2)]
    corpus = encode_tokens(trees)
    _, table = encode_references(corpus, [reference_set(t, transformation("case")) for t in trees])
    # three places: two original; one place: transformed; two places: a tie
    shares = preferred_shares(table, np.array([0.0, 0.0, 1.0, 1.0, 0.0, 1.0]))
    assert shares.sentences == 3
    assert shares.base_share == pytest.approx(1 / 3)
    assert shares.alternative_share == pytest.approx(1 / 3)
    assert shares.place_base_share == pytest.approx(0.5)


def two(phrases: int) -> Tree:
    """A verb with so many prepositional phrases."""
    heads, deprels = [0], ["root"]
    for i in range(phrases):
        heads += [2 * i + 3, 1]
        deprels += ["case", "obl"]
    n = len(heads)
    return Tree(("w",) * n, ("X",) * n, tuple(heads), tuple(deprels))
