"""`run --quick`: a prediction, and how the run goes on from there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    small_treebank(folder, "UD_One", train=130)
    small_treebank(folder, "UD_Two", first=5, train=130)
    return folder


def quick(home: Path, out: Path, *more: str, treebanks: tuple[str, ...] = ("UD_One",)) -> list[str]:
    named = [word for name in treebanks for word in ("--treebank", str(home / name))]
    return ["run", "--quick", *named, "--transform", "det", "--out", str(out), *more]


def test_what_is_printed(call: Call, home: Path, tmp_path: Path) -> None:
    result = call(*quick(home, tmp_path / "run", "--transform", "name"))
    assert result.code == 0
    assert "What short trainings predict" in result.text
    assert "- det: " in result.text
    assert "Do not treat a prediction as a measurement." in " ".join(result.text.split())
    written = f"Wrote predictions.csv, report.html and records.jsonl to {tmp_path / 'run'}"
    assert written in " ".join(result.text.split())
    assert "converted" not in result.text  # no table of results
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Do not treat a prediction as a measurement." in " ".join(page.split())
    assert "converted" not in page
    assert "2 constructions predicted from short trainings" in page
    assert "0 constructions" not in page


def test_json(call: Call, home: Path, tmp_path: Path) -> None:
    values = json.loads(call(*quick(home, tmp_path / "run", "--json")).text)
    (one,) = values["predictions"]
    assert one["construction"] == "det"
    assert 0 <= one["probability"] <= 1
    assert one["expected_low"] < one["expected_delta"] < one["expected_high"]
    assert values.keys() == {"predictions"}  # nothing is measured


def test_many_treebanks(call: Call, home: Path, tmp_path: Path) -> None:
    result = call(*quick(home, tmp_path / "run", treebanks=("UD_One", "UD_Two")))
    assert result.code == 0
    assert "UD_One det" in result.text
    assert "UD_Two det" in result.text
    lines = (tmp_path / "run" / "predictions.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3


def test_a_card_needs_measurements(call: Call, home: Path, tmp_path: Path) -> None:
    assert call(*quick(home, tmp_path / "run")).code == 0
    result = call("report", tmp_path / "run", "--card", tmp_path / "card.md")
    assert (result.code, result.output) == (2, b"")
    assert "a card needs comparisons, and this run has none" in result.errors
    assert not (tmp_path / "card.md").exists()


def test_dry_run_counts_the_most_that_can_be_trained(call: Call, home: Path, tmp_path: Path) -> None:
    result = call(*quick(home, tmp_path / "run", "--dry-run"))
    assert result.code == 0
    assert "2 trainings and measurements" in result.text
    assert not (tmp_path / "run").exists()


def test_a_prediction_goes_on_to_the_test_set_and_to_every_sentence(
    call: Call, home: Path, tmp_path: Path
) -> None:
    out, alone = tmp_path / "run", ("--seeds", "1", "--iterations", "1", "--jobs", "1", "--quiet")
    alone += ("--transform", "case", "--transform", "mark")  # what 25 test sentences leave open
    asked = call(*quick(home, out, *alone))
    (command,) = re.findall(r"^  (learnability run .*)$", asked.text, re.MULTILINE)
    assert shlex.split(command) == ["learnability", "run", "--resume", "--out", str(out)]
    known = (out / "records.jsonl").read_bytes()

    tested = call("run", "--resume", "--test-set", "--out", out, "--jobs", "1", "--quiet")
    assert (tested.code, tested.errors) == (0, "")
    assert (out / "records.jsonl").read_bytes().startswith(known)
    assert (out / "predictions.csv").exists()
    assert command in tested.text or not re.search(r"\bopen\b", tested.text)

    settled = call(
        "run", "--resume", "--out", out, "--most-seeds", "2", "--folds", "3", "--jobs", "1", "--quiet"
    )
    assert (settled.code, settled.errors) == (0, "")
    assert '"fold-b"' in (out / "records.jsonl").read_text(encoding="utf-8")
    whole = tmp_path / "whole"
    words = quick(home, whole, *alone, "--most-seeds", "2", "--folds", "3")
    done = call(*(word for word in words if word != "--quick"))
    assert (done.code, done.errors) == (0, "")
    nothing = f"Nothing is left to train: {whole} has all of it.\n"
    limits = ("--most-seeds", "2", "--folds", "3")
    assert call("run", "--resume", "--out", whole, *limits, "--dry-run").text == nothing
    for name in ("predictions.csv", "results.csv", "scores.csv"):
        assert (whole / name).read_bytes() == (out / name).read_bytes()
    assert done.text.replace(str(whole), str(out)) == settled.text


def test_a_folder_says_what_its_run_compares(call: Call, home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    nowhere = call("run", "--resume", "--out", out)
    assert (nowhere.code, nowhere.output) == (2, b"")
    assert f"{out} holds no run that can be continued; name a --treebank to start one" in nowhere.errors
    assert call(*quick(home, out)).code == 0
    refused = call("run", "--resume", "--out", out, "--transform", "case")
    assert (refused.code, refused.output) == (2, b"")
    assert f"{out} says what the run compares, so --transform" in refused.errors
