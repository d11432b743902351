"""`learnability reproduce`: the experiment of the 2018 paper over every treebank found."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import (
    ExperimentSelection,
    arguments_of,
    carry_out,
    experiment_options,
)
from learnability.commands.options import MissingTrain, TreebankSelection, multiple_roots_option, split_shares
from learnability.errors import InputError
from learnability.reports.progress import shown_stages

if TYPE_CHECKING:
    from learnability.treebanks import TreebankFiles


@click.command(
    "reproduce",
    short_help="Run the whole 2018 experiment over every treebank found.",
    epilog="Example: learnability reproduce --ud-home ud-treebanks-v2.16 --out runs/all",
)
@click.option("--ud-home", metavar="DIR", help="Folder with treebanks; default: the whole search path.")
@click.option(
    "--treebank", multiple=True, metavar="NAME", shell_complete=completion.treebanks,
    help="Only this treebank; repeatable.",
)  # fmt: skip
@click.option("--release", metavar="R", help="Only this UD release; default: the newest of each treebank.")
@click.option(
    "--missing-train",
    type=click.Choice(["error", "dev", "split", "fold"]),
    default="dev",
    show_default=True,
    help="What to do where a treebank has no training split.",
)
@click.option(
    "--split",
    type=split_shares,
    default="80:10:10",
    show_default=True,
    metavar="A:B:C",
    help="Shares of train, dev and test for --missing-train split.",
)
@click.option(
    "--folds",
    type=int,
    default=10,
    show_default=True,
    metavar="K",
    help="Number of folds where a treebank is cross-validated.",
)
@multiple_roots_option
@experiment_options
@click.option("--out", metavar="DIR", required=True, help="Folder of the run.")
def command(
    ud_home: str | None,
    treebank: tuple[str, ...],
    release: str | None,
    missing_train: MissingTrain,
    split: tuple[int, int, int],
    folds: int,
    multiple_roots: bool,
    experiment: ExperimentSelection,
    out: str,
) -> None:
    """Run settings (a), (b), (c) and all measures for every treebank below --ud-home.

    A treebank that cannot be used is reported and the others go on. A run that was stopped continues with
    --resume. `learnability compare DIR` makes the paper's tables of the results.
    """
    selection = TreebankSelection(
        ud_home=ud_home,
        release=release,
        missing_train=missing_train,
        split=split,
        folds=folds,
        multiple_roots=multiple_roots,
    )
    with shown_stages("looking for treebanks", quiet=experiment.quiet) as stages:
        options = experiment.options(selection)
        files = chosen_treebanks(treebank, ud_home, release)
        arguments = {**arguments_of("reproduce", selection, options), "treebanks": sorted(set(treebank))}
        carry_out(files, options, experiment, Path(out), arguments, many=True, stages=stages)


def chosen_treebanks(names: tuple[str, ...], ud_home: str | None, release: str | None) -> list[TreebankFiles]:
    """The newest release (or the one asked for) of every treebank found, or of those named, by name.

    Raises:
        InputError: there is none, or not the one named.
    """
    from learnability.treebanks.locate import list_treebanks

    wanted = (release or "").lstrip("rvRV")
    found = [files for files in list_treebanks(ud_home) if not wanted or files.release == wanted]
    newest = {files.name: files for files in found}
    place = ud_home or "the search path"
    if not newest:
        of = f" of release {wanted}" if wanted else ""
        raise InputError(f"{place}: no treebanks{of}; give --ud-home a folder that holds UD_* folders")
    for name in names:
        if name not in newest:
            near = difflib.get_close_matches(name, newest, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f"treebank {name!r}: not among the {len(newest)} of {place}{hint}")
    return [newest[name] for name in (sorted(set(names)) or newest)]
