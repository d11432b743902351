"""Make the commands of studies from their declarations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import (
    NAMED,
    TRANSFORM,
    experiment_of,
    finish,
    run_treebanks,
    selections_of,
)
from learnability.commands.options import (
    SHOWN_OF_EXECUTION,
    Execution,
    combine_options,
    everyday,
    help_all,
    options,
    take_options,
)
from learnability.commands.resolve import Names
from learnability.comparing.options import ExperimentOptions, TreebankSelection
from learnability.studies.declaration import Declaration
from learnability.support.progress import shown_stages

EVERYDAY_OF_RUN = ("jobs", "as_json", "details", "quiet")
"""The options of `Execution` where a study builds on a run."""

RARE = (
    "train",
    "dev",
    "test",
    "multiple_roots",
    "splits",
    "iterations",
    "tags",
)
"""Options that help shows with `--help-all` only."""


def study_command(declaration: Declaration) -> click.Command:
    """Return the command of a study."""
    command = _on_run(declaration) if declaration.takes == "run" else _on_treebanks(declaration)
    command.epilog = f"Example: {declaration.example}"
    return command


def _on_run(declaration: Declaration) -> click.Command:
    """Return a command that takes the folder of a finished run."""

    @click.command(declaration.name, short_help=declaration.summary, help=declaration.help)
    @click.argument("run", metavar="RUN", shell_complete=completion.files)
    @options(declaration.options)
    @options(Execution, *EVERYDAY_OF_RUN)
    def command(run: str, **parameters: Any) -> None:
        execution, study_options = (
            take_options(Execution, parameters),
            take_options(declaration.options, parameters),
        )
        workforce = execution.workforce()
        with shown_stages("looking for treebanks", quiet=execution.quiet) as stages:
            from learnability.evidence.stored_runs import finished_config
            from learnability.studies.declaration import Asked
            from learnability.studies.experiment_arguments import treebanks_of
            from learnability.studies.runner import extend_run

            folder = Path(run)
            files = treebanks_of(finished_config(folder), folder)
            study = Asked(declaration, study_options)
            outcome = extend_run(folder, files, study, workforce, stages)
            finish(outcome, execution, stages)

    on_run: click.Command = command
    return on_run


def _on_treebanks(declaration: Declaration) -> click.Command:
    """Return a command that takes treebanks."""
    several, transforms = declaration.takes == "treebanks", "transform" in declaration.named
    folder = declaration.folder or "TREEBANK"

    def changed(name: str) -> dict[str, Any]:
        return {"default": declaration.defaults[name]} if name in declaration.defaults else {}

    shared = [options(ExperimentOptions, name, **changed(name)) for name in declaration.shared]
    folds = changed("cross_validate")

    @click.command(declaration.name, short_help=declaration.summary, help=declaration.help)
    @options(
        TreebankSelection, "treebank", multiple=several,
        help="Treebank: a name, a folder, a training file, or demo" + ("; repeatable." if several else "."),
    )  # fmt: skip
    @options(TreebankSelection, *(("ud_home",) if declaration.selects else ("ud_home", "release", "splits")))
    @(
        options(TreebankSelection, "cross_validate", **folds)
        if declaration.cross_validates
        else combine_options()
    )
    @options(TreebankSelection, *(() if declaration.selects else ("train", "dev", "test")), "multiple_roots")
    @(
        options(Names, "transform", help=TRANSFORM + declaration.usual.help)
        if transforms
        else combine_options()
    )
    @(NAMED["scheme"] if "scheme" in declaration.named else combine_options())
    @combine_options(*shared)
    @options(declaration.options)
    @options(Execution, *SHOWN_OF_EXECUTION)
    @click.option(
        "--out", metavar="DIR", panel=Execution.PANEL,
        help=f"Folder of the run; default: runs/{folder}, or {folder}-2, ... if that folder is taken.",
    )  # fmt: skip
    @help_all
    def command(out: str | None, **parameters: Any) -> None:
        execution, study_options = (
            take_options(Execution, parameters),
            take_options(declaration.options, parameters),
        )
        with shown_stages("starting", quiet=execution.quiet) as stages:
            selections = selections_of(parameters)
            if declaration.selects:
                selections = list(declaration.select_treebanks(selections[0], study_options))
            experiment = experiment_of(selections[0].data, declaration, parameters)
            run_treebanks(declaration, study_options, selections, experiment, execution, out, stages)

    on_treebanks: click.Command = command
    shown = (parameter.name or "" for parameter in on_treebanks.params if parameter.name not in RARE)
    return everyday(*shown)(on_treebanks)
