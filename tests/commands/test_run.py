"""`learnability run`: what it refuses, what it prints, and what it leaves behind."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest
from invoking import Call, Result, needs_dask
from small_treebanks import small_treebank

QUICK = ("--transform", "case", "--iterations", "1", "--seeds", "1", "--jobs", "1")


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return small_treebank(tmp_path / "ud")


def test_a_run(call: Call, treebank: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = call("run", "--test-set", "--treebank", treebank, "--out", out, *QUICK)
    assert (done.code, done.errors) == (0, "")
    assert {p.name for p in out.iterdir()} - {".lock", ".written"} == {
        "config.json",
        "records.jsonl",
        "results.csv",
        "scores.csv",
        "report.html",
        "figures",
    }
    assert {p.suffix for p in (out / "figures").iterdir()} == {".svg", ".csv"}
    header, line = (out / "results.csv").read_text().splitlines()
    row = dict(zip(header.split(","), line.split(","), strict=True))
    before = {p: p.read_bytes() for p in out.rglob("*.*") if p.suffix in (".html", ".svg", ".csv")}
    again = call("run", "--test-set", "--treebank", treebank, "--out", out, *QUICK, "--json", "--resume")
    assert {p: p.read_bytes() for p in before} == before
    (printed,) = json.loads(again.text)
    assert printed["uas_base"] == pytest.approx(float(row["uas_base"]), abs=5e-5)
    assert printed["places"] == int(row["places"])


def test_the_folder_is_named_after_the_treebank_and_never_replaced_unasked(
    call: Call, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def here(*words: str) -> Result:
        monkeypatch.chdir(tmp_path)
        return call("run", "--test-set", "--treebank", treebank, *QUICK, *words)

    results = tmp_path / "runs" / "UD_Small" / "results.csv"
    assert here().code == 0
    first = results.read_bytes()
    assert here("--tags", "none").text.endswith("Open runs/UD_Small-2/report.html\n")
    given = here("--tags", "none", "--out", "runs/UD_Small")
    assert (given.code, given.output) == (2, b"")
    assert "runs/UD_Small holds a finished run of another command" in given.errors
    assert "choose one of the two" in here("--force", "--resume").errors
    assert results.read_bytes() == first
    assert here("--tags", "none", "--force").text.endswith("Open runs/UD_Small-2/report.html\n")
    assert results.read_bytes() == first
    assert here("--tags", "none", "--force", "--out", "runs/UD_Small").code == 0
    assert results.read_bytes() != first


def test_dry_run_shows_the_plan_and_writes_nothing(call: Call, treebank: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = call("run", "--test-set", "--treebank", treebank, "--out", out, "--seeds", "3", "--dry-run")
    assert (done.code, done.errors) == (0, "")
    # per seed (a), and (b) and (c) of seven pairs; the measures once
    assert re.search(rf"{3 * (1 + 2 * 7) + 7} trainings and measurements, about \d+ seconds on", done.text)
    assert "case, cop, cc, det, mark, mwe, name" in done.text
    assert not out.exists()


def test_an_empty_training_file_leads_to_cross_validation(call: Call, treebank: Path, tmp_path: Path) -> None:
    (treebank / "xx-ud-train.conllu").write_text("")
    words = ("run", "--test-set", "--treebank", treebank, *QUICK)
    done = call(*words, "--out", tmp_path / "run")
    assert done.code == 2
    assert (
        "xx-ud-train.conllu holds no sentence, so UD_Small has no training set; use --cross-validate 10, "
        in (done.errors)
    )
    (advice,) = re.findall(r"--cross-validate \d+", done.errors)
    followed = call(*words, *advice.split(), "--out", tmp_path / "run")
    assert followed.code == 0
    assert "10 folds of whole" in followed.errors


def test_a_failed_cell_is_told_and_the_rest_kept(
    call: Call, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learnability.comparing import cells

    def broken(*_: object) -> None:
        raise MemoryError("too large")

    monkeypatch.setattr(cells, "train_on_both", broken)
    out = tmp_path / "run"
    done = call("run", "--test-set", "--treebank", treebank, "--out", out, *QUICK)
    assert done.code == 1
    assert done.errors.startswith(
        "learnability: one training failed: UD_Small/c/case/1/0/parser=arc-eager (MemoryError: too large); "
        f"all others are in {out}; fix the problem and rerun with --resume\n"
    )
    assert "\ncase " in done.text


def test_a_treebank_that_has_splits_may_be_cross_validated(
    call: Call, treebank: Path, tmp_path: Path
) -> None:
    words = ("--treebank", treebank, "--transform", "det", "--seeds", "1", "--iterations", "1", "--jobs", "1")
    done = call("run", "--test-set", *words, "--cross-validate", "3", "--out", tmp_path / "run")
    assert done.code == 0, done.errors
    assert "UD_Small: 3 folds of whole" in done.errors
    records = [json.loads(line) for line in (tmp_path / "run" / "records.jsonl").read_text().splitlines()]
    tested = {
        record.get("fold", 0): len(record["result"]["tokens"])
        for record in records
        if record["setting"] == "a"
    }
    assert sorted(tested) == [0, 1, 2]
    sentences = sum(path.read_text().count("\n\n") for path in treebank.glob("*.conllu"))
    assert sum(tested.values()) == sentences == 40 + 15 + 25  # every sentence is tested once
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert [treebank["folds"] for treebank in config["treebanks"]] == [3]


@needs_dask
@pytest.mark.parametrize("threads", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_cluster_of_this_machine(
    call: Call, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: bool
) -> None:
    import distributed

    if threads:  # processes would import everything again
        monkeypatch.setattr(distributed, "LocalCluster", partial(distributed.LocalCluster, processes=False))
    words = ("--treebank", treebank, "--transform", "det", "--seeds", "1", "--iterations", "1")
    assert call("run", "--test-set", *words, "--jobs", "1", "--out", tmp_path / "here").code == 0
    done = call("run", "--test-set", *words, "--jobs", "local:2", "--out", tmp_path / "cluster")
    assert done.code == 0, done.errors
    for name in ("results.csv", "scores.csv"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "cluster" / name).read_bytes()
