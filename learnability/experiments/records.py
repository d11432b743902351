"""The folder of a run: its configuration, its records, and who may write to it (design section 11).

`records.jsonl` gets one line per finished cell, appended and flushed; it is the source of everything else.
A line that a killed run left unfinished is cut off before anything is appended. The lock is the operating
system's, so a killed run blocks nobody.

A new run over a finished one works in the subfolder `.next` and replaces the old files when it completes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from learnability.errors import InputError
from learnability.files import write_atomically

CONFIG, RECORDS, RESULTS, REPORT = "config.json", "records.jsonl", "results.csv", "report.html"
NEXT = ".next"
LOCK = ".lock"

Record = dict[str, Any]


class RunFolder:
    """A folder that holds a run, finished or not.

    Attributes:
        folder: the folder given with `--out`.
        work: where this run writes until it completes: `folder`, or its subfolder `.next`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock.

        Raises:
            InputError: another run holds it, or the folder cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / LOCK, timeout=0)
            lock.acquire()
        except Timeout:
            raise InputError(f"{self.folder}: another run is writing here; give another --out") from None
        except OSError as error:
            raise InputError(
                f"{self.folder}: cannot be written ({error.strerror or error}); give another --out"
            ) from None
        try:
            yield
        finally:
            lock.release()

    def begin(self, config: Record, *, resume: bool) -> dict[str, Record]:
        """Make the folder ready for a run with this configuration; the records it already holds, by key.

        Raises:
            InputError: an unfinished run is here and `resume` is off, or it was started otherwise.
        """
        unfinished = self._unfinished()
        if unfinished is None:
            finished = (self.folder / RESULTS).exists()
            if resume and finished:
                unfinished = self.folder
            else:
                self.work = self.folder / NEXT if finished else self.folder
                self.work.mkdir(exist_ok=True)
                (self.work / RECORDS).unlink(missing_ok=True)
                write_atomically(self.work / CONFIG, as_json_bytes(config))
                return {}
        elif not resume:
            raise InputError(
                f"{self.folder}: holds an unfinished run; continue it with --resume, or give another --out"
            )
        self.work = unfinished
        self._check_same(config)
        return {record["key"]: record for record in read_records(self._cut_records()) if "failed" not in record}

    def _unfinished(self) -> Path | None:
        for place in (self.folder / NEXT, self.folder):
            if (place / CONFIG).exists() and not (place / RESULTS).exists():
                return place
        return None

    def _check_same(self, config: Record) -> None:
        before = json.loads((self.work / CONFIG).read_text(encoding="utf-8"))
        for part in ("arguments", "treebanks", "versions"):
            if before.get(part) != json.loads(json.dumps(config[part])):
                raise InputError(
                    f"{self.folder}: was started with other {part} (see {self.work / CONFIG}); "
                    "give the same command, or another --out"
                )

    def _cut_records(self) -> Path:
        """The records file, without the unfinished last line that a killed run may have left."""
        path = self.work / RECORDS
        if path.exists():
            data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                write_atomically(path, whole)
        return path

    def append(self, record: Record) -> None:
        """Add one line to the records, all of it or nothing, and see it to the disk."""
        line = json.dumps(record, ensure_ascii=False, allow_nan=True) + "\n"
        with open(self.work / RECORDS, "ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    def records(self) -> list[Record]:
        """All records of the run so far."""
        return read_records(self.work / RECORDS)

    def complete(self, outputs: dict[str, bytes]) -> None:
        """Put the outputs (by file name) in place; a finished run that was here before is replaced."""
        for name, data in outputs.items():
            if name != RESULTS:
                write_atomically(self.work / name, data)
        if self.work != self.folder:
            # results.csv goes last: only a folder that has it counts as finished
            (self.folder / RESULTS).unlink(missing_ok=True)
            for path in sorted(self.work.iterdir()):
                os.replace(path, self.folder / path.name)
            self.work.rmdir()
            self.work = self.folder
        write_atomically(self.folder / RESULTS, outputs[RESULTS])

    def discard_unfinished(self) -> None:
        """Remove the subfolder of an unfinished run."""
        shutil.rmtree(self.folder / NEXT, ignore_errors=True)


def read_records(path: Path) -> list[Record]:
    """The records of a file; an unfinished last line is ignored, a later record replaces an earlier one.

    Raises:
        InputError: a line is no record.
    """
    if not path.exists():
        return []
    found: dict[str, Record] = {}
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            record = json.loads(line)
            found[record["key"]] = record
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path}:{number}: is no record; remove the line or start anew") from None
    return list(found.values())


def as_json_bytes(value: Any) -> bytes:
    """Readable JSON, the same bytes for the same value."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=True) + "\n").encode()
