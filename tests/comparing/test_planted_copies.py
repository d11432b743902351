"""Copies that are planted where something is learned and then tested: none is learned from and tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_treebanks import small_treebank

from learnability.annotation_diffs.annotation_diff import compare_versions
from learnability.annotation_diffs.rules import _halves
from learnability.annotation_diffs.version import Version
from learnability.comparing.fold import read_folds
from learnability.comparing.options import DataOptions
from learnability.comparing.short_trainings import sample
from learnability.extensions.doubts.words import places_in_folds
from learnability.extensions.harmonise.cells import ParsesCell, TogetherCell
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    DividedTreebanks,
    TrainingSettings,
)
from learnability.extensions.harmonise.report import better_than_own, describe_copies
from learnability.extensions.history.versions import pair_versions
from learnability.parsing import tagger
from learnability.treebanks.copies import find_copies, number_groups
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import divide_treebank, read_treebank

FILES = TreebankFiles("UD_X", "", None)


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sentence, ...]:
    """Forty sentences of the bundled treebank."""
    return read_treebank(locate_treebank(small_treebank(tmp_path_factory.mktemp("planted")))).train


def copy_of(sentence: Sentence, number: int) -> Sentence:
    forms = (*sentence.tree.forms[:-2], sentence.tree.forms[-2].upper(), sentence.tree.forms[-1])
    return replace(sentence, sent_id=f"copy-{number}", tree=replace(sentence.tree, forms=forms))


def with_copies(sentences: Sequence[Sentence], count: int = 12) -> tuple[Sentence, ...]:
    return (*sentences, *(copy_of(sentence, number) for number, sentence in enumerate(sentences[:count])))


def trees_of(sentences: Sequence[Sentence]) -> list[Tree]:
    return [sentence.tree for sentence in sentences]


def test_taggers_tag_no_copy_of_what_they_learned(
    sentences: tuple[Sentence, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = trees_of(with_copies(sentences))
    seen: list[tuple[list[Tree], list[Tree]]] = []

    def note(text: object, gold: object, learned: Any, tagged: Any, *rest: object) -> None:
        seen.append(([trees[i] for i in learned], [trees[i] for i in tagged]))

    monkeypatch.setattr(tagger, "_tag", note)
    tagger.predict_tags(trees, [], 1)
    assert sum(len(tagged) for _, tagged in seen) == len(trees)
    for learned, tagged in seen:
        assert not any(find_copies(tagged, learned))


def test_samples_test_no_copy_of_what_they_train_on(sentences: tuple[Sentence, ...]) -> None:
    trees = trees_of(with_copies(sentences))
    for seed in range(1, 6):
        chosen = sample(number_groups(trees), 1 / 2, seed)
        assert len(chosen.train) == len(trees) // 2
        assert not any(find_copies([trees[i] for i in chosen.test], [trees[i] for i in chosen.train]))


def test_rules_are_tested_on_no_copy_of_what_they_are_learned_from(sentences: tuple[Sentence, ...]) -> None:
    version = Version.of_sentences(with_copies(sentences), "A")
    pairs = compare_versions(version, version).matching.pairs
    learning, testing = _halves(pairs, (), 1)
    halves = [[both.base.tree for both in half.pairs] for half in (learning, testing)]
    assert len(halves[0]) + len(halves[1]) == 52
    assert not any(find_copies(halves[1], halves[0]))


def test_no_version_trains_on_a_copy_of_what_is_tested(sentences: tuple[Sentence, ...]) -> None:
    """The later version lacks the copies, each of which stands beside a sentence of another fold."""
    earlier = Treebank("UD_X", "1", (), (), with_copies(sentences))
    later = Treebank("UD_X", "2", (), (), sentences)
    folds = pair_versions(earlier, later, lambda whole: divide_treebank(whole, FILES, cross_validate=4))
    for fold in folds:
        learned = trees_of((*fold.train, *fold.later.deleted))
        assert not any(find_copies(trees_of(fold.test), learned))
    assert any(fold.later.deleted for fold in folds)


def test_words_of_doubts_are_found_in_the_folds(sentences: tuple[Sentence, ...]) -> None:
    whole = with_copies(sentences)
    folds = divide_treebank(Treebank("UD_X", "", (), (), whole), FILES, cross_validate=4)
    said = [form for fold in folds for sentence in fold.test for form in sentence.tree.forms]
    forms = [form for sentence in whole for form in sentence.tree.forms]
    assert said != forms
    assert [said[place] for place in places_in_folds(trees_of(whole))] == forms


def test_harmonise_parses_no_copy_of_what_was_learned(
    sentences: tuple[Sentence, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tuple(copy_of(sentence, number) for number, sentence in enumerate(sentences[10:30]))
    treebanks = [
        ComparedTreebank(Version.of_sentences(each, name))
        for each, name in ((with_copies(sentences, 5), "A"), (with_copies(shared, 5), "B"))
    ]
    settings = TrainingSettings(words=100_000, folds=3, seeds=(1,))
    divided = DividedTreebanks.of(treebanks, 3)
    assert [len(divided.shared(*pair)) for pair in ((0, 1), (1, 0))] == [20, 25]
    tested: dict[tuple[int, int], list[int]] = {}
    for source in (0, 1):
        for learned, parsed in divided.trainings(source):
            for number, places in parsed.items():
                text = [treebanks[number].trees[place] for place in places]
                assert not any(find_copies(text, learned))
                tested.setdefault((number, source), []).extend(places)
    for (number, _), places in tested.items():
        assert sorted(places) == list(range(len(treebanks[number].trees)))

    def check(self: object, train: Sequence[Tree], text: Sequence[Tree]) -> list[Tree]:
        assert not any(find_copies(text, train))
        return list(text)

    for kind, numbers in ((ParsesCell, {"source": 0}), (TogetherCell, {"tested": 0, "added": 1})):
        monkeypatch.setattr(kind, "train_and_parse", check)
        assert kind(treebank="", settings=settings, seed=1, **numbers).compute_on(treebanks)


def test_an_alternative_is_matched_before_folds_are_cut(tmp_path: Path) -> None:
    """The alternative has the first half of the sentences only."""
    base = small_treebank(tmp_path, "UD_Base")
    half = small_treebank(tmp_path, "UD_Half", train=30, dev=1, test=1)
    files = replace(locate_treebank(base), alternative=locate_treebank(half))
    folds = read_folds(files, DataOptions(cross_validate=5))
    tested = [sum(map(len, fold.test)) for fold in folds]
    assert sum(len(fold.test) for fold in folds) >= 30
    assert max(tested) < 1.5 * min(tested)


def test_harmonise_says_what_is_shared_and_what_cannot_be(sentences: tuple[Sentence, ...]) -> None:
    """B is A with another relation of one word, and other ids; parsers of A are worse on A than B's."""
    first = sentences[0].tree
    other = replace(sentences[0], tree=first.with_heads(first.heads, ("dep", *first.deprels[1:])))
    renamed = tuple(
        replace(sentence, sent_id=f"b-{sentence.sent_id}") for sentence in (other, *sentences[1:])
    )
    treebanks = tuple(
        ComparedTreebank(Version.of_sentences(each, name))
        for each, name in ((sentences, "A"), (renamed, "B"))
    )
    right = tuple(tuple(treebank.trees) for treebank in treebanks)
    wrong = tuple(tree.with_heads((0, *(1,) * (len(tree) - 1))) for tree in right[0])
    parses = CrossParses(
        treebanks, {(0, 0): (wrong,), (0, 1): (right[0],), (1, 0): (right[1],), (1, 1): (right[1],)}
    )
    (shared,) = describe_copies(["A", "B"], DividedTreebanks.of(treebanks, 3))
    (warning,) = better_than_own(parses)
    assert shared.startswith("40 of the 40 sentences of A have a copy in B, and 40 of the 40 there in A.")
    assert warning.startswith("Warning: parsers of B score ")
