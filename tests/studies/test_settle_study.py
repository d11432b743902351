"""Settling what a run leaves open: against trainings one by one, stopped, and in several processes."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carried_out import asked, carried_out, extended, study_of
from changed_folds import transformed_parts
from numpy.typing import NDArray
from run_data import plan as plan_by_hand
from scipy.stats import norm
from small_treebanks import small_treebank

from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.trainings import train_and_test
from learnability.errors import InputError
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import combine_runs
from learnability.metrics.scores import Score, correct_tokens
from learnability.parsers.registry import PARSERS
from learnability.parsers.trainer import USUAL_ITERATIONS
from learnability.reports.comparison_files import outputs
from learnability.reports.story import RunStory
from learnability.running.cell import Cell
from learnability.running.records import Records, read_records
from learnability.statistics.holm import holm
from learnability.statistics.prediction import Belief
from learnability.statistics.sequential import Looks
from learnability.statistics.significance import compare
from learnability.statistics.spread import Spread
from learnability.studies.registry import find_declaration
from learnability.studies.runner import StudyRequest, refined_run, studies_of, workload
from learnability.studies.settle import SettleOptions, seconds_typed
from learnability.studies.settle import study as settle_study
from learnability.studies.settle.section import SettledConstruction, settled_sections, source_of_uncertainty
from learnability.studies.settle.study import SettleStudy
from learnability.studies.settle.trainings import FIRST_LOOK
from learnability.transforms.joint import JointTransformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from research.predictions.elsewhere import find_prior, measured_before

OPTIONS = ExperimentOptions.spell_annotations(("case", "mark", "mwe"), seeds=2, iterations=2)
SETTLE = asked("settle", folds=3, most_seeds=4)


@pytest.fixture(scope="module", autouse=True)
def hope() -> Iterator[None]:
    """In so few sentences few answers are probable; trainings go on all the same."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(settle_study, "WORTHWHILE", 1e-4)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TreebankFiles:
    return locate_treebank(str(small_treebank(tmp_path_factory.mktemp("ud"))))


