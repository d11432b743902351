"""Manage a run's folder: configuration, records, and the lock of its writer (docs/rules.md, Files of a run).

`records.jsonl` gets one line per finished cell, appended and flushed; it is the source of everything else.
A line that a killed run left unfinished is cut off before the next is appended. The lock is the operating
system's, so a killed run blocks no other. `config.json` holds the request and the files that each study
has written: a run is finished when all its studies have written theirs.

A finished run is replaced with `--force` only. The new run works in the subfolder `.next`, which replaces the
old files when it is complete. If that is interrupted, the next program that opens the folder completes it.

A file that a user has changed since it was written is replaced with `--force` only, too (`support.written`).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from learnability.errors import InputError, RunError
from learnability.running.config import RunConfig, TreebankDesign, as_json_bytes, read_config
from learnability.support.files import missing_folders, remove_empty, remove_temporary, write_atomically
from learnability.support.nouns import count_noun
from learnability.support.signals import cleaned_up
from learnability.support.written import WrittenFiles

CONFIG, RECORDS = "config.json", "records.jsonl"
NEXT = ".next"
LOCK = ".lock"

Outputs = Mapping[str, Mapping[str, bytes]]
"""The files that each study writes, by its name and theirs."""


class RunFolder:
    """Represent a folder that holds a run, finished or not; `work`: where it writes until it completes, the
    same folder or its subfolder `.next`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder
        self._force = False
        self._config: RunConfig | None = None

    @property
    def records(self) -> Path:
        return self.work / RECORDS

    @property
    def config(self) -> RunConfig:
        """Return what config.json says of this run; it is read only where this process has not written it."""
        if self._config is None:
            self._config = read_config(self.work / CONFIG)
        return self._config

    def _write_config(self, config: RunConfig) -> None:
        write_atomically(self.work / CONFIG, config.as_bytes())
        self._config = config.through_json()

    @contextmanager
    def lock_folder(self) -> Iterator[None]:
        """Hold the folder's lock; InputError if another run holds it, or the folder cannot be written."""
        new = missing_folders(self.folder.absolute())
        empty = bool(new) or not (self.folder / CONFIG).exists()
        lock = FileLock(self.folder / LOCK, timeout=0)
        with InputError.explain(f"{self.folder} cannot be written", "choose another `out`"):
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout:
                raise InputError(f"another command is writing to {self.folder}; wait until it ends") from None
            for work_folder in (self.folder, self.folder / NEXT):
                remove_temporary(work_folder)
                for below in work_folder.iterdir() if work_folder.exists() else ():
                    if below.is_dir() and below.name != NEXT:
                        remove_temporary(below)

        def leave_no_trace() -> None:
            """Remove a folder in which nothing was computed, so that the next command can use it."""
            if not empty or (self.folder / RECORDS).exists():
                return
            with suppress(OSError):
                (self.folder / CONFIG).unlink(missing_ok=True)
                if new:
                    (self.folder / LOCK).unlink(missing_ok=True)
                    remove_empty(new)

        try:
            with cleaned_up(leave_no_trace):
                yield
        except BaseException:
            leave_no_trace()
            raise
        finally:
            lock.release()

    def check(self, *, resume: bool, force: bool = False) -> None:
        """Refuse, before anything is computed, what :meth:`begin` would refuse whatever the configuration is:
        an unfinished run without `resume` or `force`, files that no run has left, files that a user has
        changed."""
        self._finish_replacement()
        self._check_state(resume=resume, force=force)

    def _check_state(self, *, resume: bool, force: bool) -> None:
        if self._find_unfinished() is not None and not (resume or force):
            raise InputError(
                f"{self.folder} holds an unfinished run; continue it with `resume=True`, start anew with "
                "`force=True`, or choose another `out`"
            )
        if (self.folder / RECORDS).exists() and not (self.folder / CONFIG).exists():
            raise InputError(f"{self.folder} holds {RECORDS} but no {CONFIG}; choose another `out`")
        if not force:
            self.check_files()

    def check_files(self) -> None:
        WrittenFiles(self.folder).check()

    def begin(self, config: RunConfig, *, resume: bool, force: bool = False) -> None:
        """Make the folder ready for a run with this configuration, of which what was computed is kept without
        `force`; InputError as of :meth:`check`, or if the run here has other arguments or data."""
        self.check(resume=resume, force=force)
        self._force = force
        before = self.check_config(config, resume=resume, force=force)
        if before is None:
            finished = is_finished(self.folder)
            # the files of studies are replaced also where another study of the run was never finished
            self.work = self.folder / NEXT if finished or _list_written(self.folder) else self.folder
            with self._explain_errors():
                self.work.mkdir(exist_ok=True)
                self.records.unlink(missing_ok=True)
            self._write_config(config)
            return
        self.work, self._config = self._find_unfinished() or self.folder, before
        self.extend(_continue_config(before, config.through_json()))

    def check_config(self, config: RunConfig, *, resume: bool, force: bool = False) -> RunConfig | None:
        """Refuse a run with this configuration where :meth:`begin` would, without writing anything; return
        the configuration of the run that goes on, None if a new one begins."""
        self._check_state(resume=resume, force=force)
        work_folder = self.find_continued(force=force)
        if work_folder is None:
            return None
        path = work_folder / CONFIG
        before, now = read_config(path), config.through_json()
        if not resume and _adds_seeds(before.arguments, now.arguments):
            seeds = before.arguments["options"]["seeds"]
            raise InputError(
                f"{self.folder} holds a finished run with {count_noun(seeds, 'seed')}; use `resume=True` to "
                "add more, or another `out`"
            )
        if not resume and not _same_run(before, now):
            what = f" of another command or of other data (see {CONFIG})"
            if before.arguments == now.arguments:
                what = " of files that have changed since"
            raise InputError(
                f"{self.folder} holds a finished run{what}; use `force=True` to replace it, or another `out`"
            )
        self._check_same(before, now, path)
        return before

    def find_continued(self, *, force: bool = False) -> Path | None:
        """Return the folder of the run that :meth:`begin` goes on with; None if it begins a new one."""
        if force:
            return None
        return self._find_unfinished() or (self.folder if is_finished(self.folder) else None)

    def extend(self, config: RunConfig) -> None:
        """Make the folder ready for what has been added to the run that it holds: a study, seeds, treebanks.

        Files that no study in the configuration has written any more are removed: they are of other
        options.
        """
        if not self._force:
            self.check_files()
        before = self.config
        with self._explain_errors():
            WrittenFiles(self.work).remove(before.outputs - config.outputs)
        if before != config:
            self._write_config(config)
        self._cut_off_unfinished_line()

    def _cut_off_unfinished_line(self) -> None:
        if self.records.exists():  # a killed run may have left its last line unfinished
            data = self.records.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                write_atomically(self.records, whole)

    def _find_unfinished(self) -> Path | None:
        for work_folder in (self.folder / NEXT, self.folder):
            if (work_folder / CONFIG).exists() and not is_finished(work_folder):
                return work_folder
        return None

    def _check_same(self, before: RunConfig, now: RunConfig, path: Path) -> None:
        for changed in changed_definitions(before, now):
            raise InputError(
                f"{changed} has changed since the run in {self.folder} was started; restore its file, start "
                "anew with `force=True`, or choose another `out`"
            )
        if before.arguments != now.arguments and not _adds_seeds(before.arguments, now.arguments):
            names = ", ".join(_find_differing(before.arguments, now.arguments))
            raise InputError(
                f"the run in {self.folder} was started with other arguments ({names}; see {path}); "
                "repeat the same command, start anew with `force=True`, or choose another `out`"
            )
        found = {treebank.label: treebank for treebank in now.treebanks}
        for treebank in before.treebanks:  # one that can no longer be read is not what it was, either
            again = found.get(treebank.label)
            if again is None or not again.is_same(treebank):
                raise InputError(
                    f"the files of {treebank.label} have changed since the run in "
                    f"{self.folder} was started "
                    f"(see {path}); restore them, start anew with `force=True`, or choose another `out`"
                )

    def append(self, line: bytes) -> None:
        with self._explain_errors(), open(self.records, "ab", buffering=0) as file:
            before = file.tell()
            try:
                written = 0
                while written < len(line):
                    written += file.write(line[written:])
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise

    def complete(self, outputs: Outputs, **entries: Any) -> None:
        """Write the files of the studies in place of those of a finished run that was here before.

        config.json comes last, because it says that the run is finished; `entries` are what is known now for
        it. InputError if a file is a user's (unless begun with `force`), RunError if one cannot be
        written.
        """
        before = self.config
        config = replace(
            before, **entries, finished={study: sorted(files) for study, files in outputs.items()}
        )
        files = {name: data for of_study in outputs.values() for name, data in of_study.items()}
        try:
            with self._explain_errors():
                WrittenFiles(self.work).write(files, before.outputs, replace=self._force)
        except InputError as error:
            raise InputError(f"{error}; all finished trainings are kept") from None
        self._write_config(config)
        self._finish_replacement()
        self.work = self.folder

    def _finish_replacement(self) -> None:
        following = self.folder / NEXT
        if not is_finished(following):
            return
        with self._explain_errors():
            new = read_config(following / CONFIG)
            for path in sorted(self.folder.iterdir()):
                if path.name in _list_written(self.folder) - _list_written(following):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            unfinished = replace(new, finished={})
            write_atomically(self.folder / CONFIG, unfinished.as_bytes())
            for path in sorted(following.iterdir(), key=lambda path: path.name == CONFIG):
                target = self.folder / path.name
                if target.is_dir():
                    shutil.rmtree(target)
                os.replace(path, target)
            following.rmdir()

    def _explain_errors(self) -> AbstractContextManager[None]:
        advice = "all finished trainings are kept; continue with `resume=True`"
        return RunError.explain(f"{self.folder} cannot be written", advice)


