"""Repeat a part of a finished run, and compare data, versions and numbers with its records."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError, without_marks
from learnability.evidence.stored_runs import finished_config
from learnability.parsing.parser_options import MOST_SEED
from learnability.running.config import RunConfig
from learnability.running.engine import Completed, complete
from learnability.running.folder import DEFINITIONS, RECORDS, RunFolder, changed_definitions
from learnability.running.records import Record, Records, encode, read_records
from learnability.running.workforce import Workforce
from learnability.studies.declaration import StudyRequest
from learnability.studies.experiment_arguments import treebanks_of
from learnability.studies.run import Run
from learnability.studies.run_config import finished_studies, run_config
from learnability.studies.runner import make_outcome, make_plan, processes, studies_of, workload
from learnability.support.files import write_atomically
from learnability.support.options import check_number, shorten_value
from learnability.support.progress import ProgressSteps

VOLATILE = ("wall_seconds", "read_seconds", "worker", "peak_memory_mb", "kernel_seconds")
"""What records hold of time and machine, which is never the same twice."""


@dataclass(frozen=True)
class Verification:
    """Hold how many of a run's cells were repeated, and every difference from the records, in words."""

    cells: int
    repeated: int
    differences: tuple[str, ...]


def verify_run(
    folder: Path, *, share: float, seed: int, workforce: Workforce, steps: ProgressSteps
) -> Verification:
    """Repeat a random share of the cells of a finished run, at least one.

    Compared are: the SHA-256 of the treebanks' files and what schemes and parsers stand for (where these
    differ, nothing is repeated); the versions of the package and its libraries; the files that are made of
    the records, byte by byte; and the records of the repeated cells in all but times and machine. The cells
    are drawn without replacement by `random.Random(seed)`.

    Args:
        folder: the folder of the run.
        share: the share of the cells, from 0 to 1.
        seed: draws the cells.
        workforce: the processes that compute.
        steps: shows progress.

    Raises:
        InputError: the run is not one of this version, or the treebanks cannot be used.
    """
    check_number(f"`share={shorten_value(share)}`", share, 0.0, 1.0)
    check_number(f"`seed={shorten_value(seed)}`", seed, 0, MOST_SEED)
    config = finished_config(folder)
    requests, options = finished_studies(config), ExperimentOptions.of_config(config)
    run = Run(treebanks=treebanks_of(config, folder), options=options, studies=requests)
    plan = make_plan(run, jobs=workforce.readers, steps=steps)
    now = run_config(plan, requests, _bare(config.arguments))
    records = Records(read_records(folder / RECORDS).values())
    if differences := list(_data_differences(config, now)):
        return Verification(len(records), 0, tuple(differences))
    for name, version in {**config.versions, **now.versions}.items():
        if (before := config.versions.get(name, "none")) != version:
            differences.append(f"versions: {name} {before} was recorded, {version} is installed")
    load = workload(plan, studies_of(plan, requests))
    missing = [cell.key for cell in load.next_cells(records) if cell.key not in records]
    differences += [f"{RECORDS} has no record of {key}" for key in missing]
    if not missing:
        differences += _output_differences(folder, plan, requests, config, records)
    keys = sorted(records)
    chosen = set(random.Random(seed).sample(keys, max(1, math.ceil(share * len(keys)))))
    with TemporaryDirectory() as work:  # the run as if it had been stopped before these cells
        stopped = RunFolder(Path(work))
        others = [encode(record) for key, record in records.items() if key not in chosen]
        write_atomically(stopped.records, b"".join(others))
        load = workload(
            plan, studies_of(plan, requests)
        )  # those above remember records that are left out here
        left = Records(record for key, record in records.items() if key not in chosen)
        jobs = processes(plan, load, workforce, left)
        again = complete(load, stopped, jobs=jobs, cluster=workforce.cluster, steps=steps)
    # a record that no study wants any more (after fewer constructions were asked for) is not computed again
    repeated = [again.records[key] for key in chosen if key in again.records]
    repeated += [record for record in again.failed if record.key in chosen]
    for record in sorted(repeated, key=lambda record: record.key):
        if problem := _difference(records.get(record.key), record):
            differences.append(f"{record.key}: {problem}")
    return Verification(len(keys), len(repeated), tuple(differences))


def _bare(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments without what schemes and parsers stood for then."""
    return {name: value for name, value in arguments.items() if name not in DEFINITIONS}


def _data_differences(before: RunConfig, now: RunConfig) -> Iterator[str]:
    digests_now = {treebank.label: treebank.sha256 for treebank in now.treebanks}
    for treebank in before.treebanks:
        present = digests_now.get(treebank.label, {})
        digests = {(Path(path).name, digest) for path, digest in present.items()}
        for path, digest in treebank.sha256.items():
            if (Path(path).name, digest) not in digests:
                yield f"data: {path} of {treebank.label} has changed since the run"
    for changed in changed_definitions(before, now):
        yield f"data: {changed} has changed since the run"


def _output_differences(
    folder: Path, plan: RunPlan, requests: Sequence[StudyRequest], config: RunConfig, records: Records
) -> Iterator[str]:
    completed = Completed(records, ())
    try:
        _, files = make_outcome(plan, requests, config, folder, completed)
    except InputError as error:
        yield f"no results can be computed from {RECORDS} ({without_marks(error)})"
        return
    for of_study in files.values():
        for name, data in of_study.items():
            if not (folder / name).exists() or (folder / name).read_bytes() != data:
                yield f"{name} differs from the file that the records yield"


def _difference(before: Record | None, now: Record) -> str:
    """Return the first difference between a record and its repetition, in words; empty if there is none."""
    if before is None:
        return ""  # said already
    if now.failed is not None:
        return f"cannot be repeated ({now.failed})"
    return _first(msgspec.json.decode(encode(before)), msgspec.json.decode(encode(now)))


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