@pytest.fixture(scope="module")
def alone(files: TreebankFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("alone") / "run"
    carried_out(files, OPTIONS, out)
    return out


@pytest.fixture(scope="module")
def settled(alone: Path, files: TreebankFiles, tmp_path_factory: pytest.TempPathFactory) -> RunStory:
    return extended(shutil.copytree(alone, tmp_path_factory.mktemp("runs") / "run"), files, SETTLE)


@pytest.fixture
def unsettled(alone: Path, tmp_path: Path) -> Path:
    return shutil.copytree(alone, tmp_path / "unsettled")


def lines(outcome: RunStory, tested_on: str = "all sentences") -> dict[str, dict[str, str]]:
    with (outcome.folder / "results.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    return {line["construction"]: line for line in found if line["tested_on"] == tested_on}


def rows_of_test_set(outcome: RunStory) -> list[ComparisonRow]:
    return [pair.row for pair in read_run(outcome.folder).pairs]


def passes(outcome: RunStory, setting: str = "fold-b") -> dict[str, Counter[int]]:
    found: dict[str, Counter[int]] = {}
    for record in read_records(outcome.folder / "records.jsonl").values():
        if record.setting == setting:
            found.setdefault(record.subject, Counter())[record.seed] += 1
    return found


def test_only_what_is_open_and_frequent_is_trained(settled: RunStory) -> None:
    rows = rows_of_test_set(settled)
    open_names = {row.name for row in rows if row.easier().needs_data}
    frequent = {row.name for row in rows if (row.places or 0) + (row.test_places or 0) >= 10}
    assert set(lines(settled)) == open_names & frequent == set(passes(settled))
    assert open_names - frequent  # mwe is rare
    assert set(lines(settled, "test set")) == {row.name for row in rows} - set(lines(settled))


def test_every_sentence_is_tested_and_each_pass_is_whole(settled: RunStory, files: TreebankFiles) -> None:
    sentences = sum(len(part) for _, part in fold_of(files, OPTIONS, 0).treebank.splits())
    for construction, seeds in passes(settled).items():
        line = lines(settled)[construction]
        assert seeds == dict.fromkeys(range(1, int(line["seeds"]) + 1), 3)
        assert FIRST_LOOK <= int(line["seeds"]) <= 4
        rows = settled.values["rows"]
        assert {row["construction"] for row in rows if row["tested_on"] == "all sentences"} == set(
            lines(settled)
        )
    tested = [
        len(record.result_as(record_type()).tokens)
        for record in read_records(settled.folder / "records.jsonl").values()
        if record.setting == "fold-a" and record.seed == 1
    ]
    assert sum(tested) == sentences


def record_type() -> Any:
    from learnability.comparing.results import TrainingResult

    return TrainingResult


def right_heads(
    files: TreebankFiles, construction: str | None, seeds: int
) -> tuple[NDArray[np.int64], list[int], list[int]]:
    options = replace(OPTIONS, data=replace(OPTIONS.data, cross_validate=3))
    right: list[list[int]] = []
    for seed in range(1, seeds + 1):
        of_seed: list[int] = []
        lengths: list[int] = []
        fold_numbers: list[int] = []
        for number in range(3):
            fold = fold_of(files, options, number)
            conventions = fold.treebank.conventions
            rule = get_transformation(construction, conventions) if construction else JointTransformation([])
            tested = train_and_test(fold, transformed_parts(fold, rule), seed)
            of_seed += correct_tokens(tested.gold, tested.parsed, Score.UAS).tolist()
            lengths += [len(tree) for tree in fold.ud.test]
            fold_numbers += [number] * len(fold.ud.test)
        right.append(of_seed)
    return np.array(right), lengths, fold_numbers


def test_the_answers_are_those_of_trainings_one_by_one(settled: RunStory, files: TreebankFiles) -> None:
    found = lines(settled)
    seeds = {construction: int(line["seeds"]) for construction, line in found.items()}
    assert len(seeds) > 1
    base, lengths, fold_numbers = right_heads(files, None, max(seeds.values()))
    alternatives = {name: right_heads(files, name, count)[0] for name, count in seeds.items()}
    expected = {
        name: compare(
            base[: seeds[name]],
            alternative,
            np.array(lengths),
            folds=fold_numbers,
            # those that have left before count with the trainings that they have
            beside=[other[: seeds[name]] for it, other in alternatives.items() if it != name],
            testing=lambda spread: Looks(spread, FIRST_LOOK, 4),
        )
        for name, alternative in alternatives.items()
    }
    # both tests of a question have half of the level; what the run answered without a side counts, too
    others = [p for line in lines(settled, "test set").values() if (p := line["uas_p_holm"])]
    counted = [1.0 for p in others if float(p) >= 0.05]
    p_values = holm([*(min(1.0, 2 * each.p_value) for each in expected.values()), *counted])[: len(expected)]
    for (name, compared), p_value in zip(expected.items(), p_values, strict=True):
        assert float(found[name]["uas_delta"]) == pytest.approx(compared.delta, abs=1e-4)
        assert float(found[name]["uas_base"]) == pytest.approx(compared.score_a, abs=1e-4)
        assert float(found[name]["uas_p_holm"]) == pytest.approx(p_value, abs=2e-6)


def test_it_says_where_nothing_is_open(files: TreebankFiles, tmp_path: Path) -> None:
    carried_out(files, replace(OPTIONS, alternatives=OPTIONS.alternatives[2:]), tmp_path)
    outcome = extended(tmp_path, files, SETTLE)
    assert not outcome.details
    assert not lines(outcome)


def seconds_spent(outcome: RunStory) -> float:
    plan = outcome.plan
    cost = plan.options.parsers[0].kind.seconds[False] * 2 / USUAL_ITERATIONS
    trained = [r for r in read_records(outcome.folder / "records.jsonl").values() if "fold-" in r.setting]
    return sum(r.setting != "fold-places" for r in trained) * plan.tokens(plan.single(), 0) * cost / 1000


def test_what_a_budget_lets_through_is_ahead(settled: RunStory) -> None:
    """Where it is enough for some constructions only, these are ahead, and so is a pass that has begun."""
    recorded = read_records(settled.folder / "records.jsonl").values()
    of_run = [record for record in recorded if "fold-" not in record.setting]

    def wanted(budget: float, records: Records) -> list[Cell[Any]]:
        limited = replace(SETTLE, options=replace(SETTLE.options, budget=budget))
        load = workload(settled.plan, studies_of(settled.plan, [asked("run"), limited]))
        cells = [cell for cell in load.next_cells(records) if cell.key not in records]
        ahead = load.possible(records)
        assert ahead is not None
        assert {cell.key for cell in cells} <= {cell.key for cell in ahead}
        return cells

    def left_ahead(budget: float) -> list[str]:
        limited = replace(SETTLE, options=replace(SETTLE.options, budget=budget))
        ahead = workload(settled.plan, studies_of(settled.plan, [asked("run"), limited])).possible(
            Records(of_run)
        )
        return [cell.key for cell in ahead or () if cell.key not in Records(of_run)]

    everything = wanted(1e6, Records(of_run))
    alternatives = {cell.subject for cell in everything if cell.subject}
    assert len(alternatives) > 1
    one = {"", sorted(alternatives)[0]}
    seconds = sum(
        cell.seconds(settled.plan.options, settled.plan.tokens(cell.treebank, cell.fold))
        for cell in everything
        if cell.subject in one
    )
    assert not left_ahead(1e-6)
    assert left_ahead(1e6)
    some = wanted(1.01 * seconds, Records(of_run))
    assert len({cell.subject for cell in some if cell.subject}) == 1
    first = next(record for record in recorded if record.key == some[0].key)
    assert len(wanted(1.01 * seconds, Records([*of_run, first]))) == len(some) - 1


@pytest.mark.slow
def test_a_budget_is_kept_whatever_the_machine(
    unsettled: Path, alone: Path, files: TreebankFiles, tmp_path: Path
) -> None:
    whole = asked("settle", folds=3, most_seeds=4, budget=1e6)
    everything, spent = seconds_spent(extended(unsettled, files, whole)), []
    for part in (0.95, 0.4, 0.01):
        folder = shutil.copytree(alone, tmp_path / str(part))
        outcome = extended(folder, files, asked("settle", folds=3, most_seeds=4, budget=part * everything))
        spent.append(seconds_spent(outcome))
        assert spent[-1] <= part * everything
    assert everything > spent[0] >= spent[1] >= spent[2] == 0.0


def test_what_the_budget_leaves_untrained_keeps_the_answer_of_the_test_set(
    files: TreebankFiles, unsettled: Path
) -> None:
    outcome = extended(unsettled, files, asked("settle", folds=3, budget=1e-6))
    assert not passes(outcome)
    (untrained,) = outcome.details
    assert untrained.heading == "Not tested on every sentence"
    assert not untrained.tables
    (sentence,) = untrained.sentences
    assert sentence.startswith("case, mark: we trained no parser, because the budget is too small.")
    assert not lines(outcome)
    assert lines(outcome, "test set")


@pytest.fixture
def again(settled: RunStory, tmp_path: Path) -> Path:
    return shutil.copytree(settled.folder, tmp_path / "again")


@pytest.mark.parametrize("options", [{"budget": 1e-6}, {"most_seeds": 2}, {"budget": 1.0, "most_seeds": 3}])
def test_a_smaller_limit_keeps_what_is_recorded(
    again: Path, files: TreebankFiles, options: dict[str, Any]
) -> None:
    """And the looks stay those that were planned, so that the intervals stay as wide."""
    names = ("results.csv", "scores.csv", "records.jsonl")
    before = {name: (again / name).read_bytes() for name in names}
    assert any(int(line["seeds"]) > 2 for line in csv.DictReader(io.StringIO(before["results.csv"].decode())))
    for smaller in (asked("settle", **{"folds": 3, "most_seeds": 4, **options}), SETTLE):
        extended(again, files, smaller)
        assert {name: (again / name).read_bytes() for name in names} == before


def test_the_looks_that_were_planned_are_remembered(files: TreebankFiles, unsettled: Path) -> None:
    """Fewer seeds after a look would spend the level of the test anew: the interval would be too narrow."""
    two = asked("settle", folds=3, most_seeds=2)
    planned = asked("settle", folds=3, most_seeds=4, budget=1e-6)
    extended(unsettled, files, planned)
    outcome = extended(unsettled, files, two)
    known = constructions_of(outcome, asked("settle", folds=3, most_seeds=2, planned_seeds=4))
    assert {construction.passes for construction in known} == {2}
    for construction in known:
        difference = construction.row.difference()
        assert difference is not None
        assert isinstance(difference.testing, Looks)
        assert difference.testing.most == 4
        assert construction.limit in ("", "most_seeds")
    assert any(construction.limit for construction in known)
    said = " ".join(line for section in outcome.details for line in section.sentences)
    assert "we stopped at --most-seeds. A larger --most-seeds may answer it." in said
    assert lines(outcome) != lines(extended(unsettled, files, asked("settle", folds=3, most_seeds=4)))


def constructions_of(outcome: RunStory, settle: StudyRequest) -> list[SettledConstruction]:
    study = study_of(outcome.plan, settle)
    assert isinstance(study, SettleStudy)
    return list(study.constructions(Records(read_records(outcome.folder / "records.jsonl").values())))


def test_settled_constructions_stay_when_the_run_answers_them(
    settled: RunStory, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = constructions_of(settled, SETTLE)
    monkeypatch.setattr(settle_study, "is_left_open", lambda row: False)
    assert [c.annotation for c in constructions_of(settled, SETTLE)] == [c.annotation for c in found]


def test_a_run_that_is_repeated_with_settle_keeps_its_folds(again: Path, files: TreebankFiles) -> None:
    before = (again / "results.csv").read_bytes()
    carried_out(files, OPTIONS, again, asked("run"), StudyRequest(find_declaration("settle")))
    config = json.loads((again / "config.json").read_bytes())
    assert config["studies"]["settle"]["folds"] == 3
    assert len((again / "results.csv").read_bytes().splitlines()) == len(before.splitlines())


def test_folds_of_another_number_are_other_trainings(
    again: Path, files: TreebankFiles, unsettled: Path
) -> None:
    before = {path.name: path.read_bytes() for path in again.iterdir() if path.is_file()}
    with pytest.raises(InputError, match="was settled with 3 folds, and `folds=5` would replace") as refused:
        extended(again, files, asked("settle", folds=5, most_seeds=2))
    assert {path.name: path.read_bytes() for path in again.iterdir() if path.is_file()} == before
    (advised,) = re.findall(r"use `folds=(\d)`", str(refused.value))
    extended(again, files, asked("settle", folds=int(advised), most_seeds=2))
    extended(unsettled, files, asked("settle", folds=5, most_seeds=2, budget=1e-6))
    extended(unsettled, files, SETTLE)
    assert (unsettled / "results.csv").read_bytes() == before["results.csv"]


def test_the_plan_says_how_long_settling_takes_at_most() -> None:
    """By the parser that settles: the first, here UDPipe."""
    of_run = plan_by_hand("UD_A", "UD_B", parsers=("udpipe", "arc-eager"))

    def note(**options: Any) -> str:
        (line,) = study_of(of_run, asked("settle", folds=4, most_seeds=2, **options)).notes()
        return line

    # treebanks, folds, seeds, annotations, thousand tokens
    seconds = 2 * 4 * 2 * 2 * 0.1 * PARSERS["udpipe"].seconds[False]
    assert note() == (
        "What the test set leaves open is tested on every sentence by udpipe: "
        f"at most about {seconds:.0f} seconds more on one processor."
    )
    assert "at most about 10 seconds" in note(budget=10.0)
    assert f"at most about {seconds:.0f} seconds" in note(budget=1000.0)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("10m", 600), ("1.5h", 5400)])
def test_a_budget_is_typed_with_its_unit(text: str, seconds: float) -> None:
    assert seconds_typed(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "-1m", "0s", "10 minutes", "infm", "nanh"])
