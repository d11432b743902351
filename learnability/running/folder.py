"""A run's folder: its configuration, its records, and who may write to it (docs/rules.md, Files of a run).

`records.jsonl` gets one line per finished cell, appended and flushed; it is the source of everything else.
A line that a killed run left unfinished is cut off before anything is appended. The lock is the operating
system's, so a killed run blocks nobody. A folder with `results.csv` holds a finished run.

A finished run is replaced with `--force` only. The new one works in the subfolder `.next`, which replaces the
old files when it is complete: when it has its own `results.csv`. A replacement that was interrupted is
carried to its end by whoever opens the folder next.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from filelock import FileLock, Timeout

from learnability.errors import InputError, RunError, explained
from learnability.support.files import remove_temporary, write_atomically

CONFIG, RECORDS, RESULTS, REPORT = "config.json", "records.jsonl", "results.csv", "report.html"
SCORES = "scores.csv"
PANEL, JOINT, CURVES, FIGURES = "panel.csv", "joint.json", "learning_curve.json", "figures"
PREDICTIONS = "predictions.csv"
SEARCH, BEST_SCHEME = "search.json", "best.toml"
OPTIONAL = (PANEL, JOINT, CURVES, PREDICTIONS, SEARCH, BEST_SCHEME)
"""The results that not every run has."""
FORMAT = 2
"""The format of config.json and records.jsonl; no other is read. A new optional field does not change it."""
NEXT = ".next"
LOCK = ".lock"


class RunFolder:
    """A folder that holds a run, finished or not: `folder` is that of `--out`, `work` where this run writes
    until it completes, the same or its subfolder `.next`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder

    @property
    def records(self) -> Path:
        """The file of this run's records."""
        return self.work / RECORDS

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; InputError if another run holds it, or the folder cannot be written."""
        created = not self.folder.exists()
        empty = created or not (self.folder / CONFIG).exists()
        lock = FileLock(self.folder / LOCK, timeout=0)
        with explained(f"{self.folder}: cannot be written", "give another --out"):
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise InputError(f"{self.folder}: another run is writing here; give another --out") from None
            for place in (self.folder, self.folder / NEXT):
                remove_temporary(place)
                remove_temporary(place / FIGURES)
        try:
            yield
        except BaseException:
            if empty and not (self.folder / RECORDS).exists():
                # nothing was computed: leave no trace that would stand in the way of the corrected command
                with suppress(OSError):
                    (self.folder / CONFIG).unlink(missing_ok=True)
                    if created:
                        (self.folder / LOCK).unlink(missing_ok=True)
                        self.folder.rmdir()
            raise
        finally:
            lock.release()

    def check(self, *, resume: bool, force: bool = False) -> None:
        """Refuse with an InputError, before anything is computed, what :meth:`begin` would refuse whatever
        the configuration is: an unfinished run without `resume` or `force`, or files without a
        configuration, which no run has left here."""
        self._finish_replacement()
        if self._unfinished() is not None and not (resume or force):
            raise InputError(
                f"{self.folder}: holds an unfinished run; continue it with --resume, start anew with "
                "--force, or give another --out"
            )
        for name in (RECORDS, RESULTS):
            if (self.folder / name).exists() and not (self.folder / CONFIG).exists():
                raise InputError(f"{self.folder}: holds {name} but no {CONFIG}; give another --out")

    def begin(self, config: Mapping[str, Any], *, resume: bool, force: bool = False) -> None:
        """Make the folder ready for a run with this configuration. What was computed of it is kept, unless
        `force` lets it start anew. InputError also if the run here has other arguments, data or versions."""
        self.check(resume=resume, force=force)
        finished = (self.folder / RESULTS).exists()
        unfinished = self._unfinished()
        if force or not (finished or unfinished):
            self.work = self.folder / NEXT if finished else self.folder
            with self._explained():
                self.work.mkdir(exist_ok=True)
                self.records.unlink(missing_ok=True)
            write_atomically(self.work / CONFIG, as_json_bytes(config))
            return
        self.work = unfinished or self.folder
        check_format(read_config(self.work / CONFIG), self.folder)
        if not resume and read_config(self.work / CONFIG) != json.loads(as_json_bytes(config)):
            raise InputError(
                f"{self.folder}: holds a finished run of another command, other data or versions (see "
                f"{CONFIG}); give --force to replace it, or another --out"
            )
        self._check_same(config)
        if self.records.exists():  # a killed run may have left its last line unfinished
            data = self.records.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                write_atomically(self.records, whole)

    def _unfinished(self) -> Path | None:
        places = (self.folder / NEXT, self.folder)
        return next((p for p in places if (p / CONFIG).exists() and not (p / RESULTS).exists()), None)

    def _check_same(self, config: Mapping[str, Any]) -> None:
        """Only the same experiment may be continued; treebanks may join, or become readable."""
        path = self.work / CONFIG
        before = read_config(path)
        now = json.loads(json.dumps(config))
        for part in ("arguments", "versions"):
            if before.get(part) != now[part]:
                raise InputError(
                    f"{self.folder}: was started with other {part} (see {path}); "
                    "give the same command, --force to start anew, or another --out"
                )
        known = {treebank["label"]: treebank for treebank in before["treebanks"]}
        for treebank in now["treebanks"]:
            if known.get(treebank["label"], treebank) != treebank:
                raise InputError(
                    f"{self.folder}: the files of {treebank['label']} have changed since the run was started "
                    f"(see {path}); restore them, give --force to start anew, or another --out"
                )
        if before != now:
            write_atomically(path, as_json_bytes(config))

    def append(self, line: bytes) -> None:
        """Add one line to the records, all of it or nothing, and see it to the disk; RunError if that
        fails."""
        with self._explained(), open(self.records, "ab", buffering=0) as file:
            before = file.tell()
            try:
                written = 0
                while written < len(line):
                    written += file.write(line[written:])
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise

    def complete(self, outputs: Mapping[str, bytes]) -> None:
        """Put the outputs (by path in the folder) in place of a finished run that was here before:
        results.csv last, because only a folder that has it counts as finished."""
        for name in sorted(outputs, key=lambda name: name == RESULTS):
            with self._explained():
                (self.work / name).parent.mkdir(exist_ok=True)
            write_atomically(self.work / name, outputs[name])
        self._finish_replacement()
        self.work = self.folder

    def _finish_replacement(self) -> None:
        """Move a complete run from `.next` over the old one, which stops being finished first."""
        following = self.folder / NEXT
        if not (following / RESULTS).exists():
            return
        with self._explained():
            if (following / CONFIG).exists():  # nothing was moved yet
                for name in (RESULTS, *OPTIONAL):
                    (self.folder / name).unlink(missing_ok=True)
                if (self.folder / FIGURES).exists():
                    shutil.rmtree(self.folder / FIGURES)
            first_and_last = {CONFIG: 0, RESULTS: 2}
            for path in sorted(following.iterdir(), key=lambda path: first_and_last.get(path.name, 1)):
                os.replace(path, self.folder / path.name)
            following.rmdir()

    def _explained(self) -> AbstractContextManager[None]:
        advice = "all that was computed is kept, continue with --resume"
        return explained(f"{self.folder}: cannot be written", advice, RunError)


def free_folder(folder: Path, arguments: Mapping[str, Any]) -> Path:
    """Where a run goes that was given no folder: to `folder`, or with a number at its end where that holds a
    run with other arguments: ``runs/UD_Irish-2``."""
    own, place, number = json.loads(as_json_bytes(arguments)), folder, 1
    while configs := [path for path in (place / NEXT / CONFIG, place / CONFIG) if path.exists()]:
        if read_config(configs[0])["arguments"] == own:
            break
        number += 1
        place = folder.with_name(f"{folder.name}-{number}")
    return place


class _Treebank(msgspec.Struct):
    """What is read again of a treebank."""

    label: str
    split_policy: str = ""
    sha256: dict[str, str] = {}
    folds: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class _Options(msgspec.Struct):
    """Of the options only what is more than a value to be shown."""

    conditions: list[str] = []


class _Config(msgspec.Struct):
    """What config.json has at least."""

    arguments: dict[str, Any]
    options: _Options
    treebanks: list[_Treebank]
    versions: dict[str, str]
    seeds: list[int] = []


def read_config(path: Path) -> dict[str, Any]:
    """A run's config.json; InputError if it is something else."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        msgspec.convert(config, _Config)
        return dict(config)
    except (ValueError, RecursionError):
        pass
    raise InputError(f"{path}: is not the configuration of a run; give another folder")


def check_format(config: Mapping[str, Any], folder: Path) -> None:
    """Refuse a run of another format than :data:`FORMAT` with an InputError."""
    if (found := config.get("format", 1)) != FORMAT:
        raise InputError(
            f"{folder}: was recorded in format {found}, this version reads format {FORMAT}; give its command "
            f"again with --force (its {CONFIG} has the arguments)"
        )


def as_json_bytes(value: Any) -> bytes:
    """Readable JSON, the same bytes for the same value."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=True) + "\n").encode()
