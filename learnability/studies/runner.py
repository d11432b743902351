"""Carry out studies: begin or extend a run, compute it, and make its files from its records.

Nothing here knows a study by name: a run has those that its configuration names, and `studies.registry` says
where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from learnability.comparing.cells import task_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import check_pairs
from learnability.comparing.plan import (
    RunPlan,
    check_that_there_are_places,
    read_treebanks,
)
from learnability.comparing.run_parsers import check_parsers, trainer_of, with_parser
from learnability.errors import InputError
from learnability.evidence.design import RunDesign
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import (
    StoredRun,
    finished_config,
    finished_records,
    name_run_in_errors,
    read_run,
)
from learnability.parsing.parser import ParserOptions
from learnability.reports.content import RunContent
from learnability.reports.page import report_files
from learnability.running.cell import Cell, WarmUp
from learnability.running.engine import Completed, Workload, complete, kept_trainings
from learnability.running.folder import CONFIG, RECORDS, RunFolder, read_config
from learnability.running.records import Record, Records, encode, read_failures, read_records
from learnability.running.stages import PAIR_SECONDS, REPORT_SECONDS
from learnability.running.workforce import Workforce
from learnability.studies.declaration import Asked
from learnability.studies.registry import find_offers, offers_beside
from learnability.studies.run_config import (
    Config,
    check_data,
    finished_studies,
    folder_typed,
    run_config,
    stored_options,
    stored_plan,
    stored_studies,
    train_tokens,
)
from learnability.studies.study import Outcome, Study
from learnability.support.options import check_values
from learnability.support.progress import Stages
from learnability.support.signals import describe_kept
from learnability.treebanks.locate import TreebankFiles

Report = Callable[[RunContent], Mapping[str, bytes]]
"""Makes report.html and its figures, by path in the folder, from what a run says."""

REPORT = "report"
"""Under this name config.json keeps which files the report is."""


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """Hold what a run does, and where.

    Attributes:
        options: of all trainings.
        asked: the studies.
        out: the folder of the run.
        arguments: what the user asked for, enough to find the treebanks again; two runs with the same
            arguments are the same run.
        command_line: the command as it was typed; empty from Python.
    """

    options: ExperimentOptions
    asked: Sequence[Asked]
    out: Path
    arguments: Mapping[str, Any] = field(default_factory=dict)
    command_line: str = ""


@dataclass(frozen=True)
class RunOutcome:
    """Represent a run that has tried everything.

    Attributes:
        content: what it says.
        written: the names of the files that it has written.
        news: what the studies say that were asked for now; the others were there before.
    """

    plan: RunPlan
    content: RunContent
    folder: Path
    written: Sequence[str]
    news: RunContent

    @property
    def failed(self) -> Sequence[Record]:
        """Return the records of what failed."""
        return self.content.failed


def check_options(options: ExperimentOptions, asked: Iterable[Asked]) -> None:
    """Refuse what cannot be run, before anything is read: names, values and combinations.

    Raises:
        InputError: see above.
    """
    ParserOptions(tags=options.tag_column).encode([])
    options.check()
    check_pairs(options)
    check_parsers(options)
    for study in asked:
        check_values(study.options)
        study.declaration.load().check(options, study.options)


def make_plan(
    treebanks: Sequence[TreebankFiles],
    options: ExperimentOptions,
    asked: Sequence[Asked],
    *,
    jobs: int = 1,
    keep_going: bool = False,
    stages: Stages | None = None,
) -> RunPlan:
    """Check the options and read the treebanks.

    Args:
        treebanks: where they are.
        options: of all trainings.
        asked: the studies.
        jobs: processes that read.
        keep_going: put a treebank that cannot be used into the `unusable` of the plan.
        stages: shows progress.

    Raises:
        InputError: unknown names or values; a treebank that cannot be used, or that a study cannot be asked
            of; a restriction that no place meets, a single treebank without any place.
        RunError: a scheme is a command, which failed.
    """
    check_options(options, asked)
    for study in asked:
        if len(treebanks) != 1 and not study.declaration.several:
            raise InputError(f"{study.declaration.name} works on one treebank, not {len(treebanks)}; use one")
    check_size(len(treebanks), options)
    plan = read_treebanks(treebanks, options, jobs=jobs, keep_going=keep_going, stages=stages)
    check_folds(plan, asked)
    for study in asked:
        study.declaration.load().check_plan(plan, study.options)
    if options.alternatives:
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


def check_folds(plan: RunPlan, asked: Iterable[Asked]) -> None:
    """Refuse studies that do not cross-validate where a treebank is cross-validated, with an InputError."""
    for study in asked:
        if not study.declaration.cross_validates and any(facts.folds > 1 for facts in plan.facts):
            name = study.declaration.name
            other = "a run that is not cross-validated"
            if study.declaration.takes != "run":
                other = "a treebank with a training and a test set, or `splits='cut'`"
            raise InputError(f"{name} does not work with cross-validation; use {other}")


def studies_of(plan: RunPlan, asked: Iterable[Asked]) -> list[Study[Any]]:
    """Return the studies of a run."""
    return [study.declaration.load()(plan, study.options) for study in asked]


def plan_cells(studies: Iterable[Study[Any]]) -> list[Cell[Any]]:
    """Return the cells that a run will compute as far as it is known from the beginning."""
    cells = {cell.key: cell for study in studies for cell in study.plan_cells()}
    return list(cells.values())


def workload(plan: RunPlan, studies: Sequence[Study[Any]]) -> Workload:
    """Return what the engine has to know of a run."""

    def wanted(records: Records) -> Iterator[Cell[Any]]:
        for study in studies:
            yield from study.next_cells(records)

    def warm_ups(cells: Iterable[Cell[Any]]) -> list[WarmUp]:
        calls = (call for cell in cells for call in cell.kernels(plan.options))
        return list(dict.fromkeys(calls))

    return Workload(
        wanted=wanted,
        foreseen=plan_cells(studies),
        task=lambda cell: task_of(plan, cell),
        seconds=lambda cell: cell.seconds(plan.options, plan.tokens(cell.treebank, cell.fold)),
        warm_ups=warm_ups,
    )


def processes(plan: RunPlan, load: Workload, workforce: Workforce, records: Records) -> int:
    """Return the number of processes that compute what is missing: fewer where a training takes threads."""
    cells = {cell.key: cell for cell in (*load.foreseen, *load.wanted(records)) if cell.key not in records}
    threads = max(trainer_of(with_parser(plan.options, parser)).threads for parser in plan.parsers)
    return max(1, workforce.processes(sum(map(load.seconds, cells.values()))) // threads)


def run_studies(
    treebanks: Sequence[TreebankFiles],
    request: RunRequest,
    workforce: Workforce,
    *,
    resume: bool = False,
    force: bool = False,
    keep_going: bool = False,
    stages: Stages | None = None,
    report: Report | None = report_files,
) -> RunOutcome:
    """Compute what is missing of a run and write its files.

    A cell that fails is recorded with its reason and the others go on; what is made of it stays empty. With
    `keep_going` so is a treebank that cannot be used. `resume` tries them again, `force` starts anew.

    Raises:
        InputError: the folder is in use, unwritable, or holds an unfinished or different run; the options or,
            without `keep_going`, the treebanks are wrong.
        RunError: the files cannot be written.
    """
    stages = stages or Stages()
    check_options(request.options, request.asked)
    folder = RunFolder(request.out)
    with folder.lock_folder():
        folder.check(resume=resume, force=force)
        plan = make_plan(
            treebanks,
            request.options,
            request.asked,
            jobs=workforce.readers,
            keep_going=keep_going,
            stages=stages,
        )
        place = folder.goes_on(force=force)
        asked = request.asked if place is None else continued_studies(place, request.asked)
        config = run_config(plan, asked, request.arguments, request.command_line, request.out)
        folder.begin(config, resume=resume, force=force)
        unusable = [
            Record(key=f"{name}/treebank", treebank=name, setting="treebank", failed=reason)
            for name, reason in plan.unusable
        ]
        for record in unusable:
            folder.append(encode(record))
        asked = stored_studies(read_config(folder.work / CONFIG))  # a finished run may have been extended
        return _carried_out(plan, asked, folder, workforce, stages, report, unusable=unusable)


def extend_run(
    folder: Path,
    treebanks: Sequence[TreebankFiles],
    study: Asked,
    workforce: Workforce,
    stages: Stages | None = None,
    report: Report | None = report_files,
) -> RunOutcome:
    """Ask a finished run for a further study, which builds on its records.

    Asked again for the same study, with whatever options, it goes on from what is there.

    Args:
        folder: the folder of the run.
        treebanks: the treebanks of the run, as they are found now.
        study: what is asked for.
        workforce: the processes that compute.
        stages: shows progress.
        report: makes the report.

    Raises:
        InputError: the run is not finished, its treebanks are not what they were, a user has changed one of
            its files, or the study cannot be asked of it.
        RunError: the files cannot be written.
    """
    stages = stages or Stages()
    run_folder = RunFolder(folder)
    with run_folder.lock_folder():
        config = finished_config(folder)
        run_folder.check_files()
        if not config.get("compares"):
            name = study.declaration.name
            raise InputError(
                f"the run in {folder} compares no annotations; run {name} on the folder of a run that does"
            )
        options = stored_options(config)
        (study,) = continued_studies(folder, [study])
        studies = {**config["studies"], study.declaration.name: asdict(study.options)}
        asked = stored_studies({**config, "studies": studies})  # what is asked again keeps its place
        plan = make_plan(treebanks, options, asked, jobs=workforce.readers, stages=stages)
        check_data(config, plan, folder)
        finished = {
            name: files for name, files in config["finished"].items() if name != study.declaration.name
        }
        changes = {"studies": studies, "finished": finished, "train_tokens": train_tokens(plan)}
        run_folder.extend({**config, **changes})
        return _carried_out(plan, asked, run_folder, workforce, stages, report, news=[study])


def continued_studies(place: Path, asked: Sequence[Asked]) -> list[Asked]:
    """Return studies with the options that they have in a run that goes on.

    Args:
        place: the folder of the configuration and the records of the run so far.
        asked: the studies, with the options of now.

    Raises:
        InputError: what is recorded would be lost with the options of now.
    """
    earlier = {study.declaration.name: study for study in stored_studies(read_config(place / CONFIG))}
    records = Records(read_records(place / RECORDS).values())
    continued = []
    for study in asked:
        name = study.declaration.name
        if name in earlier:
            study = study.continue_study(earlier[name], records)
        continued.append(study)
    return continued


def report_run(folder: Path, report: Report | None = report_files) -> RunOutcome:
    """Make all files of a finished run once more, from its records alone.

    Raises:
        InputError: there is no finished run, its files do not belong together, a user has changed one of
            them, or a study of it is unknown to this version.
        RunError: the files cannot be written.
    """
    run_folder = RunFolder(folder)
    with run_folder.lock_folder(), name_run_in_errors(folder):
        config = finished_config(folder)
        run_folder.check_files()
        plan = stored_plan(config)
        asked = finished_studies(config)
        records = finished_records(folder, config)
        completed = Completed(records, _failures(plan, asked, records, run_folder.records))
        return _write_outcome(plan, asked, run_folder, completed, Stages(), report)


def refined_run(folder: Path) -> StoredRun:
    """Return a finished run for comparison with others, with the answers that were refined later.

    Raises:
        InputError: as of :func:`~learnability.evidence.stored_runs.read_run`.
    """
    run = read_run(folder)
    names = {declaration.name for declaration in find_offers()}
    asked = [study for study in finished_studies(run.config) if study.declaration.name in names]
    if not asked:
        return run
    records = finished_records(folder, run.config)
    refined: dict[tuple[str, str], ComparisonRow] = {}
    with name_run_in_errors(folder):
        for study in studies_of(stored_plan(run.config), asked):
            outcome = study.outcome(records)
            for row in outcome.refined if outcome else ():
                refined[row.treebank_label, row.title] = row
    pairs = (
        replace(pair, row=refined.get((pair.treebank, pair.construction), pair.row)) for pair in run.pairs
    )
    return replace(run, pairs=tuple(pairs))


def _failures(plan: RunPlan, asked: Iterable[Asked], records: Records, path: Path) -> tuple[Record, ...]:
    """Return what failed of a run by its file of records: treebanks that it does without, and cells that its
    studies still want."""
    wanted = {cell.key for study in studies_of(plan, asked) for cell in study.next_cells(records)}
    failures = read_failures(path)
    unusable = (r for r in failures if r.setting == "treebank" and r.treebank not in plan.by_label)
    return (*unusable, *(record for record in failures if record.key in wanted))


def _carried_out(
    plan: RunPlan,
    asked: Sequence[Asked],
    folder: RunFolder,
    workforce: Workforce,
    stages: Stages,
    report: Report | None,
    *,
    unusable: Sequence[Record] = (),
    news: Sequence[Asked] = (),
) -> RunOutcome:
    load = workload(plan, studies_of(plan, asked))
    recorded = Records(read_records(folder.records).values())
    jobs = processes(plan, load, workforce, recorded)
    completed = complete(load, folder, jobs=jobs, cluster=workforce.cluster, stages=stages)
    completed = Completed(completed.records, (*unusable, *completed.failed))
    with describe_kept(lambda: kept_trainings(folder, completed.records)):
        return _write_outcome(plan, asked, folder, completed, stages, report, news)


def _write_outcome(
    plan: RunPlan,
    asked: Sequence[Asked],
    folder: RunFolder,
    completed: Completed,
    stages: Stages,
    report: Report | None,
    news: Sequence[Asked] = (),
) -> RunOutcome:
    """Make the files of a run from its records, and write them."""
    stages.stage("intervals and tests", expected=len(plan.treebanks) * PAIR_SECONDS)
    outcomes = {
        study.declaration.name: outcome
        for study, instance in zip(asked, studies_of(plan, asked), strict=True)
        if (outcome := instance.outcome(completed.records)) is not None
    }
    config = read_config(folder.work / CONFIG)
    content = _content(plan, config, folder.folder, completed, outcomes.values())
    latest = [outcomes[study.declaration.name] for study in news if study.declaration.name in outcomes]
    files = {name: outcome.files for name, outcome in outcomes.items()}
    pages: Mapping[str, bytes] = {}
    if report is not None and outcomes:
        stages.stage("writing the report", expected=REPORT_SECONDS)
        pages = report(content)
    design = content.design.as_config()
    folder.complete(
        {**files, REPORT: pages} if pages else files,
        pairs=design["pairs"],
        records=len(completed.records),
    )
    written = [name for of_study in (*files.values(), pages) for name in of_study if "/" not in name]
    shown = _content(plan, config, folder.folder, completed, latest) if news else content
    return RunOutcome(plan, content, folder.folder, written, shown)


def _content(
    plan: RunPlan,
    config: Config,
    folder: Path,
    completed: Completed,
    outcomes: Iterable[Outcome],
) -> RunContent:
    """Put together what studies of a run say."""
    content = RunContent(
        config=config,
        folder=folder_typed(config, folder),
        records=completed.records,
        failed=completed.failed,
        design=RunDesign.of_plan(plan),
        offers={} if not config["compares"] else offers_beside(config["studies"]),
    )
    for outcome in outcomes:
        content = replace(
            content,
            design=outcome.design or content.design,
            rows=[*content.rows, *outcome.rows],
            refined=[*content.refined, *outcome.refined],
            panels=[*content.panels, *outcome.panels],
            answers=[*content.answers, *outcome.answers],
            sections=[*content.sections, *outcome.sections],
            details=[*content.details, *outcome.details],
            figures=[*content.figures, *outcome.figures],
            values={**content.values, **outcome.values},
            says_all=content.says_all or outcome.says_all,
            opening=outcome.opening or content.opening,
            page=outcome.page or content.page,
        )
    return content
