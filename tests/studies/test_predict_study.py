"""Predictions: what is trained and what is not, and the files they write."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out, study_of
from run_data import plan, spelled
from small_treebanks import small_treebank

from learnability import InputError
from learnability.comparing.names import annotations_typed
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.short_trainings import ShortResult
from learnability.comparing.ud import UD
from learnability.reports.story import RunStory
from learnability.running.records import read_records
from learnability.statistics.prediction import in_other_languages
from learnability.studies.predict.predictions import (
    FEWEST,
    PREDICTIONS,
    SEEDS,
    SHARE,
    UNDECIDED,
    Prediction,
    predict_difference,
)
from learnability.studies.predict.section import expect_from_languages, percent
from learnability.studies.predict.study import PredictStudy
from learnability.studies.run import Run
from learnability.treebanks.locate import TreebankFiles, locate_treebank

OPTIONS = ExperimentOptions.spell_annotations(("case", "det"), seeds=1)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TreebankFiles:
    return locate_treebank(small_treebank(tmp_path_factory.mktemp("enough"), train=130))


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS) -> RunStory:
    outcome = carried_out(files, options, out, asked("predict"))
    assert not outcome.failed
    return outcome


def short_result(lead: int, sentences: int = 200, changed: int = 400) -> ShortResult:
    """A short training in which UD has `lead` more tokens right than the other, one per sentence."""
    tokens, base = [10] * sentences, [8] * sentences
    other = [8 - (i < lead) + (i < -lead) for i in range(sentences)]
    facts: dict[str, Any] = {"iterations": 8, "kernel_seconds": 0.1, "trained_tokens": 1000}
    return ShortResult(
        tokens=tokens, base=base, alternative=other, changed=changed, test_tokens=2000, **facts
    )


def predicted_from(lead: int, **facts: int) -> Prediction:
    return predict_difference([short_result(lead, **facts)] * 2)


def test_a_clear_lead_is_decided_and_a_small_one_is_not() -> None:
    ahead, behind, undecided = map(predicted_from, (120, -120, 0))
    assert (ahead.side, behind.side, undecided.side) == ("base", "alternative", UNDECIDED)
    assert ahead.probability > 0.95 > undecided.probability > 0.05 > behind.probability
    low, high = undecided.interval
    assert low < undecided.belief.mean < high
    # 6 % of the tokens: the lead in points
    assert ahead.difference == pytest.approx(6.0)


def test_another_parser_is_predicted_with_less_certainty() -> None:
    own, other = (predict_difference([short_result(60)], another=another) for another in (False, True))
    assert 0.5 < other.probability < own.probability


def test_nothing_is_predicted_where_no_token_changes_or_from_a_few_sentences() -> None:
    same = predicted_from(0, changed=0)
    assert (same.side, same.changed, same.known) == (UNDECIDED, 0, False)
    tested = round(FEWEST * 3 / 4)  # three quarters of the sample
    few, enough = (predicted_from(70, sentences=count) for count in (tested - 1, tested))
    assert few.side == UNDECIDED != enough.side
    assert predict_difference([]).side == UNDECIDED


def test_two_samples_are_trained_on_whatever_parsers_there_are() -> None:
    own = plan(alternatives=("case",), parsers=("arc-eager", "covington"))
    cells = list(study_of(own, asked("predict")).plan_cells())
    assert [(cell.SETTING, cell.parser, cell.share, cell.seed) for cell in cells] == [
        ("short", "", SHARE, seed) for seed in SEEDS
    ]
    assert cells[0].key == "UD_X@1.3/short/case/1/0/0.25"


def test_files_of_a_run_that_only_predicts(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path)
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {
        "config.json", "predictions.csv", "records.jsonl",
    }  # fmt: skip
    records = read_records(tmp_path / "records.jsonl").values()
    trained = Counter((record.setting, record.subject) for record in records if record.work is not None)
    assert trained == {("short", "case"): 2, ("short", "det"): 2}
    rows = list(csv.DictReader((tmp_path / "predictions.csv").read_text(encoding="utf-8").splitlines()))
    assert [list(row) for row in rows] == [[column.name for column in PREDICTIONS]] * 2
    study = study_of(outcome.plan, asked("predict"))
    assert isinstance(study, PredictStudy)
    expected = [known.prediction for known in study.predictions(outcome.records)]
    assert [row["predicted"] for row in rows] == [prediction.side for prediction in expected]
    for prediction, name in zip(expected, ("case", "det"), strict=True):
        results = [r.result_as(ShortResult) for r in records if r.subject == name]
        assert prediction == predict_difference([result for result in results if result is not None])
    assert outcome.rows == []
    assert [section.heading for section in outcome.answers] == ["What short trainings predict"]


@pytest.mark.parametrize(
    ("alternative", "data", "message"),
    [
        ("upos:AUX=VERB", DataOptions(), "moves no head, and predictions were tried on moved heads only"),
        ("case", DataOptions(cross_validate=3), "for a training set; leave out `cross_validate`"),
    ],
)
def test_what_cannot_be_predicted(alternative: str, data: DataOptions, message: str) -> None:
    experiment = ExperimentOptions(annotations_typed([alternative]), data=data)
    with pytest.raises(InputError, match=message):
        Run(treebanks=[], options=experiment, studies=[asked("predict")])


def test_short_trainings_are_of_our_own_parser(files: TreebankFiles, tmp_path: Path) -> None:
    found = []
    for name, parsers in (("alone", ()), ("asked", ("arc-eager:form",))):
        options = ExperimentOptions.spell_annotations(("det",), seeds=1, parsers=parsers)
        records = run(files, tmp_path / name, options).records
        pairs = (own.result_as(ShortResult) for own in records.values() if own.setting == "short")
        found.append([own.alternative for own in pairs if own is not None])
    assert found[0] == found[1] != []


def test_what_other_languages_lead_to_expect_is_known_before_any_training() -> None:
    pairs = [Pair(UD, *spelled(name)) for name in ("mwe", "cc", "det", "conj")]
    beliefs = {name: in_other_languages(name, "Demo", 0.5).probability(0.0) for name in ("cc", "det", "mwe")}
    assert beliefs["cc"] > beliefs["det"] > 0.5 > beliefs["mwe"]
    expected = [f"{name} ({percent(max(of, 1 - of))})" for name, of in beliefs.items()]
    assert expect_from_languages(pairs, "Demo") == (
        "Expected before training, by runs in other languages: "
        f"UD ahead for {expected[0]} and {expected[1]}; the alternative ahead for {expected[2]}."
    )
    assert expect_from_languages(pairs[-1:], "Demo") == ""  # nobody tried that one