def test_another_budget_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is not a time.*; write a time with its unit"):
        seconds_typed(text)


def test_where_treebanks_are_compared_the_refined_answers_count(settled: RunStory) -> None:
    run, refined = read_run(settled.folder), refined_run(settled.folder)
    found = lines(settled)
    for before, after in zip(run.pairs, refined.pairs, strict=True):
        name = before.row.name
        if name in found and int(found[name]["seeds"]) > 0:
            assert after.row.tests_all_places
            assert str(after.row.test_places) == found[name]["test_places"]
        else:
            assert after.row == before.row
    assert any(pair.row.tests_all_places for pair in refined.pairs)
    assert not any(pair.row.tests_all_places for pair in run.pairs)
    evidence = combine_runs([refined])
    with_places = {
        (line["construction"], line["test_places"], line["easier"])
        for line in csv.DictReader(io.StringIO(outputs(evidence)["differences.csv"].decode()))
    }
    assert with_places >= {
        (c.row.name, str(c.row.test_places), c.row.easier().answer.named("UD")) for c in evidence.pairs
    }


def test_seeds_are_added_to_a_finished_run(files: TreebankFiles, unsettled: Path, tmp_path: Path) -> None:
    more, grown = replace(OPTIONS, seeds=3), unsettled
    lines_before = (grown / "records.jsonl").read_bytes()
    with pytest.raises(InputError, match="holds a finished run with 2 seeds; use `resume=True`"):
        carried_out(files, more, grown)
    carried_out(files, more, grown, resume=True)
    carried_out(files, more, tmp_path / "new")
    assert (grown / "records.jsonl").read_bytes().startswith(lines_before)
    for name in ("results.csv", "scores.csv"):
        assert (grown / name).read_bytes() == (tmp_path / "new" / name).read_bytes()
    with pytest.raises(InputError, match="other arguments"):
        carried_out(files, OPTIONS, grown, resume=True)


