"""The folder of a run: what is read again, continued, and refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_folders import config, contents, keys, record, records, resumed, unfinished

from learnability.errors import InputError
from learnability.running.config import TreebankDesign, read_config
from learnability.running.folder import RunFolder
from learnability.running.records import encode


@pytest.mark.parametrize("cut", [1, 2, 15, 29])
def test_a_half_written_last_line_is_never_read_and_cut_off(tmp_path: Path, cut: int) -> None:
    run = unfinished(tmp_path, record("1"), record("2", worker="ä, long"))
    path = tmp_path / "records.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert keys(run) == ["1"]
    again = resumed(tmp_path)
    assert keys(again) == ["1"]
    again.append(encode(record("2", worker="ä, long")))
    assert path.read_bytes() == whole
    assert keys(run) == ["1", "2"]


def test_a_later_record_replaces_an_earlier_one(tmp_path: Path) -> None:
    run = unfinished(tmp_path, record("1", failed="no"), record("2"), record("1", seed=3))
    assert records(run) == [record("2"), record("1", seed=3)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"[1]", "Expected object, got array"),
        (b'{"key": "1"', "truncated"),
        (b'{"key": "1", "treebank": "\xff"}', "[Uu][Tt][Ff]-8"),
        (b'{"key": "1", "treebank": "UD_X"}', "missing required field setting"),
        (b'{"key": "1", "treebank": "UD_X", "setting": "a", "seed": 2.5}', "Expected int, got float"),
    ],
)
def test_a_line_that_is_not_a_record_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    run = unfinished(tmp_path, record("1"))
    with open(tmp_path / "records.jsonl", "ab") as file:
        file.write(line + b"\n" + encode(record("2")))
    message = rf"records\.jsonl:2 is not a record \(.*{said}.*\); remove the line and continue"
    with pytest.raises(InputError, match=message):
        records(run)
    lines = (tmp_path / "records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "records.jsonl").write_bytes(lines[0] + lines[2])
    assert keys(resumed(tmp_path)) == ["1", "2"]


def test_failed_cells_are_not_done(tmp_path: Path) -> None:
    unfinished(tmp_path, record("1"), record("2", failed="why"))
    assert keys(resumed(tmp_path)) == ["1"]


def test_an_unfinished_run_is_refused_with_a_hint(tmp_path: Path) -> None:
    unfinished(tmp_path, record("1"))
    before = contents(tmp_path)
    with pytest.raises(InputError, match="holds an unfinished run; continue it with `resume=True`"):
        RunFolder(tmp_path).begin(config(), resume=False)
    assert contents(tmp_path) == before


def test_a_run_that_began_here_is_not_read_from_the_disk(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    with run.lock_folder():
        run.begin(config(), resume=False)
        (tmp_path / "config.json").unlink()
        assert run.config == config().through_json()
        run.complete({"run": {"results.csv": b"old\n"}})
    assert read_config(tmp_path / "config.json") == run.config
    assert run.config.is_finished


@pytest.mark.parametrize("existing", [True, False])
def test_resume_on_a_missing_or_empty_folder_simply_starts(tmp_path: Path, existing: bool) -> None:
    folder = tmp_path / "a" / "b"
    if existing:
        folder.mkdir(parents=True)
    run = RunFolder(folder)
    with run.lock_folder():
        run.begin(config(), resume=True)
    assert records(run) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arguments": {"seeds": 2}}, "started with other arguments"),
        (
            {"treebanks": [replace(config().treebanks[0], sha256={"x-ud-train.conllu": "01"})]},
            "the files of UD_X@1.3 have changed",
        ),
        ({"treebanks": []}, "the files of UD_X@1.3 have changed"),  # it may come back as another
    ],
)
def test_another_experiment_may_not_continue(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    unfinished(tmp_path, record("1"))
    before = contents(tmp_path)
    with pytest.raises(InputError, match=said):
        RunFolder(tmp_path).begin(config(**changes), resume=True)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"schemes": {"s.toml": ["1"]}, "parser_files": {"a.toml": "2"}}, "the parser a.toml has changed"),
        ({"schemes": {"s.toml": ["2"]}, "parser_files": {"a.toml": "1"}}, "the scheme s.toml has changed"),
        ({"schemes": {"s.toml": ["1"]}, "parser_files": {"b.toml": "2"}}, "started with other arguments"),
    ],
)
def test_files_that_have_changed_are_named(tmp_path: Path, arguments: dict[str, Any], problem: str) -> None:
    before = {"schemes": {"s.toml": ["1"]}, "parser_files": {"a.toml": "1"}}
    RunFolder(tmp_path).begin(config(arguments=before), resume=False)
    with pytest.raises(InputError, match=problem):
        RunFolder(tmp_path).begin(config(arguments=arguments), resume=True)


def test_a_treebank_may_join(tmp_path: Path) -> None:
    unfinished(tmp_path, record("1"))
    treebanks = (*config().treebanks, TreebankDesign("UD_Y@1.3", "UD_Y"))
    more = replace(config(), treebanks=treebanks)
    assert keys(resumed(tmp_path, more)) == ["1"]
    assert read_config(tmp_path / "config.json") == more


def test_a_run_may_be_continued_with_other_versions(tmp_path: Path) -> None:
    """What a version changes shows when the run is checked again; its arguments and data are the same."""
    unfinished(tmp_path, record("1"))
    assert keys(resumed(tmp_path, config(versions={"numpy": "9"}))) == ["1"]
