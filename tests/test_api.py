"""Experiments from Python: the numbers are those of the command line, the tables are pandas frames."""

from __future__ import annotations

import csv
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from finished_runs import five_pairs, write_run
from small_treebanks import small_treebank

import learnability
from learnability import InputError, RunError, compare_runs, read_results, read_scores, run_experiment
from learnability.api import results_frame
from learnability.cli import run
from learnability.comparing import cells
from learnability.comparing.fold import Fold
from learnability.comparing.pair import Pair
from learnability.comparing.trainings import train_annotation
from learnability.evidence.columns import RESULTS, Column
from learnability.transforms.joint import JointTransformation

PAIR = [learnability.get_transformation(name) for name in ("case", "det")]
QUICK = {"seeds": 1, "iterations": 2, "jobs": 1, "progress": False}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_treebank(tmp_path_factory.mktemp("ud") / "ud")


def as_csv(frame: pandas.DataFrame) -> bytes:
    """The frame as results.csv would show it."""
    values = frame.astype(object)
    return Column.csv(RESULTS, values.where(values.notna(), None).to_dict("records"))


def test_the_numbers_are_those_of_the_command(treebank: Path, tmp_path: Path) -> None:
    words = ["--transform", "det", "--transform", "case", "--seeds", "1", "--iterations", "2"]
    words += ["--jobs", "1", "--quiet"]
    assert (
        run(["run", "--test-set", "--treebank", str(treebank), "--out", str(tmp_path / "cli"), *words]) == 0
    )
    written = (tmp_path / "cli" / "results.csv").read_bytes()
    frame = run_experiment(treebank, ["det", learnability.get_transformation("case")], **QUICK, test_set=True)
    assert as_csv(frame) == written
    # the same treebank, changed in memory and back
    bank = learnability.load_treebank(treebank)
    again = run_experiment(replace(bank, train=tuple(bank.train)), ["det", "case"], **QUICK, test_set=True)
    pandas.testing.assert_frame_equal(frame, again)
    # and what the records give
    pandas.testing.assert_frame_equal(read_results(tmp_path / "cli"), frame)
    # scores.csv is the long frame, rounded
    scores = read_scores(tmp_path / "cli")
    with open(tmp_path / "cli" / "scores.csv", newline="") as file:
        header, *lines = csv.reader(file)
    assert list(scores.columns) == header
    for values, (*names, value) in zip(scores.itertuples(index=False), lines, strict=True):
        assert list(values[:-1]) == names
        if isinstance(values.value, str):
            assert values.value == value
        else:
            assert float(value) == pytest.approx(values.value, abs=5e-5)


def test_another_scheme_than_ud(treebank: Path, tmp_path: Path) -> None:
    words = [
        "--against",
        "moscow",
        "--transform",
        "cc",
        "--alternative",
        "all",
        "--iterations",
        "2",
        "--quiet",
    ]
    words += ["--seeds", "1", "--labelled"]
    assert (
        run(["run", "--test-set", "--treebank", str(treebank), "--out", str(tmp_path), "--jobs", "1", *words])
        == 0
    )
    labels = "external"
    frame = run_experiment(
        treebank, "cc", alternative="all", against="moscow", labels=labels, **QUICK, test_set=True
    )
    assert as_csv(frame) == (tmp_path / "results.csv").read_bytes()
    pandas.testing.assert_frame_equal(read_results(tmp_path), frame)
    run_experiment(treebank, "det", labels=labels, out=tmp_path / "ud", **QUICK, test_set=True)
    with pytest.raises(InputError, match=r"compares with UD, .* with moscow"):
        compare_runs(tmp_path, tmp_path / "ud")


def test_two_treebanks(treebank: Path, tmp_path: Path) -> None:
    rule, bank = learnability.get_transformation("det"), learnability.load_treebank(treebank)
    changed = {name: tuple(map(rule.apply, part)) for name, part in bank.splits()}
    other = replace(bank, name="UD_Det", **changed)
    frame = run_experiment(treebank, alternative=other, out=tmp_path / "run", **QUICK, test_set=True)
    assert (frame["construction"].tolist(), frame["against"].tolist()) == (["UD_Det"], ["UD_Small"])
    expected = run_experiment(treebank, "det", **QUICK, test_set=True)
    same = ["uas_base", "uas_alternative", "uas_delta_low", "uas_p_holm", "seeds"]
    pandas.testing.assert_frame_equal(frame[same], expected[same])
    (folder,) = (tmp_path / "run" / "alternatives").iterdir()
    again = run_experiment([treebank], alternative=[folder], **QUICK, test_set=True)
    pandas.testing.assert_frame_equal(frame[same], again[same])
    with pytest.raises(InputError, match="2 treebanks, but `alternative` names 1; pass one for each"):
        run_experiment([treebank, "demo"], alternative=folder, **QUICK, test_set=True)
    with pytest.raises(InputError, match="works with rules, not with a treebank as `alternative`"):
        run_experiment(treebank, "det", alternative=folder, **QUICK, test_set=True)


