"""`compare --atlas` and `compare --cldf`: what they write, and what they leave alone."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

import pytest
from finished_runs import write_run
from invoking import Call
from small_treebanks import small_treebank


def test_sentences_of_a_real_run_are_drawn(call: Call, tmp_path: Path) -> None:
    treebank = small_treebank(tmp_path / "ud", "UD_A")
    words = ("--transform", "det", "--transform", "case", "--seeds", "2", "--iterations", "1", "--jobs", "1")
    assert call("run", "--test-set", "--treebank", treebank, "--out", tmp_path / "UD_A", *words).code == 0
    assert call("compare", tmp_path, "--atlas", tmp_path / "atlas", "--quiet").code == 0
    page = (tmp_path / "atlas" / "treebanks" / "UD_A.html").read_text()
    assert page.count('<figure class="sentence">') > 2  # of the records


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


@pytest.mark.parametrize("option", ["--atlas", "--cldf"])
def test_an_error_leaves_no_empty_folder(call: Call, tmp_path: Path, option: str) -> None:
    done = call("compare", tmp_path / "nowhere", option, tmp_path / "new" / "folder")
    assert done.code == 2
    assert "there is no such folder" in done.errors
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
