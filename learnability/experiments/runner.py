"""Running an experiment: plan it, compute what is missing, write the outputs of design section 11."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.experiments.against import check_against
from learnability.experiments.columns import Row, results_csv
from learnability.experiments.data import SCHEME, canonical, facts_of, transformation_of
from learnability.experiments.joint import JointReport, check_joint, joint_report
from learnability.experiments.learning_curve import LearningCurve, learning_curves
from learnability.experiments.options import DataOptions, ExperimentOptions
from learnability.experiments.plan import Plan, TreebankFacts, label
from learnability.experiments.progress import (
    CONDITION_SECONDS,
    REPORT_SECONDS,
    Progress,
    Silence,
    Stages,
    in_order,
    kernels_stage,
    told,
)
from learnability.experiments.records import CURVES, JOINT, RESULTS, Record, RunFolder, as_json_bytes
from learnability.experiments.results import result_rows
from learnability.experiments.scheduling import computed, computed_here, worker_pool
from learnability.experiments.versions import LIBRARIES, installed_versions
from learnability.multiref.references import LabelOption
from learnability.parsing.parser import ParserOptions
from learnability.parsing.warm_up import SMALL, warm_up_parser
from learnability.treebanks.conllu_io import reading_seconds
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions

Report = Callable[[list[Row], list[Record], dict[str, Any], Mapping[str, Any]], Mapping[str, bytes]]
"""Makes report.html and its figures, by path in the folder, from rows, records and configuration, and from
the contents of joint.json and learning_curve.json, by name, where there are any."""


@dataclass(frozen=True)
class Outcome:
    """A run that has tried everything.

    Attributes:
        plan, folder: what was run, and where its files are.
        rows: one per condition.
        failed: the records of failures.
        joint: the outcome of the joint training; None if it was not asked for or failed.
        curves: the learning curves that were asked for and did not fail.
    """

    plan: Plan
    rows: list[Row]
    failed: list[Record]
    folder: Path
    joint: JointReport | None = None
    curves: tuple[LearningCurve, ...] = ()


def make_plan(
    treebanks: Sequence[TreebankFiles],
    options: ExperimentOptions,
    *,
    jobs: int = 1,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """Check the options and read the treebanks.

    `keep_going`: a treebank that cannot be used goes to the plan's `unusable` instead of ending it all.

    Raises:
        InputError: unknown conditions or parser options; further trainings (--joint, --learning-curve) on
            several treebanks or a cross-validated one; two treebanks with the same name and release; without
            `keep_going` also malformed treebanks and missing splits.
    """
    check_options(options)
    further = "--joint" if options.joint else "--learning-curve" if options.learning_curve else ""
    if further and len(treebanks) > 1:
        raise InputError(f"{further}: give one treebank, not {len(treebanks)}")
    twice = [name for name, count in Counter(map(label, treebanks)).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]}: given twice; give treebanks that differ in name or release")
    stages = progress or Silence()
    sizes = [reading_seconds(path for _, paths in files.splits() for path in paths) for files in treebanks]
    names = treebanks[0].name if len(treebanks) == 1 else f"{len(treebanks)} treebanks"
    stages.stage(f"reading {names}", sum(sizes), expected=sum(sizes) / jobs)
    read = in_order(jobs)(partial(_facts_or_reason, options=options.data), treebanks)
    found = list(told(read, stages, sizes))
    pairs = list(zip(treebanks, found, strict=True))
    unusable = [(label(files), reason) for files, reason in pairs if isinstance(reason, str)]
    if unusable and not keep_going:
        raise InputError(unusable[0][1])
    usable = [(files, facts) for files, facts in pairs if isinstance(facts, TreebankFacts)]
    if further and any(facts.folds > 1 for _, facts in usable):
        raise InputError(f"{further} does not cross-validate; give --missing-train split, or files")
    return Plan(tuple(t for t, _ in usable), tuple(f for _, f in usable), options, tuple(unusable))


def check_options(options: ExperimentOptions) -> None:
    """Refuse what cannot be run, before anything is read.

    Raises:
        InputError: unknown conditions, systems, oracles, tags, labels or treatments of non-projective trees;
            no seed, no iteration or no options of a factor; as `ExperimentOptions.check`, `check_joint` and
            `check_against`.
    """
    for condition in options.conditions:
        transformation_of(condition, Conventions())
    parser = ParserOptions(system=options.system, oracle=options.oracle, tags=options.tags)
    parser.regime()
    parser.encode([])
    options.check()
    check_joint(options)
    check_against(options)


def conditions_of(transforms: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    """The conditions that a user's list means, each once and in its one spelling."""
    return tuple(dict.fromkeys(canonical(name) for name in transforms or default))


def _facts_or_reason(files: TreebankFiles, options: DataOptions) -> TreebankFacts | str:
    try:
        return facts_of(files, options)
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"{files.name}: cannot be read ({(error.strerror or str(error)).lower()})"


def configuration(plan: Plan, arguments: dict[str, Any]) -> dict[str, Any]:
    """What config.json holds: everything needed to repeat the run."""
    named = (*plan.options.conditions, plan.options.against)
    schemes = {name: _scheme_identity(name) for name in named if name.startswith(SCHEME)}
    return {
        # what a scheme stood for belongs to the arguments: its file may be another by the time of --resume
        "arguments": {**arguments, **({"schemes": schemes} if schemes else {})},
        "options": plan.options.as_json(),
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
        "seeds": list(range(1, plan.options.seeds + 1)),
        "versions": installed_versions(),
    }


