"""The multi-reference oracle against enumeration: costs, pruning and whole trainings."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from reference_trees import SPECS, random_tree, real_trees, transformation

from learnability.multiref.arrays import encode_references, label_names
from learnability.multiref.labels import allowed_labels, prune_labels
from learnability.multiref.oracle import prune, reference_costs, revive
from learnability.multiref.references import MAX_OPTIONS, reference_set
from learnability.multiref.training import survival_shares, train_on_references
from learnability.parsing import perceptron, systems, training
from learnability.parsing.encoding import UNLABELLED, Corpus, encode_heads, encode_tokens
from learnability.parsing.oracle import Gold, costs, new_gold, set_gold
from learnability.parsing.parser import ParserOptions, train_on_arrays
from learnability.transforms import Transformation
from learnability.treebanks import Tree

Labels = Literal["keep", "external"] | None

SYSTEM_NAMES = [name for name in systems.SYSTEMS if name.startswith("arc-eager") or name == "arc-hybrid"]

ARC_EAGER = systems.system_number("arc-eager")


class Enumerated:
    """The references of one sentence, one by one, each with its own single-reference oracle."""

    def __init__(
        self, tree: Tree, rule: Transformation, system: systems.System, labels: Labels = None
    ) -> None:
        self.labelled = [t for _, t in reference_set(tree, rule, labels=labels).enumerate()]
        self.trees = [t.heads for t in self.labelled]
        self.alive = list(range(len(self.trees)))
        self.system = system
        n = len(tree)
        self.golds: list[Gold] = []
        for heads in self.trees:
            gold = new_gold(n)
            padded = np.array([0, *heads, 0, 0], np.int32)
            set_gold(gold, n, systems.root_position(system, n), padded, UNLABELLED, 0)
            self.golds.append(gold)

    def costs(self, c: object, mask: NDArray[np.uint8]) -> NDArray[np.int64]:
        """int64[alive, transitions]: each surviving reference's cost of each transition."""
        rows = []
        for i in self.alive:
            out = np.zeros(systems.TRANSITIONS, np.int32)
            costs(self.system, c, self.golds[i], mask, out)
            rows.append(out)
        return np.array(rows, np.int64)


def walk(
    tree: Tree,
    rule: Transformation,
    system: int,
    draw: random.Random,
    astray: float,
    max_options: int = MAX_OPTIONS,
) -> None:
    """Parse at random and compare both oracles in every configuration.

    With probability `astray` a transition of higher cost is taken, where references are only partly
    reachable.
    """
    corpus = encode_tokens([tree])
    own = reference_set(tree, rule, max_options=max_options)
    references, _ = encode_references(corpus, [own])
    many = Enumerated(tree, rule, system)
    templates = ParserOptions().templates()
    work = training.new_workspace(len(tree), templates, 0)
    set_gold(work.gold, len(tree), systems.root_position(system, len(tree)), references.fixed, UNLABELLED, 0)
    revive(references, 0)
    c = work.configuration
    systems.initial(system, c, len(tree))
    while not systems.is_final(system, c):
        systems.legal(system, c, work.mask)
        reference_costs(system, c, work.gold, references, 0, work.mask, work.cost)
        each = many.costs(c, work.mask)
        legal = [t for t in range(systems.TRANSITIONS) if work.mask[t]]
        assert [work.cost[t] for t in legal] == [each[:, t].min() for t in legal]
        least = min(work.cost[t] for t in legal)
        options = [t for t in legal if work.cost[t] == least]
        chosen = draw.choice(legal if draw.random() < astray else options)
        prune(system, c, references, 0, chosen)
        best = each[:, chosen].min()
        many.alive = [i for i, row in zip(many.alive, each, strict=True) if row[chosen] == best]
        assert survivors(references.alive, tree, rule, max_options) == {many.trees[i] for i in many.alive}
        systems.apply(system, c, chosen, 0)
    if astray == 0:
        assert len(many.alive) == 1


