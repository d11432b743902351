"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from typing import Any

import rich_click as click

from learnability.commands.experiments import (
    NAMED,
    TRAINING,
    asked_then,
    experiment_of,
    run_treebanks,
    selections_of,
    then,
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
from learnability.comparing.options import ComparedTreebanks, ExperimentOptions, TreebankSelection
from learnability.studies.declaration import NoOptions
from learnability.studies.registry import STUDIES, studies_of_run
from learnability.support.progress import shown_stages
from learnability.treebanks.alignment import titles

EVERYDAY = (
    *("treebank", "ud_home", "release", "transform", "scheme", "alternative", "parsers", "seeds"),
    *("cross_validate", "labels", "out", "resume", "jobs"),
    *(study.name for study in studies_of_run()),
)
"""The options that help shows."""


@everyday(*EVERYDAY)
@click.command(
    "run",
    short_help=STUDIES["run"].summary,
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@options(TreebankSelection)
@options(ComparedTreebanks, "alternative", panel="Treebank")
@combine_options(*NAMED.values())
@options(ExperimentOptions, "against", panel=Names.PANEL)
@TRAINING
@then
@options(Execution, *SHOWN_OF_EXECUTION)
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL,
    help="Folder of the run; default: runs/TREEBANK, or TREEBANK-2, ... if that folder is taken.",
)  # fmt: skip
@help_all
def command(out: str | None, **parameters: Any) -> None:
    """Train parsers on UD and on alternative annotations of a treebank, and compare them.

    For each construction the answer says which annotation parsers learn better, and by how much. A positive
    difference means that UD is ahead.

    --alternative T compares two treebanks, or two releases of a treebank, that annotate the same sentences.
    --against S compares with another scheme instead of UD.
    """
    execution = take_options(Execution, parameters)
    with shown_stages("starting", quiet=execution.quiet) as stages:
        following = asked_then(parameters)
        selections = selections_of(parameters)
        treebanks = None
        if isinstance(selections[0], ComparedTreebanks):
            treebanks = titles(selections[0].files())
        parameters["trees"] = True
        experiment = experiment_of(selections[0].data, STUDIES["run"], parameters, treebanks)
        run_treebanks(
            STUDIES["run"], NoOptions(), selections, experiment, execution, out, stages, then=following
        )
