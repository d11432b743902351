"""Make the commands of studies from their declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import TRANSFORM, carry_out, selections_of
from learnability.commands.options import (
    SHOWN_OF_EXECUTION,
    Execution,
    Function,
    combine_options,
    command_typed,
    everyday,
    given_values,
    help_all,
    options,
    take_options,
    typed_flags,
)
from learnability.commands.resolve import Names
from learnability.comparing.options import ExperimentOptions, TreebankSelection
from learnability.studies.declaration import Declaration
from learnability.support.plugins import import_object
from learnability.support.progress import shown_steps

RARE = ("train", "dev", "test", "multiple_roots", "skip_incomplete", "splits", "iterations", "tags")
"""Options that help shows with `--help-all` only."""


def _arguments(first: str, others: str) -> Callable[[Function], Function]:
    complete = completion.versions
    return combine_options(
        click.argument("treebank", metavar=first, shell_complete=complete),
        click.argument("others", metavar=others, nargs=-1, required=True, shell_complete=complete),
    )


def study_command(declaration: Declaration) -> click.Command:
    """Return the command of a study of treebanks."""
    several = declaration.works_on == "treebanks"
    folder = "A+B" if declaration.arguments else declaration.folder or "TREEBANK"

    def changed(name: str) -> dict[str, Any]:
        return {"default": declaration.defaults[name]} if name in declaration.defaults else {}

    shared = [options(ExperimentOptions, name, **changed(name)) for name in declaration.shared]
    folds = changed("cross_validate")

    @click.command(declaration.name, short_help=declaration.summary, help=declaration.help)
    @(
        _arguments(*declaration.arguments)
        if declaration.arguments
        else options(
            TreebankSelection, "treebank", multiple=several,
            help="Treebank: a name, a folder, a training file, or demo"
            + ("; repeatable." if several else "."),
        )
    )  # fmt: skip
    @options(TreebankSelection, *(("ud_home",) if declaration.selects else ("ud_home", "release", "splits")))
    @(
        options(TreebankSelection, "cross_validate", **folds)
        if declaration.cross_validates
        else combine_options()
    )
    @(combine_options() if declaration.selects else options(TreebankSelection, "train", "dev", "test"))
    @options(TreebankSelection, "multiple_roots", "skip_incomplete")
    @(
        options(Names, "transform", help=TRANSFORM + declaration.default.help)
        if declaration.names_transforms
        else combine_options()
    )
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
        if declaration.instead:
            chosen = take_options(declaration.instead_options, parameters)
            if declaration.arguments:
                selection = take_options(declaration.selection(), dict(parameters))
            else:
                (selection,) = selections_of(dict(parameters))
            how = {name: getattr(execution, name) for name in ("force", "as_json", "quiet")}
            act = import_object(declaration.instead)
            if act(chosen, study_options, selection, out, typed=typed_flags(), **how):
                return
        with shown_steps("starting", quiet=execution.quiet) as steps:
            from learnability.studies.run import Run

            if declaration.arguments:
                selections = [take_options(declaration.selection(), parameters)]
            else:
                selections = selections_of(parameters)
            if declaration.selects:
                find = declaration.selection().find_selections
                selections = [found for named in selections for found in find(named, study_options)]
            run = Run.of_names(
                declaration,
                study_options,
                selections,
                command_line=command_typed(),
                **given_values(parameters),
            )
            carry_out(run, execution, out, declaration.folder or run.treebanks[0].name, steps)

    for field in fields(declaration.instead_options):  # each is added after the others
        options(declaration.instead_options, field.name)(command)
    on_treebanks: click.Command = command
    shown = (parameter.name or "" for parameter in on_treebanks.params if parameter.name not in RARE)
    on_treebanks.epilog = f"Example: {declaration.example}"
    return everyday(*shown)(on_treebanks)
