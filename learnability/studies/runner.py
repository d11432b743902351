"""Carry out studies: begin or extend a run, compute it, and make its files from its records.

Nothing here knows a study by name: a run has those that its configuration names, and `studies.registry` says
where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from learnability.comparing.cells import task_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan, check_that_there_are_places, id_of_files, read_treebanks
from learnability.comparing.run_parsers import trainer_of
from learnability.errors import InputError
from learnability.evidence.all_parsers import all_parsers_csv
from learnability.evidence.columns import results_csv, scores_csv
from learnability.evidence.rows import ComparisonRow, refine_rows
from learnability.evidence.stored_runs import (
    StoredRun,
    find_runs,
    finished_config,
    finished_records,
    name_run_in_errors,
    read_run,
    run_of_rows,
)
from learnability.reports.content import Outcome
from learnability.reports.page import report_files
from learnability.reports.story import RunStory, tell_story
from learnability.running.cell import Cell, WarmUp
from learnability.running.config import RunConfig, read_config
from learnability.running.engine import Completed, Workload, complete, kept_trainings
from learnability.running.folder import CONFIG, RECORDS, RunFolder, is_finished
from learnability.running.progress_steps import PAIR_SECONDS, REPORT_SECONDS
from learnability.running.records import Record, Records, encode, read_failures, read_records
from learnability.running.workforce import Workforce
from learnability.studies.declaration import StudyRequest
from learnability.studies.experiment_arguments import treebanks_found
from learnability.studies.run import Run
from learnability.studies.run_config import finished_studies, folder_typed, run_config, stored_studies
from learnability.studies.stages import next_stage
from learnability.studies.study import Study
from learnability.support.progress import ProgressSteps, TimeLeft
from learnability.support.signals import describe_kept

Report = Callable[[RunStory], Mapping[str, bytes]]
"""Makes report.html and its figures, by path in the folder, from what a run says."""

REPORT, TABLES = "report", "tables"
"""Under these names config.json keeps which files the report is, and which the tables of all comparisons."""

RESULTS, SCORES, PARSERS = "results.csv", "scores.csv", "parsers.csv"


def make_plan(run: Run, *, jobs: int = 1, steps: ProgressSteps | None = None) -> RunPlan:
    """Read the treebanks of a run.

    Raises:
        InputError: a treebank is unfit (unless the run `keeps_going`), or nothing is there to compare.
        RunError: a scheme is a command, which failed.
    """
    for study in run.studies:
        if len(run.treebanks) != 1 and not study.declaration.several:
            name = study.declaration.name
            raise InputError(f"{name} works on one treebank, not {len(run.treebanks)}; use one")
    check_size(len(run.treebanks), run.options)
    plan = read_treebanks(run.treebanks, run.options, jobs=jobs, keep_going=run.keeps_going, steps=steps)
    check_folds(plan, run.studies)
    for study in run.studies:
        study.declaration.load().check_plan(plan, study.options)
    if run.options.alternatives:
        check_that_there_are_places(plan)
    return plan


MOST_TRAININGS = 1_000_000
"""The most trainings of a run; a plan of that size takes half a gigabyte."""


def check_size(treebanks: int, options: ExperimentOptions) -> None:
    """Refuse a run of more trainings than can be planned, before anything is read, with an InputError."""
    folds = options.data.cross_validate or 1
    each = len(options.parsers) * (1 + 2 * len(options.alternatives))  # settings (a), (b) and (c)
    trainings = treebanks * folds * options.seeds * each
    if trainings > MOST_TRAININGS:
        fewer = "fewer `seeds`" + (", or a smaller `cross_validate`" if folds > 1 else "")
        raise InputError(f"these are {trainings:,} trainings, more than {MOST_TRAININGS:,}; use {fewer}")


def check_folds(plan: RunPlan, requests: Iterable[StudyRequest]) -> None:
    for study in requests:
        if not study.declaration.cross_validates and any(facts.folds > 1 for facts in plan.facts):
            name = study.declaration.name
            other = "a run that is not cross-validated"
            if study.declaration.works_on != "run":
                other = "a treebank with a training and a test set, or `splits='cut'`"
            raise InputError(f"{name} does not work with cross-validation; use {other}")


def studies_of(plan: RunPlan, requests: Iterable[StudyRequest]) -> list[Study[Any]]:
    return [study.declaration.load()(plan, study.options) for study in requests]


def plan_cells(studies: Iterable[Study[Any]], records: Records | None = None) -> list[Cell[Any]]:
    """Return the cells that a run will compute, as far as that is known at first or from its records."""
    cells: dict[str, Cell[Any]] = {}
    for study in studies:
        following = study.next_cells(records) if records else ()
        cells |= {cell.key: cell for cell in (*study.plan_cells(), *following)}
    return list(cells.values())


def workload(plan: RunPlan, studies: Sequence[Study[Any]]) -> Workload:
    """Return what the engine has to know of a run."""

    def wanted(records: Records) -> Iterator[Cell[Any]]:
        for study in studies:
            yield from study.next_cells(records)

    def warm_ups(cells: Iterable[Cell[Any]]) -> list[WarmUp]:
        calls = dict.fromkeys(call for cell in cells for call in cell.kernels(plan.options))
        return sorted(calls, key=lambda call: -call.seconds)  # processes that share them end together

    def possible(records: Records) -> list[Cell[Any]] | None:
        cells: list[Cell[Any]] = []
        for study in studies:
            of_study = study.cells_ahead(records)
            if of_study is None:
                return None
            cells += of_study
        return cells

    return Workload(
        next_cells=wanted,
        planned=plan_cells(studies),
        possible=possible,
        adapts=any(study.ADAPTS for study in studies),
        task=lambda cell: task_of(plan, cell),
        seconds=lambda cell: cell.seconds(plan.options, plan.tokens(cell.treebank, cell.fold)),
        warm_ups=warm_ups,
    )


def processes(plan: RunPlan, load: Workload, workforce: Workforce, records: Records) -> int:
    """Return the number of processes that compute what is missing: fewer where a training takes threads."""
    cells = {cell.key: cell for cell in (*load.planned, *load.next_cells(records)) if cell.key not in records}
    threads = max(trainer_of(plan.options.with_parser(parser)).threads for parser in plan.parsers)
    return max(1, workforce.processes(sum(map(load.seconds, cells.values()))) // threads)


def run_studies(
    run: Run,
    out: Path,
    workforce: Workforce,
    *,
    resume: bool = False,
    force: bool = False,
    steps: ProgressSteps | None = None,
    report: Report | None = report_files,
) -> RunStory:
    """Compute what is missing of a run and write its files.

    A cell that fails is recorded with its reason and the others go on; what is made of it stays empty. So is
    a treebank that cannot be used where the run `keeps_going`. With `resume` what failed is tried again, and
    a run that was stopped, or has more seeds, goes on; with `force` it starts anew.

    Raises:
        InputError: the folder is in use, unwritable, or holds an unfinished or different run; the treebanks
            are wrong, unless the run `keeps_going`.
        RunError: the files cannot be written.
    """
    steps = steps or ProgressSteps()
    folder = RunFolder(out)
    with folder.lock_folder():
        folder.check(resume=resume, force=force)
        work_folder = folder.find_continued(force=force)
        plan = followed_plan(run, work_folder) or make_plan(run, jobs=workforce.readers, steps=steps)
        requests = run.studies if work_folder is None else continued_studies(work_folder, run.studies)
        folder.begin(
            run_config(plan, requests, run.arguments, run.command_line, out), resume=resume, force=force
        )
        unusable = [
            Record(key=f"{name}/treebank", treebank=name, setting="treebank", failed=reason)
            for name, reason in plan.unusable
        ]
        for record in unusable:
            folder.append(encode(record))
        requests = stored_studies(folder.config)  # a finished run may have been extended
        return _compute_and_write(plan, requests, folder, workforce, steps, report, unusable=unusable)


def followed_plan(run: Run, work_folder: Path | None) -> RunPlan | None:
    """Return the plan of a finished run whose studies follow changes of its files; None if they do not."""
    if work_folder is None or not is_finished(work_folder):
        return None
    config = read_config(work_folder / CONFIG)
    if [known.label for known in config.treebanks] != list(map(id_of_files, run.treebanks)):
        return None
    plan = replace(RunPlan.of_config(config), treebanks=tuple(run.treebanks))
    now = run_config(plan, run.studies, run.arguments)
    if now.through_json().arguments != config.arguments:
        return None
    studies = [(study.declaration.load(), study.options) for study in run.studies]
    records = Records(read_records(work_folder / RECORDS).values())
    if not all(study.follows_changes(plan, records) for study, _ in studies):
        return None
    for study, options in studies:
        study.check_plan(plan, options)
    return plan


def continued_studies(work_folder: Path, requests: Sequence[StudyRequest]) -> list[StudyRequest]:
    """Return studies with the options that they have in a run that goes on; InputError if what is recorded
    would be lost with those of now."""
    earlier = {study.declaration.name: study for study in stored_studies(read_config(work_folder / CONFIG))}
    records = Records(read_records(work_folder / RECORDS).values())
    continued = []
    for study in requests:
        declaration, options = study.declaration, study.options
        if declaration.name in earlier:
            of_before = earlier[declaration.name].options
            options = declaration.load().continue_options(
                of_before, options, records, is_chosen=study.is_chosen
            )
        continued.append(StudyRequest(declaration, options))
    return continued


def report_run(folder: Path, report: Report | None = report_files) -> RunStory:
    """Make all files of a finished run once more, from its records alone.

    Raises:
        InputError: there is no finished run, its files do not belong together or a user has changed one, or
            a study of it is unknown to this version.
    """
    run_folder = RunFolder(folder)
    with run_folder.lock_folder(), name_run_in_errors(folder):
        config = finished_config(folder)
        run_folder.check_files()
        plan = RunPlan.of_config(config).with_files(treebanks_found(config))
        requests = finished_studies(config)
        records = finished_records(folder, config)
        completed = Completed(records, _failures(plan, requests, records, run_folder.records))
        return _write_outcome(plan, requests, run_folder, completed, ProgressSteps(), report)


def refined_run(folder: Path) -> StoredRun:
    """Return a finished run for comparison with others, with the answers over all sentences if any."""
    run = read_run(folder)
    records = finished_records(folder, run.config)
    refining = [request for request in finished_studies(run.config) if request.declaration.load().REFINES]
    if not refining:
        return run
    refined: list[ComparisonRow] = []
    with name_run_in_errors(folder):
        for study in studies_of(RunPlan.of_config(run.config), refining):
            outcome = study.outcome(records)
            refined += outcome.refined if outcome else ()
    rows = refine_rows([pair.row for pair in run.pairs], refined)
    return run_of_rows(folder, run.config, rows)


def combine_studies(folders: Iterable[Path]) -> Outcome | None:
    """Return what the runs below these folders show together, if one study has made all of them and says it
    (`Study.combine`); else None."""
    found = [find_runs(folder) for folder in folders]
    if any(runs.finished for runs in found):
        return None
    studies: list[tuple[Study[Any], Records]] = []
    for folder in (folder for runs in found for folder in runs.others):
        config = finished_config(folder)
        records = finished_records(folder, config)
        with name_run_in_errors(folder):
            plan = RunPlan.of_config(config)
            studies += [(study, records) for study in studies_of(plan, finished_studies(config))]
    if len({type(study) for study, _ in studies}) != 1:
        return None
    return type(studies[0][0]).combine(studies)


def _failures(
    plan: RunPlan, requests: Iterable[StudyRequest], records: Records, path: Path
) -> tuple[Record, ...]:
    wanted = {cell.key for study in studies_of(plan, requests) for cell in study.next_cells(records)}
    failures = read_failures(path)
    unusable = (r for r in failures if r.setting == "treebank" and r.treebank not in plan.by_label)
    return (*unusable, *(record for record in failures if record.key in wanted))


def _compute_and_write(
    plan: RunPlan,
    requests: Sequence[StudyRequest],
    folder: RunFolder,
    workforce: Workforce,
    steps: ProgressSteps,
    report: Report | None,
    *,
    unusable: Sequence[Record] = (),
) -> RunStory:
    studies = studies_of(plan, requests)
    load = workload(plan, studies)
    recorded = Records(read_records(folder.records).values())
    if any(cell.key not in recorded for cell in load.next_cells(recorded)):
        for note in (note for study in studies for note in study.notes()):
            steps.say(note)
    jobs = processes(plan, load, workforce, recorded)
    completed = complete(load, folder, jobs=jobs, cluster=workforce.cluster, steps=steps)
    completed = Completed(completed.records, (*unusable, *completed.failed))
    with describe_kept(lambda: kept_trainings(folder, completed.records)):
        return _write_outcome(plan, requests, folder, completed, steps, report)


def _write_outcome(
    plan: RunPlan,
    requests: Sequence[StudyRequest],
    folder: RunFolder,
    completed: Completed,
    steps: ProgressSteps,
    report: Report | None,
) -> RunStory:
    at_the_end = REPORT_SECONDS if report else 0.0
    steps.begin("intervals and tests", left=TimeLeft(len(plan.treebanks) * PAIR_SECONDS + at_the_end))
    story, files = make_outcome(plan, requests, folder.config, folder.folder, completed)
    pages: Mapping[str, bytes] = {}
    wants_report = any(name in files for name in folder.config.studies) and not story.page
    if report is not None and wants_report:
        steps.begin("writing the report", left=TimeLeft(at_the_end))
        pages = report(story)
    folder.complete(
        {**files, REPORT: pages} if pages else files, pairs=story.config.pairs, records=len(completed.records)
    )
    written = [name for of_study in (*files.values(), pages) for name in of_study if "/" not in name]
    return replace(story, written=written)


def make_outcome(
    plan: RunPlan, requests: Sequence[StudyRequest], config: RunConfig, folder: Path, completed: Completed
) -> tuple[RunStory, dict[str, Mapping[str, bytes]]]:
    """Return what a run says, and its files but for the report, by the study that they belong to."""
    studies = dict(
        zip((study.declaration.name for study in requests), studies_of(plan, requests), strict=True)
    )
    found = {name: study.outcome(completed.records) for name, study in studies.items()}
    outcomes = {name: outcome for name, outcome in found.items() if outcome is not None}
    rows = _final_rows(list(outcomes.values()))
    outcomes = {
        name: studies[name].complete_outcome(outcome, rows, completed.records)
        for name, outcome in outcomes.items()
    }
    story = _story(plan, config, folder, completed, list(outcomes.values()), rows)
    files: dict[str, Mapping[str, bytes]] = {}
    if story.rows:
        of_parsers = {PARSERS: all_parsers_csv(story.all_parsers)} if story.all_parsers else {}
        files[TABLES] = {RESULTS: results_csv(story.rows), SCORES: scores_csv(story.rows), **of_parsers}
    return story, files | {name: outcome.files for name, outcome in outcomes.items()}


def _final_rows(outcomes: Sequence[Outcome]) -> Sequence[ComparisonRow]:
    rows = [row for outcome in outcomes for row in outcome.rows]
    return refine_rows(rows, [row for outcome in outcomes for row in outcome.refined])


def _story(
    plan: RunPlan,
    config: RunConfig,
    folder: Path,
    completed: Completed,
    outcomes: Sequence[Outcome],
    rows: Sequence[ComparisonRow],
) -> RunStory:
    if any(outcome.rows for outcome in outcomes):
        outcomes = list(map(_step_behind, outcomes))
    pairs = next((outcome.pairs for outcome in reversed(outcomes) if outcome.pairs), plan.config.pairs)
    return tell_story(
        plan=plan,
        config=replace(config, pairs=list(pairs)),
        folder=folder,
        typed_folder=folder_typed(config, folder),
        records=completed.records,
        failed=completed.failed,
        rows=rows,
        outcomes=outcomes,
        offer=next_stage(config),
    )


def _step_behind(outcome: Outcome) -> Outcome:
    if outcome.header is None:
        return outcome
    details = [*outcome.answers, *outcome.details]
    return replace(outcome, header=None, answers=(), values={}, details=details)
