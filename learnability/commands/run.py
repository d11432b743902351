"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from typing import Any

import rich_click as click

from learnability.commands.experiments import arguments_of, carry_out, experiment_options, resolved
from learnability.commands.options import Execution, options, taken
from learnability.commands.resolve import Names
from learnability.experiments.options import ExperimentOptions, TreebankSelection
from learnability.progress import shown_stages


@click.command(
    "run",
    short_help="Measure which annotation of a treebank a parser learns best.",
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@options(TreebankSelection)
@experiment_options
@options(ExperimentOptions, "against", panel=Names.PANEL)
@options(ExperimentOptions, "joint", "verify", "learning_curve", panel="Further trainings")
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL,
    help="Folder of the run; default: runs/TREEBANK, or TREEBANK-2, ... beside others.",
)  # fmt: skip
def command(out: str | None, **given: Any) -> None:
    """Train parsers on UD (a), on the transformed treebank (b) and against both (c), and compare.

    One row per transformation: UAS under both annotations and its difference (positive: UD is better), the
    share of the sentences with sites in which each annotation survives, and what the cheap measures predict.

    --against S puts another scheme in the place of UD.

    --json prints the rows; with --joint or --learning-curve an object of rows, joint and learning_curves.
    """
    execution, selection = taken(Execution, given), taken(TreebankSelection, given)
    with shown_stages("starting", quiet=execution.quiet) as stages:
        experiment = resolved(selection.data, trees=True, **given)
        files = selection.files()
        arguments = arguments_of("run", selection, experiment)
        folder = execution.folder(out, files.name, arguments)
        carry_out([files], experiment, execution, folder, arguments, many=False, stages=stages)
