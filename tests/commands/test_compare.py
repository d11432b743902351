"""`learnability compare`: from folders to tables."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import pytest
from finished_runs import write_run
from invoking import Call, left_unfinished
from small_treebanks import small_treebank

from learnability.comparing.options import TreebankSelection
from learnability.studies.experiment_arguments import treebanks_found


def test_text_json_and_files(call: Call, tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run"), tmp_path / "new" / "tables"
    done = call("compare", run, "--out", out, "--paper")
    assert (done.code, done.errors) == (0, f"Wrote tables, figures and compare.html to {out}\n")
    assert done.text.startswith("3 treebanks together\n")
    assert "Table 2: how often UD wins" in done.text
    assert "Table 3" in done.text
    as_json = call("compare", run, "--json", "--paper")
    assert (as_json.code, as_json.errors) == (0, "")
    assert json.loads(as_json.text) == json.loads((out / "compare.json").read_text())
    assert json.loads(as_json.text)["table_2"][0]["ud_wins"] == 2
    with open(out / "table_3.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["criterion"] for row in rows][-3:] == ["always_ud", "majority", "noise_ceiling"]
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    assert call("compare", run, "--out", out, "--paper", "--quiet").errors == ""
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_real_runs(call: Call, tmp_path: Path) -> None:
    for i, name in enumerate(("UD_A", "UD_B")):
        treebank = small_treebank(tmp_path / "ud", name, first=20 * i)
        done = call(
            "run", "--treebank", treebank, "--out", tmp_path / name,
            "--transform", "det", "--transform", "case",
            "--seeds", "2", "--iterations", "1", "--jobs", "1",
        )  # fmt: skip
        assert done.code == 0
    done = call("compare", tmp_path, "--json", "--paper")
    assert (done.code, done.errors) == (0, "")
    assert call("compare", tmp_path / "UD_A", tmp_path / "UD_B", "--json", "--paper").text == done.text
    found = json.loads(done.text)
    assert [(c["construction"], c["treebanks"]) for c in found["constructions"]] == [("det", 2), ("case", 2)]
    assert "table_2" not in json.loads(call("compare", tmp_path, "--json").text)
    assert [w["pairs"] for w in found["table_2"]] == [2, 2, 4]
    assert call("compare", tmp_path, "--atlas", tmp_path / "atlas", "--quiet").code == 0
    page = (tmp_path / "atlas" / "treebanks" / "UD_A.html").read_text()
    assert page.count('<figure class="sentence">') > 2  # of the records
    for pair in found["differences"]:
        deltas = pair["seed_deltas"]
        assert sum(deltas) / 2 == pytest.approx(pair["uas_delta"], abs=5e-5)


def test_runs_that_compare_nothing_are_left_out_and_named(call: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    write_run(runs / "compared")
    expected = call("compare", runs / "compared").output
    treebank = small_treebank(tmp_path / "ud", train=130)
    words = ("--treebank", treebank, "--seeds", "1", "--jobs", "1", "--quiet", "--out")
    assert call("predict", *words, runs / "predicted", "--transform", "det").code == 0
    trained = ("--system", "arc-eager", "--oracle", "static", "--unlabelled", "--iterations", "1")
    assert call("oracles", *words, runs / "oracles", *trained).code == 0
    done = call("compare", runs)
    assert (done.code, done.output) == (0, expected)
    assert done.errors.splitlines() == [
        f"{runs / name} was left out, because this run compares no annotations"
        for name in ("oracles", "predicted")
    ]
    assert call("compare", runs, "--quiet").errors == ""
    alone = call("compare", runs / "predicted")
    assert (alone.code, alone.output, alone.errors.count("\n")) == (2, b"", 1)
    assert "predicted compares no annotations; name the folder of a run that does" in alone.errors


def test_unfinished_runs_are_left_out_and_named(call: Call, tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "one")
    expected = call("compare", tmp_path / "runs").output
    left_unfinished(write_run(tmp_path / "runs" / "two", release="2.1"))
    done = call("compare", tmp_path / "runs")
    assert done.code == 0
    assert done.output != expected
    assert "two" in done.text


def test_wrong_usage(call: Call, tmp_path: Path) -> None:
    done = call("compare")
    assert done.code == 2
    assert "DIR" in done.errors
    (tmp_path / "empty").mkdir()
    for folder in ("nowhere", "empty"):
        done = call("compare", tmp_path / folder)
        assert done.code == 2
        assert done.errors.count("\n") == 1
        assert "holds no run" in done.errors
    run = write_run(tmp_path / "run")
    assert call("compare", run, run).output == call("compare", run).output
    (tmp_path / "file").write_bytes(b"")
    done = call("compare", run, "--out", tmp_path / "file" / "tables")
    assert done.code == 2
    assert "cannot be written" in done.errors


def test_atlas_and_dataset(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("pycldf")
    run, atlas, dataset = write_run(tmp_path / "run"), tmp_path / "atlas", tmp_path / "new" / "cldf"
    expected = call("compare", run)
    done = call("compare", run, "--atlas", atlas, "--cldf", dataset)
    assert (done.code, done.output) == (0, expected.output)
    assert done.errors.splitlines()[:2] == [
        f"Wrote the atlas to {atlas}: open {atlas}/index.html",
        f"Wrote the CLDF dataset to {dataset}",
    ]

    def contents() -> dict[str, bytes]:
        places = (path for folder in (atlas, dataset) for path in folder.rglob("*") if path.is_file())
        return {str(path): path.read_bytes() for path in places}

    before = contents()
    (atlas / "treebanks" / "UD_Old.html").write_text("of an earlier atlas")
    assert call("compare", run, "--atlas", atlas, "--cldf", dataset, "--quiet").errors == ""
    assert contents() == before


def test_without_pycldf_everything_else_is_written(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run")
    expected = call("compare", run)
    monkeypatch.setitem(sys.modules, "pycldf", None)  # as if it were nowhere
    places = [tmp_path / "new" / name for name in ("tables", "atlas", "cldf")]
    words = zip(("--out", "--atlas", "--cldf"), places, strict=True)
    done = call("compare", run, *chain.from_iterable(words))
    assert (done.code, done.output) == (2, expected.output)
    assert done.errors.splitlines()[-1] == (
        "learnability: --cldf needs a package that is not installed; run pip install 'pycldf>=2.0'"
    )
    assert [place.is_dir() for place in places] == [True, True, False]
    assert (places[0] / "compare.html").is_file()
    assert (places[1] / "index.html").is_file()


def test_an_error_leaves_no_empty_folder(call: Call, tmp_path: Path) -> None:
    for option in ("--out", "--atlas", "--cldf"):
        done = call("compare", tmp_path / "nowhere", option, tmp_path / "new" / "folder")
        assert done.code == 2
        assert "holds no run" in done.errors
    assert list(tmp_path.iterdir()) == []


def test_outputs_need_separate_folders(call: Call, tmp_path: Path) -> None:
    run, place = write_run(tmp_path / "run"), tmp_path / "place"
    for words in (("--atlas", place, "--cldf", place), ("--out", place / "tables", "--atlas", place)):
        done = call("compare", run, *words)
        assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
        assert "need separate folders; choose another --" in done.errors


@pytest.mark.parametrize("option", ["--atlas", "--cldf"])
def test_folders_with_other_files_are_left_alone(call: Call, tmp_path: Path, option: str) -> None:
    run, folder = write_run(tmp_path / "run"), tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.tex").write_text("precious")
    done = call("compare", run, option, folder)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert "holds other files (thesis.tex)" in done.errors
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]
    early = call("compare", tmp_path / "nowhere", option, folder)  # before any run is read
    assert early.errors == done.errors
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        done = call("compare", run, option, place)
        assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
        assert "cannot be written" in done.errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "mine", "run"]


def test_treebanks_of_a_run_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    treebank = small_treebank(tmp_path / "ud", "UD_Irish")
    named = [{"label": name, "name": name, "release": ""} for name in ("UD_Irish", "UD_Gone")]
    selection = asdict(TreebankSelection(ud_home=str(tmp_path / "ud")))
    config = {"treebanks": named, "arguments": {"command": "reproduce", "treebanks": [selection]}}
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(tmp_path / "nowhere"))
    assert [files.folder for files in treebanks_found(config).values()] == [treebank]
    moved = asdict(TreebankSelection(treebank=str(tmp_path / "old" / "UD_Irish")))
    config = {"treebanks": named, "arguments": {"command": "run", "treebanks": [moved]}}
    assert treebanks_found(config) == {}
    monkeypatch.setenv("LEARNABILITY_UD_HOME", str(tmp_path / "ud"))
    assert [files.folder for files in treebanks_found(config).values()] == [treebank]
    assert treebanks_found({"treebanks": named, "arguments": {}}).keys() == {"UD_Irish"}