def test_other_languages_count_by_their_precision(settled: RunStory) -> None:
    study = study_of(settled.plan, SETTLE)
    assert isinstance(study, SettleStudy)
    known = list(study.constructions(Records(read_records(settled.folder / "records.jsonl").values())))
    assert {construction.row.pair.construction for construction in known} == set(lines(settled))
    for row in (construction.row for construction in known):
        difference = row.difference(Score.UAS)
        assert difference is not None
        assert difference.error
        assert replace(row, elsewhere=None).probability_of_base() is None
        certain = Belief(mean=-difference.delta - 5, variance=1e-6)
        assert replace(row, elsewhere=certain).probability_of_base() == pytest.approx(0)
        same = Belief(mean=difference.delta, variance=difference.error**2)
        twice = replace(row, elsewhere=same).probability_of_base()
        assert twice == pytest.approx(norm.cdf(2**0.5 * difference.delta / difference.error))
        assert row.tokens_changed
        assert row.train_tokens
        changed = row.tokens_changed / row.train_tokens
        computed = find_prior(row.name, "Small", changed, measured_before())
        assert row.elsewhere is not None
        assert row.elsewhere.mean == pytest.approx(computed.mean)
        assert row.elsewhere.variance == pytest.approx(computed.variance)


def test_a_run_that_tests_every_sentence_has_nothing_to_settle(files: TreebankFiles, tmp_path: Path) -> None:
    data = replace(OPTIONS.data, cross_validate=3)
    options = replace(OPTIONS, data=data, alternatives=OPTIONS.alternatives[:1])
    outcome = carried_out(files, options, tmp_path / "run")
    assert outcome.rows[0].easier().needs_data
    assert outcome.next_step is None or "--resume" not in outcome.next_step.command("run")
    once = carried_out(files, replace(options, data=OPTIONS.data), tmp_path / "once")
    assert once.next_step is not None
    assert once.next_step.command("once") == "learnability run --resume --out once"
    with pytest.raises(InputError, match="this run tests every sentence"):
        extended(tmp_path / "run", files, SETTLE)


