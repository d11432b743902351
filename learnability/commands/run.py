"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from learnability.commands.experiments import (
    ExperimentSelection,
    arguments_of,
    carry_out,
    experiment_options,
)
from learnability.commands.options import TreebankSelection, treebank_options
from learnability.reports.progress import shown_stages

if TYPE_CHECKING:
    from learnability.experiments.options import ExperimentOptions


@click.command(
    "run",
    short_help="Measure which annotation of a treebank a parser learns best.",
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@treebank_options()
@experiment_options
@click.option("--against", metavar="S", help="Compare with this scheme or transformation instead of UD.")
@click.option("--joint", is_flag=True, help="Also train against all transformations at once: joint.json.")
@click.option(
    "--verify",
    type=click.IntRange(min=1),
    metavar="K",
    help="With --joint: train the K schemes that agree most with what survived, and rank the advised one.",
)
@click.option(
    "--learning-curve", is_flag=True, help="Also train on 1/16 ... 1/1 of the data: learning_curve.json."
)
@click.option("--out", metavar="DIR", help="Folder of the run; default: runs/TREEBANK.")
def command(
    selection: TreebankSelection,
    experiment: ExperimentSelection,
    against: str | None,
    joint: bool,
    verify: int | None,
    learning_curve: bool,
    out: str | None,
) -> None:
    """Train parsers on UD (a), on the transformed treebank (b) and against both (c), and compare.

    One row per transformation: UAS under both annotations and its difference (positive: UD is better), the
    share of training sentences in which each annotation survives, and what the cheap measures predict.

    --against S puts another scheme in the place of UD.

    --json prints the rows; with --joint or --learning-curve an object of rows, joint and learning_curves.
    """
    with shown_stages("starting", quiet=experiment.quiet) as stages:
        options = replace(
            _against(experiment, selection, against),
            joint=joint,
            verify=verify or 0,
            learning_curve=learning_curve,
            trees=True,
        )
        files = selection.files()
        folder = Path(out) if out else Path("runs") / files.name
        arguments = arguments_of("run", selection, options)
        carry_out([files], options, experiment, folder, arguments, many=False, stages=stages)


def _against(
    experiment: ExperimentSelection, selection: TreebankSelection, name: str | None
) -> ExperimentOptions:
    """The options of the experiment, with what is compared with."""
    options = experiment.options(selection)
    if name is None:
        return options
    from learnability.experiments.against import compared_with

    return compared_with(options, name, given=bool(experiment.transform or experiment.scheme))
