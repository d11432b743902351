"""`learnability compare`: from folders to tables."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from finished_runs import config, write_run
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing.options import TreebankSelection
from learnability.running.config import TreebankDesign
from learnability.studies.experiment_arguments import treebanks_found


def test_text_json_and_files(call: Call, tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run"), tmp_path / "new" / "tables"
    done = call("compare", run, "--out", out)
    assert (done.code, done.errors) == (0, f"Wrote tables, figures and compare.html to {out}\n")
    assert done.text.startswith("3 treebanks together\n")
    as_json = call("compare", run, "--json")
    assert (as_json.code, as_json.errors) == (0, "")
    assert json.loads(as_json.text) == json.loads((out / "compare.json").read_text())
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    assert call("compare", run, "--out", out, "--quiet").errors == ""
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_a_treebank_can_be_left_out(call: Call, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    assert call("compare", run, "--without", "UD_X", "--without", "UD_Y@1.3").text.startswith(
        "1 treebank together\n"
    )
    refused = call("compare", run, "--without", "UD_W")
    assert (refused.code, "there is no treebank 'UD_W'" in refused.errors) == (2, True)


def test_runs_that_compare_nothing_are_left_out_and_named(call: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    write_run(runs / "compared")
    expected = call("compare", runs / "compared").output
    treebank = small_treebank(tmp_path / "ud", train=130)
    words = ("--treebank", treebank, "--seeds", "1", "--jobs", "1", "--quiet", "--out")
    assert call("run", "--quick", *words, runs / "predicted", "--transform", "det").code == 0
    done = call("compare", runs)
    assert (done.code, done.output) == (0, expected)
    assert done.errors.splitlines() == [
        f"{runs / 'predicted'} was left out, because this run compares no annotations"
    ]
    assert call("compare", runs, "--quiet").errors == ""
    alone = call("compare", runs / "predicted")
    assert (alone.code, alone.output, alone.errors.count("\n")) == (2, b"", 1)
    assert "predicted compares no annotations; name the folder of a run that does" in alone.errors


def test_wrong_usage(call: Call, tmp_path: Path) -> None:
    done = call("compare")
    assert done.code == 2
    assert "DIR" in done.errors
    (tmp_path / "empty").mkdir()
    for folder, problem in (("nowhere", "there is no such folder"), ("empty", "holds no run")):
        done = call("compare", tmp_path / folder)
        assert done.code == 2
        assert done.errors.count("\n") == 1
        assert problem in done.errors
    run = write_run(tmp_path / "run")
    assert call("compare", run, run).output == call("compare", run).output
    (tmp_path / "file").write_bytes(b"")
    done = call("compare", run, "--out", tmp_path / "file" / "tables")
    assert done.code == 2
    assert "cannot be written" in done.errors


def test_an_error_leaves_no_empty_folder(call: Call, tmp_path: Path) -> None:
    done = call("compare", tmp_path / "nowhere", "--out", tmp_path / "new" / "folder")
    assert done.code == 2
    assert "there is no such folder" in done.errors
    assert list(tmp_path.iterdir()) == []


def test_treebanks_of_a_run_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    treebank = small_treebank(tmp_path / "ud", "UD_Irish")
    named = tuple(TreebankDesign(name, name) for name in ("UD_Irish", "UD_Gone"))
    selection = asdict(TreebankSelection(ud_home=str(tmp_path / "ud")))
    found = replace(config(), treebanks=named, arguments={"command": "run", "treebanks": [selection]})
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(tmp_path / "nowhere"))
    assert [files.folder for files in treebanks_found(found).values()] == [treebank]
    moved = asdict(TreebankSelection(treebank=str(tmp_path / "old" / "UD_Irish")))
    found = replace(found, arguments={"command": "run", "treebanks": [moved]})
    assert treebanks_found(found) == {}
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(tmp_path / "ud"))
    assert [files.folder for files in treebanks_found(found).values()] == [treebank]
    assert treebanks_found(replace(found, arguments={})).keys() == {"UD_Irish"}