def test_it_says_why_training_stopped(settled: RunStory) -> None:
    records = Records(read_records(settled.folder / "records.jsonl").values())
    study = study_of(settled.plan, asked("settle", folds=3, most_seeds=4))
    assert isinstance(study, SettleStudy)
    known = replace(next(study.constructions(records)), passes=2)
    assert known.open

    def sentences(construction: SettledConstruction, most_passes: int) -> str:
        (section, *_) = settled_sections([construction], lambda _: 1.0, most_passes)
        return " ".join(section.sentences)

    why = "we stopped, because more training would probably not answer it"
    assert why in sentences(known, 4)
    assert why not in sentences(known, 2)
    spent = sentences(replace(known, limit="budget"), 4)
    assert "A larger --budget may answer it" in spent
    assert why not in spent


@pytest.mark.parametrize(
    ("between_seeds", "source"),
    [
        (0.0, "the choice of sentences: for a clearer answer, the treebank would have to be larger"),
        (3.0, "random variation in training"),
    ],
)
def test_the_larger_part_of_the_uncertainty_is_named(between_seeds: float, source: str) -> None:
    draw = np.random.default_rng(1)
    lengths = np.full(400, 20)
    of_sentences, of_seeds = draw.normal(0, 2, 400), draw.normal(0, between_seeds, (4, 1))
    difference = of_sentences + of_seeds + draw.normal(0, 0.5, (4, 400))
    spread = Spread.of(difference, lengths)
    assert source_of_uncertainty(spread) == f"Most of the uncertainty comes from {source}."
    of_the_rest = (spread.sentences - spread.residual / 4) / 400
    assert spread.of_training + of_the_rest == pytest.approx(spread.variance())


def test_a_run_that_was_broken_off_goes_on_to_its_budget() -> None:
    hour, usual = SettleOptions(budget=3600.0), SettleOptions()

    def goes_on(earlier: SettleOptions, *, is_chosen: bool) -> float | None:
        options = SettleStudy.continue_options(earlier, usual, Records(), is_chosen=is_chosen)
        return options.budget

    assert goes_on(hour, is_chosen=False) == 3600.0
    assert goes_on(SettleOptions(budget=None), is_chosen=False) is None
    assert goes_on(hour, is_chosen=True) == usual.budget
    assert goes_on(SettleOptions(budget=1.0), is_chosen=False) == usual.budget
