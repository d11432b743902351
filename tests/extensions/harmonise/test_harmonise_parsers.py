"""Parsers learn alike, see the tags that they know, and name a planted construction alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

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
    see_tags,
    with_seen_tags,
)
from learnability.extensions.harmonise.selecting import tell_apart
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.treebanks.sentence import Tree
from research.harmonise.in_memory import compare_treebanks

QUICK = TrainingSettings(words=1500, folds=3, seeds=(1,), iterations=4)

PLAIN = Tree(("he", "is", "ill", "."), ("PRON", "AUX", "ADJ", "PUNCT"), (3, 3, 0, 3),
             ("nsubj", "cop", "root", "punct"))  # fmt: skip


def test_a_planted_construction_is_named_and_no_other(planted: TreebankComparison) -> None:
    assert [(each.spec, each.treebank, each.source) for each in planted.constructions] == [("cop", 0, 1)]


def test_a_planted_tag_is_no_construction(versions: tuple[Version, Version]) -> None:
    """Parsers see the tags that they know, and both parts are annotated alike but for one."""
    first, second = versions

    def retag(tree: Tree) -> Tree:
        return replace(tree, upos=tuple("VERB" if tag == "AUX" else tag for tag in tree.upos))

    comparison = compare_treebanks((first, second.change_trees(retag, "other")), QUICK, with_scores=False)
    assert comparison.constructions == []
    seen = set(comparison.seen[0][1].values())
    assert "AUX" in seen


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
