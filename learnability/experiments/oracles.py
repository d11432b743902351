"""Running the experiments on dynamic oracles: trainings in parallel, records as they finish, none twice.

What is compared is planned in `oracle_plan`, what comes out is computed in `oracle_tables`.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from learnability.errors import RunError
from learnability.experiments.data import load, ready_for
from learnability.experiments.options import DataOptions, OracleOptions
from learnability.experiments.oracle_plan import (
    OracleCell,
    OraclePlan,
    make_oracle_plan,
    parser_options,
    settings_of,
)
from learnability.experiments.oracle_tables import (
    AVERAGES,
    Row,
    average_rows,
    averages_csv,
    oracle_rows,
    rows_csv,
)
from learnability.experiments.plan import label
from learnability.experiments.progress import Silence, Stages, kernels_stage
from learnability.experiments.records import RESULTS, Record, RunFolder
from learnability.parsing.parser import train_parser
from learnability.parsing.warm_up import warm_up_parser
from learnability.treebanks.conllu_io import reading_seconds
from learnability.treebanks.labels import PUNCT, universal
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class OracleOutcome:
    """A run that has tried everything: rows per treebank, averages, the failed trainings, and its folder."""

    plan: OraclePlan
    rows: list[Row]
    averages: list[Row]
    failed: list[Record]
    folder: Path


@dataclass(frozen=True, eq=False)
class OracleData:
    """One fold as a system trains on it: training trees, lifted for a projective one, and test trees."""

    train: tuple[Tree, ...]
    test: tuple[Tree, ...]
    nonprojective: int


@lru_cache(maxsize=2)
def prepare_oracle_data(files: TreebankFiles, data: DataOptions, fold: int, system: str) -> OracleData:
    """Read and lift one fold; test trees stay as they are. Raises InputError for malformed files."""
    treebank = load(files, data)[fold]
    ready, count = ready_for(tuple(s.tree for s in treebank.train), system, "lift")
    return OracleData(ready, tuple(s.tree for s in treebank.test), count)


def run_oracle_cell(files: TreebankFiles, options: OracleOptions, cell: OracleCell) -> Record:
    """Train and test one parser; its record (JSON-serialisable), with counts per test sentence."""
    began = time.perf_counter()
    data = prepare_oracle_data(files, options.data, cell.fold, cell.setting.system)
    trained = train_parser(data.train, parser_options(options, cell.setting, cell.seed))
    parsed = trained.parser.parse(data.test)
    return {
        **_name(files, cell),
        "iterations": trained.iterations,
        "train_sentences": len(data.train),
        "train_tokens": sum(map(len, data.train)),
        "nonprojective_train": data.nonprojective,
        **sentence_counts(data.test, parsed, labelled=options.labelled),
        "forced": trained.forced,
        "features": trained.features,
        "kernel_seconds": round(trained.seconds, 4),
        "trained_tokens": sum(map(len, data.train)) * trained.iterations,
        "wall_seconds": round(time.perf_counter() - began, 3),
    }


def sentence_counts(gold: Sequence[Tree], parsed: Sequence[Tree], *, labelled: bool) -> dict[str, list[int]]:
    """Per sentence the correct tokens of every score, and the tokens they are out of.

    A list of one number per sentence under each name: `uas` and `las` are out of `tokens`,
    `uas_without_punctuation` and `las_without_punctuation` out of `words`, the tokens that the reference does
    not label `punct`. Labels are compared without their subtypes, as the official scorer does. Without
    `labelled` there is no LAS.
    """
    names = ["tokens", "words", "uas", "uas_without_punctuation"]
    if labelled:
        names += ["las", "las_without_punctuation"]
    counts: dict[str, list[int]] = {name: [] for name in names}
    for reference, parse in zip(gold, parsed, strict=True):
        word = [universal(deprel) not in PUNCT for deprel in reference.deprels]
        head = [a == b for a, b in zip(reference.heads, parse.heads, strict=True)]
        found = {"tokens": len(word), "words": sum(word), "uas": sum(head)}
        found["uas_without_punctuation"] = sum(h and w for h, w in zip(head, word, strict=True))
        if labelled:
            both = [
                h and universal(a) == universal(b)
                for h, a, b in zip(head, reference.deprels, parse.deprels, strict=True)
            ]
            found["las"] = sum(both)
            found["las_without_punctuation"] = sum(b and w for b, w in zip(both, word, strict=True))
        for name in names:
            counts[name].append(found[name])
    return counts


def _name(files: TreebankFiles, cell: OracleCell) -> Record:
    return {
        "key": cell.key,
        "treebank": files.name,
        "release": files.release,
        **asdict(cell.setting),
        "seed": cell.seed,
        "fold": cell.fold,
    }


def oracle_configuration(plan: OraclePlan, arguments: dict[str, Any]) -> Record:
    """What config.json holds: everything needed to repeat the run."""
    from learnability.experiments.runner import LIBRARIES

    return {
        "arguments": arguments,
        "options": asdict(plan.options),
        "treebanks": [
            {
                "label": label(files),
                "name": files.name,
                "release": files.release,
                "folds": facts.folds,
                "split_policy": facts.split_policy,
                "sha256": facts.sha256,
            }
            for files, facts in zip(plan.treebanks, plan.facts, strict=True)
        ],
        "notes": plan.notes(),
        "seeds": list(range(1, plan.options.seeds + 1)),
        "versions": {
            "learnability": _version("learnability"),
            "python": platform.python_version(),
            **{name: _version(name) for name in LIBRARIES},
        },
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def run_oracles(
    treebanks: Sequence[TreebankFiles],
    options: OracleOptions,
    out: Path,
    arguments: dict[str, Any],
    *,
    jobs: int = 1,
    resume: bool = False,
    progress: Stages | None = None,
) -> OracleOutcome:
    """Train what is missing; config.json, records.jsonl, results.csv and averages.csv are written to `out`.

    A training that fails is recorded with its reason and the others go on; `resume` tries it again. The same
    treebanks and options give the same tables, whatever the number of `jobs` and of interruptions.

    Raises:
        InputError: options or treebanks are wrong (:func:`oracle_plan.make_oracle_plan`); the folder is in
            use, unwritable, or holds an unfinished or different run.
        RunError: a worker process died, or the outputs cannot be written.
    """
    settings_of(options)
    stages = progress or Silence()
    folder = RunFolder(out)
    with folder.locked():
        folder.check(resume=resume)
        paths = [path for files in treebanks for _, split in files.splits() for path in split]
        stages.stage(f"reading {len(treebanks)} treebanks", expected=reading_seconds(paths))
        plan = make_oracle_plan(treebanks, options)
        done = folder.begin(oracle_configuration(plan, arguments), resume=resume)
        cells = plan.cells()
        todo = [cell for cell in cells if cell.key not in done]
        seconds = {cell.key: plan.seconds(cell) for cell in todo}
        with closing(_missing(plan, todo, jobs, stages)) as found:
            for record in found:
                folder.append(record)
                done[record["key"]] = record
                name = f"{record['treebank']} {record['system']} {record['oracle']}"
                stages.advance(seconds[record["key"]], what=name, count=f"{len(done)}/{len(cells)}")
        stages.stage("intervals and tests", expected=0.1 * len(plan.settings) * len(plan.treebanks))
        records = [done[cell.key] for cell in cells]
        failed = [record for record in records if "failed" in record]
        rows = oracle_rows(plan, records)
        averages = average_rows(rows)
        if not failed:
            folder.complete({AVERAGES: averages_csv(averages), RESULTS: rows_csv(rows)})
    return OracleOutcome(plan, rows, averages, failed, out)


def _missing(plan: OraclePlan, cells: Sequence[OracleCell], jobs: int, stages: Stages) -> Generator[Record]:
    """The records of the cells as they finish; with one job in order and in this process."""
    if not cells:
        return
    _compile(plan, stages)
    total = sum(map(plan.seconds, cells))
    stages.stage("training", total, expected=total / jobs)
    files = {label(files): files for files in plan.treebanks}
    tasks = [(files[cell.treebank], plan.options, cell) for cell in cells]
    if jobs == 1 or len(tasks) == 1:
        for task in tasks:
            yield _guarded_cell(*task)
        return
    import joblib

    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    try:
        yield from parallel(joblib.delayed(_guarded_cell)(*task) for task in tasks)
    except Exception as error:  # the trainings' own errors are records: this is the pool's
        raise RunError(
            f"a worker process died ({' '.join(str(error).split())[:200]}); what was finished is kept: "
            "continue with --resume, if memory is short with fewer --jobs"
        ) from error


def _guarded_cell(files: TreebankFiles, options: OracleOptions, cell: OracleCell) -> Record:
    """`run_oracle_cell`, with an exception turned into a record."""
    try:
        return run_oracle_cell(files, options, cell)
    except Exception as error:  # a failure of one training must leave the others alone
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        return {**_name(files, cell), "failed": reason}


def _compile(plan: OraclePlan, stages: Stages) -> None:
    """Compile (or load) every kernel the run needs, once, before workers start."""
    for setting in {setting.system: setting for setting in plan.settings}.values():
        with kernels_stage(stages, [setting.system]):
            warm_up_parser(parser_options(plan.options, setting, 1))
