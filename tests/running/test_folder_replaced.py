"""The folder of a run: when a finished run gives way to another one, or to more of itself."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_folders import (
    NEW,
    NEW_FILES,
    OLD_PAGE,
    WRITTEN,
    config,
    contents,
    digests,
    finished,
    indexed,
    keys,
    record,
    records,
    resumed,
    unfinished,
)

from learnability.errors import InputError
from learnability.running.config import read_config
from learnability.running.folder import RunFolder, free_folder, has_outputs, is_finished
from learnability.running.records import encode


def test_a_finished_run_stays_until_the_new_one_completes(tmp_path: Path) -> None:
    finished(tmp_path, record("old"))
    before = contents(tmp_path)
    run = RunFolder(tmp_path)
    run.begin(config(), resume=False, force=True)
    assert records(run) == []
    run.append(encode(record("new")))
    assert contents(tmp_path) == before
    with pytest.raises(InputError, match="`resume=True`"):
        RunFolder(tmp_path).begin(config(), resume=False)
    again = resumed(tmp_path)
    assert keys(again) == ["new"]
    again.complete(NEW)
    assert contents(tmp_path) == {
        "config.json": config(finished=WRITTEN).as_bytes(),
        "records.jsonl": encode(record("new")),
        **NEW_FILES,
    }
    assert not (tmp_path / ".next").exists()


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"arguments": {"seeds": 2}}, "of another command or of other data"),
        ({"treebanks": []}, "of files that have changed since"),
    ],
)
def test_a_finished_run_is_not_replaced_by_another(
    tmp_path: Path, changes: dict[str, Any], what: str
) -> None:
    finished(tmp_path, record("old"))
    before = contents(tmp_path)
    with pytest.raises(
        InputError, match=rf"holds a finished run {what}.*; use `force=True` to replace it, or another"
    ):
        RunFolder(tmp_path).begin(config(**changes), resume=False)
    assert contents(tmp_path) == before
    same = RunFolder(tmp_path)
    same.begin(config(), resume=False)
    assert keys(same) == ["old"]


def test_a_run_that_was_asked_for_more_is_still_the_same(tmp_path: Path) -> None:
    """Its command, given again, does not know the studies that were asked for later; they stay."""
    done = finished(tmp_path, record("old"))
    extended = config(studies={"run": {}, "joint": {}})
    done.extend(replace(extended, finished=WRITTEN))
    done.complete({**NEW, "joint": {"joint.json": b"joint\n"}})
    before = contents(tmp_path)
    same = RunFolder(tmp_path)
    same.begin(config(), resume=False)
    assert keys(same) == ["old"]
    assert contents(tmp_path) == before


def test_force_starts_an_unfinished_run_anew(tmp_path: Path) -> None:
    unfinished(tmp_path, record("old"))
    run = RunFolder(tmp_path)
    run.begin(config(arguments={"seeds": 2}), resume=False, force=True)
    assert records(run) == []


def test_a_run_without_a_folder_goes_beside_others(tmp_path: Path) -> None:
    place = tmp_path / "UD_X"
    assert free_folder(place, {"seeds": 1}) == place
    finished(place)
    assert free_folder(place, {"seeds": 1}) == place
    assert free_folder(place, {"seeds": 2}) == tmp_path / "UD_X-2"
    unfinished(tmp_path / "UD_X-2")
    assert free_folder(place, {"seeds": 2}) == tmp_path / "UD_X-3"
    # what is to replace a run counts, not the run
    RunFolder(place).begin(config(arguments={"seeds": 2}), resume=False, force=True)
    assert free_folder(place, {"seeds": 2}) == place


STEPS = 9
"""The files that are removed and moved when a run replaces another, and the folder that they came from."""


@pytest.mark.parametrize("moved", range(STEPS))
def test_an_interrupted_replacement_is_carried_to_its_end(
    tmp_path: Path, moved: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = unfinished(tmp_path, record("old"))
    of_joint, of_curve = {"joint.json": b"old joint\n"}, {"learning_curve.json": b"old curve\n"}
    old.complete({"run": {"results.csv": b"old\n"}, "joint": of_joint, "curve": of_curve, "report": OLD_PAGE})
    (tmp_path / "mine.txt").write_bytes(b"kept")
    run = RunFolder(tmp_path)
    replacing = {"arguments": {"seeds": 2}, "studies": {"run": {}, "joint": {}}}
    run.begin(config(**replacing), resume=False, force=True)
    run.append(encode(record("new")))
    steps = 0
    replace, unlink, rmdir = os.replace, Path.unlink, Path.rmdir

    def limited(function: Any) -> Any:
        def step(*arguments: Any, **options: Any) -> Any:
            nonlocal steps
            if is_finished(tmp_path / ".next") or steps:  # the new run is complete: its files are being moved
                if steps == moved:
                    raise KeyboardInterrupt
                steps += 1
            return function(*arguments, **options)

        return step

    monkeypatch.setattr(os, "replace", limited(replace))
    monkeypatch.setattr(Path, "unlink", limited(unlink))
    monkeypatch.setattr(Path, "rmdir", limited(rmdir))
    with pytest.raises(KeyboardInterrupt):
        run.complete({**NEW, "joint": {"joint.json": b"new joint\n"}})
    monkeypatch.undo()
    assert steps == moved
    # never a mixture of both that calls itself finished
    if is_finished(tmp_path):
        values = [
            data for name, data in contents(tmp_path).items() if name not in ("config.json", "mine.txt")
        ]
        assert len({b"new" in value for value in values if value}) == 1
    with RunFolder(tmp_path).lock_folder():  # removes what a kill left of files that were being written
        assert keys(resumed(tmp_path, config(**replacing))) == ["new"]
    assert not (tmp_path / ".next").exists()
    assert contents(tmp_path) == {
        "config.json": config(finished={**WRITTEN, "joint": ["joint.json"]}, **replacing).as_bytes(),
        "records.jsonl": encode(record("new")),
        **NEW_FILES,
        "joint.json": b"new joint\n",
        "mine.txt": b"kept",
    }
    assert indexed(tmp_path) == digests({**NEW_FILES, "joint.json": b"new joint\n"})


def test_records_without_a_configuration_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_bytes(b"precious\n")
    with pytest.raises(InputError, match=r"holds records\.jsonl but no config\.json"):
        RunFolder(tmp_path).begin(config(), resume=False, force=True)
    assert contents(tmp_path) == {"records.jsonl": b"precious\n"}


def test_a_study_asked_with_other_options_of_its_outcome_is_finished_anew(tmp_path: Path) -> None:
    finished(tmp_path, record("1"))
    wanted = config(studies={"run": {"every": True}}, command_line="learnability doubts --all")
    run = RunFolder(tmp_path)
    run.begin(wanted, resume=False)
    assert keys(run) == ["1"]
    assert not is_finished(tmp_path)
    assert read_config(tmp_path / "config.json").command_line == wanted.command_line
    run.complete(NEW)
    RunFolder(tmp_path).begin(
        replace(wanted, command_line="learnability doubts --all --jobs 2"), resume=False
    )
    assert read_config(tmp_path / "config.json").command_line == wanted.command_line


def test_a_run_is_finished_when_all_its_studies_are(tmp_path: Path) -> None:
    run = finished(tmp_path, record("1"))
    assert is_finished(tmp_path)
    before = contents(tmp_path)
    done = read_config(tmp_path / "config.json")
    run.extend(replace(done, studies={"run": {}, "joint": {}}))
    assert not is_finished(tmp_path)
    assert has_outputs(tmp_path)
    assert {name: data for name, data in contents(tmp_path).items() if name != "config.json"} == {
        name: data for name, data in before.items() if name != "config.json"
    }
    run.complete({"run": {"results.csv": b"old\n"}, "joint": {"joint.json": b"{}"}, "report": OLD_PAGE})
    assert is_finished(tmp_path)
    assert json.loads(contents(tmp_path)["config.json"])["finished"]["joint"] == ["joint.json"]


def test_no_file_of_a_study_outlives_what_it_was_asked(tmp_path: Path) -> None:
    studies = {"run": {}, "joint": {"verify": 0}}
    run = RunFolder(tmp_path)
    run.begin(config(studies=studies), resume=False)
    run.complete({"run": {"results.csv": b"old\n"}, "joint": {"joint.json": b"{}"}})
    run.extend(config(finished={"run": ["results.csv"]}, studies={"run": {}, "joint": {"verify": 2}}))
    assert sorted(contents(tmp_path)) == ["config.json", "results.csv"]
    assert indexed(tmp_path) == digests({"results.csv": b"old\n"})


def test_an_extension_that_was_never_finished_is_replaced_with_all_files_of_its_run(tmp_path: Path) -> None:
    finished(tmp_path).extend(
        config(
            finished={"run": ["results.csv"], "report": sorted(OLD_PAGE)}, studies={"run": {}, "curve": {}}
        )
    )
    run = RunFolder(tmp_path)
    run.begin(config(), resume=False, force=True)
    assert contents(tmp_path)["results.csv"] == b"old\n"
    run.complete(NEW)
    assert contents(tmp_path).keys() - {"config.json", "records.jsonl"} == NEW_FILES.keys()


def test_a_run_of_the_same_files_is_the_same_wherever_they_are_and_whatever_is_said_of_them(
    tmp_path: Path,
) -> None:
    """Another version may say otherwise how splits were made up; a treebank may have been moved."""
    finished(tmp_path, record("old"))
    (treebank,) = config().treebanks
    digests = {f"elsewhere/{path}": digest for path, digest in treebank.sha256.items()}
    moved = replace(treebank, sha256=digests, split_policy="said otherwise", left_out=("a warning",))
    same = RunFolder(tmp_path)
    same.begin(replace(config(), treebanks=(moved,)), resume=False)
    assert keys(same) == ["old"]
    changed = replace(treebank, sha256=dict.fromkeys(treebank.sha256, "ff"))
    with pytest.raises(InputError, match="of files that have changed since"):
        RunFolder(tmp_path).begin(replace(config(), treebanks=(changed,)), resume=False)
