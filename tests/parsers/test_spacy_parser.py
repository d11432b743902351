"""spaCy as a parser."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from external import TEST, TRAIN, check_official_scores, check_seeds, check_what_it_sees, trained

from learnability.errors import InputError, RunError
from learnability.metrics.attachment import attachment_scores
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Tree

QUICK = {"iterations": 2}


@pytest.fixture
def spacy() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("spacy", reason="spaCy is not installed")  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("tags", ["gold", "xpos", "none"])
def test_it_sees_forms_and_the_tags_of_the_run(spacy: ModuleType, tags: str) -> None:
    check_what_it_sees("spacy", Setup(tags=tags, labelled=tags == "gold", **QUICK))


@pytest.mark.slow
def test_seeds_and_processes(spacy: ModuleType, tmp_path: Path) -> None:
    check_seeds("spacy", Setup(**QUICK), tmp_path)


def test_scores_are_those_of_its_own_scorer(
    spacy: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What its converter reads and its model parses has the scores that its and the official scorer give."""
    from spacy.scorer import Scorer
    from spacy.tokens import Doc, Token
    from spacy.training import Example
    from spacy.training.converters import conllu_to_docs

    def label(token: Token, _: str) -> str:
        return str(token.dep_).lower()

    parser = trained("spacy", Setup(labelled=True, **QUICK))
    parses = parser.parse(TEST)
    assert (parser.iterations, len(parser.dev_uas)) == (2, 2)
    assert parser.dev_uas[parser.best_iteration - 1] == max(parser.dev_uas)
    assert capfd.readouterr() == ("", "")

    model = parser.parse.__self__.work / "model"  # type: ignore[attr-defined]
    nlp = spacy.load(model)
    text = conllu_text(replace(tree, xpos=tree.upos) for tree in TEST)
    examples = []
    for gold in conllu_to_docs(text, n_sents=1, no_print=True):
        starts = [bool(token.is_sent_start) for token in gold]
        words, tags = [token.text for token in gold], [token.tag_ for token in gold]
        examples.append(Example(nlp(Doc(nlp.vocab, words=words, tags=tags, sent_starts=starts)), gold))
    official = Scorer.score_deps(examples, "dep", getter=label, ignore_labels=())
    own = attachment_scores(TEST, parses)
    assert own.uas == pytest.approx(100 * official["dep_uas"])
    assert own.las_with_subtypes == pytest.approx(100 * official["dep_las"])
    answer = []
    for example, tree in zip(examples, TEST, strict=True):
        heads = [0 if token.head == token else token.head.i + 1 for token in example.predicted]
        deprels = [token.dep_.replace("ROOT", "root") for token in example.predicted]
        answer.append(Tree(tree.forms, tree.upos, tuple(heads), tuple(deprels)))
    (tmp_path / "answer").write_text(conllu_text(answer), encoding="utf-8")
    check_official_scores(tmp_path, TEST, tmp_path / "answer", parses)


@pytest.mark.slow
def test_one_root_always(spacy: ModuleType) -> None:
    several = [tree.with_heads((0, *(1 for _ in tree.forms[2:]), 0)) for tree in TRAIN if len(tree) > 1]
    parses = trained("spacy", Setup(multiple_roots=True, **QUICK), several).parse(TEST)
    assert {tree.heads.count(0) for tree in parses} == {1}


def labelled_at_root(tree: Tree, name: str) -> Tree:
    pairs = zip(tree.heads, tree.deprels, strict=True)
    return tree.with_heads(tree.heads, [deprel if head else name for head, deprel in pairs])


def test_root_words_have_the_most_frequent_label_of_root_words(spacy: ModuleType) -> None:
    labelled = [labelled_at_root(tree, "FINV") for tree in TRAIN[1:]] + [labelled_at_root(TRAIN[0], "FRAG")]
    parses = trained("spacy", Setup(labelled=True, **QUICK), labelled).parse(TEST)
    arcs = [arc for tree in parses for arc in zip(tree.heads, tree.deprels, strict=True)]
    names = {(head == 0, name) for head, name in arcs}
    assert {name for is_root, name in names if is_root} == {"FINV"}
    assert (False, "root") not in names


@pytest.mark.slow
def test_it_stops_when_dev_does_not_improve(spacy: ModuleType) -> None:
    parser = trained("spacy", Setup(), TRAIN[:8])
    best = parser.dev_uas.index(max(parser.dev_uas)) + 1
    assert parser.best_iteration == best
    assert parser.iterations == len(parser.dev_uas) == min(30, best + 3)


@pytest.mark.slow
def test_a_failing_training_is_one_line(spacy: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"^parser spacy: training failed with exit code 1; .*; log: "):
        parser_named("spacy").trainer(Setup(logs=tmp_path)).train([], [], 1)


def test_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("learnability.support.extras.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"spacy is not installed; run pip install 'spacy>=[\d.]+'$"):
        parser_named("spacy").trainer(Setup())
