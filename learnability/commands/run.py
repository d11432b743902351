"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from learnability.commands.experiments import (
    arguments_of,
    carry_out,
    experiment_options,
    recheck_run,
    resolved,
    selection_of,
)
from learnability.commands.options import Execution, options, taken
from learnability.commands.resolve import Names
from learnability.comparing.options import ComparedTreebanks, ExperimentOptions, TreebankSelection
from learnability.errors import InputError
from learnability.support.progress import shown_stages
from learnability.treebanks.alignment import titles

GO_WITH_RECHECK = ("recheck", "recheck_share", "recheck_seed", "jobs", "as_json", "quiet")
"""The options that change nothing of what is repeated."""


@click.command(
    "run",
    short_help="Measure which annotation of a treebank a parser learns best.",
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@options(TreebankSelection)
@options(ComparedTreebanks, "alternative", "alternative_release", panel="Treebank")
@experiment_options
@options(ExperimentOptions, "against", panel=Names.PANEL)
@options(ExperimentOptions, "joint", "verify", "learning_curve", panel="Further trainings")
@options(ExperimentOptions, "search", panel="Search")
@click.option(
    "--recheck", metavar="DIR", panel="Recheck",
    help="Repeat a random share of the cells of the finished run in DIR and compare them with its records; "
    "exit code 1 if anything differs.",
)  # fmt: skip
@click.option(
    "--recheck-share", metavar="P", type=click.FloatRange(0, 1), default=0.1, show_default=True,
    panel="Recheck", help="Share of the cells to repeat, at least one.",
)  # fmt: skip
@click.option(
    "--recheck-seed", metavar="N", type=int, default=1, show_default=True, panel="Recheck",
    help="Which cells: those that this seed draws.",
)  # fmt: skip
@click.option(
    "--card", metavar="FILE", panel=Execution.PANEL,
    help="Write an evidence card, a page of Markdown to paste into a discussion; the same as JSON beside it.",
)  # fmt: skip
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL,
    help="Folder of the run; default: runs/TREEBANK, or TREEBANK-2, ... beside others.",
)  # fmt: skip
def command(
    out: str | None,
    card: str | None,
    recheck: str | None,
    recheck_share: float,
    recheck_seed: int,
    **given: Any,
) -> None:
    """Train parsers on UD (a), on the transformed treebank (b) and against both (c), and compare.

    One row per transformation: UAS under both annotations and its difference (positive: UD is better), the
    share of the sentences with sites in which each annotation survives, and what the cheap measures predict.

    --against S puts another scheme in the place of UD; --alternative T compares two treebanks, or two
    releases of one, that annotate the same sentences.

    --search combines all transformations and compares UD with the most promising schemes.

    --json prints the rows; with --joint, --search or --learning-curve an object of rows, joint, search and
    learning_curves.
    """
    execution, selection = taken(Execution, given), selection_of(given)
    if recheck is not None:
        _check_alone()
        recheck_run(Path(recheck), execution, recheck_share, recheck_seed)
        return
    if card is not None and given["quick"]:
        raise InputError("--card: needs measurements, and --quick predicts; leave out one of them")
    with shown_stages("starting", quiet=execution.quiet) as stages:
        files = selection.files()
        treebanks = titles(files) if files.alternative else None
        experiment = resolved(selection.data, treebanks=treebanks, trees=True, **given)
        arguments = arguments_of("run", selection, experiment)
        folder = execution.folder(out, files.name, arguments)
        place = Path(card) if card is not None else None
        carry_out([files], experiment, execution, folder, arguments, many=False, stages=stages, card=place)


def _check_alone() -> None:
    """Refuse options that would change what a run that is rechecked consists of."""
    context = get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is ParameterSource.COMMANDLINE and parameter.name not in GO_WITH_RECHECK:
            raise click.UsageError(
                f"--recheck repeats a run as it was: leave out {parameter.opts[0]}", context
            )
