"""Share code between the commands that carry out studies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands.options import Execution, command_typed, given_values, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import note
from learnability.comparing.options import (
    ComparedTreebanks,
    DataOptions,
    ExperimentOptions,
    TreebankSelection,
)
from learnability.errors import InputError, RunError
from learnability.studies.declaration import SEVEN, Declaration
from learnability.studies.registry import studies_of_run
from learnability.support.options import shared

if TYPE_CHECKING:
    from learnability.studies.declaration import Asked
    from learnability.studies.runner import RunOutcome
    from learnability.support.progress import Stages
    from learnability.treebanks.locate import TreebankFiles

TRANSFORM = (
    "Construction to compare with UD, for example case, 'case:lemma=of|to' or upos:AUX=VERB; repeatable."
)

NAMED = {
    "transform": options(Names, "transform", help=TRANSFORM + SEVEN.help),
    "scheme": options(Names, "scheme", multiple=True, help="Scheme to compare with UD; repeatable."),
}  # fmt: skip
"""The options that name what is compared."""

TRAINING = options(
    ExperimentOptions,
    *("seeds", "iterations", "parsers", "labels", "tags"),
)
"""The options of all trainings."""


def then(function: Any) -> Any:
    """Add an option for each study that can be asked for together with a run."""
    for declaration in reversed(studies_of_run()):  # the first one is to stand first
        flag = click.option(
            f"--{declaration.name}", declaration.name, is_flag=True, panel=Names.PANEL,
            help=declaration.run_option,
        )  # fmt: skip
        function = flag(function)
    return function


def asked_then(parameters: dict[str, Any]) -> list[Asked]:
    """Return the studies that are asked for with a run; other options stay in `parameters`."""
    from learnability.studies.declaration import Asked

    return [Asked(declaration) for declaration in studies_of_run() if parameters.pop(declaration.name, False)]


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


def experiment_of(
    data: DataOptions,
    declaration: Declaration,
    parameters: dict[str, Any],
    treebanks: tuple[str, str] | None = None,
) -> ExperimentOptions:
    """Return the options of a run from those of a command."""
    from learnability.studies.experiment_arguments import named_experiment

    return named_experiment(data, declaration, treebanks=treebanks, **given_values(parameters))


def run_treebanks(
    declaration: Declaration,
    asked: Any,
    selections: Sequence[TreebankSelection],
    experiment: ExperimentOptions,
    execution: Execution,
    out: str | None,
    stages: Stages,
    *,
    files: Sequence[TreebankFiles] = (),
    command: str = "",
    then: Sequence[Asked] = (),
) -> None:
    """Carry out a study on treebanks (or show its plan), print what it says, and fail if anything failed.

    Args:
        declaration: the declaration of the study.
        asked: its own options.
        selections: the treebanks as they were asked for.
        experiment: options of all trainings.
        execution: where and how it is computed.
        out: the folder, if it was given.
        stages: shows progress.
        files: where the treebanks are, if that is known: of many, some of which may be unusable.
        command: its name, if it is not that of the study.
        then: studies that go on with what it finds.
    """
    from learnability.comparing.plan import advice_on_pairs
    from learnability.parsers.trainer import USUAL_PARSER
    from learnability.reports.comparison_files import report_of
    from learnability.reports.plan import print_plan
    from learnability.running.folder import RunFolder
    from learnability.studies.declaration import Asked
    from learnability.studies.experiment_arguments import arguments_of
    from learnability.studies.run_config import run_config
    from learnability.studies.runner import (
        RunRequest,
        check_options,
        make_plan,
        plan_cells,
        run_studies,
        studies_of,
    )

    study = Asked(declaration, asked)
    studies = [study, *then]
    workforce = execution.workforce()
    many = bool(files)
    files = files or [selection.files() for selection in selections]
    if not many:
        experiment.data.check(files)
    check_options(experiment, studies)
    if all(parser.kind.name != USUAL_PARSER for parser in experiment.parsers):
        names = " and ".join(parser.title for parser in experiment.parsers)
        stages.say(
            f"this run trains {names} instead of {USUAL_PARSER}; add --parser {USUAL_PARSER} to train it, too"
        )
    arguments = arguments_of(command or declaration.name, selections, experiment, study)
    if execution.dry_run and execution.as_json:
        raise InputError("`dry_run` prints a table only; leave out `as_json`")
    folder = execution.folder(out, declaration.folder or files[0].name, arguments)
    if execution.dry_run:
        plan = make_plan(files, experiment, studies, jobs=workforce.readers, keep_going=many, stages=stages)
        config = run_config(plan, studies, arguments)
        RunFolder(folder).check_config(config, resume=execution.resume, force=execution.force)
        planned = studies_of(plan, studies)
        stages.stop()
        notes = [note for each in planned for note in each.notes()]
        print_plan(plan, plan_cells(planned), notes, workforce.readers)
        for line in advice_on_pairs(plan):
            note(line, quiet=execution.quiet)
        return
    request = RunRequest(
        options=experiment, asked=studies, out=folder, arguments=arguments, command_line=command_typed()
    )
    outcome = run_studies(
        files, request, workforce, resume=execution.resume, force=execution.force, keep_going=many,
        stages=stages, report=report_of,
    )  # fmt: skip
    finish(outcome, execution, stages)


def finish(outcome: RunOutcome, execution: Execution, stages: Stages, *, computed: bool = True) -> None:
    """Print what a run says, and fail if anything in it failed; if nothing was `computed`, a note says so."""
    from learnability.comparing.plan import advice_on_pairs
    from learnability.reports.outcome import print_content
    from learnability.studies.experiment_arguments import failures

    stages.stop()
    facts_of = zip(outcome.plan.treebanks, outcome.plan.facts, strict=True)
    remarks = [f"{treebank.name}: {remark}" for treebank, facts in facts_of for remark in facts.remarks]
    for remark in dict.fromkeys(remarks):  # versions of a treebank have some in common
        note(remark, quiet=execution.quiet)
    for line in advice_on_pairs(outcome.plan):
        note(line, quiet=execution.quiet)
    print_content(
        outcome.news, outcome.folder, outcome.written, as_json=execution.as_json, details=execution.details
    )
    if outcome.failed and computed:
        raise RunError(failures(outcome.failed, outcome.folder))
    if outcome.failed:
        note(failures(outcome.failed, outcome.folder), quiet=execution.quiet)
