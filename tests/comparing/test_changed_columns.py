"""Annotations that change tags or relations alone, on a fold and in a run; and what a fold keeps."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from carried_out import carried_out
from result_rows import hand_rows
from run_data import stored

from learnability.comparing.annotated_folds import AnnotatedFold
from learnability.comparing.annotation import Annotation
from learnability.comparing.conversion import example
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.measures import measure
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.places import PlaceFacts, advice_on, check_places, place_facts
from learnability.comparing.short_trainings import ITERATIONS, ShortResult, sample, train_short
from learnability.comparing.trainings import train_annotation, train_on_both
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.parsing.parser import train_parser
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Treebank
from learnability.treebanks.splits import load_treebank

CASE, DET = annotation_spelled("case"), annotation_spelled("det")
NOUNS, VERBS = annotation_spelled("upos:NOUN=VERB"), annotation_spelled("upos:ADP=DET")


@pytest.fixture(scope="module")
def treebank(small: Path) -> Treebank:
    return load_treebank(small)


def fold_with(treebank: Treebank, *pairs: Annotation, **options: object) -> Fold:
    given = {"seeds": 1, "iterations": 2, **options}
    return Fold(treebank, ExperimentOptions(pairs, **given), cross_validated=False)  # type: ignore[arg-type]


def arrays_of(fold: Fold, annotation: Annotation) -> list[np.ndarray]:
    corpus = fold.encode(AnnotatedFold(fold, annotation).sets.test)
    return [value for value in corpus if isinstance(value, np.ndarray)]


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return all(map(np.array_equal, first, second))


def test_encoded_sentences_have_the_tags_of_their_annotation(treebank: Treebank) -> None:
    fold = fold_with(treebank, NOUNS, VERBS, CASE)
    ud = arrays_of(fold, UD)
    for annotation in (NOUNS, VERBS):
        for _ in range(3):  # columns of trees that are gone may be where new ones are
            merged = arrays_of(fold, annotation)
            assert not same(merged, ud)
            assert same(merged, arrays_of(fold_with(treebank, annotation), annotation))
            gc.collect()
    assert fold.encode(AnnotatedFold(fold, CASE).sets.test) is fold.encode(fold.ud.test)


def pair_by_hand(fold: Fold, annotation: Annotation, share: float, seed: int) -> list[int]:
    chosen = sample(range(len(fold.ud.train)), share, seed)
    trees = list(map(annotation.change(fold.treebank.conventions, None), fold.ud.train))
    options = replace(fold.parser_options, iterations=ITERATIONS, seed=seed)
    parser = train_parser([trees[i] for i in chosen.train], options).parser
    gold = [trees[i] for i in chosen.test]
    pairs = zip(parser.parse([replace(tree, heads=()) for tree in gold]), gold, strict=True)
    return [sum(a == b for a, b in zip(p.heads, g.heads, strict=True)) for p, g in pairs]


def trained(fold: Fold, base: Annotation, alternative: Annotation) -> ShortResult:
    pair = train_short(fold, Pair(base, alternative), 1 / 2, 1)
    assert pair is not None
    return pair


def test_short_trainings_read_the_tags_of_their_annotation(treebank: Treebank) -> None:
    """In every order of pairs, of which one fold keeps what it can."""
    expected = {a: pair_by_hand(fold_with(treebank), a, 1 / 2, 1) for a in (UD, NOUNS, VERBS, CASE)}
    assert len({tuple(right) for right in expected.values()}) == 4
    pairs = [(UD, NOUNS), (UD, CASE), (UD, VERBS), (NOUNS, VERBS), (NOUNS, UD), (UD, NOUNS)]
    for ordered in (pairs, pairs[::-1]):
        fold = fold_with(treebank)
        for base, alternative in ordered:
            pair = trained(fold, base, alternative)
            assert pair.base == expected[base]
            assert pair.alternative == expected[alternative]


def test_parsers_learn_the_tags_of_their_annotation(treebank: Treebank) -> None:
    fold = fold_with(treebank, NOUNS, VERBS)
    pairs = [None, *(Pair(UD, annotation) for annotation in (NOUNS, VERBS, NOUNS))]
    trainings = [train_annotation(fold, pair, 1) for pair in pairs]
    scores = [training.scores["uas"] for training in trainings if training is not None]
    right = [score.correct for score in scores]
    assert right[1] == right[3]
    assert len(set(map(tuple, right))) == 3
    assert scores[1].back == []
    assert train_on_both(fold, Pair(UD, NOUNS), 1, 2) is None


def test_changed_tags_are_counted(treebank: Treebank) -> None:
    fold = fold_with(treebank, NOUNS)
    found = measure(fold, Pair(UD, NOUNS))
    nouns = sum(tree.upos.count("NOUN") for tree in fold.train)
    assert (found.places, found.tokens_changed, found.changes) == (nouns, 0, None)
    assert found.sentences_changed == sum("NOUN" in tree.upos for tree in fold.train)


def test_a_run_compares_merged_tags(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions((NOUNS, CASE), seeds=1, iterations=2, trees=True)
    outcome = carried_out(small_files, options, tmp_path)
    assert not outcome.failed
    nouns, case = hand_rows(outcome)
    assert (nouns["construction"], nouns["variant"]) == ("upos:NOUN=VERB", "")
    for column in ("uas_base", "uas_alternative", "uas_delta", "without_punctuation_uas_delta"):
        assert nouns[column] is not None
    assert nouns["uas_delta"] != 0
    for column in ("converted_back_uas_delta", "trained_on_both_base"):
        assert nouns[column] is None
        assert nouns[f"{column.partition('_uas')[0].removesuffix('_base').removesuffix('_pick')}_undefined"]
        assert case[column] is not None
    settings = [key.split("/")[:2] for key in stored(tmp_path)]
    assert ["c", "case"] in settings
    assert ["c", "upos:NOUN=VERB"] not in settings


def test_what_is_large_is_dropped_at_another_pairs_turn(
    treebank: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("learnability.comparing.fold.KEPT_TOKENS", 0)
    fold = fold_with(treebank, CASE, DET)
    case, det = (fold.compare_pair(pair) for pair in fold.pairs)
    assert fold.compare_pair(Pair(UD, CASE)) is case
    first = case.alternative
    assert case.alternative is first
    assert case.training_references is case.training_references
    parts = weakref.ref(first.sets)
    del first
    assert det.alternative.annotation == DET
    assert parts() is None


def test_of_a_small_treebank_it_is_kept(treebank: Treebank) -> None:
    fold = fold_with(treebank, CASE, DET)
    case, det = (fold.compare_pair(pair) for pair in fold.pairs)
    parts = case.alternative.sets
    assert det.alternative.sets is not parts
    assert case.alternative.sets is parts


def test_folds_share_what_is_made_of_their_common_trees() -> None:
    options = ExperimentOptions.spell_annotations(("case",), data=DataOptions(cross_validate=5))
    files = locate_treebank("demo")
    folds = [fold_of(files, options, number) for number in range(3)]
    trees = set(map(id, folds[0].ud.train)) & set(map(id, folds[1].ud.train))
    assert len(trees) > 100
    (case,) = (pair.alternative for pair in folds[0].pairs)
    first, second = (fold.compare_pair(fold.pairs[0]).alternative.sets.train for fold in folds[:2])
    assert len(set(map(id, first)) & set(map(id, second))) >= len(trees)
    common = next(tree for tree in folds[0].ud.train if id(tree) in trees)
    assert folds[0].example_of(case)(common) is folds[1].example_of(case)(common)
    assert folds[0].example_of(case)(common) == example(folds[0].rule(case), common, lifts=True)


def test_a_single_fold_remembers_no_trees(treebank: Treebank) -> None:
    fold = fold_with(treebank, CASE)
    tree = fold.ud.train[0]
    assert fold.change(CASE)(tree) is not fold.change(CASE)(tree)


def test_a_fold_keeps_what_is_made_of_it() -> None:
    def count(fold: Fold) -> list[Fold]:
        return [fold]

    fold = object.__new__(Fold)
    fold._kept = {}
    assert fold.make_once(count) is fold.make_once(count)
    assert fold.make_once(list_of) is not fold.make_once(count)


def list_of(fold: Fold) -> list[Fold]:
    return [fold]


def test_facts_about_places(treebank: Treebank) -> None:
    some, none = (annotation_spelled(f"case:lemma={lemma}") for lemma in ("of", "zzz"))
    known = place_facts(treebank, [some, none, UD])
    assert known == PlaceFacts(True, {none: ("case:lemma=zzz",)}, {})
    assert place_facts(treebank, [none, UD]).any_place is False
    assert place_facts(treebank, [some, none]).absent == {none}
    assert place_facts(treebank, [NOUNS]) == PlaceFacts(True, {}, {})
    check_places([("T", known)], [some, UD])
    with pytest.raises(InputError, match="T has no place for case:lemma=zzz; choose other values"):
        check_places([("T", known)], [some, none, UD])
    elsewhere = PlaceFacts(True, {some: ("case:lemma=of",), none: ()}, {none: ("conj: a line",)})
    check_places([("T", known), ("U", elsewhere)], [some, none, UD])
    with pytest.raises(InputError, match="all treebanks has no place for case:lemma=zzz; conj: a line"):
        check_places([("T", known), ("U", replace(elsewhere, missing=known.missing))], [some, none, UD])
    with pytest.raises(InputError, match="T has no place for det, so there is nothing to compare;"):
        check_places([("T", PlaceFacts(False))], [DET, UD])
    labels = [["PREP", *["SUBJ"] * (len(each.tree) - 1)] for each in treebank.train]
    sentences = [
        replace(each, tree=each.tree.with_heads(each.tree.heads, names))
        for each, names in zip(treebank.train, labels, strict=True)
    ]
    own = replace(treebank, train=sentences, dev=(), test=())
    assert place_facts(treebank, [none]).own_relations == ()
    with pytest.raises(
        InputError, match=r'not those of UD; write a .* not_in_ud = \["SUBJ", "PREP"\], and name'
    ):
        check_places([("T", place_facts(own, [DET, UD]))], [DET, UD])
    check_places([("T", PlaceFacts(False)), ("U", PlaceFacts(False))], [DET, UD])
    check_places([], [DET, UD])
    assert advice_on([("T", known), ("U", elsewhere)], [some, none]) == ["U: conj: a line"]