def is_finished(folder: Path) -> bool:
    """Return whether a folder holds a run all of whose studies have written their files."""
    if not (folder / CONFIG).exists():
        return False
    try:
        return read_config(folder / CONFIG).is_finished
    except InputError:  # of another format: it can be replaced, not continued
        return True


def has_outputs(folder: Path) -> bool:
    return (folder / CONFIG).exists() and bool(read_config(folder / CONFIG).finished)


def _list_written(folder: Path) -> set[str]:
    try:
        config = read_config(folder / CONFIG)
    except (InputError, FileNotFoundError):
        return set()
    return {name.partition("/")[0] for name in config.outputs}


def _same_run(before: RunConfig, now: RunConfig) -> bool:
    if before.arguments != now.arguments or len(before.treebanks) != len(now.treebanks):
        return False
    return all(map(TreebankDesign.is_same, before.treebanks, now.treebanks))


DEFINITIONS = {"schemes": "scheme", "parser_files": "parser"}
"""The arguments that hold what the files of schemes and parsers stand for, and what each describes."""


def changed_definitions(before: RunConfig, now: RunConfig) -> Iterator[str]:
    for definitions, kind in DEFINITIONS.items():
        defined_now = now.arguments.get(definitions, {})
        for name, stands_for in before.arguments.get(definitions, {}).items():
            if defined_now.get(name, stands_for) != stands_for:
                yield f"the {kind} {name}"


