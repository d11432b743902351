"""`learnability reproduce`: the experiment of the 2018 paper over every treebank found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from learnability.commands.experiments import arguments_of, carry_out, experiment_options, resolved
from learnability.commands.options import Execution, options, taken
from learnability.comparing.options import MISSING_TRAIN_OF_MANY, TreebankSelection
from learnability.errors import InputError, meant
from learnability.support.progress import shown_stages
from learnability.treebanks.locate import TreebankFiles, list_treebanks


@click.command(
    "reproduce",
    short_help="Run the whole 2018 experiment over every treebank found.",
    epilog="Example: learnability reproduce --ud-home ud-treebanks-v2.16 --out runs/all",
)
@options(TreebankSelection, "ud_home", help="Folder with treebanks; default: the whole search path.")
@options(TreebankSelection, "treebank", multiple=True, metavar="NAME", help="Only this treebank; repeatable.")
@options(TreebankSelection, "release", help="Only this UD release; default: the newest of each treebank.")
@options(TreebankSelection, "missing_train", default=MISSING_TRAIN_OF_MANY)
@options(TreebankSelection, "split")
@options(TreebankSelection, "folds", help="Number of folds where a treebank is cross-validated.")
@options(TreebankSelection, "multiple_roots")
@experiment_options
@click.option("--out", metavar="DIR", required=True, panel=Execution.PANEL, help="Folder of the run.")
def command(treebank: tuple[str, ...], out: str, **given: Any) -> None:
    """Run settings (a), (b), (c) and all measures for every treebank below --ud-home.

    A treebank that cannot be used is reported and the others go on. A run that was stopped continues with
    --resume. `learnability compare --paper DIR` makes the paper's tables of the results.
    """
    execution, selection = taken(Execution, given), taken(TreebankSelection, given)
    with shown_stages("looking for treebanks", quiet=execution.quiet) as stages:
        experiment = resolved(selection.data, **given)
        files = chosen_treebanks(treebank, selection.ud_home, selection.release)
        arguments = {**arguments_of("reproduce", selection, experiment), "treebanks": sorted(set(treebank))}
        carry_out(files, experiment, execution, Path(out), arguments, many=True, stages=stages)


def chosen_treebanks(names: tuple[str, ...], ud_home: str | None, release: str | None) -> list[TreebankFiles]:
    """The newest release (or the one asked for) of every treebank found, or of those named, by name."""
    wanted = (release or "").lstrip("rvRV")
    newest = {files.name: files for files in list_treebanks(ud_home, release=wanted)}
    place = ud_home or "the search path"
    if not newest:
        of = f" of release {wanted}" if wanted else ""
        raise InputError(f"{place}: no treebanks{of}; give --ud-home a folder that holds UD_* folders")
    for name in names:
        if name not in newest:
            near = meant(name, newest)
            hint = f"; {near}" if near.endswith("?") else ""
            raise InputError(f"treebank {name!r}: not among the {len(newest)} of {place}{hint}")
    return [newest[name] for name in (sorted(set(names)) or newest)]
