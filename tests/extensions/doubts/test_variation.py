"""Variation nuclei, against a comparison of all pairs of places, and the rules of the guidelines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from corpora import random_treebank

from learnability.extensions.doubts.variation import LONGEST, variation
from learnability.extensions.doubts.words import ColumnWords
from learnability.treebanks.guidelines import Guidelines
from learnability.treebanks.sentence import Tree


def places(trees: list[Tree]) -> list[tuple[int, int, int, tuple[str, ...], tuple[str, str], object]]:
    """All pairs of words near each other: sentence, ends, words, neighbours, and the arc between the ends."""
    found = []
    for number, tree in enumerate(trees):
        forms = [form.lower() for form in tree.forms]
        for first in range(1, len(tree) + 1):
            for last in range(first + 1, min(len(tree), first + LONGEST - 1) + 1):
                label: object = None
                if tree.heads[first - 1] == last:
                    label = (tree.deprels[first - 1], "left")
                elif tree.heads[last - 1] == first:
                    label = (tree.deprels[last - 1], "right")
                sides = (forms[first - 2] if first > 1 else "", forms[last] if last < len(tree) else "")
                found.append((number, first, last, tuple(forms[first - 1 : last]), sides, label))
    return found


def counted(trees: list[Tree]) -> list[list[int]]:
    """The counts of each word, by comparing its place with all others."""
    everywhere = places(trees)
    rows = []
    for number, tree in enumerate(trees):
        for word, head in enumerate(tree.heads, start=1):
            ends = (min(word, head), max(word, head))
            row = [0] * 6
            mine = next((p for p in everywhere if p[:3] == (number, *ends)), None) if head else None
            for other in everywhere if mine else ():
                if other is mine or other[3] != mine[3]:
                    continue
                column = 2 if other[5] is None else 0 if other[5] == mine[5] else 1
                row[column] += 1
                row[3 + column] += other[4] == mine[4]
            rows.append(row)
    return rows


def test_counts_are_those_of_all_pairs_of_places() -> None:
    trees = random_treebank(5, 60, longest=6)
    small = [
        Tree(tuple(form[:1] for form in tree.forms), tree.upos, tree.heads, tree.deprels) for tree in trees
    ]
    found = variation(ColumnWords(small))
    assert np.array(found).T.tolist() == counted(small)
    assert all(column.sum() for column in found[:3])


def test_case_is_ignored_and_long_arcs_have_no_nucleus() -> None:
    words = ("A", "b", "c", "d", "e", "f", "g", "h")
    heads, deprels = (0, 1, 1, 1, 1, 1, 1, 1), ("root", *["x"] * 7)
    tree = Tree(words, ("X",) * 8, heads, deprels)
    lower = Tree(tuple(word.lower() for word in words), ("X",) * 8, heads, ("root", "y", *["x"] * 6))
    found = variation(ColumnWords([tree, lower]))
    assert found.other.tolist() == [0, 1, 0, 0, 0, 0, 0, 0] * 2
    assert found.same.tolist() == [0, 0, 1, 1, 1, 1, 1, 0] * 2


def test_rules_name_what_they_rule_out() -> None:
    tree = Tree(
        ("of", "and", "he", "it", "sees", "old", "John"),
        ("ADP", "CCONJ", "PRON", "PRON", "VERB", "NOUN", "PROPN"),
        (6, 5, 5, 5, 0, 1, 5),
        ("case", "cc", "nsubj", "csubj", "root", "amod", "aux"),
    )
    broken = Guidelines.violations([tree, tree])
    by_rule = {
        rule: np.flatnonzero(column).tolist()
        for rule, column in zip(Guidelines.RULES, broken[:7].T, strict=True)
    }
    assert by_rule == {"tag": [6], "leaf": [5], "direction": [], "twice": [2, 3], "coordinator": [1]}
    assert (broken[7:] == broken[:7]).all()
    conjunct = Tree(("a", "b"), ("NOUN", "NOUN"), (2, 0), ("conj", "root"))
    assert Guidelines.violations([conjunct])[:, Guidelines.RULES.index("direction")].tolist() == [True, False]
    assert Guidelines.violations([]).shape == (0, len(Guidelines.RULES))


def test_a_withheld_form_is_no_word() -> None:
    """Neither is a nucleus with one the same as another, nor are words beside one in the same context."""
    labels = ("x", "y")
    trees = [
        Tree(("_", "a", "b", "_"), ("X",) * 4, (0, 1, 2, 1), ("root", "x", label, label)) for label in labels
    ]
    found = variation(ColumnWords(trees))
    assert found.other.tolist() == [0, 0, 1, 0] * 2  # of "a b" alone
    assert not found.same.any()
    assert not found.other_context.any()
    assert not found.without.any()
    marked = variation(ColumnWords([replace(tree, upos=("SYM", "X", "X", "SYM")) for tree in trees]))
    assert marked.other.tolist() == [0, 0, 1, 1] * 2  # an underscore among words is a word, "_ a b _"
    assert marked.same.tolist() == [0, 1, 0, 0] * 2
    assert marked.other_context.tolist() == [0, 0, 1, 1] * 2


def test_an_expression_may_have_the_relation_of_another_tag() -> None:
    tree = Tree(("y", "compris", "it"), ("PRON", "VERB", "PRON"), (3, 1, 0), ("case", "dep", "root"))
    assert list(Guidelines.find_violations(tree)) == [(1, "tag"), (2, "leaf")]
    assert list(Guidelines.find_violations(tree.with_heads(tree.heads, ("case", "fixed", "root")))) == []
    with_feature = replace(tree, feats=("ExtPos=ADP", "_", "_"))
    assert list(Guidelines.find_violations(with_feature)) == [(2, "leaf")]


def test_without_a_tag_no_rule_of_tags_is_broken() -> None:
    tree = Tree(("of", "it"), ("_", "_"), (2, 0), ("case", "root"))
    assert not Guidelines.violations([tree]).any()
    assert Guidelines.violations([replace(tree, upos=("VERB", "_"))])[0].tolist() == [False] * 5
    assert Guidelines.violations([replace(tree, upos=("PUNCT", "_"))])[0, Guidelines.RULES.index("tag")]
