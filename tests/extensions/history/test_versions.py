"""Two versions of a treebank: which sentences both have, and where the others are trained on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from small_treebanks import small_treebank

from learnability.comparing.fold import read_folds
from learnability.comparing.options import DataOptions
from learnability.errors import InputError
from learnability.extensions.history.selecting import SuccessiveVersions
from learnability.extensions.history.versions import SentenceCounts, VersionedTreebank, pair_versions
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import divide_treebank


def sentence(words: str, sent_id: str = "", upos: str = "X") -> Sentence:
    """All words hang on the first."""
    forms = tuple(words.split())
    heads = tuple(int(i > 0) for i in range(len(forms)))
    return Sentence(Tree(forms, (upos,) * len(forms), heads, ("dep",) * len(forms)), sent_id or words)


def bank(train: str, dev: str, test: str, release: str, **others: str) -> Treebank:
    """Each letter is a sentence of two words; `others` are words of sentences with another text."""
    parts = (
        tuple(sentence(others.get(letter, f"{letter} {letter}"), letter, release) for letter in part)
        for part in (train, dev, test)
    )
    return Treebank("UD_A", release, *parts, files={release: "0"})


def as_released(treebank: Treebank) -> tuple[Treebank, ...]:
    return (treebank,)


def letters(sentences: tuple[Sentence, ...]) -> str:
    return "".join(sentence.sent_id for sentence in sentences)


def test_each_kind_of_sentence_is_told_apart() -> None:
    earlier, later = bank("abcd", "ef", "gh", "1"), bank("abxe", "fy", "gzc", "2", a="other words")
    (fold,) = pair_versions(earlier, later, as_released)
    both = fold.later
    assert (letters(fold.train), letters(fold.dev), letters(fold.test)) == ("bc", "ef", "g")
    assert (letters(both.train), letters(both.dev), letters(both.test)) == ("bc", "ef", "g")
    assert {s.tree.upos[0] for s in (*both.train, *both.dev, *both.test)} == {"2"}
    assert both.counts == SentenceCounts(shared=5, deleted=2, new=3, reworded=1, moved=2)  # c and e move
    # d stands behind c, and x behind b, which train; h, y and z behind sentences that do not
    assert letters(both.deleted) == "d"
    assert letters(both.new) == "x"
    assert fold.files == {"1": "0", "2": "0"}
    assert fold.warnings == ("left out 1 sentence of 1 with other words or tokens in 2 (a)",)


def test_a_new_sentence_never_trains_where_its_neighbour_is_tested(tmp_path: Path) -> None:
    earlier = bank("abcdefghijklmnopqr", "", "", "1")
    later = bank("".join(f"{letter}{letter.upper()}" for letter in "abcdefghijklmnopqr"), "", "", "2")
    divide = partial(divide_treebank, files=TreebankFiles("UD_A", "1", None), cross_validate=6)
    trained = dict.fromkeys("ABCDEFGHIJKLMNOPQR", 0)
    for fold in pair_versions(earlier, later, divide):
        assert letters(fold.later.new) == letters(fold.train).upper()
        for letter in letters(fold.later.new):
            trained[letter] += 1
    assert set(trained.values()) == {4}  # of six folds, one tests its neighbour, and one stops by it


def test_at_the_beginning_of_a_set_the_next_sentence_counts() -> None:
    earlier, later = bank("ab", "c", "d", "1"), bank("xab", "c", "yd", "2")
    (fold,) = pair_versions(earlier, later, as_released)
    assert letters(fold.later.new) == "x"


def test_versions_without_a_common_sentence_are_refused() -> None:
    earlier, later = bank("ab", "c", "d", "1"), bank("xy", "z", "v", "2")
    with pytest.raises(InputError, match=r"UD_A 1 and 2 have no sentence with the same words; name versions"):
        pair_versions(earlier, later, as_released)


def test_versions_are_read_from_files_without_their_lines(tmp_path: Path) -> None:
    for release, first in (("2.1", 0), ("2.2", 5)):
        small_treebank(tmp_path / f"ud-treebanks-v{release}", first=first, train=30)
    named = SuccessiveVersions(
        treebank="UD_Small", ud_home=str(tmp_path), release="2.1", later="UD_Small", later_release="2.2"
    )
    files = named.files()
    assert [path.parent.parent.name[-3:] for path in files.paths()] == ["2.1"] * 3 + ["2.2"] * 3
    (fold,) = read_folds(files, DataOptions())
    assert isinstance(fold, VersionedTreebank)
    assert fold.later.release == "2.2"
    assert len(fold.train) == len(fold.later.train) == 25
    assert (fold.later.counts.deleted, fold.later.counts.new) == (15, 15)
    every = (*fold.train, *fold.later.train, *fold.later.deleted, *fold.later.new)
    assert not any(one.lines for one in every)
    assert len(fold.files) == 6


def test_sentences_of_a_set_that_is_new_always_train() -> None:
    earlier, later = bank("abcdefghi", "", "", "1"), bank("abcdefghi", "", "xy", "2")
    divide = partial(divide_treebank, files=TreebankFiles("UD_A", "1", None), cross_validate=3)
    folds = pair_versions(earlier, later, divide)
    assert [letters(fold.later.new) for fold in folds] == ["xy"] * 3
