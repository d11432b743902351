"""`learnability harmonise`: which conventions differ between treebanks of a language, and what they cost."""

from __future__ import annotations

from typing import Any

import rich_click as click

from learnability.extending import (
    SHOWN_OF_EXECUTION,
    Execution,
    ExperimentOptions,
    TreebankSelection,
    carry_out,
    command_typed,
    completion,
    given_values,
    options,
    shown_stages,
    take_options,
)
from learnability.extensions.harmonise.declaration import DECLARATION, HarmoniseOptions


@click.command(
    DECLARATION.name,
    short_help=DECLARATION.summary,
    help=DECLARATION.help,
    epilog=f"Example: {DECLARATION.example}",
)
@click.argument("first", metavar="A", shell_complete=completion.versions)
@click.argument("others", metavar="B [C...]", nargs=-1, required=True, shell_complete=completion.versions)
@options(TreebankSelection, "ud_home", "multiple_roots", "skip_incomplete")
@options(ExperimentOptions, *DECLARATION.shared)
@options(HarmoniseOptions)
@options(Execution, *SHOWN_OF_EXECUTION)
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL,
    help="Folder of the run; default: runs/A+B, or runs/A+B-2, ... if that folder is taken.",
)  # fmt: skip
def command(first: str, others: tuple[str, ...], out: str | None, **parameters: Any) -> None:
    """Compare treebanks of one language."""
    execution = take_options(Execution, parameters)
    chosen = take_options(HarmoniseOptions, parameters)
    with shown_stages("starting", quiet=execution.quiet) as stages:
        from learnability.extending import Run
        from learnability.extensions.harmonise.selecting import LanguageSelection

        selection = LanguageSelection(
            first,
            ud_home=parameters.pop("ud_home"),
            multiple_roots=parameters.pop("multiple_roots"),
            skip_incomplete=parameters.pop("skip_incomplete"),
            others=others,
        )
        run = Run.of_names(
            DECLARATION,
            chosen,
            [selection],
            command_line=command_typed(),
            **given_values(parameters),
        )
        carry_out(run, execution, out, run.treebanks[0].name, stages)
