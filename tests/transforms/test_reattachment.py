"""Words that move to another word: always a tree, and to the word that a search finds."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from trees import all_trees, descends, is_tree, random_tree

from learnability.schemes.toml_file import scheme_from_text
from learnability.transforms.joint import JointTransformation
from learnability.transforms.reattachment import ABOVE, TARGETS
from learnability.transforms.registry import get_transformation
from learnability.transforms.restricted_rules import restrict_rule
from learnability.transforms.restriction import Restriction
from learnability.transforms.user_defined import KINDS
from learnability.treebanks.sentence import Conventions, Tree

REATTACHED = KINDS["reattachment"]


def tree_of(heads: tuple[int, ...], labels: list[str]) -> Tree:
    deprels = ["root" if head == 0 else label for head, label in zip(heads, labels, strict=True)]
    return Tree(tuple("abcdefgh"[: len(heads)]), ("NOUN",) * len(heads), heads, tuple(deprels))


def searched_target(tree: Tree, token: int, to: str) -> int:
    """The new head of a word by trying all words, 0 if there is none."""
    heads, head = tree.heads, tree.heads[token - 1]
    tokens = range(1, len(tree) + 1)
    if head == 0:
        return 0
    if to == "grandparent":
        return heads[head - 1]
    if to == "root":
        return next(word for word in tokens if heads[word - 1] == 0)
    is_left = to.startswith("left")
    fitting = [word for word in tokens if to.endswith("word") or heads[word - 1] == head]
    fitting = [word for word in fitting if (word < token if is_left else word > token)]
    return min(fitting, key=lambda word: abs(word - token), default=0)


@pytest.mark.parametrize("to", TARGETS)
def test_each_place_alone_moves_to_the_word_that_a_search_finds(to: str) -> None:
    rule = REATTACHED("move", ["obl"], Conventions(), to=to)
    draw = Random(1)
    moved = 0
    for heads in all_trees(5):
        tree = tree_of(heads, draw.choices(["obl", "nsubj"], k=5))
        places = rule.places(tree)
        words = {place.token for place in places}
        for token in range(1, 6):
            target = searched_target(tree, token, to)
            is_place = tree.deprels[token - 1] == "obl" and target not in (0, heads[token - 1])
            if to in ABOVE:
                assert (token in words) == is_place
            elif token in words:
                assert is_place
                assert not any(descends(heads, target, place) for place in words)
        for place in places:
            target = searched_target(tree, place.token, to)
            after = list(heads)
            after[place.token - 1] = target
            assert rule.apply(tree, [place]).heads == tuple(after)
            moved += 1
    assert moved > 100


@pytest.mark.parametrize("to", TARGETS)
def test_every_selection_gives_a_tree(to: str) -> None:
    rule = REATTACHED("move", ["obl", "nsubj"], Conventions(), to=to)
    several = 0
    draw = Random(2)
    for heads in all_trees(5):
        tree = tree_of(heads, draw.choices(["obl", "nsubj", "det"], k=5))
        places = rule.places(tree)
        several += len(places) > 1
        for size in range(len(places) + 1):
            for selection in combinations(places, size):
                assert is_tree(rule.apply(tree, selection).heads)
    assert several


@pytest.mark.parametrize("to", TARGETS)
def test_it_gives_trees_above_other_rules(to: str) -> None:
    moved = REATTACHED("move", ["nsubj", "obl", "case"], Conventions(), to=to)
    for others in ("case", "det+cop", "cc", "conj+mwe+name"):
        rules = JointTransformation([*(get_transformation(name) for name in others.split("+")), moved])
        for seed in range(150):
            tree = random_tree(seed, 9, projective=bool(seed % 2))
            assert is_tree(rules.apply(tree).heads)


def test_a_restriction_lets_other_words_move() -> None:
    """A word does not move to one that moves; if the other may not move, it does."""
    tree = tree_of((4, 4, 4, 0), ["obl", "obl", "nsubj", ""])
    rule = REATTACHED("move", ["obl"], Conventions(), to="right-sibling")
    assert [place.token for place in rule.places(tree)] == [2]
    assert rule.plan(tree).skipped.total() == 1
    one = restrict_rule(rule, Restriction(form=["a"]))
    assert one.apply(tree).heads == (2, 4, 4, 0)


def test_a_scheme_file_names_the_target() -> None:
    text = (
        '[[transform]]\nname = "up"\nkind = "reattachment"\nlabels = ["obl"]\nto = "{}"\nhead_upos = "NOUN"\n'
    )
    (rule,) = scheme_from_text(text.format("root"), "up.toml").transformation(Conventions()).rules
    tree = tree_of((2, 3, 0), ["obl", "nsubj", ""])
    assert rule.apply(tree).heads == (3, 3, 0)
    with pytest.raises(Exception, match="up: no to 'rot'; did you mean 'root'"):
        scheme_from_text(text.format("rot"), "up.toml")
