"""The experiment of `run` and `reproduce`: its plan, its cells for the engine, and the files it writes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from learnability.comparing.annotation import (
    Annotation,
    annotated_files,
    annotations_of,
    check_conditions,
    transformed_of,
)
from learnability.comparing.cells import run_cell
from learnability.comparing.fold import read_folds
from learnability.comparing.judging import (
    check_judges,
    judge_files,
    judge_of,
    judged_by,
    judges_of,
    multiref_judge,
    parser_of,
)
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import Record, decode
from learnability.errors import InputError
from learnability.evidence.columns import results_csv, scores_csv
from learnability.evidence.design import RunDesign
from learnability.evidence.grouping import Records, by_key
from learnability.evidence.panel import Panel, panel_csv, panels
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows, result_rows
from learnability.judges.registry import judge_named
from learnability.multiref.references import LabelOption
from learnability.parsing.parser import SMALL, ParserOptions, warm_up_parser
from learnability.parsing.stepwise import static_sequences
from learnability.running.configuration import configuration, read_treebanks, version_of
from learnability.running.engine import Experiment, complete
from learnability.running.folder import (
    BEST_SCHEME,
    CURVES,
    JOINT,
    PANEL,
    PREDICTIONS,
    RESULTS,
    SCORES,
    SEARCH,
    RunFolder,
    as_json_bytes,
)
from learnability.running.plan import Cell, Plan
from learnability.running.records import encode
from learnability.running.stages import CONDITION_SECONDS, REPORT_SECONDS, WORKER_SECONDS
from learnability.studies.curve.study import LearningCurve, learning_curves
from learnability.studies.joint.study import JointReport, check_joint, joint_report
from learnability.studies.predict.study import (
    ConditionPrediction,
    all_settled,
    check_quick,
    predictions,
    predictions_csv,
    settled,
)
from learnability.studies.search.outcome import SearchReport, search_report
from learnability.studies.search.study import check_search, grown, search_space
from learnability.support.progress import Stages
from learnability.transforms.base import Transformation
from learnability.transforms.restriction import advice, check_sites
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True, kw_only=True)
class Results:
    """What the records of a run give: a row per condition and judge, what several judges say together, what
    --joint, --learning-curve and --search gave, where they were asked for and did not fail, and what --quick
    predicts; and the records of what failed."""

    rows: list[ComparisonRow]
    panels: tuple[Panel, ...] = ()
    failed: list[Record] = field(default_factory=list)
    joint: JointReport | None = None
    curves: tuple[LearningCurve, ...] = ()
    predictions: tuple[ConditionPrediction, ...] = ()
    search: SearchReport | None = None

    def outputs(self) -> dict[str, bytes]:
        """results.csv and the others, by their names."""
        joint, search = self.joint, self.search
        files = {
            RESULTS: results_csv(self.rows),
            SCORES: scores_csv(self.rows),
            PANEL: panel_csv(self.panels) if self.panels else None,
            PREDICTIONS: predictions_csv(self.predictions) if self.predictions else None,
            JOINT: as_json_bytes(joint.as_json()) if joint else None,
            CURVES: as_json_bytes({"curves": [c.as_json() for c in self.curves]}) if self.curves else None,
            SEARCH: as_json_bytes(search.as_json()) if search else None,
            BEST_SCHEME: search.best_scheme() if search else None,
        }
        return {name: data for name, data in files.items() if data is not None}


Report = Callable[[Results, Sequence[Record], dict[str, Any]], Mapping[str, bytes]]
"""Makes report.html and its figures, by path in the folder, from results, records and configuration."""


@dataclass(frozen=True, kw_only=True)
class Outcome(Results):
    """A run that has tried everything, and its results."""

    plan: Plan
    folder: Path
    records: Sequence[Record]
    config: Mapping[str, Any]


def make_plan(
    treebanks: Sequence[TreebankFiles],
    options: ExperimentOptions,
    *,
    jobs: int = 1,
    keep_going: bool = False,
    progress: Stages | None = None,
) -> Plan:
    """Check the options and read the treebanks.

    `keep_going`: a treebank that cannot be used goes to the plan's `unusable` instead of ending it all.

    Raises:
        InputError: unknown conditions or parser options; further trainings (--joint, --learning-curve,
            --search) on several treebanks or a cross-validated one; nothing to search among; two treebanks
            with the same name and release; a restriction that no site meets, a single treebank without any
            site; without `keep_going` also malformed treebanks and missing splits.
        RunError: without `keep_going`, where a scheme is a command that failed.
    """
    check_options(options)
    asked = {"--joint": options.joint, "--learning-curve": options.learning_curve, "--search": options.search}
    further = next((name for name, given in asked.items() if given), "")
    if further and len(treebanks) > 1:
        raise InputError(f"{further}: give one treebank, not {len(treebanks)}")
    annotated = partial(annotated_files, options=options)
    files, facts, unusable = read_treebanks(
        treebanks,
        options.data,
        jobs=jobs,
        stages=progress or Stages(),
        keep_going=keep_going,
        annotated=annotated,
    )
    further = further or ("--quick" if options.quick else "")
    if further and any(known.folds > 1 for known in facts):
        raise InputError(f"{further} does not cross-validate; give --missing-train split, or files")
    plan = Plan(files, facts, options, unusable)
    _check_sites(plan)
    if options.search:
        (progress or Stages()).stage("looking for sites")
        plan = replace(plan, space=search_space(plan))
    return plan


def _check_sites(plan: Plan) -> None:
    """InputError where a restriction admits no site in any treebank, or no condition has one in the only
    treebank. In one of several treebanks a condition without sites is a row like others."""
    annotations = annotations_of(plan.options)
    for annotation in annotations:
        if any(rule.restriction for rule in annotation.any_rule.parts):
            where = plan.treebanks[0].name if len(plan.treebanks) == 1 else "all treebanks"
            check_sites(where, (_sentences(plan, annotation, files) for files in plan.treebanks), whole=True)
    if len(plan.treebanks) == 1 and not any(annotation.is_given for annotation in annotations):
        both = [_sentences(plan, annotation, plan.treebanks[0]) for annotation in annotations]
        if not any(rule.sites(tree) for rule, trees in both for tree in trees):
            names = ", ".join(annotation.name for annotation in annotations if not annotation.is_ud)
            hints = [line for rule, trees in both for line in advice(rule, trees)]
            hints = hints or ["give another treebank, --transform or --scheme"]
            raise InputError(
                f"{plan.treebanks[0].name}: no site for {names}: there is nothing to compare; {hints[0]}"
            )


def advice_on(plan: Plan) -> list[str]:
    """Where most of a treebank has the form already that a condition gives it: what to compare instead."""
    return [
        f"{files.name}: {line}"
        for annotation in transformed_of(plan.options)
        if any(part.already for part in annotation.any_rule.parts)
        for files in plan.treebanks
        for line in advice(*_sentences(plan, annotation, files))
    ]


def _sentences(plan: Plan, annotation: Annotation, files: TreebankFiles) -> tuple[Transformation, list[Tree]]:
    """The annotation's rule for a treebank, and all of its trees."""
    treebank = read_folds(files, plan.options.data)[0]
    trees = [sentence.tree for _, part in treebank.splits() for sentence in part]
    return annotation.rule(treebank.conventions), trees