def survivors(
    alive: NDArray[np.uint8], tree: Tree, rule: Transformation, max_options: int = MAX_OPTIONS
) -> set[tuple[int, ...]]:
    """The trees of the product of the surviving options, or of the selections alive in every part."""
    references = reference_set(tree, rule, max_options=max_options)
    found = [list(tree.heads)]
    first = 0
    for factor in references.factors:
        if factor.parts:
            starts = [first + sum(len(q.options) for q in factor.parts[:i]) for i in range(len(factor.parts))]
            kept = [
                factor.option(selection).heads
                for selection in range(len(factor))
                if all(
                    alive[start + sum((selection >> site & 1) << i for i, site in enumerate(part.sites))]
                    for start, part in zip(starts, factor.parts, strict=True)
                )
            ]
            first = starts[-1] + len(factor.parts[-1].options)
        else:
            kept = [heads for i, heads in enumerate(factor.options) if alive[first + i]]
            first += len(factor.options)
        found = [
            [
                dict(zip(factor.tokens, heads, strict=True)).get(token, head)
                for token, head in enumerate(base, 1)
            ]
            for base in found
            for heads in kept
        ]
    return {tuple(heads) for heads in found}


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("system", SYSTEM_NAMES)
def test_oracle_equals_enumeration_on_random_trees(system: str, spec: str, astray: float) -> None:
    rule = transformation(spec)
    draw = random.Random(7)
    checked = 0
    for seed in range(400):
        tree = random_tree(seed, 4 + seed % 8)
        if 1 <= len(rule.sites(tree)) <= 6:
            walk(tree, rule, systems.system_number(system), draw, astray)
            checked += 1
            if checked == 60:
                break
    assert checked > 5


@pytest.mark.parametrize("astray", [0.0, 0.3])
@pytest.mark.parametrize("system", SYSTEM_NAMES)
def test_oracle_of_factors_in_parts_equals_enumeration(
    system: str, astray: float, test_files: list[Path]
) -> None:
    """With 8 options at most, so that small factors are split as well as large ones."""
    draw = random.Random(17)
    spec = "case+cop+cc+det+mark+mwe+name"
    rule = transformation(spec)
    checked: Counter[int] = Counter()
    trees = [random_tree(seed, 9) for seed in range(150)] + real_trees(test_files, 9, spec, per_file=8)
    for tree in trees:
        factors = reference_set(tree, rule, max_options=8).factors
        if 1 <= len(rule.sites(tree)) <= 9 and any(factor.parts for factor in factors):
            walk(tree, rule, systems.system_number(system), draw, astray, 8)
            checked[max(len(factor.parts) for factor in factors)] += 1
    assert checked[2] > 5
    assert sum(checked.values()) - checked[2] > 3  # longer chains of parts


@pytest.mark.parametrize("spec", ["case", "cop", "cc", "det", "case+cop+cc+det+mark+mwe+name"])
def test_oracle_equals_enumeration_on_real_sentences(spec: str, test_files: list[Path]) -> None:
    draw = random.Random(11)
    for tree in real_trees(test_files, 10, spec, per_file=3):
        walk(tree, transformation(spec), systems.system_number("arc-eager"), draw, 0.0)


def test_one_element_sets_give_the_ordinary_training() -> None:
    trees = [random_tree(seed, 3 + seed % 10) for seed in range(60)]
    trees = [tree for tree in trees if not transformation("mwe").sites(tree)]
    assert len(trees) > 20
    corpus = encode_tokens(trees)
    references, table = encode_references(corpus, [reference_set(t, transformation("mwe")) for t in trees])
    options = ParserOptions(seed=5, iterations=4)
    many = train_on_references(corpus, references, table, options, 4)
    heads = encode_heads(corpus, [tree.heads for tree in trees])
    one = train_on_arrays(corpus, heads, UNLABELLED, [], options, None)
    assert np.array_equal(many.parser.weights.weight, one.parser.weights.weight)
    assert np.array_equal(many.parser.weights.slots, one.parser.weights.slots)
    assert one.features > 500


