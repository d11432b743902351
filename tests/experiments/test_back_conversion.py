"""Back-conversion on data where the answer is known, and without a look at what it must not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnability.experiments.back_conversion import back_record, correct_after, train_converter
from learnability.experiments.data import prepare
from learnability.experiments.options import DataOptions
from learnability.parsing.encoding import encode_heads, encode_tokens
from learnability.parsing.projectivity import projectivized
from learnability.transforms import PAPER, JointTransformation, Transformation, get_transformation, invert_all
from learnability.treebanks import load_treebank, locate_treebank
from learnability.treebanks.sentence import Conventions, Tree

CONVENTIONS = Conventions(version=2, flat_name=True, aux_pass=True)


def rule_of(spec: str) -> Transformation:
    parts = [get_transformation(one, CONVENTIONS) for one in spec.split("+")]
    return parts[0] if len(parts) == 1 else JointTransformation(parts)


@pytest.fixture(scope="module")
def demo() -> tuple[list[Tree], list[Tree]]:
    """Training and test trees of the bundled treebank."""
    treebank = load_treebank("demo")
    return [s.tree for s in treebank.train], [s.tree for s in treebank.test]


@pytest.mark.parametrize("spec", [*PAPER, "+".join(PAPER)])
def test_gold_trees_come_back(demo: tuple[list[Tree], list[Tree]], spec: str) -> None:
    """The demo's words tell their function: almost everything must be restored, of the changed heads too."""
    train, test = demo
    rule = rule_of(spec)
    corpus, tests = encode_tokens(train), encode_tokens(test)
    converter = train_converter(corpus, train, rule)
    transformed = [rule.apply(tree).heads for tree in test]
    heads = encode_heads(tests, transformed)
    total = sum(map(len, test))
    changed = (
        total - correct_after(test, [t.with_heads(h) for t, h in zip(test, transformed, strict=True)]).sum()
    )
    own = total - correct_after(test, converter.convert(tests, test, heads)).sum()
    gold_sites = [rule.sites(tree) for tree in test]
    with_sites = total - correct_after(test, converter.convert(tests, test, heads, gold_sites)).sum()
    assert changed >= 20
    assert own <= 0.1 * changed + 1
    assert with_sites <= 0.06 * changed + 1


def test_gold_labels_of_the_test_trees_are_not_read(demo: tuple[list[Tree], list[Tree]]) -> None:
    train, test = demo
    rule = rule_of("case+cop")
    corpus, tests = encode_tokens(train[:200]), encode_tokens(test)
    converter = train_converter(corpus, train[:200], rule)
    heads = encode_heads(tests, [rule.apply(tree).heads for tree in test])
    blind = [tree.with_heads([0] * len(tree), ["x"] * len(tree)) for tree in test]
    assert [t.heads for t in converter.convert(tests, test, heads)] == [
        t.heads for t in converter.convert(tests, blind, heads)
    ]


def test_conversion_is_deterministic(demo: tuple[list[Tree], list[Tree]]) -> None:
    train, test = demo[0][:150], demo[1]
    corpus, tests = encode_tokens(train), encode_tokens(test)
    heads = encode_heads(tests, [tree.heads for tree in test])
    first, second = (train_converter(corpus, train, rule_of("det")) for _ in range(2))
    assert first.convert(tests, test, heads) == second.convert(tests, test, heads)


def test_a_site_is_inverted_by_its_own_transformation_only() -> None:
    """Given sites of several transformations, a coordinator is not taken for a function word."""
    rule = rule_of("case+cc")
    tree = Tree(
        ("lives", "in", "Rome", "and", "works", "here"), ("VERB", "ADP", "PROPN", "CCONJ", "VERB", "ADV"),
        (0, 3, 1, 5, 1, 5), ("root", "case", "obl", "cc", "conj", "advmod"),
    )  # fmt: skip
    transformed = rule.apply(tree)
    assert transformed.heads == (4, 1, 2, 0, 4, 5)
    assert invert_all(rule, [transformed], [rule.sites(tree)]) == [tree]


def test_on_a_real_treebank(ud_home: Path) -> None:
    treebank = load_treebank("UD_Tamil", ud_home=ud_home, release="1.3")
    train = [s.tree.with_heads(projectivized(s.tree.heads)) for s in treebank.train]
    test = [s.tree for s in treebank.test]
    rule = get_transformation("case", treebank.conventions)
    corpus, tests = encode_tokens(train), encode_tokens(test)
    converter = train_converter(corpus, train, rule)
    heads = encode_heads(tests, [rule.apply(tree).heads for tree in test])
    ceiling = correct_after(test, converter.convert(tests, test, heads)).sum() / sum(map(len, test))
    assert 0.98 < ceiling < 1


def test_the_record_of_a_run(demo: tuple[list[Tree], list[Tree]]) -> None:
    fold = prepare(locate_treebank("demo"), DataOptions(), 0, "arc-eager", "lift", "gold")
    rule = get_transformation("case", fold.treebank.conventions)
    gold = encode_heads(fold.test_corpus, [rule.apply(tree).heads for tree in fold.test])
    record = back_record(fold, "case", gold)
    converter = train_converter(fold.train_corpus, fold.train_ready, rule)
    own = correct_after(fold.test, converter.convert(fold.test_corpus, fold.test, gold))
    assert record["back_correct"] == own.tolist()
    assert record["back_ceiling_correct"] == own.sum()
    sites = [rule.sites(tree) for tree in fold.test]
    given = correct_after(fold.test, converter.convert(fold.test_corpus, fold.test, gold, sites))
    assert record["back_ceiling_gold_sites_correct"] == given.sum() >= own.sum()
    chain = encode_heads(fold.test_corpus, [range(len(tree)) for tree in fold.test])
    assert sum(back_record(fold, "case", chain)["back_correct"]) < 0.5 * own.sum()
