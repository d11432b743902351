"""A proposal is part of a tree: where its arc alone is none, it names the arc that changes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from doubted_words import assess_parses
from hypothesis import given
from hypothesis import strategies as st
from trees import LABELS, is_tree, random_heads, random_tree

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.files import doubt_values
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.listing import AssessedTreebank
from learnability.treebanks.sentence import Sentence, Tree


def parsed(draw: Random, tree: Tree) -> Tree:
    """The tree with some other heads, which are a tree again, or any tree of its words."""
    heads = random_heads(draw, len(tree))
    if draw.random() < 0.7:
        for _ in range(20):
            changed = list(tree.heads)
            for token in draw.sample(range(len(tree)), min(len(tree), draw.randint(1, 3))):
                changed[token] = draw.randint(0, len(tree))
            if is_tree(changed):
                heads = tuple(changed)
                break
    return tree.with_heads(heads, ["root" if head == 0 else draw.choice(LABELS) for head in heads])


def assessed(trees: Sequence[Tree], votes: Sequence[Sequence[Tree]], seed: int) -> AssessedTreebank:
    return assess_parses([Sentence(tree, f"s{i}") for i, tree in enumerate(trees)], votes, seed)


def check_all(treebank: AssessedTreebank) -> int:
    """How many proposals name another arc; each is applied to its tree, which remains one."""
    several = 0
    order = [place.word for place in treebank.places([HEAD])]
    assert sorted(order) == [
        word for word in range(len(treebank.words.heads)) if treebank.can_be_listed[word]
    ]
    for word in order:
        doubt = treebank.doubt(word)
        tree, new = treebank.words.trees[doubt.sentence], doubt.change(treebank.words.trees[doubt.sentence])
        assert is_tree(new.heads), (tree.heads, doubt)
        assert (new.heads[doubt.word - 1], new.deprels[doubt.word - 1]) == (
            doubt.proposed_head,
            doubt.proposed_deprel,
        )
        before, after = (list(zip(each.heads, each.deprels, strict=True)) for each in (tree, new))
        changed = [token for token, arc in enumerate(before, start=1) if arc != after[token - 1]]
        assert changed == sorted(arc.word for arc in doubt.proposed_arcs)
        alone = list(tree.heads)
        alone[doubt.word - 1] = doubt.proposed_head
        assert (doubt.also is None) == is_tree(alone)  # and nothing else changes without need
        several += doubt.also is not None
    return several


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 5))
def test_every_proposal_is_part_of_a_tree(seed: int, longest: int, parsers: int) -> None:
    draw = Random(seed)
    trees = [random_tree(draw.getrandbits(32), n, projective=False) for n in range(1, longest + 1)]
    votes = [[parsed(draw, tree) for tree in trees] for _ in range(parsers)]
    check_all(assessed(trees, votes, seed))


def test_a_word_that_is_a_sentence_has_no_other_tree() -> None:
    trees = [random_tree(1, 1), random_tree(2, 2)]
    treebank = assessed(trees, [trees, trees], 1)
    assert sorted(place.word for place in treebank.places([HEAD])) == [1, 2]


def of_parses(*parses: tuple[tuple[int, ...], tuple[str, ...]]) -> AssessedTreebank:
    """``a b c d``: ``a`` is the root, ``d`` below ``c`` below ``b`` below ``a``."""
    tree = Tree(("a", "b", "c", "d"), ("X",) * 4, (0, 1, 2, 3), ("root", "obl", "det", "case"))
    return assessed([tree], [[tree.with_heads(*parse)] for parse in parses], 1)


def test_the_parsers_that_vote_for_the_arc_say_what_changes_with_it() -> None:
    # b goes below d; c leaves it for a, with the relation that these parsers give it
    treebank = of_parses(*[((0, 4, 1, 3), ("root", "cop", "flat:name", "case"))] * 2)
    doubt = treebank.doubt(1)
    assert (doubt.proposed_head, doubt.proposed_deprel) == (4, "cop")
    assert doubt.also == ProposedArc(3, 1, "flat:name")
    # c becomes the root; the old root goes where these parsers have it
    treebank = of_parses(*[((4, 1, 0, 3), ("cc", "obl", "root", "case"))] * 2)
    doubt = treebank.doubt(2)
    assert (doubt.proposed_head, doubt.proposed_deprel) == (0, "root")
    assert doubt.also == ProposedArc(1, 4, "cc")


def test_otherwise_the_two_change_places() -> None:
    # what the parsers have of the words between leaves them below b
    treebank = of_parses(*[((2, 4, 1, 0), ("cc", "cop", "mark", "root"))] * 2)
    doubt = treebank.doubt(1)
    assert (doubt.proposed_head, doubt.also) == (4, ProposedArc(3, 1, "mark"))
    treebank = of_parses(*[((4, 4, 2, 0), ("cc", "cop", "mark", "root"))] * 2)
    doubt = treebank.doubt(1)
    assert (doubt.proposed_head, doubt.also) == (4, ProposedArc(4, 1, "obl"))
    # the root and a word below it
    doubt = treebank.doubt(0)
    assert (doubt.proposed_head, doubt.also) == (4, ProposedArc(4, 0, "root"))


def test_who_changes_places_gets_no_relation_that_its_tag_rules_out() -> None:
    # the copula b becomes the root; the parsers leave a above it
    tree = Tree(("a", "b", "c"), ("NOUN", "AUX", "NOUN"), (0, 1, 1), ("root", "cop", "obl"))
    parse = tree.with_heads((3, 0, 2), ("mark", "root", "obl"))
    for tag, relation in (("NOUN", "obl"), ("AUX", "cop"), ("_", "cop")):
        given = replace(tree, upos=(tag, *tree.upos[1:]))
        doubt = assessed([given], [[replace(parse, upos=given.upos)]], 1).doubt(1)
        assert (doubt.proposed_head, doubt.proposed_deprel) == (0, "root")
        assert doubt.also == ProposedArc(1, 2, relation)


def test_the_table_names_the_arc_that_changes_with_it() -> None:
    treebank = of_parses(*[((0, 4, 1, 3), ("root", "cop", "flat:name", "case"))] * 2)
    named = doubt_values(treebank.doubt(1))
    assert [named[f"also_{name}"] for name in ("word", "head", "deprel")] == [3, 1, "flat:name"]