def algorithm_1(
    trees: list[Tree], rule: Transformation, options: ParserOptions, iterations: int, labels: Labels = None
) -> tuple[list[NDArray[np.float32]], list[list[Tree]]]:
    """Algorithm 1 as printed, with a list of references per sentence; weights and survivors.

    With labels a transition and its label are correct together if some reference has the labelled arc.
    """
    corpus: Corpus = encode_tokens(trees)
    templates = options.templates()
    names = label_names([reference_set(tree, rule, labels=labels) for tree in trees]) if labels else []
    learner = training.with_room(training.new_learner(systems.TRANSITIONS), 1 << 17)
    labeller = training.with_room(training.new_learner(max(len(names), 1)), 1 << 17 if labels else 1)
    generator = np.random.default_rng(options.seed)
    work = training.new_workspace(int(corpus.length.max()), templates, len(names))
    c, p, system = work.configuration, learner.perceptron, systems.system_number(options.system)
    survived: list[list[Tree]] = []
    for _ in range(iterations):
        last: dict[int, Tree] = {}
        for sentence in generator.permutation(len(trees)):
            many = Enumerated(trees[sentence], rule, system, labels)
            systems.initial(system, c, len(trees[sentence]))
            while not systems.is_final(system, c):
                legal = systems.legal(system, c, work.mask)
                each = many.costs(c, work.mask)
                correct = {t for t in range(4) if work.mask[t] and (each[:, t] == 0).any()}
                chosen = training.predict(corpus.attributes, int(corpus.start[sentence]), templates, p, work)
                if legal > 1:
                    p.meta[perceptron.STEP] += 1
                    if chosen not in correct:
                        best = max(sorted(correct), key=lambda t: work.scores[t])
                        perceptron.update(p, learner.row_keys, work.keys, work.rows, best, chosen)
                        chosen = best
                many.alive = [i for i, row in zip(many.alive, each, strict=True) if row[chosen] == 0]
                label = 0
                head, dependent = systems.arc(system, c, chosen)
                if labels and dependent <= len(trees[sentence]):
                    label = choose_label(many, head, dependent, chosen, names, labeller, work)
                systems.apply(system, c, chosen, label)
            assert len({(many.trees[i], many.labelled[i].deprels) for i in many.alive}) == 1
            last[int(sentence)] = many.labelled[many.alive[0]]
        survived.append([last[i] for i in range(len(trees))])
    weights = []
    for one in (p, labeller.perceptron):
        weights.append(np.zeros((int(one.meta[perceptron.ROWS]), one.weight.shape[1]), np.float32))
        perceptron.average_into(one, weights[-1])
    return weights, survived


def choose_label(
    many: Enumerated,
    head: int,
    dependent: int,
    transition: int,
    names: list[str],
    labeller: training.Learner,
    work: training.Workspace,
) -> int:
    """Predict a label, update if no surviving reference has it, prune; the label plus 1."""
    position = 0 if head > len(many.trees[0]) else head
    wanted = {
        names.index(many.labelled[i].deprels[dependent - 1])
        for i in many.alive
        if many.trees[i][dependent - 1] == position
    }
    q = labeller.perceptron
    label = training.predict_label(transition, q, work)
    q.meta[perceptron.STEP] += 1
    if label not in wanted:
        best = max(sorted(wanted), key=lambda k: work.label_scores[k])
        perceptron.update(q, labeller.row_keys, work.label_keys, work.rows, best, label)
        label = best
    many.alive = [i for i in many.alive if many.labelled[i].deprels[dependent - 1] == names[label]]
    return label + 1


ALL = "case+cop+cc+det+mark+mwe+name"


def has_parts(tree: Tree, rule: Transformation) -> bool:
    """Whether, with 8 options at most, a factor is in parts, and none cut; heads only and with labels."""
    factors = [
        factor
        for labels in (None, "keep", "external")
        for factor in reference_set(tree, rule, labels=labels, max_options=8).factors
    ]
    return any(factor.parts for factor in factors) and not any(factor.cut for factor in factors)


@pytest.mark.parametrize("labels", [None, "keep", "external"])
@pytest.mark.parametrize(
    ("spec", "max_options"), [("case", 64), ("cc", 64), ("cop", 64), (ALL, 64), (ALL, 8)]
)
def test_training_equals_algorithm_1_with_enumerated_references(
    spec: str, max_options: int, labels: Labels, test_files: list[Path]
) -> None:
    """With factors listed, or (8 options at most) in parts."""
    rule = transformation(spec)
    trees = real_trees(test_files, 6, spec, per_file=3)[:36]
    if max_options == 8:
        trees += [tree for tree in real_trees(test_files, 8, spec, per_file=60) if has_parts(tree, rule)]
    corpus = encode_tokens(trees)
    options = ParserOptions(seed=3, labelled=labels is not None)
    sets = [reference_set(tree, rule, labels=labels, max_options=max_options) for tree in trees]
    factors = [factor for own in sets for factor in own.factors]
    assert not any(factor.cut for factor in factors)
    assert (sum(bool(factor.parts) for factor in factors) > 8) == (max_options == 8)
    names = label_names(sets) if labels else []
    references, table = encode_references(corpus, sets, names)
    trained = train_on_references(corpus, references, table, options, 3, labels=names)
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
                transformed += [bits >> i & 1 for i in range(len(factor.sites))]
        assert trained.survival[iteration].tolist() == transformed
    assert trained.features > 1000


