"""Measures and scores against plain Python, on real treebanks and on real parses of them."""

from __future__ import annotations

import random
from collections.abc import Callable

import naive_measures as naive
import pytest
from literal import Treebanks
from restoring import joint
from tally import Tally

from learnability.metrics import (
    attachment_scores,
    derivation_perplexity,
    phrase_scores,
    predictability,
    tree_shape,
)
from learnability.metrics.attachment import SCORES
from learnability.parsing.parser import Parser
from learnability.treebanks.sentence import Conventions, Tree


def close(tally: Tally, found: float, expected: float, *where: object) -> None:
    """One case: equal but for rounding."""
    tally.true(found == pytest.approx(expected, rel=1e-9, abs=1e-9), found, expected, *where)


@pytest.fixture(scope="module")
def parts(treebanks: Treebanks, sized: Callable[[int], int]) -> list[tuple[Conventions, list[Tree]]]:
    """Some sentences of each treebank, as UD has them and transformed."""
    draw, found = random.Random(5), []
    for conventions, trees in treebanks:
        chosen = draw.sample(trees, min(sized(400), len(trees)))
        rule = joint("case+cop+det+cc", conventions)
        found += [(conventions, chosen), (conventions, [rule.apply(tree) for tree in chosen])]
    return found


@pytest.fixture(scope="module")
def parsed(parts: Treebanks) -> list[tuple[Conventions, list[Tree], list[Tree]]]:
    """Unseen sentences of each treebank, and what a parser makes of them that has seen as many others."""
    found = []
    for conventions, trees in parts[::2]:
        middle = len(trees) // 2
        parser = Parser.fit(trees[:middle], labelled=True, iterations=2)
        found.append((conventions, trees[middle:], parser.parse(trees[middle:])))
    return found


def test_predictability(parts: Treebanks, tally: Tally) -> None:
    """Predictability"""
    for _, trees in parts:
        close(tally, predictability(trees), naive.conditional_entropy(naive.tags_of_arcs(trees)))


def test_shape(parts: Treebanks, tally: Tally) -> None:
    """Tree shape, every field"""
    for _, trees in parts:
        for field, expected in naive.shape(trees).items():
            close(tally, getattr(tree_shape(trees), field), expected, field)


def test_perplexity(parts: Treebanks, tally: Tally) -> None:
    """Derivation perplexity"""
    for _, trees in parts:
        train, dev = trees[: len(trees) // 2], trees[len(trees) // 2 :]
        close(tally, derivation_perplexity(train, dev), naive.perplexity(train, dev))


def test_attachment(parsed: list, tally: Tally) -> None:
    """Attachment scores of parses, every score"""
    for _, gold, guessed in parsed:
        found, expected = attachment_scores(gold, guessed), naive.attachment(gold, guessed)
        for name in SCORES:
            close(tally, getattr(found, name), expected[name], name)


def test_phrases(parsed: list, tally: Tally) -> None:
    """Phrases that hang on the right phrase, of each parsed sentence"""
    for _, gold, guessed in parsed:
        found = phrase_scores(gold, [tree.heads for tree in guessed])
        rows = zip(gold, guessed, found.correct.tolist(), found.total.tolist(), strict=True)
        for tree, other, right, total in rows:
            tally.same((right, total), naive.phrases_right(tree, other.heads), tree.heads, other.heads)
