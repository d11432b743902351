"""`predict` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two small treebanks."""
    folder = tmp_path_factory.mktemp("home")
    small_treebank(folder, "UD_One", train=130)
    small_treebank(folder, "UD_Two", first=5, train=130)
    return folder


def quick(home: Path, out: Path, *more: str, treebanks: tuple[str, ...] = ("UD_One",)) -> list[str]:
    named = [word for name in treebanks for word in ("--treebank", str(home / name))]
    return ["predict", *named, "--transform", "det", "--out", str(out), *more]


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


def test_the_report_of_a_run_with_parsers_has_the_predictions(call: Call, home: Path, tmp_path: Path) -> None:
    parser = ("--undecided", "--parser", "arc-eager", "--seeds", "1", "--threshold", "1")
    result = call(*quick(home, tmp_path / "run", *parser, "--transform", "case"))
    assert result.code == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "What short trainings predict" in page
    assert "predictions.csv" in result.text


def test_a_card_needs_measurements(call: Call, home: Path, tmp_path: Path) -> None:
    assert call(*quick(home, tmp_path / "run")).code == 0
    result = call("report", tmp_path / "run", "--card", tmp_path / "card.md")
    assert (result.code, result.output) == (2, b"")
    assert "a card needs comparisons, and this run has none" in result.errors
    assert not (tmp_path / "card.md").exists()


def test_dry_run_counts_the_most_that_can_be_trained(call: Call, home: Path, tmp_path: Path) -> None:
    result = call(*quick(home, tmp_path / "run", "--dry-run"))
    assert result.code == 0
    assert "3 trainings and measurements" in result.text
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--labelled",), "No such option '--labelled'"),
        (
            ("--parser", "easy-first"),
            "--parser has an effect only with --undecided",
        ),
        (("--threshold", "0.4"), "--threshold"),
        (("--threshold", "high"), "--threshold"),
        (("--cross-validate", "3"), "No such option '--cross-validate'"),
    ],
)
def test_wrong_usage(call: Call, home: Path, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    result = call(*quick(home, tmp_path / "run", *words))
    assert (result.code, result.output, result.errors.count("\n")) == (2, b"", 1)
    assert said in result.errors
    assert not (tmp_path / "run").exists()


def test_the_threshold_is_an_option_of_predict_alone(call: Call, home: Path) -> None:
    result = call("run", "--treebank", home / "UD_One", "--threshold", "0.8")
    assert (result.code, "No such option '--threshold'" in result.errors) == (2, True)
