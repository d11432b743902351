"""The groups of changes between two versions: their names, and sentences with one group alone."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from trees import is_tree, random_tree

from learnability.extensions.history.linked_changes import (
    MOST_GROUPS,
    OTHERS,
    Change,
    changes_in,
    groups_of,
    mix_trees,
    pattern_of,
    ranked_patterns,
)
from learnability.metrics.scores import FEWEST
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Tree

PHRASE = Tree(
    forms=("She", "lives", "in", "the", "city", "."),
    upos=("PRON", "VERB", "ADP", "DET", "NOUN", "PUNCT"),
    heads=(2, 0, 5, 5, 2, 2),
    deprels=("nsubj", "root", "case", "det", "obl", "punct"),
    lemmas=("she", "live", "in", "the", "city", "."),
)


def changed(heads: dict[int, int] | None = None, deprels: dict[int, str] | None = None) -> Tree:
    """The phrase with other heads and relations of these words."""
    new_heads = [(heads or {}).get(i, head) for i, head in enumerate(PHRASE.heads, start=1)]
    return PHRASE.with_heads(
        new_heads, [(deprels or {}).get(i, name) for i, name in enumerate(PHRASE.deprels, start=1)]
    )


def test_a_pattern_has_the_tag_and_the_relations() -> None:
    assert pattern_of(PHRASE, changed({3: 2}), 3) == "ADP case"
    assert pattern_of(PHRASE, changed({5: 1}, {5: "nmod"}), 5) == "NOUN obl > nmod"
    assert pattern_of(PHRASE, changed(deprels={5: "obl:loc"}), 5) == "NOUN obl > obl:loc"
    # a subtype is no difference where the head moves
    assert pattern_of(PHRASE, changed({5: 1}, {5: "obl:loc"}), 5) == "NOUN obl"


def test_punctuation_names_a_change_only_if_nothing_else_does() -> None:
    flipped = changed({3: 2, 5: 3, 6: 5})
    (swap, mark) = changes_in(PHRASE, flipped, labelled=False)
    assert (swap.tokens, set(swap.patterns)) == ((3, 5), {"ADP case", "NOUN obl"})
    assert (mark.tokens, set(mark.patterns)) == ((6,), {"PUNCT punct"})
    moved = changed({2: 6, 6: 0})  # the mark becomes the root: verb and mark are linked
    assert [set(change.patterns) for change in changes_in(PHRASE, moved, labelled=False)] == [{"VERB root"}]


def test_a_word_that_becomes_the_root_may_belong_to_those_that_keep_their_relation() -> None:
    at_top = changed({3: 0, 2: 3}, {3: "root"})
    (change,) = changes_in(PHRASE, at_top, labelled=False)
    assert {"ADP case > root", "ADP case > other relations", "ADP case"} <= change.patterns
    n = FEWEST.places
    some = [patterns("ADP case > root", "ADP case > other relations", "ADP case")] * n
    assert ranked_patterns([*some, patterns("ADP case")]) == ("ADP case",)
    assert ranked_patterns(some) == ("ADP case > root",)


def test_a_relation_that_becomes_one_of_many_has_one_name() -> None:
    n = FEWEST.places
    many = [patterns(f"AUX aux > x{i % 3}", "AUX aux > other relations") for i in range(3 * n)]
    assert ranked_patterns(many) == ("AUX aux > other relations",)
    mostly = [patterns(f"AUX aux > x{int(i > 2 * n)}", "AUX aux > other relations") for i in range(2 * n + 2)]
    assert ranked_patterns(mostly) == ("AUX aux > x0",)


def test_relations_alone_are_changes_of_labelled_parsers_only() -> None:
    other = changed(deprels={5: "nmod"})
    assert changes_in(PHRASE, other, labelled=False) == []
    (change,) = changes_in(PHRASE, other, labelled=True)
    assert change.tokens == (5,)
    assert change.patterns == {"NOUN obl > nmod", "NOUN obl > other relations"}


def patterns(*names: str) -> Change:
    return Change((1,), frozenset(names))


def test_the_most_frequent_pattern_takes_its_changes_first() -> None:
    n = FEWEST.places
    changes = [patterns("ADP case", "NOUN obl")] * (2 * n) + [patterns("ADP case", "NOUN nmod")] * n
    changes += [patterns("NOUN obl")] * n + [patterns("NOUN nmod")] * (n - 1)
    # NOUN obl is in 3 n changes, as often as ADP case, and comes later in the alphabet
    assert ranked_patterns(changes) == ("ADP case", "NOUN obl")
    assert [change.group(("ADP case", "NOUN obl")) for change in changes[-2:]] == [OTHERS] * 2
    assert ranked_patterns([patterns("A a")] * (n - 1)) == ()
    many = [patterns(f"A {i}") for i in range(MOST_GROUPS + 3) for _ in range(n)]
    assert len(ranked_patterns(many)) == MOST_GROUPS


LABELS = ("case", "obl")


def random_pair(seed: int) -> tuple[Tree, Tree]:
    """Two trees of the same words, near each other, with other relations."""
    draw, n = Random(seed), 4 + seed % 6
    first, second = (random_tree(seed * 7 + i, n, labels=LABELS, projective=False) for i in (0, 1))
    heads = tuple(a if draw.random() < 0.7 else b for a, b in zip(first.heads, second.heads, strict=True))
    return first, first.with_heads(heads if is_tree(heads) else second.heads, second.deprels)


@pytest.mark.parametrize("labelled", [False, True])
def test_each_changed_word_is_in_one_group_and_each_group_alone_gives_a_tree(labelled: bool) -> None:
    pairs = [random_pair(seed) for seed in range(150)]
    every = [change for pair in pairs for change in changes_in(*pair, labelled=labelled)]
    ranking = ranked_patterns(every)
    assert len(ranking) == MOST_GROUPS
    groups = (*ranking, OTHERS)
    taken: Counter[str] = Counter()
    for earlier, later in pairs:
        for group in groups:
            alone = mix_trees(earlier, later, ranking, group, labelled=labelled)
            assert is_tree(alone.heads)
            assert alone.upos == earlier.upos
            taken[group] += alone != earlier
        trees = [mix_trees(earlier, later, ranking, group, labelled=labelled) for group in groups]
        for token in range(len(earlier)):
            arcs = {(tree.heads[token], tree.deprels[token]) for tree in trees}
            there = later.heads[token], later.deprels[token]
            here = earlier.heads[token], earlier.deprels[token]
            counts = there != here if labelled else there[0] != here[0]
            assert arcs == ({here, there} if counts else {here})
            assert sum((tree.heads[token], tree.deprels[token]) == there for tree in trees) == 1 or not counts
    assert all(taken.values())


def test_groups_have_names_and_counts() -> None:
    flipped = get_transformation("case").apply(PHRASE, labels="keep")
    pairs = [(PHRASE, flipped)] * 12
    (alone,) = groups_of(pairs, labelled=False)
    assert (alone.pattern, alone.name, alone.changes, alone.words) == ("ADP case", "ADP case", 12, 24)
    first, others = groups_of([*pairs, (PHRASE, changed({4: 2}))], labelled=False)
    assert first == alone
    assert (others.pattern, others.name, others.changes) == (OTHERS, "all other changes", 1)
    (few,) = groups_of(pairs[:3], labelled=False)
    assert (few.pattern, few.name) == (OTHERS, "all changes")
    assert groups_of([(PHRASE, PHRASE)], labelled=True) == []
