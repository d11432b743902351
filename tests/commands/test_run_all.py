"""`learnability run --all`: many treebanks, some of them unusable, on one machine and on a cluster."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from invoking import Call, needs_dask
from small_treebanks import small_treebank

from learnability.errors import InputError
from learnability.running.versions import installed_versions
from learnability.running.workers import check_versions

QUICK = ("--transform", "case", "--transform", "det", "--iterations", "1", "--seeds", "1", "--jobs", "1")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    small_treebank(home / "ud-treebanks-v2.1", "UD_A")
    small_treebank(home / "ud-treebanks-v2.16", "UD_A", first=40)
    b = small_treebank(home / "ud-treebanks-v2.1", "UD_B", first=15)
    (b / "xx-ud-train.conllu").unlink()
    return home


def rows(out: Path) -> list[list[str]]:
    return [line.split(",")[:3] for line in (out / "results.csv").read_text().splitlines()[1:]]


def test_every_treebank_in_its_newest_release(call: Call, home: Path, tmp_path: Path) -> None:
    done = call("run", "--test-set", "--all", "--ud-home", home, "--out", tmp_path, *QUICK)
    assert done.code == 0
    assert done.errors.splitlines() == [
        "UD_B: no train split: train is the first 90 % of dev (13 of 15 sentences), dev the rest"
    ]
    assert rows(tmp_path) == [
        ["UD_A", "2.16", "case"],
        ["UD_A", "2.16", "det"],
        ["UD_B", "2.1", "case"],
        ["UD_B", "2.1", "det"],
    ]
    assert sum(p.name in ("results.csv", "records.jsonl") for p in tmp_path.rglob("*")) == 2
    page = (tmp_path / "report.html").read_text()
    assert "<h1>UD_A, UD_B: which annotation is easier to learn?</h1>" in page
    assert '"UD_B, det"' in (tmp_path / "figures" / "differences.csv").read_text()
    assert call("report", tmp_path).code == 0
    assert (tmp_path / "report.html").read_text() == page


def test_one_release(call: Call, home: Path, tmp_path: Path) -> None:
    done = call(
        "run", "--test-set", "--all", "--ud-home", home, "--release", "2.1", "--out", tmp_path, "--dry-run"
    )
    assert done.code == 0
    assert [line.split()[:2] for line in done.text.splitlines() if "UD_" in line] == [
        ["UD_A", "2.1"],
        ["UD_B", "2.1"],
    ]


def test_an_unusable_treebank_is_told_and_the_others_go_on(call: Call, home: Path, tmp_path: Path) -> None:
    arguments = (
        "run",
        "--test-set",
        "--all",
        "--ud-home",
        home,
        "--splits",
        "released",
        *QUICK,
        "--out",
        tmp_path / "run",
    )
    planned, done = call(*arguments, "--dry-run"), call(*arguments)
    assert (planned.code, done.code) == (1, 1)
    reason = done.errors.partition("learnability: ")[2].partition("; all others")[0]
    assert planned.errors.endswith(f"learnability: {reason}\n")
    assert "--cross-validate" in reason
    assert "learnability: UD_B@2.1 cannot be used (UD_B has no training set" in done.errors
    assert rows(tmp_path / "run") == [["UD_A", "2.16", "case"], ["UD_A", "2.16", "det"]]
    assert call(*arguments, "--resume").code == 1
    # what failed is said again with the files, in the words of the command line
    again = call("report", tmp_path / "run")
    assert (again.code, "rerun with --resume\n" in again.errors) == (0, True)


def test_a_release_that_is_not_there_is_refused(call: Call, home: Path) -> None:
    done = call("run", "--test-set", "--all", "--ud-home", home, "--release", "1.4")
    assert (done.code, done.output) == (2, b"")
    assert "no treebanks of release 1.4" in done.errors


def test_a_run_on_a_folder_without_a_release_can_be_extended(call: Call, tmp_path: Path) -> None:
    small_treebank(tmp_path / "plain", "UD_A")
    run = (
        "run",
        "--test-set",
        "--all",
        "--ud-home",
        tmp_path / "plain",
        "--release",
        "1.3",
        "--out",
        tmp_path / "run",
    )
    assert call(*run, *QUICK, "--quiet").code == 0
    done = call("run", "--resume", "--out", tmp_path / "run", "--most-seeds", "2", "--folds", "3", "--quiet")
    assert (done.code, done.errors) == (0, "")


@pytest.mark.slow
@needs_dask
def test_a_scheduler_elsewhere(call: Call, home: Path, tmp_path: Path) -> None:
    import distributed

    arguments = ("run", "--test-set", "--all", "--ud-home", home)
    local = call(*arguments, "--out", tmp_path / "local", *QUICK)
    assert local.code == 0
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        done = call(*arguments, "--out", tmp_path / "remote", *QUICK[:-2], "--jobs", address)
    assert (done.code, done.errors) == (0, local.errors)
    results = [(tmp_path / name / "results.csv").read_bytes() for name in ("local", "remote")]
    assert results[0] == results[1]


def test_workers_of_other_versions_are_refused() -> None:
    here = installed_versions()
    check_versions("tcp://x:1", {"tcp://a:1": here})
    with pytest.raises(
        InputError, match=r"worker tcp://b:2 of .* has numpy 1\.0; install the versions of this"
    ):
        check_versions("tcp://x:1", {"tcp://a:1": here, "tcp://b:2": {**here, "numpy": "1.0"}})


def test_without_dask_the_error_says_what_to_install(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    out = tmp_path / "new" / "run"
    done = call(
        "run", "--test-set", "--all", "--ud-home", home, "--out", out, *QUICK[:-2], "--jobs", "local:2"
    )
    assert done.code == 2
    assert "needs a package that is not installed; run pip install 'dask[distributed]>=" in done.errors
    assert list(tmp_path.iterdir()) == []
