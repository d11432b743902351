"""Predicted tags: what parsers see, what is recorded, and that no gold column reaches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from carried_out import carried_out

from learnability.comparing.annotated_folds import AnnotatedFold
from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import PREDICTED, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.results import Measures, TrainingResult
from learnability.comparing.short_trainings import train_short
from learnability.comparing.trainings import train_annotation, train_on_both
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.metrics.scores import Score, correct_tokens
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import TrainedParser
from learnability.parsing.encoding import Corpus
from learnability.parsing.tagger import Text, predict_tags
from learnability.reports.verdicts import verdict
from learnability.running.records import read_records
from learnability.statistics.significance import compare
from learnability.statistics.spread import SEED_RATIO, scale_seed_ratio
from learnability.studies.run import Run
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import load_folds, load_treebank

CASE, NOUNS = annotation_spelled("case"), annotation_spelled("upos:NOUN=VERB")


@pytest.fixture(scope="module")
def treebank(small: Path) -> Treebank:
    return load_treebank(small)


def fold_with(treebank: Treebank, *pairs: Annotation, **options: object) -> Fold:
    chosen = {"seeds": 2, "iterations": 2, "tags": PREDICTED, **options}
    return Fold(treebank, ExperimentOptions(pairs, **chosen), cross_validated=False)  # type: ignore[arg-type]


@dataclass
class Listener:
    projective: bool = True
    threads: int = 1
    seen: list[Sequence[Tree]] = field(default_factory=list)

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        self.seen += [trees, dev]
        return TrainedParser(self.parse, 1, 0.0)

    def parse(self, trees: Sequence[Tree]) -> list[Tree]:
        self.seen.append(trees)
        return [tree.with_heads((0, *(1 for _ in tree.forms[1:]))) for tree in trees]


def with_gold_columns(treebank: Treebank) -> Treebank:
    def full(sentence: Sentence) -> Sentence:
        gold = tuple(f"gold{tag}" for tag in sentence.tree.upos)
        return replace(sentence, tree=replace(sentence.tree, lemmas=gold, xpos=gold, feats=gold))

    sets = {name: tuple(map(full, sentences)) for name, sentences in treebank.splits()}
    return replace(treebank, **sets)  # type: ignore[arg-type]


@pytest.mark.parametrize("annotation", [None, CASE, NOUNS])
def test_parsers_see_forms_and_predicted_tags_alone(
    treebank: Treebank, annotation: Annotation | None
) -> None:
    fold = fold_with(with_gold_columns(treebank), CASE, NOUNS)
    fold.trainer = listener = Listener()
    result = train_annotation(fold, None if annotation is None else Pair(UD, annotation), 2)
    parts = AnnotatedFold(fold, annotation or UD).sets
    tags, others = predict_tags(parts.train, [*parts.dev, *parts.test], 2)
    train, dev, test = listener.seen
    assert [tree.upos for tree in train] == tags
    assert [tree.upos for tree in (*dev, *test)] == others
    for seen, gold in zip((train, dev, test), (parts.train, parts.dev, parts.test), strict=True):
        assert {(tree.lemmas, tree.xpos, tree.feats) for tree in seen} == {((), (), ())}
        assert [(tree.forms, tree.heads) for tree in seen] == [(tree.forms, tree.heads) for tree in gold]
    assert result is not None
    assert result.tagging is not None
    right = [
        sum(a == b for a, b in zip(upos, tree.upos, strict=True))
        for upos, tree in zip(others[len(dev) :], parts.test, strict=True)
    ]
    assert result.tagging.correct == right
    assert 0 < sum(right) < sum(result.tokens)
    pairs = [
        pair for t, upos in zip(parts.train, tags, strict=True) for pair in zip(t.upos, upos, strict=True)
    ]
    assert result.tagging.train_correct == sum(a == b for a, b in pairs) < len(pairs)
    assert result.tagging.train_tokens == len(pairs)


@pytest.mark.parametrize("labels", [None, "external"])
@pytest.mark.parametrize(
    ("parser", "package"),
    [
        ("arc-eager", None),
        ("arc-eager:rich", None),
        pytest.param("graph", None, marks=pytest.mark.slow),
        pytest.param("udpipe", "ufal.udpipe", marks=pytest.mark.slow),
        pytest.param("spacy", "spacy", marks=pytest.mark.slow),
    ],
)
def test_gold_columns_of_the_test_set_change_no_score(
    treebank: Treebank, parser: str, package: str | None, labels: str | None
) -> None:
    """Neither parses nor what they are converted to; only the accuracy of the tags."""
    if package is not None:
        pytest.importorskip(package)

    def hidden(sentence: Sentence) -> Sentence:
        gold = ("X",) * len(sentence)
        return replace(sentence, tree=replace(sentence.tree, upos=gold, lemmas=gold, xpos=gold, feats=gold))

    blind = replace(treebank, test=tuple(map(hidden, treebank.test)))
    found = []
    for data in (treebank, blind):
        fold = fold_with(data, CASE, labels=labels, parsers=(parser_named(parser),))
        result = train_annotation(fold, Pair(UD, CASE), 1)
        assert result is not None
        assert result.tagging is not None
        found.append((result.tagging.correct, result.scores["uas"].correct, result.scores["uas"].back))
    assert found[0][1:] == found[1][1:]
    assert found[0][0] != found[1][0]


def test_a_fold_reads_no_gold_tag_of_what_it_does_not_learn_from(small: Path) -> None:
    """Of a cross-validated treebank: settings (a), (b) and (c), and the conversion back to UD."""

    def hidden(sentence: Sentence) -> Sentence:
        return replace(sentence, tree=replace(sentence.tree, upos=("X",) * len(sentence)))

    data = load_folds(locate_treebank(small), cross_validate=3)[1]
    dev, test = (tuple(map(hidden, sentences)) for sentences in (data.dev, data.test))
    found = []
    for treebank in (data, replace(data, dev=dev, test=test)):
        options = ExperimentOptions((CASE,), seeds=1, iterations=2, tags=PREDICTED)
        fold = Fold(treebank, options, cross_validated=True)
        case = Pair(UD, CASE)
        trained = [train_annotation(fold, pair, 1) for pair in (None, case)]
        both = train_on_both(fold, case, 1, 2)
        assert both is not None
        assert all(both.base_share)
        found.append([result.scores["uas"] for result in trained if result] + [both.base_share])
    assert found[0] == found[1]


def test_training_against_both_annotations_sees_predicted_tags(
    treebank: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold = fold_with(treebank, CASE)
    seen: list[Sequence[Tree]] = []
    encode = fold.encode

    def listening(trees: Sequence[Tree]) -> Corpus:
        seen.append(trees)
        return encode(trees)

    monkeypatch.setattr(fold, "encode", listening)
    assert train_on_both(fold, Pair(UD, CASE), 2, 2) is not None
    inputs = fold.inputs(fold.ud, 2)
    tags = [[tree.upos for tree in trees] for trees in seen]
    assert [tree.upos for tree in inputs.train] in tags
    assert [tree.upos for tree in inputs.train] != [tree.upos for tree in fold.ud.train]


def test_annotations_with_the_same_tags_share_a_tagger(
    treebank: Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[int] = []

    def counted(train: Sequence[Tree], others: Sequence[Tree], seed: int, text: Text) -> object:
        trained.append(seed)
        return predict_tags(train, others, seed, text)

    monkeypatch.setattr("learnability.comparing.fold_trees.predict_tags", counted)
    fold = fold_with(treebank, CASE, NOUNS)
    for pair in (None, Pair(UD, CASE)):
        for seed in (1, 2):
            train_annotation(fold, pair, seed)
    assert trained == [1, 2]
    train_annotation(fold, Pair(UD, NOUNS), 1)
    assert trained == [1, 2, 1]


def test_conversion_and_its_ceiling_see_predicted_tags(treebank: Treebank) -> None:
    fold, gold = fold_with(treebank, CASE), AnnotatedFold(fold_with(treebank, CASE, tags="gold"), CASE)
    annotated = AnnotatedFold(fold, CASE)
    first, second = annotated.of_seed(1), annotated.of_seed(2)
    assert first.sets is second.sets is annotated.sets
    assert gold.of_seed(1) is gold
    classifiers = [case.converter.classifier for case in (first, second, gold)]
    features = [classifier.weights.weight.tobytes() for classifier in classifiers if classifier]
    assert len(set(features)) == 3
    converted = first.converter.convert(first.inputs.test)
    right = int(correct_tokens(fold.ud.test, converted, Score.UAS).sum())
    assert first.ceilings[Score.UAS].found_places == right
    assert [tree.upos for tree in converted] == [tree.upos for tree in first.inputs.test]


def test_short_trainings_predict_tags_of_their_sample(treebank: Treebank) -> None:
    pairs = [
        train_short(fold_with(treebank, tags=tags), Pair(UD, CASE), 1 / 2, 1) for tags in ("gold", PREDICTED)
    ]
    assert pairs[0] is not None
    assert pairs[1] is not None
    assert pairs[0].tokens == pairs[1].tokens
    assert pairs[0].base != pairs[1].base


@pytest.mark.parametrize(("pair", "column"), [("case:lemma=of", "lemmas"), ("det:feats=Case", "features")])
def test_a_restriction_by_what_is_not_predicted_is_refused(pair: str, column: str) -> None:
    with pytest.raises(InputError, match=f"{pair} depends on {column}, .* `tags='predicted'`"):
        Run(treebanks=[], options=ExperimentOptions.spell_annotations((pair,), tags=PREDICTED), studies=[])
    Run(treebanks=[], options=ExperimentOptions.spell_annotations((pair,)), studies=[])
    Run(
        treebanks=[],
        options=ExperimentOptions.spell_annotations(("case:upos=ADP",), tags=PREDICTED),
        studies=[],
    )


def test_the_accuracy_of_tags_is_a_result(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions((NOUNS, CASE), seeds=2, iterations=1, tags=PREDICTED)
    outcome = carried_out(small_files, options, tmp_path)
    assert not outcome.failed
    nouns, case = outcome.rows
    records = read_records(tmp_path / "records.jsonl").values()
    right: dict[str, list[list[int]]] = {"": [], NOUNS.spelling: [], CASE.spelling: []}
    for record in records:
        if record.setting in "ab" and (training := record.result_as(TrainingResult)):
            assert training.tagging is not None
            right[record.subject].append(training.tagging.correct)
            tokens = training.tokens
    assert right[""] == right[CASE.spelling] != right[NOUNS.spelling]
    measured = next(record.result_as(Measures) for record in records if record.setting == "measures")
    assert measured is not None
    ratio = scale_seed_ratio(SEED_RATIO, sum(tokens), measured.train_tokens)
    compared = compare(right[""], right[NOUNS.spelling], tokens, seed_ratio=ratio)
    assert nouns.tagging is not None
    assert nouns.tagging.base == pytest.approx(compared.score_a)
    assert nouns.tagging.alternative == pytest.approx(compared.score_b)
    difference = (nouns.tagging.delta, nouns.tagging.delta_low, nouns.tagging.delta_high)
    assert difference == pytest.approx((compared.delta, compared.low, compared.high))
    assert case.tagging is not None
    assert (case.tagging.delta, case.tagging.alternative) == (0, case.tagging.base)
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    assert f"UD_Small,{NOUNS.spelling},,,tagging,delta,{compared.delta:.4f}" in lines
    (section,) = (section for section in outcome.details if section.heading == "Predicted tags")
    assert len(section.sentences) == 2
    assert f"{compared.score_a:.1f} %" in section.sentences[0]
    second = f"With the tags of {NOUNS.spelling}, it is right for {compared.score_b:.1f} %"
    assert second in section.sentences[1]
    side = "UD" if compared.delta > 0 else "the alternative"
    assert f"The difference is {side} +" in section.sentences[1]


@pytest.mark.parametrize(("tags", "follow"), [("gold", True), (PREDICTED, False)])
def test_predicted_tags_tell_nothing_of_gold_trees(
    tags: str, follow: bool, small_files: TreebankFiles, tmp_path: Path
) -> None:
    """A split by the side of the head; the tags of the test set are predicted from forms."""
    side = annotation_spelled("upos:ADP=ADP-{side}")
    options = ExperimentOptions((side,), seeds=1, iterations=1, tags=tags)
    (row,) = carried_out(small_files, options, tmp_path).rows
    assert (row.pair.tags_follow_trees and not row.predicts_tags) == follow
    assert ("part of the gold tree" in verdict(row)) == follow


@pytest.mark.parametrize(("tagged", "accurate"), [(0, False), (1, True)])
def test_an_untagged_test_set_has_no_accuracy(
    tagged: int, accurate: bool, treebank: Treebank, tmp_path: Path
) -> None:
    place = tmp_path / "UD_Bare"
    place.mkdir()
    for name, sentences in treebank.splits():
        trees = [sentence.tree for sentence in sentences]
        if name == "test":
            words = [("_",) * len(tree) for tree in trees]
            words[0] = trees[0].upos[:tagged] + words[0][tagged:]
            trees = [replace(tree, upos=upos) for tree, upos in zip(trees, words, strict=True)]
        (place / f"xx-ud-{name}.conllu").write_text(conllu_text(trees), encoding="utf-8")
    options = ExperimentOptions((CASE,), seeds=1, iterations=1, tags=PREDICTED)
    (row,) = carried_out(locate_treebank(place), options, tmp_path / "run").rows
    assert row.difference() is not None
    assert (row.tagging is not None) == accurate
