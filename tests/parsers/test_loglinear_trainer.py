"""The log-linear parser as a parser: labels, tags, margins, probabilities, and one training for all seeds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace as replace_fields

from learnability import cli
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.comparing.results import TrainingResult
from learnability.comparing.run_parsers import design_parser, is_trained_once
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.running.records import read_records
from learnability.statistics.spread import SEED_RATIO
from learnability.studies.settle.trainings import first_look_of
from learnability.treebanks.sentence import Tree


def toy(seed: int, sentences: int, tagged: bool = True) -> list[Tree]:
    """A (big) dog sees a cat: the verb heads nouns, nouns what precedes them."""
    draw, found = Random(seed), []
    for _ in range(sentences):
        tags = ["DET"] * draw.randint(0, 1) + ["NOUN", "VERB"] + ["DET"] * draw.randint(0, 1) + ["NOUN"]
        verb = tags.index("VERB")
        heads = [
            0 if i == verb else verb + 1 if tag == "NOUN" else tags.index("NOUN", i) + 1
            for i, tag in enumerate(tags)
        ]
        deprels = [
            "root" if i == verb else "det" if tag == "DET" else "nsubj" if i < verb else "obj"
            for i, tag in enumerate(tags)
        ]
        forms = [f"{tag.lower()}{draw.randrange(3)}" for tag in tags]
        found.append(Tree(forms, tags if tagged else ["_"] * len(tags), heads, deprels))
    return found


def train(spec: str = "loglinear", seed: int = 1, tagged: bool = True, **setup: object) -> TrainedParser:
    return parser_named(spec).trainer(Setup(**setup)).train(toy(1, 40, tagged), toy(2, 5, tagged), seed)


@pytest.mark.parametrize("spec", ["loglinear", "loglinear:nonprojective"])
@pytest.mark.parametrize("tags", ["gold", "none"])
def test_a_grammar_is_learned_with_its_labels(spec: str, tags: str) -> None:
    test = toy(3, 20, tags == "gold")
    parsed = train(spec, tagged=tags == "gold", labelled=True, tags=tags).parse(test)
    for found, gold in zip(parsed, test, strict=True):
        assert (tuple(found.heads), tuple(found.deprels)) == (tuple(gold.heads), tuple(gold.deprels))
    assert {d for t in train(spec).parse(toy(3, 20)) for d in t.deprels} == {"root", "dep"}


def test_margins_and_probabilities_see_what_is_wrong() -> None:
    parser, (tree,) = train(labelled=True), [toy(4, 30)[3]]
    assert parser.margins is not None
    assert parser.probabilities is not None
    wrong = tree.with_heads([2, 0, *[1] * (len(tree) - 2)], ["obj", "root", *["other"] * (len(tree) - 2)])
    right, other = parser.probabilities([tree]), parser.probabilities([wrong])
    assert right.arcs.min() > 0.5
    assert right.relations.min() > 0.5
    differs = np.array(tree.heads) != np.array(wrong.heads)
    assert differs.any()
    assert other.arcs[differs].max() < 0.5
    assert other.relations[-1] == 0  # a relation that the parser does not know
    assert parser.margins([tree]).arcs.min() > 0 > parser.margins([wrong]).arcs[differs].max()
    unlabelled = train()
    assert unlabelled.margins is None
    assert unlabelled.probabilities is None


def test_a_parser_with_one_optimum_is_trained_once() -> None:
    loglinear, usual = parser_named("loglinear"), parser_named("arc-eager")
    assert is_trained_once(loglinear, predicts_tags=False)
    assert not is_trained_once(loglinear, predicts_tags=True)  # the tagger has a seed
    assert not is_trained_once(usual, predicts_tags=False)
    assert design_parser(loglinear).seed_ratio == 0
    assert design_parser(loglinear, predicts_tags=True).seed_ratio == SEED_RATIO


def test_the_number_of_passes_can_be_chosen() -> None:
    assert train(iterations=3).iterations == 3


def test_all_sentences_are_tested_after_one_pass() -> None:
    options = [ExperimentOptions((), parsers=(parser_named(name),)) for name in ("loglinear", "arc-eager")]
    plans = [RunPlan((), (), each) for each in options]
    assert [first_look_of(plan) for plan in plans] == [1, 2]
    assert [list(plan.seeds_of(plan.parsers[0])) for plan in plans] == [[1], [1, 2, 3]]


@pytest.mark.slow
def test_a_run_gives_the_same_bytes_in_any_number_of_processes(tmp_path: Path) -> None:
    """Files, and the result of each training; only times differ."""
    command = ["run", "--test-set", "--treebank", "demo", "--transform", "case", "--transform", "det"]
    command += ["--parser", "loglinear", "--labelled", "--quiet"]
    for jobs in ("1", "2"):
        assert cli.run([*command, "--jobs", jobs, "--out", str(tmp_path / jobs)]) == 0
    for name in ("results.csv", "scores.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    one, two = (read_records(tmp_path / jobs / "records.jsonl") for jobs in ("1", "2"))
    assert one.keys() == two.keys()
    trained = [key for key, record in one.items() if record.setting in ("a", "b")]
    assert len(trained) == 3
    assert len({two[key].worker for key in trained}) > 1
    for key in trained:
        results = [
            replace_fields(records[key].result_as(TrainingResult), kernel_seconds=0.0)
            for records in (one, two)
        ]
        assert results[0] == results[1]
