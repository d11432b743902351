"""UDPipe as a parser."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from external import DEV, TEST, TRAIN, check_official_scores, check_seeds, check_what_it_sees, trained

from learnability.errors import InputError, RunError
from learnability.metrics.attachment import attachment_scores
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.sentence import Tree

QUICK = {"iterations": 1}


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    if "not_installed" not in request.node.name:
        pytest.importorskip("ufal.udpipe", reason="UDPipe (ufal.udpipe) is not installed")


@pytest.mark.parametrize(
    "tags", ["gold", *(pytest.param(tags, marks=pytest.mark.slow) for tags in ("xpos", "none"))]
)
def test_it_sees_forms_and_the_tags_of_the_run(tags: str) -> None:
    check_what_it_sees("udpipe", Setup(tags=tags, labelled=tags == "gold", **QUICK))


@pytest.mark.slow
def test_seeds_and_processes(tmp_path: Path) -> None:
    check_seeds("udpipe", Setup(**QUICK), tmp_path)


def test_scores_are_those_of_its_own_interface(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its pipeline, with the model that its trainer makes of the very sentences, gives the same trees."""
    udpipe = pytest.importorskip("ufal.udpipe")
    parser = trained("udpipe", Setup(labelled=True, **QUICK), seed=3)
    parses = parser.parse(TEST)
    assert (parser.iterations, parser.best_iteration) == (1, 1)
    assert capfd.readouterr() == ("", "")  # it writes its progress to standard error

    def sentences(trees: list[object]) -> object:
        reader, found = udpipe.InputFormat.newConlluInputFormat(), udpipe.Sentences()
        reader.setText(conllu_text(trees))  # type: ignore[arg-type]
        while reader.nextSentence(sentence := udpipe.Sentence(), udpipe.ProcessingError()):
            found.append(sentence)
        return found

    order = [replace(tree, xpos=()) for tree in Random(3).sample(TRAIN, len(TRAIN))]
    options = "iterations=1;embedding_feats=0"
    data = sentences(order), sentences(list(DEV)), "none", "none", options, udpipe.ProcessingError()
    model = tmp_path / "model"
    model.write_bytes(udpipe.Trainer.train("morphodita_parsito", *data))
    loaded = udpipe.Model.load(str(model))  # the pipeline does not keep it alive
    pipeline = udpipe.Pipeline(loaded, "conllu", "none", "", "conllu")
    (tmp_path / "answer").write_text(pipeline.process(conllu_text(TEST)), encoding="utf-8")
    check_official_scores(tmp_path, TEST, tmp_path / "answer", parses)

    def said(trees: list[Tree], options: str) -> str:
        evaluator = udpipe.Evaluator(loaded, "none", "none", options)
        return str(evaluator.evaluate(conllu_text(trees), udpipe.ProcessingError()))

    own = attachment_scores(TEST, parses)
    assert f"UAS: {own.uas:.2f}%, LAS: {own.las:.2f}%" in said(TEST, "")
    assert f"UAS: {parser.dev_uas[0]:.2f}%, " in said(
        DEV, "beam_search=1"
    )  # in training it looks at one only


@pytest.mark.slow
def test_several_roots() -> None:
    """One, unless the training trees have several, which UDPipe can only learn together."""
    several = [tree.with_heads((0, *(1 for _ in tree.forms[2:]), 0)) for tree in TRAIN if len(tree) > 1]
    for train, roots in ((TRAIN, 1), (several, 2)):
        parses = trained("udpipe", Setup(**QUICK), train).parse(TEST)
        assert max(tree.heads.count(0) for tree in parses) == roots


def test_a_failing_training_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"^parser udpipe: training failed .*No training data.*; log: .*$"):
        parser_named("udpipe").trainer(Setup(logs=tmp_path)).train([], [], 1)


def test_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("learnability.support.extras.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"udpipe is not installed; run pip install 'ufal-udpipe>=[\d.]+'$"):
        parser_named("udpipe").trainer(Setup())


def test_not_installed_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of `ufal.udpipe` not even the package `ufal` may be there."""
    for name in [name for name in sys.modules if name.split(".")[0] == "ufal"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    assert not parser_named("udpipe").kind.installed
