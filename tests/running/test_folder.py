"""The folder of a run: what a kill, a full disk or a second run can do to it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import learnability
from learnability.errors import InputError, RunError
from learnability.running.earlier_format import EARLIER
from learnability.running.folder import (
    RunFolder,
    as_json_bytes,
    free_folder,
    has_outputs,
    is_finished,
    read_config,
)
from learnability.running.records import FORMAT, Record, encode, read_records
from learnability.support.written import INDEX

SOURCE = str(Path(learnability.__file__).parent.parent)


def config(finished: dict[str, list[str]] | None = None, **changes: Any) -> dict[str, Any]:
    """A configuration of a run on one treebank."""
    treebank = {"label": "UD_X@1.3", "name": "UD_X", "sha256": {"x-ud-train.conllu": "00"}}
    return {
        "format": FORMAT,
        "arguments": {"seeds": 1},
        "options": {},
        "studies": {"run": {}},
        "treebanks": [treebank],
        "versions": {},
        **changes,
        **({"finished": finished} if finished is not None else {}),
    }


def record(key: str, **values: Any) -> Record:
    return Record(**{"key": key, "treebank": "UD_X", "setting": "a", **values})


def records(run: RunFolder) -> list[Record]:
    """The records of a run that is not finished."""
    return list(read_records(run.records).values())


def resumed(folder: Path, own: dict[str, Any] | None = None) -> RunFolder:
    """A run that is continued."""
    run = RunFolder(folder)
    run.begin(own or config(), resume=True)
    return run


def keys(run: RunFolder) -> list[str]:
    return [record.key for record in records(run)]


def unfinished(folder: Path, *lines: Record) -> RunFolder:
    run = RunFolder(folder)
    run.begin(config(), resume=False)
    for one in lines:
        run.append(encode(one))
    return run


def finished(folder: Path, *lines: Record) -> RunFolder:
    folder.mkdir(exist_ok=True)
    run = unfinished(folder, *lines)
    run.complete({"run": {"results.csv": b"old\n"}, "report": OLD_PAGE})
    return run


OLD_PAGE = {"report.html": b"old page\n", "figures/both.svg": b"old", "figures/old.svg": b"old"}
NEW_PAGE = {"report.html": b"new page\n", "figures/both.svg": b"new", "figures/new.svg": b"new"}
NEW = {"run": {"results.csv": b"new\n"}, "report": NEW_PAGE}
NEW_FILES = {"results.csv": b"new\n", **NEW_PAGE}
WRITTEN = {"run": ["results.csv"], "report": sorted(NEW_PAGE)}


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a run by path, without those of one that is to replace it, the lock and the index."""
    hidden = (".lock", INDEX)
    files = [p.relative_to(folder) for p in folder.rglob("*") if p.is_file() and p.name not in hidden]
    return {p.as_posix(): (folder / p).read_bytes() for p in files if p.parts[0] != ".next"}


def indexed(folder: Path) -> dict[str, list[str]]:
    """What the index of a folder says."""
    index: dict[str, list[str]] = json.loads((folder / INDEX).read_bytes())
    return index


def digests(files: dict[str, bytes]) -> dict[str, list[str]]:
    """What an index says of these files."""
    return {name: [hashlib.sha256(data).hexdigest()] for name, data in files.items()}


def test_the_files_of_a_finished_run(tmp_path: Path) -> None:
    finished(tmp_path, record("1"))
    assert indexed(tmp_path) == digests({"results.csv": b"old\n", **OLD_PAGE})
    assert sorted(contents(tmp_path)) == [
        "config.json", "figures/both.svg", "figures/old.svg", "records.jsonl", "report.html", "results.csv",
    ]  # fmt: skip


@pytest.mark.parametrize("cut", range(1, 30))
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
        (b"[1]", "Expected `object`, got `array`"),
        (b'{"key": "1"', "truncated"),
        (b'{"key": "1", "treebank": "\xff"}', "utf-8"),
        (b'{"key": "1", "treebank": "UD_X"}', "missing required field `setting`"),
        (b'{"key": "1", "treebank": "UD_X", "setting": "a", "seed": 2.5}', "Expected `int`, got `float`"),
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


def test_splits_of_an_earlier_version_are_read_by_their_present_name(tmp_path: Path) -> None:
    earlier = {"treebanks": [{"missing_train": "error"}], "options": {"data": {"missing_train": "split"}}}
    path = tmp_path / "config.json"
    shares = {"data": {"missing_train": "60:20:20"}}
    path.write_bytes(as_json_bytes(config(arguments=earlier, options=shares) | {"format": EARLIER}))
    found = read_config(path)
    assert found["options"] == {"data": {"splits": "60:20:20"}}
    assert found["arguments"]["treebanks"] == [{"splits": "released"}]
    assert found["arguments"]["options"] == {"data": {"splits": "cut"}}