def _scheme_identity(condition: str) -> list[str]:
    """The transformations of a scheme, and the SHA-256 of the file that defines it."""
    parts = [part.spec for part in transformation_of(condition, Conventions()).parts]
    path = Path(condition.removeprefix(SCHEME))
    return [*parts, hashlib.sha256(path.read_bytes()).hexdigest()] if path.suffix == ".toml" else parts


def run_experiment(
    treebanks: Sequence[TreebankFiles],
    options: ExperimentOptions,
    out: Path,
    arguments: dict[str, Any],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    resume: bool = False,
    keep_going: bool = False,
    progress: Progress | None = None,
    report: Report | None = None,
) -> Outcome:
    """Compute what is missing of the experiment and write its outputs to `out`.

    A cell that fails is recorded with its reason and the others go on; its columns stay empty. With
    `keep_going` so is a treebank that cannot be used. `--resume` tries them again.

    Raises:
        InputError: the folder is in use, unwritable, or holds an unfinished or different run; the options or,
            without `keep_going`, the treebanks are wrong.
        RunError: the outputs cannot be written.
    """
    check_options(options)
    progress = progress or Silence()
    folder = RunFolder(out)
    with folder.locked():
        folder.check(resume=resume)
        plan = make_plan(treebanks, options, jobs=jobs, keep_going=keep_going, progress=progress)
        config = configuration(plan, arguments)
        done = folder.begin(config, resume=resume)
        unusable = [_unusable(name, reason) for name, reason in plan.unusable]
        for record in unusable:
            folder.append(record)
        wanted = {cell.key for cell in plan.cells()}
        done = {key: record for key, record in done.items() if key in wanted}
        with closing(_missing(plan, done, jobs, cluster, progress)) as found:
            for record in found:
                folder.append(record)
                done[record["key"]] = record
                progress.record(record)
        records = [done[cell.key] for cell in plan.cells()]
        count = len(plan.treebanks) * len(options.conditions)
        seconds = count * CONDITION_SECONDS / jobs
        progress.stage("intervals and tests", count, unit="conditions", expected=seconds)
        rows = result_rows(plan, records, _told_each(jobs, progress))
        outputs = {RESULTS: results_csv(rows)}
        joint, curves = _further_outcomes(plan, records)
        further: dict[str, Any] = {}
        if joint is not None:
            further[JOINT] = joint.as_json()
        if curves:
            further[CURVES] = {"curves": [curve.as_json() for curve in curves]}
        outputs.update({name: as_json_bytes(content) for name, content in further.items()})
        if report is not None:
            progress.stage("writing the report", expected=REPORT_SECONDS)
            outputs.update(report(rows, records, config, further))
        folder.complete(outputs)
    failed = unusable + [record for record in records if "failed" in record]
    return Outcome(plan, rows, failed, out, joint, curves)


def _further_outcomes(
    plan: Plan, records: Sequence[Record]
) -> tuple[JointReport | None, tuple[LearningCurve, ...]]:
    """What --joint and --learning-curve gave."""
    by_key = {record["key"]: record for record in records if "failed" not in record}
    joint = joint_report(plan, by_key) if plan.options.joint else None
    return joint, tuple(learning_curves(plan, by_key)) if plan.options.learning_curve else ()


def _unusable(name: str, reason: str) -> Record:
    return {"key": f"{name}/treebank", "treebank": name, "setting": "treebank", "failed": reason}


def _told_each(jobs: int, stages: Stages) -> Callable[..., Iterable[Any]]:
    """`in_order`, telling of every item that is done."""

    def each(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
        work = list(items)
        return told(in_order(jobs)(function, work), stages, [1.0] * len(work))

    return each


def _missing(
    plan: Plan, done: dict[str, Record], jobs: int, cluster: str | None, progress: Progress
) -> Generator[Record]:
    """The records of the cells that are not done, as they finish."""
    if all(cell.key in done for cell in plan.cells()):
        return
    prepare = partial(warm_up, plan.options)
    with ExitStack() as stack:
        with kernels_stage(progress, [plan.options.system]):
            if cluster is None and jobs == 1:
                prepare()
                pool = None
            else:
                pool = stack.enter_context(worker_pool(jobs, cluster, prepare))
        progress.start(plan, set(done))
        yield from computed(plan, done, pool) if pool else computed_here(plan, done)


def warm_up(options: ExperimentOptions) -> None:
    """Compile (or load) every kernel the run needs, once, before workers start."""
    from learnability.experiments.cells import parser_options
    from learnability.experiments.options import has_multiref
    from learnability.parsing.derivations import static_sequences

    parser = parser_options(options, 1)
    warm_up_parser(parser)
    static_sequences([SMALL.heads])
    if has_multiref(options.system):
        warm_up_multiref(parser, options.labels)


def warm_up_multiref(options: ParserOptions, labels: LabelOption | None) -> None:
    """Compile (or load) the kernels of training against sets of references."""
    from learnability.multiref.arrays import encode_references, label_names
    from learnability.multiref.references import reference_set
    from learnability.multiref.training import train_on_references

    corpus = options.encode([SMALL])
    sets = [reference_set(SMALL, transformation_of("det", Conventions()), labels=labels)]
    names = label_names(sets) if labels else []
    references, table = encode_references(corpus, sets, names)
    train_on_references(corpus, references, table, options, 1, labels=names)


def default_jobs() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


__all__ = [
    "LIBRARIES",
    "Outcome",
    "Progress",
    "check_options",
    "conditions_of",
    "configuration",
    "default_jobs",
    "make_plan",
    "run_experiment",
    "warm_up",
]