def check_options(options: ExperimentOptions) -> None:
    """InputError for what cannot be run, before anything is read: names, values and combinations."""
    check_conditions(options)
    check_search(options)
    check_judges(options)
    parser = ParserOptions(system=options.system, oracle=options.oracle, tags=options.tags)
    parser.regime()
    parser.encode([])
    options.check()
    check_joint(options)
    check_quick(options)


def run_configuration(plan: Plan, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What config.json of a run holds."""
    arguments = with_definitions(arguments, plan.options)
    design = RunDesign.of_plan(plan).as_config()
    if plan.options.search:  # which finds its conditions while it runs
        design["conditions"] = []
    config = configuration(plan.by_label.values(), arguments, plan.options.as_json(), **design)
    packages = {name for judge in plan.options.judges for name in judge_named(judge).kind.modules}
    config["versions"] |= {name: version_of(name) for name in sorted(packages)}
    return config


def with_definitions(arguments: Mapping[str, Any], options: ExperimentOptions) -> dict[str, Any]:
    """The arguments with what their schemes and judges stand for: files may be others the next time."""
    schemes = {own.spelling: _scheme_identity(own) for own in annotations_of(options) if own.is_scheme}
    definitions = {"schemes": schemes, "judge_files": judge_files(options)}
    return {**arguments, **{name: own for name, own in definitions.items() if own}}


def _scheme_identity(annotation: Annotation) -> list[str]:
    """The transformations of a scheme, and the SHA-256 of the file that defines it."""
    parts = [part.spec for part in annotation.any_rule.parts]
    path = Path(annotation.name)
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
    force: bool = False,
    keep_going: bool = False,
    progress: Stages | None = None,
    report: Report | None = None,
) -> Outcome:
    """Compute what is missing of the experiment and write its outputs to `out`.

    A cell that fails is recorded with its reason and the others go on; its columns stay empty. With
    `keep_going` so is a treebank that cannot be used. `resume` tries them again, `force` starts anew.

    Raises:
        InputError: the folder is in use, unwritable, or holds an unfinished or different run; the options or,
            without `keep_going`, the treebanks are wrong.
        RunError: the outputs cannot be written.
    """
    check_options(options)
    stages = progress or Stages()
    folder = RunFolder(out)
    with folder.locked():
        folder.check(resume=resume, force=force)
        plan = make_plan(treebanks, options, jobs=jobs, keep_going=keep_going, progress=stages)
        config = run_configuration(plan, arguments)
        folder.begin(config, resume=resume, force=force)
        unusable = [
            Record(key=f"{name}/treebank", treebank=name, setting="treebank", failed=reason)
            for name, reason in plan.unusable
        ]
        for record in unusable:
            folder.append(encode(record))
        threads = max(judge_of(judged_by(options, judge)).threads for judge in plan.judges)
        work = sum(map(plan.seconds, plan.cells()))
        jobs = max(1, min(jobs // threads, int(work / WORKER_SECONDS)) if options.quick else jobs // threads)
        plan, records, failed = carried_out(plan, folder, jobs=jobs, cluster=cluster, stages=stages)
        count = len(plan.treebanks) * len(plan.options.conditions)
        stages.stage("intervals and tests", expected=count * CONDITION_SECONDS)
        results = replace(results_of(plan, by_key(records)), failed=[*unusable, *failed])
        outputs = results.outputs()
        if report is not None and not (options.search and results.search is None):
            stages.stage("writing the report", expected=REPORT_SECONDS)
            outputs |= report(results, records, config)
        folder.complete(outputs)
    return Outcome(**vars(results), plan=plan, folder=out, records=records, config=config)


def carried_out(
    plan: Plan, folder: RunFolder, *, jobs: int, cluster: str | None, stages: Stages
) -> tuple[Plan, list[Record], list[Record]]:
    """Compute what the folder lacks of a plan; of a search round after round, each from what was found so
    far, until it asks for nothing more. Returns the plan as it has grown, and as :func:`engine.complete` its
    records and those of cells that failed, which end a search."""
    following = grown(plan, {})
    while True:
        plan = following
        records, failed = complete(experiment_of(plan), folder, jobs=jobs, cluster=cluster, stages=stages)
        if failed or (following := grown(plan, by_key(records))) == plan:
            return plan, records, failed


def results_of(plan: Plan, records: Records) -> Results:
    """What the records of a plan give."""
    design = RunDesign.of_plan(plan)
    options = plan.options.as_json()
    rows = result_rows(design, records, settled_conditions(options, design, records))
    several = len(plan.judges) > 1
    return Results(
        rows=rows,
        panels=tuple(panels(rows, records_of_rows(design, rows, records), design.seed_ratio))
        if several
        else (),
        joint=joint_report(plan, records) if plan.options.joint else None,
        curves=tuple(learning_curves(plan, records)) if plan.options.learning_curve else (),
        predictions=tuple(predictions(plan, records)) if plan.options.quick else (),
        search=search_report(plan, records, rows) if plan.options.search else None,
    )


def settled_conditions(
    options: Mapping[str, Any], design: RunDesign, records: Records
) -> Collection[tuple[str, str]]:
    """Return the treebanks and conditions of which a prediction was enough (`--quick`)."""
    return settled(options, design, records) if options.get("quick") else ()


def experiment_of(plan: Plan) -> Experiment[Cell, Record]:
    """The experiment that the engine computes."""
    judges = judge_files(plan.options)

    def task(cell: Cell, needed: Sequence[Record]) -> Callable[[], Record]:
        if plan.options.quick and all_settled(plan.options, needed):
            return cell.record
        files, facts = plan.by_label[cell.treebank]
        return partial(run_cell, files, plan.options_of(cell), cell, needed, facts.sha256 | judges)

    needs = {"a": "setting (a) of the same seed", "joint": "a joint training", "short": "a short training"}
    compiled = [judge for judge in plan.judges if judge and judge_named(judge).kind.compiled]
    compiled += [plan.options.system] if plan.options.quick else []
    return Experiment(
        cells=plan.cells(),
        systems=compiled or [plan.options.system],
        warm_ups=warm_ups(plan.options),
        task=task,
        failure=lambda cell, reason: cell.record(failed=reason),
        decode=decode,
        seconds=plan.seconds,
        needed=plan.needed,
        blocks=lambda cell: f"{needs[cell.setting]} failed",
    )


def warm_ups(options: ExperimentOptions) -> list[Callable[[], object]]:
    """What compiles (or loads) every kernel that the run needs."""
    calls: list[Callable[[], object]] = []
    if options.quick:
        calls.append(partial(warm_up_parser, parser_of(judge_of(replace(options, judges=())), options.tags)))
        if not options.judges:
            return calls
    for judge in judges_of(options):
        if not judge or judge_named(judge).kind.compiled:
            calls.append(partial(warm_up_judge, judged_by(options, judge)))
    if (multiref := multiref_judge(options)) is not None:
        parser = parser_of(judge_of(judged_by(options, multiref)), options.tags)
        calls.append(partial(warm_up_multiref, parser, options.labels))
    return [*calls, partial(static_sequences, [SMALL.heads])]


def warm_up_judge(options: ExperimentOptions) -> None:
    """Compile (or load) the kernels of the judge of the options."""
    judge_of(options).train([SMALL], [SMALL], 1).parse([SMALL])


def warm_up_multiref(options: ParserOptions, labels: LabelOption | None) -> None:
    """Compile (or load) the kernels of training against sets of references."""
    from learnability.multiref.arrays import encode_references, label_names
    from learnability.multiref.references import reference_set
    from learnability.multiref.training import train_on_references

    corpus = options.encode([SMALL])
    sets = [reference_set(SMALL, Annotation("det").any_rule, labels=labels)]
    names = label_names(sets) if labels else []
    references, table = encode_references(corpus, sets, names)
    train_on_references(corpus, references, table, options, 1, labels=names)


def default_jobs() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