def test_failed_cells_are_not_done(tmp_path: Path) -> None:
    unfinished(tmp_path, record("1"), record("2", failed="why"))
    assert keys(resumed(tmp_path)) == ["1"]


def test_an_unfinished_run_is_refused_with_a_hint(tmp_path: Path) -> None:
    unfinished(tmp_path, record("1"))
    before = contents(tmp_path)
    with pytest.raises(InputError, match="holds an unfinished run; continue it with `resume=True`"):
        RunFolder(tmp_path).begin(config(), resume=False)
    assert contents(tmp_path) == before


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
            {"treebanks": [{**config()["treebanks"][0], "sha256": {"x-ud-train.conllu": "01"}}]},
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
    more = config()
    more["treebanks"] = [*more["treebanks"], {"label": "UD_Y@1.3", "name": "UD_Y", "sha256": {}}]
    assert keys(resumed(tmp_path, more)) == ["1"]
    assert json.loads((tmp_path / "config.json").read_bytes()) == more


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
        "config.json": as_json_bytes(config(finished=WRITTEN)),
        "records.jsonl": encode(record("new")),
        **NEW_FILES,
    }
    assert not (tmp_path / ".next").exists()


@pytest.mark.parametrize("changes", [{"arguments": {"seeds": 2}}, {"treebanks": []}])
def test_a_finished_run_is_not_replaced_by_another(tmp_path: Path, changes: dict[str, Any]) -> None:
    finished(tmp_path, record("old"))
    before = contents(tmp_path)
    with pytest.raises(
        InputError, match=r"holds a finished run.*; use `force=True` to replace it, or another"
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
    done.extend({**extended, "finished": WRITTEN})
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


def test_figures_of_the_old_run_do_not_stay(tmp_path: Path) -> None:
    finished(tmp_path, record("old"))
    run = RunFolder(tmp_path)
    run.begin(config(), resume=False, force=True)
    run.complete({"run": {"results.csv": b"new\n"}})
    assert not (tmp_path / "figures").exists()


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
        "config.json": as_json_bytes(config(finished={**WRITTEN, "joint": ["joint.json"]}, **replacing)),
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


def test_a_run_may_be_continued_with_other_versions(tmp_path: Path) -> None:
    """What a version changes shows when the run is checked again; its arguments and data are the same."""
    unfinished(tmp_path, record("1"))
    assert keys(resumed(tmp_path, config(versions={"numpy": "9"}))) == ["1"]


def test_a_study_asked_with_other_options_of_its_outcome_is_finished_anew(tmp_path: Path) -> None:
    finished(tmp_path, record("1"))
    wanted = config(studies={"run": {"every": True}}, command_line="learnability doubts --all")
    run = RunFolder(tmp_path)
    run.begin(wanted, resume=False)
    assert keys(run) == ["1"]
    assert not is_finished(tmp_path)
    assert read_config(tmp_path / "config.json")["command_line"] == wanted["command_line"]
    run.complete(NEW)
    RunFolder(tmp_path).begin({**wanted, "command_line": "learnability doubts --all --jobs 2"}, resume=False)
    assert read_config(tmp_path / "config.json")["command_line"] == wanted["command_line"]


def test_a_run_is_finished_when_all_its_studies_are(tmp_path: Path) -> None:
    run = finished(tmp_path, record("1"))
    assert is_finished(tmp_path)
    before = contents(tmp_path)
    done = json.loads(before["config.json"])
    run.extend({**done, "studies": {"run": {}, "joint": {}}})
    assert not is_finished(tmp_path)
    assert has_outputs(tmp_path)
    assert {name: data for name, data in contents(tmp_path).items() if name != "config.json"} == {
        name: data for name, data in before.items() if name != "config.json"
    }
    run.complete({"run": {"results.csv": b"old\n"}, "joint": {"joint.json": b"{}"}, "report": OLD_PAGE})
    assert is_finished(tmp_path)
    assert json.loads(contents(tmp_path)["config.json"])["finished"]["joint"] == ["joint.json"]


def test_a_run_that_is_extended_loses_the_line_that_a_kill_left_unfinished(tmp_path: Path) -> None:
    run = finished(tmp_path, record("1"))
    whole = run.records.read_bytes()
    run.records.write_bytes(whole + encode(record("2"))[:-3])
    run.extend(config(studies={"run": {}, "joint": {}}))
    assert run.records.read_bytes() == whole


def test_a_study_that_failed_leaves_the_run_unfinished(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    run.begin(config(studies={"run": {}, "joint": {}}), resume=False)
    run.complete({"run": {"results.csv": b"old\n"}})
    assert not is_finished(tmp_path)
    with pytest.raises(InputError, match="holds an unfinished run"):
        RunFolder(tmp_path).check(resume=False)


def test_a_run_of_another_format_can_be_replaced_only(tmp_path: Path) -> None:
    older = {**config(), "format": 1, "versions": {"learnability": "0.1.0"}}
    older["arguments"] = {"command": "run", "treebank": {"treebank": "UD_X"}, "conditions": ["case"]}
    (tmp_path / "config.json").write_bytes(as_json_bytes(older))
    said = (
        r"holds a run of learnability 0\.1\.0, whose records have another format; make it again: "
        r"learnability run --treebank UD_X --transform case --out ANOTHER"
    )
    with pytest.raises(InputError, match=said):
        RunFolder(tmp_path).begin(config(), resume=True)
    run = RunFolder(tmp_path)
    run.begin(config(), resume=False, force=True)
    run.complete(NEW)
    assert contents(tmp_path) == {"config.json": as_json_bytes(config(finished=WRITTEN)), **NEW_FILES}


HOLD = """
import sys, time
from pathlib import Path
from learnability.running.earlier_format import EARLIER
from learnability.running.folder import RunFolder
with RunFolder(Path(sys.argv[1])).lock_folder():
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_refused_while_the_first_lives_and_a_killed_one_blocks_nobody(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": SOURCE},
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"locked\n"
        with (
            pytest.raises(InputError, match=r"another command is writing to .*; wait until it ends"),
            RunFolder(tmp_path).lock_folder(),
        ):
            pass
        first.send_signal(signal.SIGKILL)
        first.wait()
    with RunFolder(tmp_path).lock_folder():
        pass


@pytest.mark.parametrize("place", ["file/run", "file"])
def test_an_unwritable_folder_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    message = r"cannot be written \(.+\); choose another `out`"
    with pytest.raises(InputError, match=message), RunFolder(tmp_path / place).lock_folder():
        pass


FILL = """
import resource, signal, sys
from pathlib import Path
from learnability.errors import RunError
from learnability.running.earlier_format import EARLIER
from learnability.running.folder import RunFolder
run = RunFolder(Path(sys.argv[1]))
run.work = run.folder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = (run.work / "records.jsonl").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))
try:
    run.append(b"x" * 1000)
