"""Words that break a rule of the guidelines: which of them are slips, and what would mend them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from learnability.extensions.doubts.broken_rules import LARGEST_SHARE, SLIPS, BrokenRule, find_broken_rules
from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.other_half import OtherHalves
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.extensions.doubts.reasons import Reasons
from learnability.treebanks.sentence import Sentence, Tree


def tree(*words: tuple[str, str, int, str]) -> Tree:
    forms, tags, heads, deprels = zip(*words, strict=True)
    return Tree(forms, tags, heads, deprels)


DOG = tree(("the", "DET", 3, "det"), ("big", "ADJ", 3, "amod"), ("dog", "NOUN", 0, "root"))
OLD = tree(("very", "ADV", 2, "advmod"), ("old", "ADJ", 0, "root"))
OF_THAT = tree(
    ("ox", "NOUN", 2, "nsubj"), ("eats", "VERB", 0, "root"),
    ("some", "PRON", 2, "obj"), ("of", "ADP", 5, "case"), ("that", "PRON", 3, "nmod"),
)  # fmt: skip
NAME = tree(("Ann", "PROPN", 0, "root"), ("Lee", "PROPN", 1, "flat"))

TAG = OLD.with_heads(OLD.heads, ("det", "root"))
LEAF = DOG.with_heads((3, 1, 0))
CONTENT = OF_THAT.with_heads(OF_THAT.heads, (*OF_THAT.deprels[:4], "det"))
DIRECTION = NAME.with_heads((2, 0), ("flat", "root"))


def found_in(*broken: Tree) -> tuple[list[Sentence], list[BrokenRule]]:
    """A treebank of usual sentences, each with another root, with some that break a rule at its end, and what
    is found in it."""
    trees = []
    for number, each in enumerate((*[DOG] * 60, *[OLD] * 60, *[OF_THAT] * 60, *[NAME] * 60, *broken)):
        forms = list(each.forms)
        forms[each.heads.index(0)] += str(number)
        trees.append(replace(each, forms=tuple(forms)))
    sentences = [Sentence(each, str(number)) for number, each in enumerate(trees)]
    return sentences, find_broken_rules(sentences, OtherHalves(trees))


def with_first(tree: Tree, form: str) -> Tree:
    return replace(tree, forms=(form, *tree.forms[1:]))


@pytest.mark.parametrize(
    ("broken", "rule", "reason", "arcs"),
    [
        (TAG, "tag", "ADV cannot be det", [ProposedArc(1, 2, "advmod")]),
        (LEAF, "leaf", "det has the dependent amod", [ProposedArc(2, 3, "amod")]),
        (CONTENT, "leaf", "det has the dependent case", [ProposedArc(5, 3, "nmod")]),
        (DIRECTION, "direction", "flat comes before its head",
         [ProposedArc(1, 0, "root"), ProposedArc(2, 1, "flat")]),
    ],
)  # fmt: skip
def test_a_slip_is_a_row_with_what_would_mend_it(
    broken: Tree, rule: str, reason: str, arcs: list[ProposedArc]
) -> None:
    """Of a function word with dependents, these move up, unless it is one here alone."""
    sentences, (found,) = found_in(broken)
    assert (found.sentence, found.rule, found.reason, list(found.arcs)) == (240, rule, reason, arcs)
    assert 0 < found.share < LARGEST_SHARE
    rows = list_quick_doubts(sentences, DecidedDoubts(), columns=[HEAD])
    (row,) = [each for each in rows if reason in each.reason]
    assert (row.proposed_arcs, row.score) == (arcs, pytest.approx(SLIPS / (SLIPS + found.share)))
    after = replace(sentences[240], tree=row.change(broken))
    assert find_broken_rules([*sentences[:240], after], OtherHalves([each.tree for each in sentences])) == []


def test_what_is_broken_regularly_is_a_convention() -> None:
    """By the words with the relation, or by those that have the form, too."""
    assert len(found_in(*(with_first(TAG, form) for form in "abc"))[1]) == 3
    assert found_in(*(with_first(TAG, form) for form in "abcdef"))[1] == []
    assert found_in(TAG, TAG)[1] == []


def test_a_rule_without_a_proposal_is_no_row_but_a_reason() -> None:
    twice = OF_THAT.with_heads(OF_THAT.heads, ("nsubj", "root", "nsubj", "case", "nmod"))
    sentences, found = found_in(twice)
    assert [(each.rule, each.word, each.arcs) for each in found] == [("twice", 1, ()), ("twice", 3, ())]
    row = Doubt.of_word(240, sentences[240], 3)
    reasons = Reasons.of(sentences, ())

    def reason_of(head: int, deprel: str) -> str:
        return reasons.complete(replace(row, proposed_head=head, proposed_deprel=deprel)).reason

    assert reason_of(2, "obj") == reason_of(1, "nsubj") == "eats240 has a second nsubj"
    assert "second" not in reason_of(2, "csubj")  # which would break it, too


def test_a_part_of_an_expression_stays_with_its_function_word() -> None:
    (found,) = found_in(LEAF.with_heads(LEAF.heads, ("det", "flat", "root")))[1]
    assert (found.rule, found.arcs) == ("leaf", ())


def rules_of(trees: Sequence[Tree]) -> set[str]:
    return {each.rule for each in found_in(*trees)[1]}


def test_words_without_tags_break_no_rule_of_tags() -> None:
    assert rules_of([replace(TAG, upos=())]) == rules_of([replace(TAG, upos=("_", "_"))]) == set()
    assert rules_of([replace(LEAF, upos=())]) == {"leaf"}