@pytest.mark.parametrize("labels", ["keep", "external"])
@pytest.mark.parametrize(("spec", "max_options"), [*((spec, 64) for spec in SPECS), (ALL, 8)])
def test_labelled_sets_are_all_selections_with_their_labels(
    spec: str, max_options: int, labels: Labels
) -> None:
    rule = transformation(spec)
    checked = split = 0
    for seed in range(900):
        tree = random_tree(seed, 4 + seed % 9)
        sites = rule.sites(tree)
        if not 1 <= len(sites) <= 6:
            continue
        references = reference_set(tree, rule, labels=labels, max_options=max_options)
        if any(factor.cut for factor in references.factors):
            continue
        checked += 1
        split += any(factor.parts for factor in references.factors)
        for selection, found in references.enumerate():
            expected = rule.apply(tree, selection, labels=labels)
            assert (found.heads, found.deprels) == (expected.heads, expected.deprels)
    assert checked > 20
    assert (split > 10) == (max_options == 8)


def test_pruning_by_labels_keeps_what_enumeration_keeps(test_files: list[Path]) -> None:
    """Of factors in parts: the selections that survive, and in each part the options that one of them has.

    With kept labels, where roots exchange theirs: else a token's head nearly always tells its label.
    """
    rule, draw = transformation(ALL), random.Random(23)
    pruned = 0
    trees = [random_tree(seed, 9) for seed in range(700)] + real_trees(test_files, 9, ALL, per_file=40)
    for tree in filter(lambda tree: has_parts(tree, rule), trees):
        own = reference_set(tree, rule, labels="keep", max_options=8)
        names, n = label_names([own]), len(tree)
        references, _ = encode_references(encode_tokens([tree]), [own], names)
        allowed = np.zeros(len(names), np.uint8)
        starts = [0]
        for factor in own.factors:
            first = len(starts) - 1
            for part in factor.parts or (factor,):
                starts.append(starts[-1] + len(part.options))
            if not factor.parts:
                continue
            alive = set(range(len(factor)))
            for i, token in enumerate(factor.tokens):
                arcs = {s: (factor.option(s).heads[i], factor.option(s).labels[i]) for s in alive}
                head, name = draw.choice(sorted(set(arcs.values())))
                wanted = {label for own_head, label in arcs.values() if own_head == head}
                found = allowed_labels(references, 0, n + 1, head or n + 1, token, allowed)
                assert ({names[k] for k in np.flatnonzero(allowed)}, found) == (wanted, len(wanted))
                prune_labels(references, 0, n + 1, head or n + 1, token, names.index(name))
                left = {s for s in alive if arcs[s][0] != head or arcs[s][1] == name}
                pruned += len(left) < len(alive)
                alive = left
                for start, part in zip(starts[first:], factor.parts, strict=False):
                    states = {sum((s >> site & 1) << k for k, site in enumerate(part.sites)) for s in alive}
                    kept = references.alive[start : start + len(part.options)]
                    assert set(np.flatnonzero(kept).tolist()) == states
    assert pruned > 10


def test_survival_counts_sentences_by_their_majority_and_ties_for_neither() -> None:
    trees = [two(3), two(1), two(2)]
    corpus = encode_tokens(trees)
    _, table = encode_references(corpus, [reference_set(t, transformation("case")) for t in trees])
    # three sites: two original; one site: transformed; two sites: a tie
    shares = survival_shares(table, np.array([0.0, 0.0, 1.0, 1.0, 0.0, 1.0]))
    assert shares.sentences == 3
    assert shares.original_share == pytest.approx(1 / 3)
    assert shares.transformed_share == pytest.approx(1 / 3)
    assert shares.site_original_share == pytest.approx(0.5)


def two(phrases: int) -> Tree:
    """A verb with so many prepositional phrases."""
    heads, deprels = [0], ["root"]
    for i in range(phrases):
        heads += [2 * i + 3, 1]
        deprels += ["case", "obl"]
    n = len(heads)
    return Tree(("w",) * n, ("X",) * n, tuple(heads), tuple(deprels))
