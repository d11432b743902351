"""What becomes of each sentence and of each word."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnability.annotation_diffs.annotation_diff import diff
from learnability.annotation_diffs.matching import match_versions
from learnability.annotation_diffs.version import Version
from learnability.annotation_diffs.words import align
from learnability.errors import InputError
from learnability.treebanks.sentence import Sentence, Tree


def sentence(words: str, sent_id: str = "") -> Sentence:
    forms = tuple(words.split())
    size = len(forms)
    tree = Tree(forms, ("X",) * size, tuple(range(size)), ("root", *["dep"] * (size - 1)))
    return Sentence(tree, sent_id, numbered=not sent_id)


def version(*sentences: Sentence, sets: tuple[str, ...] = ()) -> Version:
    return Version("x", sentences, sets or ("",) * len(sentences))


def test_the_fate_of_each_sentence() -> None:
    base = version(
        *(sentence("a b c", "same"), sentence("d e f", "old"), sentence("in this set", "s")),
        *(sentence("one . two .", "whole"), sentence("un", "p1"), sentence("deux", "p2")),
        *(sentence("it is gone", "g"), sentence("twice", "t1"), sentence("twice", "t2")),
        *(sentence("can not say so", "joined"), sentence("the colour is red", "typo")),
        sets=("train", "train", "train", *["test"] * 8),
    )
    alternative = version(
        *(sentence("a b c", "same"), sentence("d e f", "new"), sentence("in this set", "s")),
        *(sentence("one .", "w1"), sentence("two .", "w2"), sentence("un deux", "p")),
        *(sentence("brand new", "n"), sentence("twice", "t1"), sentence("cannot say so", "other")),
        *(sentence("the color is red", "typo"), sentence("a b c", "copy")),
        sets=("train", "train", "test", *["test"] * 8),
    )
    found = match_versions(base, alternative)
    names = [(pair.base.sent_id, pair.alternative.sent_id) for pair in found.pairs]
    assert names == [
        *(("same", "same"), ("old", "new"), ("s", "s")),
        *(("t1", "t1"), ("joined", "other"), ("typo", "typo")),
    ]
    assert [pair.base.sent_id for pair in found.pairs if pair.is_renamed] == ["old", "joined"]
    assert [pair.base.sent_id for pair in found.pairs if pair.is_moved] == ["s"]
    assert [pair.base.sent_id for pair in found.pairs if pair.is_reworded] == ["joined", "typo"]
    assert [(d.whole.sent_id, [p.sent_id for p in d.parts]) for d in found.split] == [("whole", ["w1", "w2"])]
    assert [(d.whole.sent_id, [p.sent_id for p in d.parts]) for d in found.merged] == [("p", ["p1", "p2"])]
    assert [s.sent_id for s in found.deleted] == ["g"]
    assert [s.sent_id for s in found.new] == ["n"]
    assert [s.sent_id for s in found.copies_removed] == ["t2"]
    assert [s.sent_id for s in found.copies_added] == ["copy"]


def test_similar_sentences_beside_matches_match() -> None:
    base = version(sentence("first of all"), sentence("a coeur of stone"), sentence("second"), sentence("b"))
    other = version(sentence("first of all"), sentence("a cœur of stone"), sentence("x"), sentence("second"))
    found = match_versions(base, other)
    assert [" ".join(pair.base.tree.forms) for pair in found.pairs if pair.is_reworded] == [
        "a coeur of stone"
    ]
    assert [len(found.deleted), len(found.new)] == [1, 1]
    back = match_versions(version(*other.sentences[::-1]), version(*base.sentences[::-1]))
    assert [pair.base.tree.forms[1] for pair in back.pairs if pair.is_reworded] == ["cœur"]


def test_the_same_id_with_other_words_is_no_match() -> None:
    found = match_versions(version(sentence("a b c d", "1")), version(sentence("w x y z", "1")))
    assert not found.pairs


def test_versions_without_a_common_sentence_are_refused() -> None:
    with pytest.raises(InputError, match="no sentence with the same words; name two annotations"):
        diff([sentence("a")], [sentence("b")])
    with pytest.raises(InputError, match="base has no sentences"):
        diff([], [sentence("b")])


def units(first: str, second: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    found = align(tuple(first.split()), tuple(second.split()))
    return found.base_units, found.alternative_units, found.words


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("a b c", "a b c", [(1, 1), (2, 2), (3, 3)]),
        ("a can not go", "a cannot go", [(1, 1), (4, 3)]),  # divided differently
        ("the colour is", "the color is", [(1, 1), (2, 2), (3, 3)]),  # spelled differently
        ("x a b", "a b", [(2, 1), (3, 2)]),  # deleted
        ("ab cd ef", "a bcd ef", [(3, 3)]),  # other ends
        ("ab c d", "a b cd", []),
        ("ab c d e", "a b c de", [(2, 3)]),  # the word in between ends on both sides
        ("A b", "a b", [(1, 1), (2, 2)]),
        ("Ab cd", "ab c d", [(1, 1)]),  # only the characters tell which word is divided
        ("a b", "x y z", []),
    ],
)
def test_words_are_aligned_by_their_characters(first: str, second: str, words: list[tuple[int, int]]) -> None:
    assert units(first, second)[2] == tuple(words)


def test_heads_in_divided_words_are_the_same() -> None:
    base = Sentence(Tree(("can", "not", "go"), ("X",) * 3, (3, 1, 0), ("aux", "advmod", "root")))
    other = Sentence(Tree(("cannot", "go"), ("X",) * 2, (2, 0), ("aux", "root")))
    found = diff([base], [other])
    assert (found.groups, found.base_left_out, found.alternative_left_out) == ((), 2, 1)
    below = Sentence(Tree(("can", "not", "go"), ("X",) * 3, (0, 1, 1), ("root", "advmod", "xcomp")))
    moved = diff([below], [Sentence(Tree(("cannot", "go"), ("X",) * 2, (0, 1), ("root", "xcomp")))])
    assert moved.groups == ()
    (group,) = diff([below], [other]).groups[:1]
    assert (group.kind.column, group.words) == ("HEAD", 1)


WORDS = st.lists(st.sampled_from(["a", "b", "ab", "ba", "c", "A"]), min_size=1, max_size=7).map(tuple)


@given(WORDS, WORDS)
def test_the_alignment_of_the_reverse_order_is_the_mirror_image(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    there, back = align(first, second), align(second, first)
    assert there.words == tuple((i, j) for j, i in back.words)
    assert (there.base_units, there.alternative_units) == (back.alternative_units, back.base_units)
    for units in (there.base_units, there.alternative_units):
        assert list(units) == sorted(units)


@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(WORDS, min_size=1, max_size=6))
def test_every_sentence_has_one_fate(first: list[tuple[str, ...]], second: list[tuple[str, ...]]) -> None:
    versions = [
        Version.of_sentences([sentence(" ".join(words)) for words in side], "x") for side in (first, second)
    ]
    found, back = match_versions(*versions), match_versions(*versions[::-1])
    base = [id(pair.base) for pair in found.pairs] + [id(d.whole) for d in found.split]
    base += [id(s) for d in found.merged for s in d.parts]
    base += [id(s) for s in (*found.deleted, *found.copies_removed)]
    assert sorted(base) == sorted(map(id, versions[0].sentences))
    assert {(id(p.base), id(p.alternative)) for p in found.pairs} == {
        (id(p.alternative), id(p.base)) for p in back.pairs
    }


def test_copies_with_the_same_words_are_matched_in_linear_time(tmp_path: Path) -> None:
    file = tmp_path / "same.conllu"
    file.write_text("1\t.\t.\tPUNCT\t_\t_\t0\tpunct\t_\t_\n\n" * 5_000, encoding="utf-8")
    assert len(diff(file, file).matching.pairs) == 5_000
