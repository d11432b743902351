"""`learnability reproduce`: the experiment of the 2018 paper on every treebank found."""

from __future__ import annotations

from typing import Any

import rich_click as click

from learnability.commands.experiments import (
    NAMED,
    TRAINING,
    asked_then,
    experiment_of,
    run_treebanks,
    then,
)
from learnability.commands.options import (
    SHOWN_OF_EXECUTION,
    Execution,
    combine_options,
    options,
    take_options,
)
from learnability.comparing.options import SPLITS_OF_MANY, TreebankSelection
from learnability.errors import InputError, meant
from learnability.studies.declaration import NoOptions
from learnability.studies.registry import STUDIES
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_stages
from learnability.treebanks.locate import TreebankFiles, list_treebanks


@click.command(
    "reproduce",
    short_help="Run the whole 2018 experiment on every treebank found.",
    epilog="Example: learnability reproduce --ud-home ud-treebanks-v2.16 --out runs/all",
)
@options(TreebankSelection, "ud_home", help="Folder with treebanks; default: the whole search path.")
@options(TreebankSelection, "treebank", multiple=True, metavar="NAME", help="Only this treebank; repeatable.")
@options(TreebankSelection, "release", help="Only this UD release; default: the newest of each treebank.")
@options(TreebankSelection, "splits", default=SPLITS_OF_MANY, typed=SPLITS_OF_MANY)
@options(TreebankSelection, "cross_validate", "multiple_roots")
@combine_options(*NAMED.values())
@TRAINING
@then
@options(Execution, *SHOWN_OF_EXECUTION)
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL, help="Folder of the run; default: runs/reproduce."
)
def command(treebank: tuple[str, ...], out: str | None, **parameters: Any) -> None:
    """Compare UD with every construction on every treebank below --ud-home.

    Parsers are trained on UD (a), on the alternative (b), and on both (c). A treebank that cannot be used is
    reported and left out. Continue an interrupted run with --resume.
    `learnability compare --paper DIR` prints the paper's tables for the results.
    """
    execution, selection = take_options(Execution, parameters), take_options(TreebankSelection, parameters)
    with shown_stages("looking for treebanks", quiet=execution.quiet) as stages:
        following = asked_then(parameters)
        experiment = experiment_of(selection.data, STUDIES["run"], parameters)
        files = chosen_treebanks(treebank, selection.ud_home, selection.release)
        selections = [
            TreebankSelection(**{**vars(selection), "treebank": name}) for name in sorted(set(treebank))
        ]
        run_treebanks(
            STUDIES["run"], NoOptions(), selections or [selection], experiment, execution,
            out or "runs/reproduce", stages, files=files, command="reproduce", then=following,
        )  # fmt: skip


def chosen_treebanks(names: tuple[str, ...], ud_home: str | None, release: str | None) -> list[TreebankFiles]:
    """Return the newest (or requested) release of every treebank found, or of the named ones, by name.

    Raises:
        InputError: there is none, or a named one is missing.
    """
    wanted = (release or "").lstrip("rvRV")
    newest = {files.name: files for files in list_treebanks(ud_home, release=wanted)}
    place = ud_home or "the search path"
    if not newest:
        of = f" of release {wanted}" if wanted else ""
        raise InputError(f"{place} holds no treebanks{of}; set `ud_home` to a folder with UD_* folders")
    for name in names:
        if name not in newest:
            near = meant(name, newest)
            hint = f"; {near}" if near.endswith("?") else ""
            raise InputError(f"{place} holds {count_noun(len(newest), 'treebank')}, but not {name!r}{hint}")
    return [newest[name] for name in (sorted(set(names)) or newest)]
