"""Folders of runs, made by hand: configurations, records, and the files of a finished run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec

from learnability.running.config import RunConfig
from learnability.running.folder import RunFolder
from learnability.running.records import FORMAT, Record, encode, read_records
from learnability.support.written import INDEX


def config(finished: dict[str, list[str]] | None = None, **changes: Any) -> RunConfig:
    """A configuration of a run on one treebank."""
    treebank = {"label": "UD_X@1.3", "name": "UD_X", "sha256": {"x-ud-train.conllu": "00"}}
    values = {
        "format": FORMAT,
        "arguments": {"seeds": 1},
        "options": {},
        "studies": {"run": {}},
        "treebanks": [treebank],
        "pairs": [],
        "parsers": [],
        "versions": {},
        **changes,
        "finished": finished or {},
    }
    return msgspec.convert(values, RunConfig)


def record(key: str, **values: Any) -> Record:
    return Record(**{"key": key, "treebank": "UD_X", "setting": "a", **values})


def records(run: RunFolder) -> list[Record]:
    """The records of a run that is not finished."""
    return list(read_records(run.records).values())


def resumed(folder: Path, own: RunConfig | None = None) -> RunFolder:
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
    hidden = (".lock", INDEX)
    files = [p.relative_to(folder) for p in folder.rglob("*") if p.is_file() and p.name not in hidden]
    return {p.as_posix(): (folder / p).read_bytes() for p in files if p.parts[0] != ".next"}


def indexed(folder: Path) -> dict[str, list[str]]:
    index: dict[str, list[str]] = json.loads((folder / INDEX).read_bytes())
    return index


def digests(files: dict[str, bytes]) -> dict[str, list[str]]:
    return {name: [hashlib.sha256(data).hexdigest()] for name, data in files.items()}
