"""Training and parsing against plain Python: the same weights, the same trees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import twins
from corpora import random_treebank
from kernels import follow, weights_of

from learnability.errors import InputError
from learnability.parsing import parser
from learnability.parsing.configuration import new_configuration
from learnability.parsing.encoding import Labels
from learnability.parsing.features import columns_of, fill_addresses, fill_arc_keys, fill_between, fill_keys
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.perceptron import find_rows
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import FEATURE_SETS
from learnability.parsing.training import Trees
from learnability.treebanks.sentence import Tree

TREES = random_treebank(seed=7, sentences=15)
SHORT = random_treebank(seed=7, sentences=16, longest=4)  # for twins that search and for interpreted kernels
FROM_LEFT_TO_RIGHT = [name for name, system in SYSTEMS.items() if not system.in_list]

pytestmark = pytest.mark.usefixtures("interpreted_unless_usual")


def trees_for(name: str) -> list[Tree]:
    """Longer ones where training is compiled."""
    return TREES if name.startswith("arc-eager") else SHORT


def keys_along(
    name: str, tree: Tree, path: list[tuple[int, int]], options: ParserOptions
) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """The kernel's feature keys in every configuration of a path of (transition, label).

    Those of the configuration, and those of the arc that the transition adds to a word.
    """
    templates, label_templates = options.templates()
    corpus, n = options.encode([tree]), len(tree)
    system, c = SYSTEMS[name].kernels, new_configuration(n)
    addresses, atoms = np.zeros(32, np.int32), np.zeros(200, np.uint64)
    keys, label_keys = (np.zeros(len(t.terms), np.uint64) for t in (templates, label_templates))
    steps = np.array(path, np.int64).reshape(-1, 2)
    found = []
    for number, (transition, _) in enumerate([*path, (None, 0)]):
        head, dependent = follow(system, n, steps[:number], transition or 0, c)
        fill_addresses(c, addresses)
        if templates.between[0]:
            fill_between(c, addresses)
        fill_keys(c, corpus.attributes, 0, templates, addresses, atoms, keys)
        if adds_arc := options.labelled and transition is not None and dependent <= n:
            fill_arc_keys(
                c, corpus.attributes, 0, label_templates, head, dependent, addresses, atoms, label_keys
            )
        found.append((keys.copy(), label_keys.copy() if adds_arc else None))
    return found


def key_of_features(
    name: str, trees: list[Tree], paths: list, options: ParserOptions, table: str
) -> dict[tuple, int]:
    """The kernel's key of each of the twin's features, seen along the paths; one to one.

    A feature of an arc begins with a truth value (`twins.arc_features`), others do not.
    """
    templates, label_templates = (
        twins.templates_of(table, options.labelled),
        FEATURE_SETS[options.features].split(),
    )
    key: dict[tuple, int] = {}
    arcs: dict[tuple, int] = {}
    for index, path in paths:
        a = twins.Analysis(name, trees[index])
        for step, (keys, label_keys) in enumerate(keys_along(name, trees[index], path, options)):
            for feature, number in zip(twins.features(a, templates), keys, strict=True):
                assert key.setdefault(feature, int(number)) == int(number), feature
            if label_keys is not None:
                found = twins.arc_features(a, *a.arc(path[step][0]), label_templates)
                for feature, number in zip(found, label_keys, strict=True):
                    assert arcs.setdefault(feature, int(number)) == int(number), feature
            if step < len(path):
                a.take(*path[step])
    for own in (key, arcs):
        assert len(set(own.values())) == len(own)
    return key | arcs


def rows_of(perceptron: object, keys: list[int]) -> np.ndarray:
    rows = np.zeros(len(keys), np.int32)
    find_rows(perceptron, np.array(keys, np.uint64), rows)
    return rows


@pytest.mark.parametrize(
    ("name", "oracle"), [(name, oracle) for name in FROM_LEFT_TO_RIGHT for oracle in SYSTEMS[name].regimes]
)
@pytest.mark.parametrize("labelled", [pytest.param(False, marks=pytest.mark.slow), True])
def test_weights_equal_the_twins(name: str, oracle: str, labelled: bool) -> None:
    trees = trees_for(name)
    table = SYSTEMS[name].features["zn11"]
    options = ParserOptions(
        system=name, oracle=oracle, iterations=3, labelled=labelled, seed=3, features="zn11"
    )
    trained = train_parser(trees, options).parser
    labels = sorted({d for t in trees for d in t.deprels}) if labelled else []
    model, label_model, paths = twins.train(
        trees, name, oracle, table, FEATURE_SETS["zn11"], labels, iterations=3, seed=3
    )
    key = key_of_features(name, trees, paths, options, table)

    averaged = model.averaged()
    rows = rows_of(trained.weights, [key[f] for f in averaged])
    assert sorted(rows) == list(range(1, len(trained.weights.weight)))
    assert np.array_equal(trained.weights.weight[rows], np.array(list(averaged.values()), np.float32))
    if labelled:
        averaged = label_model.averaged()
        rows = rows_of(trained.label_weights, [key[f] for f in averaged])
        assert sorted(rows) == list(range(1, len(trained.label_weights.weight)))
        assert np.array_equal(
            weights_of(trained.label_weights)[rows - 1], np.array(list(averaged.values()), np.float32)
        )


@pytest.mark.parametrize("oracle", ["dynamic", "explore"])
def test_easy_first_weights_equal_the_twins(oracle: str) -> None:
    """As multisets: the twin has no keys. Scores are cached in the kernel and computed anew in the twin."""
    n = 12  # twelve times the same word: pairs with the same features, so that an update changes nothing
    uniform = Tree(("a",) * n, ("X",) * n, (0, 1, 1, 1, 1, 1, 6, 1, 1, 1, 1, 1), ("dep",) * n)
    trees = [*random_treebank(seed=9, sentences=6), uniform]
    options = ParserOptions(system="easy-first", oracle=oracle, iterations=3, seed=3, features="zn11")
    trained = train_parser(trees, options)
    table = SYSTEMS["easy-first"].features["zn11"]
    model = twins.train_easy_first(trees, oracle == "explore", table, iterations=3, seed=3)
    expected = np.array(list(model.averaged().values()), np.float32)
    found = weights_of(trained.parser.weights)
    assert trained.parser.weights.meta.tolist() == [len(expected) + 1, model.steps, 4]
    assert np.array_equal(
        np.sort(found.view("f4,f4,f4,f4").ravel()), np.sort(expected.view("f4,f4,f4,f4").ravel())
    )


@pytest.mark.parametrize(
    "name",
    [
        name if name == "arc-eager" else pytest.param(name, marks=pytest.mark.slow)
        for name in FROM_LEFT_TO_RIGHT
    ],
)
def test_greedy_parse_equals_the_twins(name: str) -> None:
    """Without labels; to compile that takes seconds for each. `test_root_labels` parses with labels."""
    trees, oracle = trees_for(name), SYSTEMS[name].default_regime
    table = SYSTEMS[name].features["zn11"]
    options = ParserOptions(system=name, oracle=oracle, iterations=2, features="zn11")
    trained = train_parser(trees, options).parser
    model, _, _ = twins.train(trees, name, oracle, table, "", [], iterations=2)
    unseen = random_treebank(seed=8, sentences=25, longest=9)
    expected = [tuple(twins.parse(t, name, model.averaged(), table)) for t in unseen]
    assert [t.heads for t in trained.parse(unseen)] == expected


def test_averaging_is_the_mean_over_steps() -> None:
    """The lazy sums of the twin (and so of the kernel) against adding up all weights at every step."""
    model, total = twins.Model(2), np.zeros(2)
    random = np.random.default_rng(5)
    for _ in range(50):
        model.steps += 1
        total += model.weights.get(("f",), [0, 0])
        if random.random() < 0.4:
            good = int(random.integers(2))
            model.update([("f",)], good, 1 - good)
    assert np.allclose(model.averaged()[("f",)], total / 50)


@pytest.mark.parametrize("feature_set", FEATURE_SETS)
@pytest.mark.parametrize("name", FROM_LEFT_TO_RIGHT)
def test_feature_keys_equal_the_twins(name: str, feature_set: str) -> None:
    """On random walks with random labels: two features have the same key just if they are the same."""
    options = ParserOptions(system=name, oracle="static", features=feature_set, labelled=True)
    table = SYSTEMS[name].features[feature_set]
    trees = random_treebank(seed=9, sentences=8, longest=16, projective=False)
    random, paths = np.random.default_rng(1), []
    for index, tree in enumerate(trees):
        a, path = twins.Analysis(name, tree), []
        while not a.is_final():
            step = (int(random.choice(a.legal())), int(random.integers(1, 5)))
            path.append(step)
            a.take(*step)
        paths.append((index, path))
    key_of_features(name, trees, paths, options, table)


@pytest.mark.parametrize("name", SYSTEMS)
def test_form_is_a_table_of_every_system(name: str) -> None:
    """All atoms compile; no template twice; forms and tags only, and none of their pairs."""
    options = ParserOptions(system=name, features="form", labelled=True)
    table = SYSTEMS[name].features["form"].split()
    assert len(table) == len(set(table)) == len(options.templates()[0].terms)
    attributes = {atom.partition(".")[2] for template in table for atom in template.split("+")}
    assert not attributes & {"wp", "x", "f", "m"}
    assert options.encode(TREES).attributes.shape[1] == len(columns_of("D.s3"))


def test_easy_first_learns_its_training_trees() -> None:
    """Its parses are compared with no twin. Labels are learnt, too."""
    trees = [
        Tree(forms=f, upos=("DET", "NOUN", "VERB", "ADV")[: len(f)], heads=h, deprels=d)
        for f, h, d in [
            (("the", "dog", "barks"), (2, 3, 0), ("det", "nsubj", "root")),
            (("a", "cat", "sleeps", "well"), (2, 3, 0, 3), ("det", "nsubj", "root", "advmod")),
            (("dogs",), (0,), ("root",)),
        ]
    ]
    options = ParserOptions(system="easy-first", oracle="explore", iterations=15, labelled=True)
    trained = train_parser(trees, options)
    assert [(t.heads, t.deprels) for t in trained.parser.parse(trees)] == [
        (t.heads, t.deprels) for t in trees
    ]


@pytest.mark.parametrize("name", SYSTEMS)
def test_training_is_deterministic_and_growth_changes_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = SYSTEMS[name].regimes[-1]
    options = ParserOptions(system=name, oracle=oracle, iterations=3, labelled=True, seed=4)
    trees = trees_for(name)
    first = train_parser(trees, options).parser
    again = train_parser(trees, options).parser
    large = parser.new_perceptron
    monkeypatch.setattr(parser, "new_perceptron", lambda classes, rows=16: large(classes, 16))
    grown = train_parser(trees, options).parser
    for other in (again, grown):
        assert np.array_equal(first.weights.weight, other.weights.weight)
        assert np.array_equal(first.label_weights.weight, other.label_weights.weight)
        assert first.parse(trees) == other.parse(trees)
    other_seed = train_parser(trees, ParserOptions(**{**vars(options), "seed": 5})).parser
    assert not np.array_equal(first.weights.weight, other_seed.weights.weight)


def test_arc_standard_refuses_dynamic_training() -> None:
    with pytest.raises(InputError, match="not arc-decomposable"):
        train_parser(TREES, ParserOptions(system="arc-standard", oracle="dynamic"))


def test_static_training_refuses_nonprojective_trees() -> None:
    tree = Tree(forms=("a",) * 4, upos=("X",) * 4, heads=(3, 4, 0, 3), deprels=("dep",) * 4)
    with pytest.raises(InputError, match="sentence 1 is not projective"):
        train_parser([tree], ParserOptions(oracle="static"))
    train_parser([tree], ParserOptions(oracle="static", system="covington", iterations=1, labelled=True))
    train_parser([tree], ParserOptions(oracle="explore", iterations=3))


def test_rich_features_refuse_a_corpus_without_their_columns() -> None:
    options = ParserOptions(features="rich")
    poor = ParserOptions().encode(TREES)
    heads = np.zeros(len(poor.attributes), np.int32)
    with pytest.raises(InputError, match=r"encode them with ParserOptions\.encode"):
        parser.train_on(poor, Trees(heads, np.zeros(0, np.int32)), Labels(), options)


@pytest.mark.parametrize("options", [{"system": "no"}, {"oracle": "no"}, {"features": "no"}, {"tags": "no"}])
def test_unknown_options_are_input_errors(options: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"'no'.*(choose from|choose one of|known:|use) "):
        train_parser(TREES, ParserOptions(**options))


WITHOUT_JIT = """
import hashlib, sys
sys.path[:0] = {path!r}
from corpora import random_treebank
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.systems import SYSTEMS
for system, facts in SYSTEMS.items():
    trees = random_treebank(seed=2, sentences=6, longest=5)
    options = ParserOptions(system=system, oracle=facts.regimes[-1], iterations=2, labelled=True)
    p = train_parser(trees, options).parser
    print(system, hashlib.sha256(p.weights.weight.tobytes() + p.label_weights.weight.tobytes()).hexdigest(),
          [t.heads for t in p.parse(trees)])
"""


@pytest.mark.slow
def test_without_compilation_everything_is_the_same() -> None:
    repository = Path(__file__).resolve().parents[2]
    code = WITHOUT_JIT.format(path=[str(repository / "tests" / "support"), str(repository)])

    def run(**more: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **more}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    interpreted = run(NUMBA_DISABLE_JIT="1")
    assert interpreted == run(NUMBA_DISABLE_JIT="0")
    assert interpreted.count("\n") == len(SYSTEMS)