def _find_differing(before: Any, now: Any, name: str = "") -> list[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        parts = [(key, before.get(key), now.get(key)) for key in sorted(before.keys() | now.keys())]
    elif name == "treebanks" and len(before) == len(now):
        parts = [(name, *both) for both in zip(before, now, strict=True)]
    else:
        return [] if before == now else [name]
    names = [differing for key, old, new in parts for differing in _find_differing(old, new, key)]
    return list(dict.fromkeys(names))


def _adds_seeds(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    of_run, wanted = before.get("options", {}), now.get("options", {})
    if of_run.get("seeds", 0) >= wanted.get("seeds", 0):
        return False
    return bool({**before, "options": {**of_run, "seeds": wanted["seeds"]}} == now)


def _continue_config(before: RunConfig, now: RunConfig) -> RunConfig:
    """Return the configuration of a run that goes on, with the seeds, studies and treebanks that are new. A
    study with other options is not finished, and the command that asked for them is that of the run."""
    studies = {**before.studies, **now.studies}
    compares = before.compares or now.compares
    if _adds_seeds(before.arguments, now.arguments):
        return replace(now, studies=studies, compares=compares)
    finished = {
        name: files
        for name, files in before.finished.items()
        if studies.get(name) == before.studies.get(name)
    }
    return replace(
        before,
        command_line=before.command_line if studies == before.studies else now.command_line,
        studies=studies,
        treebanks=now.treebanks,
        train_tokens=now.train_tokens,
        compares=compares,
        finished=finished,
    )


def free_folder(folder: Path, arguments: Mapping[str, Any], *, resume: bool = False) -> Path:
    """Return where a run goes that was given no folder.

    That is `folder`, or one with a number at its end where it holds a run with other arguments:
    ``runs/UD_Irish-2``. A run that is resumed may have got more seeds.
    """
    wanted, work_folder, number = json.loads(as_json_bytes(arguments)), folder, 1
    while configs := [path for path in (work_folder / NEXT / CONFIG, work_folder / CONFIG) if path.exists()]:
        try:
            before = read_config(configs[0])
            if before.arguments == wanted or (resume and _adds_seeds(before.arguments, wanted)):
                break
        except InputError:  # of another format, or something else: left alone
            pass
        number += 1
        work_folder = folder.with_name(f"{folder.name}-{number}")
    return work_folder
