"""Share code between the commands that carry out runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands.options import Execution, Function, options, take_options
from learnability.commands.streams import note
from learnability.comparing.options import ComparedTreebanks, ExperimentOptions, TreebankSelection
from learnability.errors import InputError, RunError
from learnability.support.options import shared
from learnability.support.terminal import print_line

if TYPE_CHECKING:
    from pathlib import Path

    from learnability.reports.story import RunStory
    from learnability.studies.run import Run
    from learnability.support.progress import ProgressSteps

TRANSFORM = (
    "Construction to compare with UD, for example case, 'case:lemma=of|to' or upos:AUX=VERB; repeatable."
)

TRAINING = options(ExperimentOptions, *("seeds", "iterations", "parsers", "labels", "tags"))
"""The options of all trainings."""


def name_treebanks(command: Function) -> Function:
    """Add the options that name treebanks: `--treebank`, repeatable, and `--all`."""
    every = click.option(
        "--all", "every_treebank", is_flag=True, panel=TreebankSelection.PANEL,
        help="All treebanks below --ud-home (default: the whole search path).",
    )  # fmt: skip
    named = options(
        TreebankSelection, "treebank", multiple=True,
        help="Treebank: a name, a folder, a training file, or demo; repeatable.",
    )  # fmt: skip
    return named(every(command))


def selections_of(parameters: dict[str, Any]) -> list[TreebankSelection]:
    """Return the treebanks that these options name, with an alternative, if any, and remove these options."""
    named = parameters.pop("treebank", None)
    compared = take_options(ComparedTreebanks, {**parameters, "treebank": None})
    for field in vars(compared):
        parameters.pop(field, None)
    selection = compared
    if compared.alternative is None:
        selection = TreebankSelection(**shared(TreebankSelection, compared))  # type: ignore[assignment]
    if not isinstance(named, tuple):
        return [replace(selection, treebank=named)]
    if len(named) > 1 and selection.is_named:
        raise InputError("--train, --dev, --test are files of one treebank; use one --treebank, or none")
    return [replace(selection, treebank=name) for name in named or (None,)]


def carry_out(run: Run, execution: Execution, out: str | None, folder: str, steps: ProgressSteps) -> None:
    """Carry out a run (or show its plan), print what it says, and fail if anything failed."""
    from learnability.reports.comparison_files import report_of
    from learnability.studies.runner import run_studies

    workforce = execution.workforce()
    if execution.dry_run and execution.as_json:
        raise InputError("`dry_run` prints a table only; leave out `as_json`")
    work_folder = execution.folder(out, folder, run.arguments)
    if execution.dry_run:
        _show_plan(run, work_folder, execution, steps)
        return
    story = run_studies(
        run,
        work_folder,
        workforce,
        resume=execution.resume,
        force=execution.force,
        steps=steps,
        report=report_of,
    )
    finish(story, execution, steps)


def _show_plan(run: Run, work_folder: Path, execution: Execution, steps: ProgressSteps) -> None:
    from learnability.comparing.plan import advice_on_pairs
    from learnability.reports.plan import print_plan
    from learnability.running.folder import RECORDS, RunFolder
    from learnability.running.records import Records, read_records
    from learnability.studies.run_config import run_config
    from learnability.studies.runner import continued_studies, make_plan, plan_cells, studies_of

    readers = execution.workforce().readers
    plan = make_plan(run, jobs=readers, steps=steps)
    config = run_config(plan, run.studies, run.arguments)
    RunFolder(work_folder).check_config(config, resume=execution.resume, force=execution.force)
    before = RunFolder(work_folder).find_continued(force=execution.force)
    planned = studies_of(plan, continued_studies(before, run.studies) if before else run.studies)
    records = Records(read_records(before / RECORDS).values() if before else ())
    cells = [cell for cell in plan_cells(planned, records) if cell.key not in records]
    steps.stop()
    if before is not None and not cells:
        print_line(f"Nothing is left to train: {work_folder} has all of it.")
        return
    print_plan(plan, cells, [line for each in planned for line in each.notes()], readers)
    for line in advice_on_pairs(plan):
        note(line, quiet=execution.quiet)
    if plan.unusable:  # the run would fail, too
        raise RunError("; ".join(f"{name} cannot be used ({reason})" for name, reason in plan.unusable))


def finish(story: RunStory, execution: Execution, steps: ProgressSteps, *, computed: bool = True) -> None:
    """Print what a run says, and fail if anything in it failed; if nothing was `computed`, a note says so."""
    from learnability.comparing.plan import advice_on_pairs
    from learnability.reports.outcome import print_story
    from learnability.studies.experiment_arguments import failures

    steps.stop()
    facts_of = zip(story.plan.treebanks, story.plan.facts, strict=True)
    remarks = [f"{treebank.name}: {remark}" for treebank, facts in facts_of for remark in facts.remarks]
    for remark in dict.fromkeys(remarks):  # versions of a treebank have some in common
        note(remark, quiet=execution.quiet)
    for line in advice_on_pairs(story.plan):
        note(line, quiet=execution.quiet)
    print_story(story, as_json=execution.as_json, details=execution.details, explain=execution.explain)
    if story.failed and computed:
        raise RunError(failures(story.failed, story.folder))
    if story.failed:
        note(failures(story.failed, story.folder), quiet=execution.quiet)
