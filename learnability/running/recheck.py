"""A finished run repeated in part, and compared with what it recorded: data, versions, numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.results import Record, decode
from learnability.errors import InputError
from learnability.running.engine import complete
from learnability.running.folder import CONFIG, RECORDS, RunFolder
from learnability.running.plan import Plan
from learnability.running.records import encode, read_records
from learnability.running.runner import experiment_of, make_plan, results_of, run_configuration
from learnability.studies.search.study import fully_grown
from learnability.support.files import write_atomically
from learnability.support.progress import Stages
from learnability.treebanks.locate import TreebankFiles

VOLATILE = ("wall_seconds", "read_seconds", "worker", "peak_memory_mb", "kernel_seconds")
"""What records hold of time and machine, which is never the same twice."""


@dataclass(frozen=True)
class Recheck:
    """How many of a run's cells were repeated, and every difference from what it recorded, in words."""

    cells: int
    repeated: int
    differences: tuple[str, ...]


def stored_options(config: Mapping[str, Any]) -> ExperimentOptions:
    """The options of a run by its config.json; InputError if they are not those of this version."""
    try:
        given = dict(config["options"])
        data = dict(given.pop("data"))
        data["split"] = tuple(data["split"])
        given["judges"] = tuple(given.get("judges", ()))
        return ExperimentOptions.spelled(given.pop("conditions"), **given, data=DataOptions(**data))
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{CONFIG}: its options are not those of this version ({error}); run it again"
        ) from None


def recheck(
    folder: Path,
    config: Mapping[str, Any],
    treebanks: Sequence[TreebankFiles],
    *,
    share: float,
    seed: int,
    jobs: int,
    stages: Stages,
) -> Recheck:
    """Repeat a random share of the cells of a finished run, at least one, from its `treebanks`. The run is
    that in `folder`, with the `config` that is there.

    Compared are: the SHA-256 of the treebanks' files and what schemes stand for (where these differ, nothing
    is repeated); the versions of the package and its libraries; results.csv and what else is made of the
    records, byte by byte; and the records of the repeated cells in all but times and machine. The cells are
    drawn without replacement by `random.Random(seed)`.

    Raises:
        InputError: the run is not one of this version, or the treebanks cannot be used.
    """
    plan = make_plan(treebanks, stored_options(config), jobs=jobs, progress=stages)
    now = run_configuration(plan, {**config["arguments"], "schemes": {}, "judge_files": {}})
    records = read_records(folder / RECORDS, decode)
    if differences := list(_data_differences(config, now)):
        return Recheck(len(records), 0, tuple(differences))
    plan = fully_grown(plan, records)
    cells = plan.cells()
    for name, version in {**config["versions"], **now["versions"]}.items():
        if (before := config["versions"].get(name, "none")) != version:
            differences.append(f"versions: {name} {before} was recorded, {version} is installed")
    missing = [cell.key for cell in cells if cell.key not in records]
    differences += [f"{RECORDS}: has no record of {key}" for key in missing]
    if not missing:
        differences += _output_differences(folder, plan, records)
    chosen = {cell.key for cell in random.Random(seed).sample(cells, max(1, math.ceil(share * len(cells))))}
    with TemporaryDirectory() as work:  # the run as if it had been stopped before these cells
        others = [encode(record) for key, record in records.items() if key not in chosen]
        stopped = RunFolder(Path(work))
        write_atomically(stopped.records, b"".join(others))
        done, failed = complete(experiment_of(plan), stopped, jobs=jobs, cluster=None, stages=stages)
    for record in sorted((*done, *failed), key=lambda record: record.key):
        if record.key in chosen and (what := _difference(records.get(record.key), record)):
            differences.append(f"{record.key}: {what}")
    return Recheck(len(cells), len(chosen), tuple(differences))


def _data_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Files and schemes that are not what they were."""
    own = {treebank["label"]: treebank["sha256"] for treebank in now["treebanks"]}
    for treebank in before["treebanks"]:
        digests = {(Path(path).name, digest) for path, digest in own.get(treebank["label"], {}).items()}
        for path, digest in treebank["sha256"].items():
            if (Path(path).name, digest) not in digests:
                yield f"data: {path} of {treebank['label']} is not the file it was"
    for definitions, what in (("schemes", "scheme"), ("judge_files", "judge")):
        for name, stands_for in before["arguments"].get(definitions, {}).items():
            if now["arguments"][definitions].get(name) != stands_for:
                yield f"data: {name} is not the {what} it was"


def _output_differences(folder: Path, plan: Plan, records: Mapping[str, Record]) -> Iterator[str]:
    """Files that are not what the records give."""
    try:
        outputs = results_of(plan, {cell.key: records[cell.key] for cell in plan.cells()}).outputs()
    except InputError as error:
        yield f"{RECORDS}: gives no results ({error})"
        return
    for name, data in outputs.items():
        if not (folder / name).exists() or (folder / name).read_bytes() != data:
            yield f"{name}: is not what the records give"


def _difference(before: Record | None, now: Record) -> str:
    """The first difference between a record and its repetition, in words; empty if there is none."""
    if before is None:
        return ""  # said already
    if now.failed is not None:
        return f"cannot be repeated ({now.failed})"
    return _first(msgspec.to_builtins(before), msgspec.to_builtins(now))


def _first(before: Any, now: Any, place: str = "") -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        names = [name for name in {**before, **now} if name not in VOLATILE]
        parts = ((before.get(name), now.get(name), f"{place}.{name}" if place else name) for name in names)
    elif isinstance(before, list | tuple) and isinstance(now, list | tuple) and len(before) == len(now):
        parts = ((a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(before, now, strict=True)))
    else:
        same = before == now or (before != before and now != now)  # nan is nan
        return "" if same else f"{place} was recorded as {before}, is {now}"
    return next(filter(None, (_first(*part) for part in parts)), "")
