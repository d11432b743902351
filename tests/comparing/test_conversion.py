"""Back-conversion on data where the answer is known, and without a look at what it must not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from small_treebanks import DEMO, cut, demo_treebank
from trees import shuffled

from learnability.comparing.conversion import Converter, example, train_converter
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.results import Ceiling
from learnability.comparing.ud import UD
from learnability.metrics.scores import ANSWERED, Score, correct_tokens
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.projectivity import projectivize
from learnability.transforms.base import Transformation, invert_all
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import PAPER, get_transformation
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Conventions, Tree
from learnability.treebanks.splits import load_treebank

CONVENTIONS = Conventions(version=2, flat_name=True)


def rule_of(spec: str) -> Transformation:
    parts = [get_transformation(one, CONVENTIONS) for one in spec.split("+")]
    return parts[0] if len(parts) == 1 else JointTransformation(parts)


@pytest.fixture(scope="module")
def demo() -> tuple[list[Tree], list[Tree]]:
    treebank = demo_treebank()
    return [s.tree for s in treebank.test], [s.tree for s in treebank.train]


def correct(gold: Sequence[Tree], trees: Sequence[Tree]) -> int:
    return int(correct_tokens(gold, trees, Score.UAS).sum())


def unlabelled(trees: Sequence[Tree], rule: Transformation) -> list[Tree]:
    return [tree.with_heads(rule.apply(tree).heads, ["x"] * len(tree)) for tree in trees]


@pytest.mark.parametrize("spec", [*PAPER, "+".join(PAPER)])
def test_gold_trees_come_back(demo: tuple[list[Tree], list[Tree]], spec: str) -> None:
    """The demo's words tell their function: almost everything must be restored, of the changed heads too."""
    train, test = demo
    rule = rule_of(spec)
    converter = train_converter(train, rule, None, encode_tokens)
    transformed = unlabelled(test, rule)
    total = sum(map(len, test))
    changed = total - correct(test, transformed)
    own = total - correct(test, converter.convert(transformed))
    gold_places = [rule.places(tree) for tree in test]
    with_places = total - correct(test, converter.convert(transformed, gold_places))
    assert changed >= 20
    assert own <= 0.1 * changed + 1
    assert with_places <= 0.09 * changed + 1


def test_labels_of_unlabelled_trees_are_not_read(demo: tuple[list[Tree], list[Tree]]) -> None:
    train, test = demo
    rule = rule_of("case+cop")
    converter = train_converter(train[:200], rule, None, encode_tokens)
    transformed = [rule.apply(tree) for tree in test]
    assert converter.convert(transformed) == converter.convert(unlabelled(test, rule))


def test_conversion_is_deterministic(demo: tuple[list[Tree], list[Tree]]) -> None:
    train, test = demo[0][:150], demo[1]
    first, second = (train_converter(train, rule_of("det"), None, encode_tokens) for _ in range(2))
    assert first.convert(test) == second.convert(test)


def test_a_place_is_inverted_by_its_own_transformation_only() -> None:
    """Given places of several transformations, a coordinator is not taken for a function word."""
    rule = rule_of("case+cc")
    tree = Tree(
        ("lives", "in", "Rome", "and", "works", "here"), ("VERB", "ADP", "PROPN", "CCONJ", "VERB", "ADV"),
        (0, 3, 1, 5, 1, 5), ("root", "case", "obl", "cc", "conj", "advmod"),
    )  # fmt: skip
    transformed = rule.apply(tree)
    assert transformed.heads == (4, 1, 2, 0, 4, 5)
    assert invert_all(rule, [transformed], [rule.places(tree)]) == [tree]


def test_on_a_real_treebank(ud_home: Path) -> None:
    treebank = load_treebank("UD_Tamil", ud_home=ud_home, release="1.3")
    train = [s.tree.with_heads(projectivize(s.tree.heads)) for s in treebank.train]
    test = [s.tree for s in treebank.test]
    rule = get_transformation("case", treebank.conventions)
    converter = train_converter(train, rule, None, encode_tokens)
    ceiling = correct(test, converter.convert(unlabelled(test, rule))) / sum(map(len, test))
    assert 0.98 < ceiling < 1


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("part") / "UD_Part"
    folder.mkdir()
    for path in DEMO.glob("*.conllu"):
        cut(path, folder / path.name, 0, 250)
    return folder


def fold_of_part(part: Path, **options: Any) -> Fold:
    return fold_of(locate_treebank(part), ExperimentOptions.spell_annotations(("case",), **options), 0)


def test_the_ceilings_of_a_fold(part: Path) -> None:
    fold = fold_of_part(part)
    annotated = fold.compare_pair(Pair(UD, annotation_spelled("case"))).alternative
    rule = get_transformation("case", fold.treebank.conventions)
    gold = [tree.with_heads(rule.apply(tree).heads) for tree in fold.ud.test]
    learned = partial(example, rule, lifts=True)
    converter = train_converter(fold.ud.train, rule, None, fold.encode, example_of=learned)
    places = [rule.places(tree) for tree in fold.ud.test]
    given = correct(fold.ud.test, converter.convert(gold, places))
    found = correct(fold.ud.test, converter.convert(gold))
    assert annotated.ceilings == {Score.UAS: Ceiling(found_places=found, gold_places=given)}
    assert given >= found
    chain = [tree.with_heads(range(len(tree))) for tree in fold.ud.test]
    assert correct(fold.ud.test, annotated.converter.convert(chain)) < 0.5 * given


@pytest.mark.parametrize("labels", ["external", "keep"])
def test_labelled_gold_trees_come_back_with_their_labels(part: Path, labels: Any) -> None:
    fold = fold_of_part(part, labels=labels)
    total = sum(map(len, fold.ud.test))
    for name in ("scheme:all", "case", "cc"):
        annotated = fold.compare_pair(Pair(UD, annotation_spelled(name))).alternative
        gold = annotated.sets.test
        back = annotated.converter.convert(gold)
        heads, arcs = (int(correct_tokens(fold.ud.test, back, score).sum()) for score in ANSWERED)
        assert 0.998 * total <= arcs <= heads <= total
        assert [annotated.ceilings[score].found_places for score in ANSWERED] == [heads, arcs]
        wrong = annotated.converter.convert([t.with_heads(t.heads, ["dep"] * len(t)) for t in gold])
        assert correct_tokens(fold.ud.test, wrong, Score.LAS).sum() == 0


def test_gold_trees_of_the_test_part_are_not_read(part: Path) -> None:
    """The converter of a fold is the same whatever the annotation of its test part."""
    fold, blind = (fold_of_part(part, labels="external") for _ in range(2))
    blind.ud = replace(blind.ud, test=tuple(t.with_heads(t.heads, ["x"] * len(t)) for t in blind.ud.test))
    case = Pair(UD, annotation_spelled("case"))
    parsed = [shuffled(tree, 5) for tree in fold.compare_pair(case).alternative.sets.test]
    converters: list[Converter] = [each.compare_pair(case).alternative.converter for each in (fold, blind)]
    assert converters[0].convert(parsed) == converters[1].convert(parsed)
