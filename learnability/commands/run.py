"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from learnability.commands.experiments import (
    ExperimentSelection,
    arguments_of,
    carry_out,
    experiment_options,
)
from learnability.commands.options import TreebankSelection, treebank_options


@click.command(
    "run",
    short_help="Measure which annotation of a treebank a parser learns best.",
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@treebank_options()
@experiment_options
@click.option("--out", metavar="DIR", help="Folder of the run; default: runs/TREEBANK.")
def command(selection: TreebankSelection, experiment: ExperimentSelection, out: str | None) -> None:
    """Train parsers on UD (a), on the transformed treebank (b) and against both (c), and compare.

    One row per transformation: UAS under both annotations and its difference (positive: UD is better), the
    share of training sentences in which each annotation survives, and what the cheap measures predict.
    """
    options = experiment.options(selection)
    files = selection.files()
    folder = Path(out) if out else Path("runs") / files.name
    carry_out([files], options, experiment, folder, arguments_of("run", selection, options), many=False)
