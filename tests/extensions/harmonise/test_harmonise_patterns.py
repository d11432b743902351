"""Patterns: a planted convention is found, like annotation is not, and counts are those of plain loops."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from learnability.annotation_diffs.version import Version
from learnability.errors import InputError
from learnability.extensions.harmonise.constructions import RuleSupport, keep_best_apart
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    DividedTreebanks,
    TrainingSettings,
    common_size,
    sample_trees,
)
from learnability.extensions.harmonise.patterns import (
    ArcChange,
    DifferingPattern,
    arc_changes,
    find_patterns,
    p_of_mean,
)
from learnability.extensions.harmonise.seen_tags import see_tags, with_seen_tags
from learnability.extensions.harmonise.selecting import tell_apart
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.treebanks.sentence import Tree
from research.harmonise.in_memory import compare_treebanks

QUICK = TrainingSettings(words=1500, folds=3, seeds=(1,), iterations=4)

PLAIN = Tree(("he", "is", "ill", "."), ("PRON", "AUX", "ADJ", "PUNCT"), (3, 3, 0, 3),
             ("nsubj", "cop", "root", "punct"))  # fmt: skip
TURNED = PLAIN.with_heads((2, 0, 2, 3), ("nsubj", "root", "obj", "punct"))


def test_a_planted_construction_is_named_and_no_other(planted: TreebankComparison) -> None:
    assert [(each.spec, each.treebank, each.source) for each in planted.constructions] == [("cop", 0, 1)]
    assert ArcChange("cop", "root") in [pattern.change for pattern in conventions_of(planted)]


def conventions_of(comparison: TreebankComparison) -> list[DifferingPattern]:
    return [pattern for pattern in comparison.patterns if pattern.is_convention]


def test_parts_that_are_annotated_alike_have_no_convention(versions: tuple[Version, Version]) -> None:
    comparison = compare_treebanks(versions, QUICK, with_scores=False)
    assert comparison.constructions == []
    assert conventions_of(comparison) == []


def test_a_planted_tag_changes_no_tree(versions: tuple[Version, Version]) -> None:
    """Parsers see the tags that they know, so that no pattern of trees is named."""
    first, second = versions

    def retag(tree: Tree) -> Tree:
        return replace(tree, upos=tuple("VERB" if tag == "AUX" else tag for tag in tree.upos))

    comparison = compare_treebanks((first, second.change_trees(retag, "other")), QUICK, with_scores=False)
    assert conventions_of(comparison) == []
    seen = set(comparison.seen[0][1].values())
    assert "AUX" in seen


def test_changes_of_a_tree_leave_punctuation_out() -> None:
    moved = PLAIN.with_heads((2, 3, 0, 1), PLAIN.deprels)
    assert arc_changes(PLAIN, moved) == {1: ArcChange("nsubj", "nsubj", ("sibling", "grandparent"))}
    assert arc_changes(PLAIN, TURNED) == {
        1: ArcChange("nsubj", "nsubj", ("sibling", "sibling")),
        2: ArcChange("cop", "root"),
        3: ArcChange("root", "obj"),
    }


def test_the_opposite_of_the_opposite_is_the_change() -> None:
    for change in (ArcChange("cop", "root"), ArcChange("cc", "cc", ("sibling", "grandparent"))):
        assert change.mirrored.mirrored == change
        assert change.has_opposite
    assert not ArcChange("nsubj", "nsubj", ("sibling", "sibling")).has_opposite


def made_up(foreign: list[Tree], home: list[Tree], back: list[Tree]) -> CrossParses:
    """Parses of forty plain sentences, and of forty with the copula as head."""
    treebanks = tuple(
        ComparedTreebank(Version.of_sentences([tree] * 40, name))
        for name, tree in (("plain", PLAIN), ("turned", TURNED))
    )
    parses = {(0, 1): foreign, (0, 0): home, (1, 0): back, (1, 1): [TURNED] * 40}
    return CrossParses(treebanks, {pair: (tuple(trees),) for pair, trees in parses.items()})


def test_words_are_those_of_a_loop() -> None:
    foreign = [TURNED if number % 5 else PLAIN for number in range(40)]
    home = [TURNED if number % 20 == 1 else PLAIN for number in range(40)]
    back = [PLAIN if number % 4 else TURNED for number in range(40)]
    patterns = find_patterns(made_up(foreign, home, back))
    counts = Counter[tuple[str, str]]()
    for sign, trees in ((1, foreign), (-1, home)):
        for tree in trees:
            for old, new in zip(PLAIN.deprels, tree.deprels, strict=True):
                counts[old, new] += sign
    (pattern,) = (each for each in patterns if each.change == ArcChange("cop", "root"))
    assert pattern.here.words == counts["cop", "root"] == 30
    assert pattern.here.of == 40
    assert pattern.there.words == 30
    assert pattern.here.points.value == pytest.approx(100 * 30 / 160)
    assert pattern.here.points.low < pattern.here.points.value < pattern.here.points.high
    assert pattern.here.examples == tuple(
        4 * number + 1 for number in range(40) if number % 5 and number % 20 != 1
    )
    assert pattern.is_convention
    assert pattern.mirrored.here == pattern.there
    assert pattern.mirrored.mirrored == pattern


@pytest.mark.parametrize(("here", "there", "tests"), [(0, 0, 3), (8, 7, 3), (7, 8, 3), (8, 8, 4)])
def test_p_values_are_corrected_for_frequent_changes(here: int, there: int, tests: int) -> None:
    """Three changes are those of the turned tree; another one counts if it could be named on both sides."""
    foreign_odd = PLAIN.with_heads(PLAIN.heads, ("obj", "cop", "root", "punct"))
    back_odd = TURNED.with_heads(TURNED.heads, ("nsubj", "root", "nsubj", "punct"))
    foreign = [TURNED] * 28 + [foreign_odd] * here + [PLAIN] * (12 - here)
    back = [PLAIN] * 28 + [back_odd] * there + [TURNED] * (12 - there)
    patterns = find_patterns(made_up(foreign, [PLAIN] * 40, back))
    (pattern,) = (each for each in patterns if each.change == ArcChange("cop", "root"))
    weaker = max(pattern.here.p_value, pattern.there.p_value)
    assert 0 < weaker < 0.1
    assert pattern.p_value == pytest.approx(tests * weaker, rel=1e-6, abs=0)


def test_a_confusion_in_both_directions_is_no_convention() -> None:
    """Parsers that take each of two relations for the other do not know the text."""
    other = PLAIN.with_heads(PLAIN.heads, ("obj", "cop", "root", "punct"))
    both = ComparedTreebank(Version.of_sentences([PLAIN, other] * 20, "both"))
    confused = (tuple([other, PLAIN] * 20),)
    right = (both.trees,)
    parses = CrossParses((both, both), {(0, 1): confused, (0, 0): right, (1, 0): confused, (1, 1): right})
    assert not any(pattern.is_convention for pattern in find_patterns(parses))


def test_one_side_alone_is_no_convention() -> None:
    patterns = find_patterns(made_up([TURNED] * 40, [PLAIN] * 40, [TURNED] * 40))
    assert not any(pattern.is_convention for pattern in patterns)
    assert ArcChange("cop", "root") in [pattern.change for pattern in patterns]


def test_p_values_are_those_of_a_t_test() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 17)
    expected = ttest_1samp(values, 0, alternative="greater").pvalue
    assert p_of_mean(values) == pytest.approx(expected)
    assert p_of_mean(np.array([1.0])) == 1.0
    assert p_of_mean(np.zeros(4)) == 1.0


def test_all_parsers_learn_from_as_many_words(versions: tuple[Version, Version]) -> None:
    treebanks = [ComparedTreebank(version) for version in versions]
    divided = DividedTreebanks.of(treebanks, 3)
    size = common_size(divided, replace(QUICK, words=10**6))
    for place, treebank in enumerate(treebanks):
        parts = [tuple(treebank.trees[i] for i in divided.places(place, number)) for number in range(3)]
        assert tuple(tree for part in parts for tree in part) == treebank.trees
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
        for number, part in enumerate(parts):
            rest = divided.without(place, number)
            assert Counter((*rest, *part)) == Counter(treebank.trees)
            assert size <= sum(map(len, rest))
            chosen = sample_trees(rest, size, 1)
            assert size - 60 < sum(map(len, chosen)) <= size
            assert chosen == sample_trees(rest, size, 1) != sample_trees(rest, size, 2)


@pytest.mark.parametrize(
    ("lacking", "seen"), [([{"AUX"}, set()], "VERB"), ([set(), {"VERB"}], "VERB"), ([set(), set()], "AUX")]
)
def test_only_a_tag_that_one_treebank_lacks_is_replaced(lacking: list[set[str]], seen: str) -> None:
    retagged = replace(PLAIN, upos=("PRON", "VERB", "ADV", "PUNCT"))
    first, second = (
        ComparedTreebank(Version.of_sentences([tree] * 40, name))
        for name, tree in (("first", PLAIN), ("second", retagged))
    )
    parses = {(0, 1): (second.trees,), (1, 0): (first.trees,)}
    tags = see_tags(CrossParses((first, second), parses), 1, lacking)
    (shown,) = set(with_seen_tags(first.trees, tags[0]))
    assert shown == replace(PLAIN, upos=("PRON", seen, "ADJ", "PUNCT"))


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("UD_A 2.1", "UD_B 2.2"), ("UD_A", "UD_B")),
        (("UD_A 2.1", "UD_A 2.2"), ("UD_A 2.1", "UD_A 2.2")),
        (("UD_A", "UD_A"), ("UD_A (1)", "UD_A (2)")),
    ],
)
def test_names_tell_treebanks_apart(names: tuple[str, str], shown: tuple[str, str]) -> None:
    assert tuple(tell_apart(names)) == shown


def test_a_rule_that_few_words_follow_is_not_named() -> None:
    support = RuleSupport("conjuncts", 1, 0, 476, 129.0, 98.0, 10.0, 300.0)
    assert not support.is_followed
    assert replace(support, by_rule=160.0).is_followed
    assert not replace(support, by_rule=160.0, as_annotated=200.0).is_followed
    assert not replace(support, by_rule=160.0, home_by_rule=301.0).is_followed
    assert not replace(support, moved=19, by_rule=19.0, as_annotated=0.0).is_followed


def test_of_rules_about_the_same_words_the_best_is_kept() -> None:
    best, same, apart = (
        RuleSupport(spec, 0, 1, 40, 30.0, 1.0, 1.0, 30.0) for spec in ("best", "same", "apart")
    )
    made = {
        "best": [PLAIN.with_heads((2, 0, 2, 3), PLAIN.deprels)],
        "same": [PLAIN.with_heads((2, 0, 2, 2), PLAIN.deprels)],
        "apart": [PLAIN.with_heads((3, 3, 0, 1), PLAIN.deprels)],
    }
    assert keep_best_apart([best, same, apart], made, [PLAIN]) == [best]
    assert keep_best_apart([best, apart], made, [PLAIN]) == [best, apart]


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [([PLAIN] * 30, "has only 120 words"), ([replace(PLAIN, upos=("",) * 4)] * 300, "lacks tags")],
)
def test_what_cannot_be_compared_is_refused(sentences: list[Tree], problem: str) -> None:
    good = Version.of_sentences([PLAIN] * 300, "good")
    with pytest.raises(InputError, match=problem):
        compare_treebanks([good, Version.of_sentences(sentences, "bad")])
    with pytest.raises(InputError, match="name a second one"):
        compare_treebanks([good])
