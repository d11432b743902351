"""The order of words: rates with a prior are those of a recursion, and a planted word comes first."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, CrossParses
from learnability.extensions.harmonise.ranking import (
    PRIOR_WORDS,
    kinds_of_words,
    number_kinds,
    rank_conflicts,
    smoothed_rate,
)
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.word_kinds import WordKind, convention_words, tell_kinds
from learnability.extensions.harmonise.words import TreebankWords
from learnability.treebanks.sentence import Tree

TREE = Tree(("he", "sees", "it", "."), ("PRON", "VERB", "PRON", "PUNCT"), (2, 0, 2, 2),
            ("nsubj", "root", "obj", "punct"))  # fmt: skip


def rate_by_recursion(kinds: Sequence[Sequence[tuple[str, ...]]], values: list[float], word: int) -> float:
    """The rate of the kind of a word, level by level."""
    if not kinds:
        return sum(values) / len(values)
    alike = [place for place, kind in enumerate(kinds[-1]) if kind == kinds[-1][word]]
    coarser = rate_by_recursion(kinds[:-1], values, word)
    return (sum(values[place] for place in alike) + PRIOR_WORDS * coarser) / (len(alike) + PRIOR_WORDS)


def test_rates_are_those_of_a_recursion() -> None:
    generator = random.Random(3)
    fine = [tuple(generator.choice("ab") for _ in range(3)) for _ in range(60)]
    kinds = [[kind[:most] for kind in fine] for most in (1, 2, 3)]
    values = [generator.random() for _ in fine]
    expected = [rate_by_recursion(kinds, values, word) for word in range(60)]
    assert smoothed_rate(number_kinds(kinds), np.array(values)).tolist() == pytest.approx(expected)


def parses_with(foreign: Sequence[Tree], home: Sequence[Tree]) -> CrossParses:
    both = ComparedTreebank(Version.of_sentences([TREE] * len(home), "one"))
    parses = {(0, 1): foreign, (0, 0): home, (1, 0): home, (1, 1): home}
    return CrossParses((both, both), {pair: (tuple(trees),) for pair, trees in parses.items()})


def test_words_that_only_foreign_parsers_contradict_come_first() -> None:
    moved = TREE.with_heads((3, 0, 2, 1), TREE.deprels)
    ranks = rank_conflicts(parses_with([moved] * 9 + [TREE], [TREE] * 10), 0)
    assert set(np.flatnonzero(ranks == ranks.max()).tolist()) == {4 * number for number in range(9)}
    assert (ranks[3::4] == -1).all()  # punctuation
    at_home, abroad = rank_conflicts(parses_with([moved] * 10, [moved] * 10), 0), ranks
    assert at_home.max() == 0.0 < abroad.max()


def test_a_word_ranks_by_its_conflict_and_the_rate_of_its_kind() -> None:
    moved = TREE.with_heads((3, 0, 2, 1), TREE.deprels)
    ranks = rank_conflicts(parses_with([moved] * 9 + [TREE], [TREE] * 8 + [moved] * 2), 0)
    words = TreebankWords(ComparedTreebank(Version.of_sentences([TREE] * 10, "one")))
    against = np.array([float(word % 4 in (0, 3) and word < 36) for word in range(40)])
    home = np.array([float(word % 4 in (0, 3) and word >= 32) for word in range(40)])
    for word in range(40):
        expected = against[word] * (1 - home[word])
        expected *= rate_by_recursion(kinds_of_words(words), against.tolist(), word)
        assert ranks[word] == pytest.approx(-1.0 if word % 4 == 3 else expected)


def test_the_treebank_that_contradicts_least_counts() -> None:
    moved = TREE.with_heads((3, 0, 2, 1), TREE.deprels)
    one = ComparedTreebank(Version.of_sentences([TREE] * 4, "one"))
    parses = {(0, 0): [TREE] * 4, (0, 1): [moved] * 4, (0, 2): [moved, moved, TREE, TREE]}
    three = CrossParses((one, one, one), {pair: (tuple(trees),) for pair, trees in parses.items()})
    ranks = rank_conflicts(three, 0)
    assert (ranks[:8:4] > 0).all()
    assert (ranks[8::4] == 0).all()


def test_kinds_of_words() -> None:
    moved, other = TREE.with_heads((3, 0, 2, 2), TREE.deprels), TREE.with_heads((4, 0, 2, 2), TREE.deprels)
    foreign, home = [moved, moved, TREE, moved], [moved, TREE, TREE, other]
    kinds = tell_kinds(parses_with(foreign, home), [], 0)
    assert kinds[::4] == [WordKind.SLIP, WordKind.DOMAIN, WordKind.AGREED, WordKind.HARD]
    assert set(kinds[1::4]) == {WordKind.AGREED}


def test_words_of_conventions_are_told(planted: TreebankComparison) -> None:
    words = convention_words(planted.arcs, 0)
    kinds = tell_kinds(planted.parses, planted.arcs, 0)
    assert {place for place, kind in enumerate(kinds) if kind == WordKind.CONVENTION} == words
    assert len(words) > 100
