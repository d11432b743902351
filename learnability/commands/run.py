"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands.experiments import TRAINING, TRANSFORM, carry_out, name_treebanks, selections_of
from learnability.commands.options import (
    SHOWN_OF_EXECUTION,
    Execution,
    command_typed,
    everyday,
    given_values,
    help_all,
    is_typed,
    options,
    take_options,
)
from learnability.commands.resolve import Names
from learnability.comparing.options import (
    SPLITS_OF_MANY,
    ComparedTreebanks,
    ExperimentOptions,
    TreebankSelection,
)
from learnability.errors import InputError
from learnability.studies.declaration import SEVEN
from learnability.studies.registry import studies_of_run
from learnability.studies.settle import SettleOptions
from learnability.studies.stages import StageOptions
from learnability.support.progress import shown_steps

if TYPE_CHECKING:
    from learnability.studies.run import Run
    from learnability.treebanks.locate import TreebankFiles

EVERYDAY = (
    *("treebank", "every_treebank", "ud_home", "release", "transform", "alternative", "against", "parsers"),
    *("quick", "test_set", "budget", "seeds", "cross_validate", "labels", "out", "resume", "jobs"),
    *(study.name for study in studies_of_run()),
)
"""The options that help shows."""

SETTLING = ("budget", "most_seeds", "folds")
"""The options of the last stage."""

OF_A_FOLDER = (
    *(field.name for field in fields(Execution)),
    *(field.name for field in fields(StageOptions)),
    *SETTLING,
    *(study.name for study in studies_of_run()),
    *("out", "seeds"),
)
"""The options that may change when a run goes on; its folder says the others."""

ALL, SEVERAL = "all", "treebanks"
"""What the folders of runs over all, or over some treebanks are called."""


def also(function: Any) -> Any:
    """Add an option for each study that can be asked for together with a run."""
    for declaration in reversed(studies_of_run()):  # the first one is to stand first
        flag = click.option(
            f"--{declaration.name}", declaration.name, is_flag=True, panel=Names.PANEL,
            help=declaration.run_option,
        )  # fmt: skip
        function = flag(function)
    return function


@everyday(*EVERYDAY)
@click.command(
    "run",
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@name_treebanks
@options(TreebankSelection, *(field.name for field in fields(TreebankSelection) if field.name != "treebank"))
@options(Names, "transform", help=TRANSFORM + SEVEN.help)
@options(
    ComparedTreebanks, "alternative", multiple=True, panel=Names.PANEL, metavar="A", completes="alternatives",
    help="What else to compare with UD: a scheme (a name or a TOML file; repeatable), or another annotation "
    "of the same sentences (a treebank, a folder or a file; NAME@2.16 in another release, @2.16 for the same "
    "treebank).",
)  # fmt: skip
@options(ExperimentOptions, "against", panel=Names.PANEL)
@TRAINING
@options(StageOptions)
@options(SettleOptions)
@also
@options(Execution, *SHOWN_OF_EXECUTION)
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL,
    help="Folder of the run; default: runs/TREEBANK, or TREEBANK-2, ... if that folder is taken.",
)  # fmt: skip
@help_all
def command(out: str | None, every_treebank: bool, **parameters: Any) -> None:
    """Train parsers on UD and on alternative annotations of a treebank, and compare them.

    For each construction the answer says which annotation parsers learn better, and by how much. A run begins
    with a prediction from short trainings. Then it tests on the test set, and where something is open there,
    on every sentence of the treebank: until there is an answer, more training would not help, or the budget
    is spent. With --resume a run goes on: learnability run --resume --out runs/UD_Irish --budget 1h.

    --transform names rules. --alternative names everything else that can stand on the other side: a scheme,
    or a treebank, a release or the output of a program with the same sentences. --against S compares with
    another scheme instead of UD.
    """
    is_named = every_treebank or any(parameters[name] for name in ("treebank", "train", "dev", "test"))
    goes_on = parameters["resume"] and out is not None and not is_named
    if goes_on:
        _check_continued(parameters, out)
    settling = {name: parameters.pop(name) for name in SETTLING}
    chosen = SettleOptions(**settling) if any(map(is_typed, SETTLING)) else None
    execution, stops = take_options(Execution, parameters), take_options(StageOptions, parameters)
    besides = [declaration for declaration in studies_of_run() if parameters.pop(declaration.name)]
    with shown_steps("starting", quiet=execution.quiet) as steps:
        from learnability.studies.declaration import StudyRequest
        from learnability.studies.run import Run
        from learnability.studies.stages import stages_of

        if goes_on:
            assert out is not None
            seeds = parameters["seeds"] if is_typed("seeds") else None
            studies = [*stages_of(stops, None, chosen), *map(StudyRequest, besides)]
            carry_out(Run.of_folder(Path(out), studies, seeds=seeds), execution, out, "", steps)
            return
        name_run = partial(Run.of_stages, stops, chosen, besides)
        run, folder = _named_run(name_run, parameters, every_treebank=every_treebank)
        carry_out(run, execution, out, folder, steps)


def _check_continued(parameters: dict[str, Any], out: str | None) -> None:
    for name in parameters:
        if name not in OF_A_FOLDER and is_typed(name):
            raise InputError(
                f"{out} says what the run compares, so `{name}={parameters[name]!r}` has no effect; leave it "
                "out, or name the `treebank`"
            )


def _named_run(
    name_run: Callable[..., Run], parameters: dict[str, Any], *, every_treebank: bool
) -> tuple[Run, str]:
    parameters["scheme"], parameters["alternative"] = split_alternatives(parameters["alternative"])
    selections = selections_of(parameters)
    files: Sequence[TreebankFiles] = []
    if every_treebank:
        if len(selections) > 1 or selections[0].is_named:
            raise InputError("--all takes all treebanks; leave it out, or leave out --treebank")
        files = all_treebanks(selections[0].ud_home, selections[0].release)
        if not is_typed("splits") and not all(each.holds("train") and each.holds("test") for each in files):
            selections = [replace(selections[0], splits=SPLITS_OF_MANY)]
    files = files or [selection.files() for selection in selections]
    run = name_run(
        selections, treebanks=files, command_line=command_typed(), keeps_going=len(files) > 1, trees=True,
        **given_values(parameters),
    )  # fmt: skip
    return run, ALL if every_treebank else files[0].name if len(files) == 1 else SEVERAL


def split_alternatives(names: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """Return the schemes among alternatives, and the treebank, if there is one."""
    from learnability.schemes import is_scheme_name

    schemes = tuple(filter(is_scheme_name, names))
    treebanks = [name for name in dict.fromkeys(names) if name not in schemes]
    if len(treebanks) > 1:
        both = " and ".join(f"`alternative={name!r}`" for name in treebanks[:2])
        raise InputError(f"{both} are two treebanks; compare them in separate runs")
    return schemes, treebanks[0] if treebanks else None


def all_treebanks(ud_home: str | None, release: str | None) -> Sequence[TreebankFiles]:
    """Return the newest (or requested) release of every treebank that is found, by name."""
    from learnability.treebanks.locate import list_treebanks
    from learnability.treebanks.releases import plain_release

    wanted = plain_release(release or "")
    newest = {files.name: files for files in list_treebanks(ud_home, release=wanted)}
    if not newest:
        place = ud_home or "the search path"
        of = f" of release {wanted}" if wanted else ""
        raise InputError(f"{place} holds no treebanks{of}; set `ud_home` to a folder with UD_* folders")
    return list(newest.values())
