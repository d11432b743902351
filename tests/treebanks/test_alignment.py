"""Two treebanks that annotate the same sentences: which sentence is which, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from learnability.errors import InputError
from learnability.treebanks.alignment import (
    ReannotatedTree,
    add_annotation,
    align_treebank,
    annotation,
    titles,
)
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank

NAMES = ("A", "B")


def sentence(words: str, sent_id: str = "", head: int = 1, upos: str = "X") -> Sentence:
    """All words hang on the first, or on the word number `head`."""
    forms = tuple(words.split())
    heads = tuple(0 if i == head else head for i in range(1, len(forms) + 1))
    deprels = tuple("root" if h == 0 else "dep" for h in heads)
    return Sentence(Tree(forms, (upos,) * len(forms), heads, deprels), sent_id)


def bank(train: list[Sentence], dev: list[Sentence], test: list[Sentence], name: str = "UD_A") -> Treebank:
    return Treebank(name, "", tuple(train), tuple(dev), tuple(test), files={name: "0"})


def other_heads(treebank: Treebank, split: str) -> list[tuple[int, ...]]:
    part = dict(treebank.splits())[split]
    assert all(isinstance(s.tree, ReannotatedTree) for s in part)
    return [annotation(s.tree, "B").heads for s in part]


ONE = bank([sentence("a b", "1"), sentence("c d", "2")], [sentence("e f", "3")], [sentence("g h", "4")])


def test_sentences_are_found_by_their_words_in_whatever_split_and_order() -> None:
    other = bank(
        [sentence("g h", "4", 2)],
        [],
        [sentence("c d", "9", 2), sentence("e f", head=2), sentence("a b", "1")],
    )
    both = align_treebank(ONE, other, NAMES)
    assert [other_heads(both, split) for split in ("train", "dev", "test")] == [
        [(0, 1), (2, 0)], [(2, 0)], [(2, 0)],
    ]  # fmt: skip
    assert [annotation(s.tree, "A").heads for s in both.train] == [(0, 1), (0, 1)]
    assert both.warnings == ()
    assert both.files == {"UD_A": "0"}


def test_of_equal_words_the_sent_id_decides_then_the_order() -> None:
    one = bank([sentence("a b", "1"), sentence("a b", "2"), sentence("a b", "3")], ONE.dev, ONE.test)
    other = bank([sentence("a b", "7", 2), sentence("a b", "8"), sentence("a b", "1", 2)], ONE.dev, ONE.test)
    both = align_treebank(one, other, NAMES)
    assert other_heads(both, "train") == [(2, 0), (2, 0), (0, 1)]
    # each sentence of the other treebank is that of one sentence
    both = align_treebank(one, replace(other, train=other.train[:2]), NAMES)
    assert len(both.train) == 2
    assert "left out 1 sentence (of 5) whose words the alternative has less often (3)" in both.warnings
    # and the other way round it has further copies, which it is not said to lack
    assert align_treebank(other, one, NAMES).warnings == ()
    both = align_treebank(replace(other, train=other.train[:2]), one, NAMES)
    assert both.warnings == (
        "left out 1 sentence of the alternative whose words the treebank has less often",
    )


def test_what_is_left_out_is_told() -> None:
    one = bank([*ONE.train, *(sentence(f"x{i} y", f"x{i}") for i in range(5))], ONE.dev, ONE.test)
    other = bank([*ONE.train, sentence("x0 y z", "x0")], ONE.dev, ONE.test)
    both = align_treebank(one, other, NAMES)
    assert len(both.train) == 2
    assert both.warnings == (
        "left out 1 sentence (of 9) with other words in the alternative (x0)",
        "left out 4 sentences (of 9) that the alternative does not have (x1, x2, x3, ...)",
    )


def test_what_the_alternative_alone_has_is_told() -> None:
    other = replace(ONE, train=(*ONE.train, sentence("x y"), sentence("z", "z")))
    both = align_treebank(ONE, other, NAMES)
    assert both.warnings == ("left out 2 sentences of the alternative that the treebank does not have",)


def test_without_text_only_the_sent_id_tells_which_sentence_it_is() -> None:
    """Where words are withheld every FORM is an underscore: all sentences of a length look the same."""
    one = bank([sentence("_ _", "1"), sentence("_ _", "2")], ONE.dev, ONE.test)
    other = bank([sentence("_ _", "3", 2), sentence("_ _", "2", 2)], ONE.dev, ONE.test)
    both = align_treebank(one, other, NAMES)
    assert [s.sent_id for s in both.train] == ["2"]
    assert both.warnings[0] == "left out 1 sentence (of 4) that the alternative does not have (1)"


def test_other_tags_are_told_and_not_taken() -> None:
    other = bank([sentence("a b", "1", upos="NOUN"), sentence("c d", "2")], ONE.dev, ONE.test)
    both = align_treebank(ONE, other, NAMES)
    assert both.train[0].tree.upos == ("X", "X")
    assert both.warnings == (
        "2 of 8 tokens have another UPOS tag in B; tags are not compared: both parsers see those of A",
    )


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_split_without_common_sentences_is_refused(split: str) -> None:
    other = replace(ONE, name="UD_B", **{split: (sentence("q r"),)})
    with pytest.raises(
        InputError, match=f"UD_A cannot be aligned: none of the .* in {split} has the same words"
    ):
        align_treebank(ONE, other, NAMES)


def test_an_annotation_stays_when_heads_change() -> None:
    tree = add_annotation(ONE.test[0].tree, "B", sentence("g h", head=2).tree)
    assert annotation(tree.with_heads((2, 0)), "B").heads == (2, 0)
    with pytest.raises(KeyError, match="C"):
        annotation(tree, "C")
    again = add_annotation(tree, "C", ONE.test[0].tree)
    assert [name for name, *_ in again.annotations] == ["B", "C"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("UD_Greek", "1.3"), ("UD_Greek-GDT", "2.16"), ("UD 1.3", "UD 2.16")),
        (("UD_French", "2.16"), ("SUD_French", "2.16"), ("UD 2.16", "SUD 2.16")),
        (("UD_French", ""), ("SUD_French", ""), ("UD", "SUD")),
        (("UD_French", "2.16"), ("UD_French", "2.16"), ("base", "alternative")),
        (("UD_French-A", "2.16"), ("UD_French-B", "2.16"), ("UD_French-A", "UD_French-B")),
        (("UD_Kazakh", "1.3"), ("UD_Kazakh@conj", ""), ("UD_Kazakh", "UD_Kazakh@conj")),
        (("before", ""), ("after", ""), ("before", "after")),
        (("mine", ""), ("UD_French", "2.16"), ("mine", "UD_French")),
    ],
)
def test_titles(one: tuple[str, str], other: tuple[str, str], expected: tuple[str, str]) -> None:
    files = TreebankFiles(*one, Path(), alternative=TreebankFiles(*other, Path()))
    assert titles(files) == expected
