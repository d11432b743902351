"""Running a plan: cells in parallel, records as they finish, nothing computed twice."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.experiments.cells import run_cell
from learnability.experiments.data import load, transformation_of
from learnability.experiments.plan import Cell, ExperimentOptions, Plan
from learnability.experiments.records import RECORDS, REPORT, RESULTS, Record, RunFolder
from learnability.experiments.results import Row, result_rows, results_csv
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions, Tree

LIBRARIES = ("numpy", "numba", "scipy", "nltk", "conllu", "joblib")

Progress = Callable[[int, int, Record], None]
"""Called after each cell with the cells done, all cells, and the cell's record."""


@dataclass(frozen=True)
class Outcome:
    """A finished run: its rows, its failed cells, and the folder it is in."""

    rows: list[Row]
    failed: list[Record]
    folder: Path


def make_plan(treebanks: Sequence[TreebankFiles], options: ExperimentOptions) -> Plan:
    """Read the treebanks and check the options.

    Raises:
        InputError: malformed treebanks, missing splits, unknown conditions or parser options.
    """
    for condition in options.conditions:
        transformation_of(condition, Conventions())
    if options.seeds < 1:
        raise InputError(f"--seeds {options.seeds}: give at least 1")
    parser = ParserOptions(system=options.system, oracle=options.oracle, tags=options.tags)
    parser.regime()
    folds = []
    for files in treebanks:
        loaded = load(files, options.data)
        if not all(fold.train and fold.test for fold in loaded):
            raise InputError(f"{files.name}: a fold has no training or no test sentences")
        folds.append(len(loaded))
    return Plan(tuple(treebanks), options, tuple(folds))


def configuration(plan: Plan, arguments: dict[str, Any]) -> dict[str, Any]:
    """What config.json holds: everything needed to repeat the run."""
    return {
        "arguments": arguments,
        "options": plan.options.as_json(),
        "treebanks": [
            {
                "name": files.name,
                "release": files.release,
                "folds": plan.folds[t],
                "split_policy": load(files, plan.options.data)[0].split_policy,
                "sha256": load(files, plan.options.data)[0].files,
            }
            for t, files in enumerate(plan.treebanks)
        ],
        "seeds": list(range(1, plan.options.seeds + 1)),
        "versions": {
            "learnability": version("learnability"),
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
    }


def run_plan(
    plan: Plan,
    out: Path,
    arguments: dict[str, Any],
    *,
    jobs: int = 1,
    resume: bool = False,
    progress: Progress | None = None,
    report: Callable[[list[Row], list[Record], dict[str, Any]], bytes] | None = None,
) -> Outcome:
    """Run what is missing of the plan and write the outputs of design section 11 to `out`.

    A cell that fails is recorded with its reason and the others go on. `report` makes report.html from
    rows, records and configuration.

    Raises:
        InputError: the folder is in use, unwritable, or holds an unfinished or different run.
    """
    folder = RunFolder(out)
    with folder.locked():
        config = configuration(plan, arguments)
        done = folder.begin(config, resume=resume)
        total = len(plan.cells())
        finished = sum(cell.key in done for cell in plan.cells())
        if finished < total:
            warm_up(plan.options)
        for phase in (plan.first_phase(), plan.second_phase()):
            todo = [cell for cell in phase if cell.key not in done]
            for record in _run_cells(plan, todo, done, jobs):
                folder.append(record)
                done[record["key"]] = record
                finished += 1
                if progress is not None:
                    progress(finished, total, record)
        records = folder.records()
        rows = result_rows(plan, records)
        failed = [record for record in records if "failed" in record]
        if not failed:
            outputs = {RESULTS: results_csv(rows)}
            if report is not None:
                outputs[REPORT] = report(rows, records, config)
            folder.complete(outputs)
    return Outcome(rows, failed, out)


def _run_cells(plan: Plan, cells: Sequence[Cell], done: dict[str, Record], jobs: int) -> Iterator[Record]:
    """The records of the cells as they finish; with one job in order and in this process."""
    import joblib

    tasks = []
    for cell in cells:
        iterations = None
        if cell.setting == "c":
            a = done.get(Cell(cell.treebank, "a", "", cell.seed, cell.fold).key)
            if a is None or "failed" in a:
                yield _failure(cell, "setting (a) of the same seed failed")
                continue
            iterations = a["iterations"]
        tasks.append((plan.treebanks[cell.treebank], plan.options, cell, iterations))
    if jobs == 1 or len(tasks) < 2:
        for task in tasks:
            yield guarded_cell(*task)
        return
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from parallel(joblib.delayed(guarded_cell)(*task) for task in tasks)


def guarded_cell(
    files: TreebankFiles, options: ExperimentOptions, cell: Cell, iterations: int | None
) -> Record:
    """`run_cell`, with an exception turned into a record."""
    try:
        return run_cell(files, options, cell, iterations)
    except Exception as error:  # any failure of one cell must leave the others alone
        return _failure(cell, f"{type(error).__name__}: {error}")


def _failure(cell: Cell, reason: str) -> Record:
    return {
        "key": cell.key,
        "setting": cell.setting,
        "condition": cell.condition,
        "seed": cell.seed,
        "fold": cell.fold,
        "failed": reason.splitlines()[0] if reason else "unknown",
    }


def warm_up(options: ExperimentOptions) -> None:
    """Compile (or load) every kernel the run needs, once, before workers start."""
    from learnability.experiments.cells import parser_options
    from learnability.multiref.references import encode_references, reference_set
    from learnability.multiref.training import train_on_references
    from learnability.parsing.derivations import static_sequences
    from learnability.parsing.encoding import encode_tokens

    tree = Tree(("a", "b"), ("DET", "NOUN"), (2, 0), ("det", "root"))
    trained = train_parser([tree], parser_options(options, 1), [tree])
    static_sequences([tree.heads])
    if options.system != "arc-standard":
        corpus = encode_tokens([tree])
        sets = [reference_set(tree, transformation_of("det", Conventions()))]
        references, table = encode_references(corpus, sets)
        train_on_references(corpus, references, table, trained.parser.options, 1)


def default_jobs() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


__all__ = ["RECORDS", "Outcome", "configuration", "default_jobs", "make_plan", "run_plan"]