def test_a_folder_keeps_the_files_of_a_run(treebank: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    bank = learnability.load_treebank(treebank)
    frame = run_experiment(bank, "det", out=out, **QUICK, test_set=True)
    assert (out / "report.html").exists()
    assert (out / "treebanks" / "UD_Small" / "xx-ud-test.conllu").exists()
    again = run_experiment(bank, "det", out=out, resume=True, **QUICK, test_set=True)
    pandas.testing.assert_frame_equal(frame, again)
    with pytest.raises(InputError, match="belongs to a run on other data"):
        run_experiment(replace(bank, train=bank.train[:20]), "det", out=out, **QUICK, test_set=True)
    pandas.testing.assert_frame_equal(frame, run_experiment(bank, "det", out=out, **QUICK, test_set=True))


def sentences_of(out: Path) -> list[int]:
    """The sentences of the training part, by pair."""
    scores = read_scores(out)
    return scores[scores["statistic"] == "sentences"]["value"].tolist()


def test_several_treebanks_and_schemes(treebank: Path, tmp_path: Path) -> None:
    bank = learnability.load_treebank(treebank)
    other = replace(bank, name="UD_Other", train=bank.train[:20])
    all_together = learnability.find_scheme("all")
    frame = run_experiment(
        [treebank, other], "det", alternative=all_together, out=tmp_path, **QUICK, test_set=True
    )
    assert frame[["treebank", "construction"]].to_numpy().tolist() == [
        ["UD_Small", "det"],
        ["UD_Small", "all"],
        ["UD_Other", "det"],
        ["UD_Other", "all"],
    ]
    assert sentences_of(tmp_path) == [len(bank.train)] * 2 + [20] * 2


def test_two_releases_of_a_treebank_keep_their_own_data(treebank: Path, tmp_path: Path) -> None:
    bank = learnability.load_treebank(treebank)
    older = replace(bank, release="1.3")
    newer = replace(bank, release="2.16", train=bank.train[:20])
    run_experiment([older, newer], "det", out=tmp_path, **QUICK, test_set=True)
    assert sentences_of(tmp_path) == [len(bank.train), 20]


def test_treebanks_that_nothing_tells_apart_are_refused(treebank: Path) -> None:
    bank = learnability.load_treebank(treebank)
    for same in ([treebank, treebank], [bank, replace(bank, train=bank.train[:20])]):
        with pytest.raises(InputError, match="UD_Small occurs twice"):
            run_experiment(same, "det", **QUICK, test_set=True)


def test_a_failure_is_an_error(treebank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(fold: Fold, pair: Pair | None, *given: Any, **options: Any) -> Any:
        if pair is not None:
            raise MemoryError("no more")
        return train_annotation(fold, pair, *given, **options)

    monkeypatch.setattr(cells, "train_annotation", fail)
    with pytest.raises(RunError, match=r"one training failed.*no more.*nothing is kept; set out="):
        run_experiment(treebank, "det", **QUICK, test_set=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"treebanks": []}, "no treebank is named; pass a name"),
        (
            {"transforms": JointTransformation(PAIR)},
            "joins several constructions, or has a comma or bar in a value; write it as a scheme",
        ),
        ({"alternative": learnability.Scheme("own", ("case",))}, "'own' is not in the catalogue"),
        ({"jobs": "many"}, "`jobs='many'` is not accepted; use a number from 1 to 1,000, tcp://HOST:PORT"),
        (
            {"against": JointTransformation(PAIR)},
            "joins several constructions, or has a comma or bar in a value; write it as a scheme",
        ),
        ({"against": 3}, "3 is not a construction"),
        ({"alternative": [3]}, "3 is neither a scheme nor a treebank"),
    ],
)
def test_wrong_arguments(treebank: Path, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_experiment(**(QUICK | {"treebanks": treebank} | arguments), test_set=True)  # type: ignore[arg-type]


def test_what_is_missing_in_a_frame() -> None:
    frame = results_frame(five_pairs())
    assert frame["converted_back_uas_delta"].isna().all()
    assert frame["uas_delta_low"].isna().tolist() == [False] * 5 + [True]
    assert frame["places"].dtype == "Int64"
    assert np.isnan(frame["uas_delta"].iloc[-1])


def test_comparing_folders(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = compare_runs(tmp_path / "run")
    pandas.testing.assert_frame_equal(compare_runs(tmp_path).means, folder.means)
    assert folder.means.empty  # three treebanks are too few
    assert {"construction", "comparison", "easier", "train_on", "treebanks", "languages", "mean"} < set(
        folder.means
    )
    # as the run has them
    read = read_results(tmp_path / "run")
    kept = read[read["uas_p_holm"].notna()].reset_index(drop=True)
    pandas.testing.assert_frame_equal(folder.differences, kept)
    assert repr(folder) == "<RunComparison: 5 differences, 3 treebanks, 2 constructions>"
    p_values = folder.scores[folder.scores["statistic"] == "p_holm"]["value"]
    assert len(p_values) == 5 * 4
