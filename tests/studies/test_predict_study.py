"""Predictions: what is trained and what is not, and the files they write."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out, study_of
from result_rows import described
from run_data import plan, record_of, spelled
from small_treebanks import small_treebank

from learnability import InputError
from learnability.comparing.names import annotations_typed
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.plan import RunPlan
from learnability.comparing.short_trainings import ShortResult
from learnability.comparing.ud import UD
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.story import RunStory
from learnability.running.records import Record, Records, read_records
from learnability.statistics.prediction import in_other_languages
from learnability.studies.predict.predictions import (
    FEWEST,
    PREDICTIONS,
    UNDECIDED,
    PairPrediction,
    predict_difference,
)
from learnability.studies.predict.section import expect_from_languages, percent, predictions_section
from learnability.studies.predict.study import ROUNDS, PredictStudy
from learnability.studies.run import Run
from learnability.studies.runner import report_run
from learnability.treebanks.locate import TreebankFiles, locate_treebank

OPTIONS = ExperimentOptions.spell_annotations(("case", "det"), seeds=1)
CASE = Pair(UD, *spelled("case"))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TreebankFiles:
    """A treebank with enough sentences for short trainings."""
    return locate_treebank(small_treebank(tmp_path_factory.mktemp("enough"), train=130))


def run(
    files: TreebankFiles,
    out: Path,
    options: ExperimentOptions = OPTIONS,
    *,
    threshold: float = 0.95,
    **more: Any,
) -> RunStory:
    study = asked("predict", threshold=threshold)
    outcome = carried_out(files, options, out, study, **more)
    assert not outcome.failed
    return outcome


def predictions_of(outcome: RunStory, **options: Any) -> list[PairPrediction]:
    study = study_of(outcome.plan, asked("predict", **options))
    assert isinstance(study, PredictStudy)
    return study.predictions(outcome.records)


def trained(out: Path) -> Counter[tuple[str, str]]:
    """How many records of each setting and pair have a result."""
    records = read_records(out / "records.jsonl").values()
    return Counter((record.setting, record.subject) for record in records if record.work is not None)


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "predictions.csv").read_text(encoding="utf-8").splitlines()))


def short_result(lead: int, sentences: int = 200, changed: int = 400) -> ShortResult:
    """A short training in which UD has `lead` more tokens right than the other, one per sentence."""
    tokens, base = [10] * sentences, [8] * sentences
    other = [8 - (i < lead) + (i < -lead) for i in range(sentences)]
    facts = {"iterations": 8, "kernel_seconds": 0.1, "trained_tokens": 1000, "test_tokens": 2000}
    return ShortResult(tokens=tokens, base=base, alternative=other, changed=changed, **facts)


def of_case(*pairs: tuple[float, ShortResult], **more: Any) -> Any:
    return predict_difference(CASE, "X", pairs, **more)


def test_a_clear_lead_is_decided_and_a_small_one_is_not() -> None:
    ahead, behind, open_ = (of_case((1 / 4, short_result(lead))) for lead in (120, -120, 0))
    assert (ahead.side(0.9), behind.side(0.9), open_.side(0.9)) == ("base", "alternative", UNDECIDED)
    assert ahead.probability > 0.9 > open_.probability > 0.1 > behind.probability
    low, high = open_.interval
    assert low < open_.after.mean < high
    assert of_case((1 / 4, short_result(30))).side(0.9999) == UNDECIDED
    # 6 % of the tokens: the lead in points
    assert ahead.difference == pytest.approx(6.0)


def test_another_parser_is_predicted_with_less_certainty() -> None:
    own, other = (of_case((1 / 4, short_result(60)), another=another) for another in (False, True))
    assert 0.5 < other.probability < own.probability


def test_nothing_is_predicted_where_no_token_changes() -> None:
    same = of_case((1 / 4, short_result(0, changed=0)))
    assert same.side(0.5) == UNDECIDED
    assert same.changed == 0


def test_nothing_is_predicted_from_a_few_sentences() -> None:
    tested = round(FEWEST * 3 / 4)  # three quarters of the sample
    few, enough = (of_case((1 / 4, short_result(60, sentences=count))) for count in (tested - 1, tested))
    assert few.side(0.5) == UNDECIDED != enough.side(0.5)
    assert of_case().side(0.5) == UNDECIDED


def test_a_scheme_of_one_transformation_is_that_transformation() -> None:
    both = (Pair(UD, own) for own in spelled("cc", "scheme:prague", "scheme:cc+det"))
    cc, prague, more = (predict_difference(pair, "X", [(1 / 4, short_result(20))]) for pair in both)
    assert cc == prague
    assert cc.before.mean > 0 == more.before.mean


def test_the_language_of_the_files_is_left_out_whatever_the_folder_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages: list[str] = []

    def noted(pair: Pair, language: str, *rest: Any, **more: Any) -> Any:
        languages.append(language)
        return predict_difference(pair, language, *rest, **more)

    folder = small_treebank(tmp_path, "mine")
    for path in folder.iterdir():
        path.rename(path.with_name(path.name.replace("xx-", "el_mine-")))
    monkeypatch.setattr("learnability.studies.predict.study.predict_difference", noted)
    run(locate_treebank(folder), tmp_path / "run", replace(OPTIONS, iterations=1))
    of_the_run = set(languages)
    languages.clear()
    report_run(tmp_path / "run", report=None)
    assert of_the_run == set(languages) == {"Greek"}


def short(name: str, number: int, lead: int) -> Record:
    """The record of a short training of a pair."""
    share, seed = ROUNDS[number]
    return record_of("UD_X@1.3", "short", name, seed, share=share, result=short_result(lead))


def wanted(own: RunPlan, records: list[Record], **options: Any) -> list[tuple[Any, ...]]:
    """What a study wants next: setting, pair, share and seed of each cell that has no record."""
    known = Records(records)
    cells = study_of(own, asked("predict", **options)).next_cells(known)
    return [(c.SETTING, c.subject, c.share, c.seed) for c in cells if c.key not in known]


def test_a_short_training_waits_for_the_earlier_ones_of_its_pair() -> None:
    own = plan(alternatives=("case", "det"))
    rounds = {name: [("short", name, share, seed) for share, seed in ROUNDS] for name in ("case", "det")}
    assert wanted(own, []) == [rounds["case"][0], rounds["det"][0]]
    assert wanted(own, [short("case", 2, 0)]) == [rounds["case"][0], rounds["det"][0]]
    # case is open, and det not yet begun
    assert wanted(own, [short("case", 0, 0)]) == [rounds["case"][1], rounds["det"][0]]
    # det is decided by its first short training
    records = [short("case", 0, 0), short("det", 0, 190), short("case", 1, 0)]
    assert wanted(own, records) == [rounds["case"][2]]
    # all trainings leave case open
    assert wanted(own, [*records, short("case", 2, 0)]) == []


@pytest.mark.parametrize(("under_way", "changes"), [(1, 1), (3, 3)])
def test_processes_change_the_treebank_seldom(under_way: int, changes: int) -> None:
    names = ("case", "det", "cop", "mark")
    own = plan("UD_X", "UD_Y", alternatives=names)
    records, taken = Records(), list[Any]()

    def finish_first() -> None:
        cell = taken[len(records)]
        facts: dict[str, Any] = {"share": cell.share, "result": short_result(0)}
        records.add(record_of(cell.treebank, "short", cell.subject, cell.seed, **facts))

    while not taken or len(records) < len(taken):
        for cell in study_of(own, asked("predict")).next_cells(records):
            if cell not in taken:
                taken.append(cell)
            if len(taken) == len(records) + under_way:
                finish_first()
        if len(records) < len(taken):
            finish_first()
    assert len(taken) == len(set(taken)) == 2 * len(names) * len(ROUNDS)
    assert sum(one.treebank != other.treebank for one, other in pairwise(taken)) <= changes
    if under_way == 1:  # the trees of a pair are there for all its trainings
        assert sum(one.subject != other.subject for one, other in pairwise(taken)) == 2 * len(names) - 1


def test_trainings_go_on_until_a_side_is_decided(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path / "all", threshold=1.0)
    assert trained(tmp_path / "all") == {("short", "case"): len(ROUNDS), ("short", "det"): len(ROUNDS)}
    first, *_ = predictions_of(outcome)
    assert first.prediction.trainings == len(ROUNDS)
    # at a threshold that the first short training reaches, it is the only one
    (share, seed), *_ = ROUNDS
    (record,) = [
        own for own in outcome.records.values() if (own.subject, own.share, own.seed) == ("case", share, seed)
    ]
    found = record.result_as(ShortResult)
    assert found is not None
    alone = predict_difference(first.pair, "Small", [(share, found)])
    sure = max(alone.probability, 1 - alone.probability)
    run(files, tmp_path / "one", threshold=sure)
    assert trained(tmp_path / "one")["short", "case"] == 1
    assert rows(tmp_path / "one")[0]["trainings"] == "1"
    run(files, tmp_path / "two", threshold=min(1.0, sure + 1e-9))
    assert trained(tmp_path / "two")["short", "case"] > 1


def test_files_of_a_run_that_only_predicts(files: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(files, tmp_path)
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {
        "config.json", "predictions.csv", "records.jsonl",
    }  # fmt: skip
    assert [list(row) for row in rows(tmp_path)] == [[column.name for column in PREDICTIONS]] * 2
    assert [row["predicted"] for row in rows(tmp_path)] == [own.side for own in predictions_of(outcome)]
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


def test_short_trainings_are_made_once_whatever_parsers_there_are() -> None:
    own = plan(alternatives=("case",), parsers=("arc-eager", "covington"))
    cells = list(study_of(own, asked("predict")).plan_cells())
    assert [(cell.SETTING, cell.parser, cell.fold) for cell in cells] == [("short", "", 0)] * len(ROUNDS)
    assert len({cell.key for cell in cells}) == len(ROUNDS)
    assert cells[0].key == "UD_X@1.3/short/case/1/0/0.125"


def test_short_trainings_are_of_our_own_parser(files: TreebankFiles, tmp_path: Path) -> None:
    found = []
    for name, parsers in (("alone", ()), ("asked", ("arc-eager:form",))):
        options = ExperimentOptions.spell_annotations(("det",), seeds=1, parsers=parsers)
        records = run(files, tmp_path / name, options, threshold=0.5).records
        pairs = (own.result_as(ShortResult) for own in records.values() if own.setting == "short")
        found.append([own.alternative for own in pairs if own is not None])
    assert found[0] == found[1] != []


def measured(files: TreebankFiles, name: str, delta: float, parser: str = "") -> ComparisonRow:
    """A comparison of a run."""
    found = {(Score.UAS, ScoringBasis.ANNOTATION): Difference(80.0, 80.0 - delta, delta)}
    return ComparisonRow(
        treebank=files.name, release=files.release, pair=described(name), parser=parser, differences=found
    )


def test_the_predicted_sides_that_scored_higher_are_counted(files: TreebankFiles) -> None:
    """A side that was not predicted and one that was not measured do not count; the first parser does."""
    leads = {"case": 120, "det": -120, "cc": 0, "mark": 120}
    predicted = [
        PairPrediction(files, Pair(UD, *spelled(name)), of_case((1 / 4, short_result(lead))), 0.9)
        for name, lead in leads.items()
    ]
    assert [pair.side for pair in predicted] == ["base", "alternative", UNDECIDED, "base"]
    rows = [measured(files, name, 1.0, "arc-eager") for name in ("case", "det", "cc")]
    rows.append(measured(files, "case", -1.0, "graph"))
    *before, counted, limits = predictions_section(predicted, rows).sentences
    assert counted == "Of 2 predicted sides, 1 scored higher in the run."
    assert [*before, limits] == list(predictions_section(predicted).sentences)


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
