"""A folder with a run of another format: nothing reads it, each command says in one line what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

SHORT = ("--seeds", "1", "--iterations", "1", "--jobs", "1", "--quiet")


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return small_treebank(tmp_path / "ud")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "UD_Small"
    folder.mkdir(parents=True)
    config = {
        "arguments": {"command": "run", "treebank": {"treebank": "UD_Small", "release": None}},
        "options": {"system": "arc-eager", "oracle": "dynamic"},
        "treebanks": [{"label": "UD_Small", "sha256": {}}],
        "versions": {"learnability": "0.0.9"},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "records.jsonl").write_text('{"key":"UD_Small/a//1/0"}\n', encoding="utf-8")
    (folder / "results.csv").write_text("treebank\nUD_Small\n", encoding="utf-8")
    return folder


AGAIN = (
    "holds a run of learnability 0.0.9, whose records have another format; make it again in another folder"
)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--resume", "--treebank", "TREEBANK", "--transform", "case", *SHORT, "--out", "RUN"),
        ("run", "--treebank", "TREEBANK", "--transform", "case", *SHORT, "--out", "RUN"),
        ("compare", "RUN"),
        ("compare", "RUNS"),
        ("report", "RUN"),
        ("run", "--resume", "--out", "RUN"),
    ],
)
def test_it_is_refused_in_a_line_that_says_what_to_do(
    call: Call, treebank: Path, other: Path, words: tuple[str, ...]
) -> None:
    before = {path.name: path.read_bytes() for path in other.iterdir()}
    places = {"TREEBANK": treebank, "RUN": other, "RUNS": other.parent}
    done = call(*(places.get(word, word) for word in words))
    assert (done.code, done.output) == (2, b"")
    assert done.errors == f"learnability: {other} {AGAIN}\n"
    assert {path.name: path.read_bytes() for path in other.iterdir() if path.name != ".lock"} == before


def test_force_replaces_it(call: Call, treebank: Path, other: Path) -> None:
    words = ("--treebank", treebank, "--transform", "case", *SHORT, "--out", other)
    done = call("run", "--test-set", *words, "--force")
    assert (done.code, done.errors) == (0, "")
    assert json.loads((other / "config.json").read_text())["finished"]
    assert "a//1/0/parser=arc-eager" in (other / "records.jsonl").read_text()
    assert len((other / "results.csv").read_text().splitlines()) == 2
    assert not (other / ".next").exists()


def test_a_run_without_a_folder_goes_beside_it(
    call: Call, treebank: Path, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call("run", "--test-set", "--treebank", treebank, "--transform", "case", *SHORT)
    assert (done.code, done.errors) == (0, "")
    assert done.text.endswith("Open runs/UD_Small-2/report.html\n")


@pytest.mark.parametrize("config", ['{"arguments": 3, "versions": {}}', "[]", "{", '{"arguments": {}}'])
def test_what_is_no_configuration_is_one_line(call: Call, other: Path, config: str) -> None:
    (other / "config.json").write_text(config, encoding="utf-8")
    done = call("report", other)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert str(other) in done.errors