except RunError as error:
    print(error)
"""


def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    run = unfinished(tmp_path, record("1"))
    before = (tmp_path / "records.jsonl").read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert "cannot be written (file too large); all finished trainings are kept" in done.stdout
    assert (tmp_path / "records.jsonl").read_bytes() == before
    assert records(run) == [record("1")]


def test_appending_fails_with_one_line(tmp_path: Path) -> None:
    run = unfinished(tmp_path)
    run.work = tmp_path / "gone"
    with pytest.raises(RunError, match=r"no such file or directory.*`resume=True`"):
        run.append(encode(record("1")))


def fail_in(folder: RunFolder, error: Exception, *lines: Record) -> None:
    """A run that begins, writes so many records and fails."""
    with folder.lock_folder():
        (folder.folder / "config.json").write_text("{}")
        for one in lines:
            folder.append(encode(one))
        raise error


def test_a_run_that_fails_before_its_first_record_leaves_nothing(tmp_path: Path) -> None:
    """The corrected command must not be told of an unfinished run."""
    with pytest.raises(InputError, match="no scheduler"):
        fail_in(RunFolder(tmp_path / "new"), InputError("no scheduler answers"))
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine.txt").write_text("kept")
    with pytest.raises(InputError, match="no scheduler"):
        fail_in(RunFolder(tmp_path / "old"), InputError("no scheduler answers"))
    assert (tmp_path / "old" / "mine.txt").read_text() == "kept"
    assert not (tmp_path / "old" / "config.json").exists()


def test_a_run_that_fails_after_a_record_keeps_it(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="worker"):
        fail_in(RunFolder(tmp_path / "new"), RuntimeError("worker"), record("a"))
    assert (tmp_path / "new" / "config.json").exists()
    assert (tmp_path / "new" / "records.jsonl").read_bytes() == encode(record("a"))


def test_temporary_files_of_a_killed_run_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for place in (".", "figures", ".next/figures"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        for name in (".det.svg.0a1b2c3d.tmp", "det.svg", ".mine.tmp"):
            (tmp_path / place / name).write_bytes(b"")
    with RunFolder(tmp_path).lock_folder():
        pass
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {".lock", "det.svg", ".mine.tmp"}


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
