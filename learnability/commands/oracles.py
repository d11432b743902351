"""`learnability oracles`: static and dynamic oracles compared, as in the papers that introduced them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import (
    TreebankSelection,
    multiple_roots_option,
    output_options,
    split_shares,
)
from learnability.errors import InputError, RunError
from learnability.reports.progress import shown_stages

if TYPE_CHECKING:
    from learnability.experiments.options import OracleOptions
    from learnability.treebanks import TreebankFiles


@click.command(
    "oracles",
    short_help="Compare static and dynamic oracles over transition systems.",
    epilog="Example: learnability oracles --treebank demo --system arc-eager --seeds 2",
)
@click.option(
    "--treebank",
    "treebanks",
    multiple=True,
    metavar="T",
    shell_complete=completion.treebanks,
    help="Treebank: a name, a folder, a training file, or demo; repeatable.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="S",
    shell_complete=completion.systems,
    help="Transition system; repeatable. Default: arc-eager, arc-hybrid, arc-standard, easy-first, "
    "covington; with --grid arc-eager.",
)
@click.option(
    "--oracle",
    "oracles",
    multiple=True,
    metavar="R",
    help="Training regime: static, ambiguity, explore or dynamic; repeatable. Default: the first "
    "three, where the system has them.",
)
@click.option(
    "--k", type=click.IntRange(min=0), metavar="K", help="explore: after iteration K ... [default: 1]"
)
@click.option(
    "--p",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="... follow a wrong prediction with probability P (2013; in 2012: 1 - p). [default: 0.9]",
)
@click.option("--grid", is_flag=True, help="Compare K = 0 to 5 and P = 0, .3, .6, .9 by exploration instead.")
@click.option("--unlabelled", is_flag=True, help="Train unlabelled parsers: UAS only.")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=5, show_default=True, metavar="N", help="Number of seeds."
)
@click.option(
    "--iterations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Training iterations; default: 15, easy-first 20.",
)
@click.option("--features", default="zn11", show_default=True, metavar="F", help="Feature set: zn11 or rich.")
@click.option(
    "--tags",
    type=click.Choice(["gold", "xpos", "none"]),
    default="gold",
    show_default=True,
    help="The tags the parser sees: UPOS, XPOS or none.",
)
@click.option("--ud-home", metavar="DIR", help="Folder with treebanks; names are looked for here.")
@click.option("--release", metavar="R", help="UD release, for example 1.3; default: the newest.")
@click.option(
    "--missing-train",
    type=click.Choice(["error", "dev", "split", "fold"]),
    default="error",
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
    help="Number of folds for --missing-train fold.",
)
@click.option("--train", multiple=True, metavar="F", help="Training file(s), not the treebank's.")
@click.option("--dev", multiple=True, metavar="F", help="Development file(s), not the treebank's; not used.")
@click.option("--test", multiple=True, metavar="F", help="Test file(s), not the treebank's.")
@multiple_roots_option
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one per processor."
)
@click.option(
    "--out", metavar="DIR", help="Folder of the run; default: runs/oracles, with --grid runs/oracles-grid."
)
@click.option("--resume", is_flag=True, help="Continue an unfinished run in the folder.")
@output_options
def command(
    treebanks: tuple[str, ...],
    jobs: int | None,
    out: str | None,
    resume: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Train parsers of every transition system by every oracle, and compare each with its static oracle.

    The experiments of Goldberg & Nivre 2012 and 2013 and of Gómez-Rodríguez & Fernández-González 2015. Scores
    are on the test split, means over seeds; the development split is not used.
    """
    with shown_stages("starting", quiet=quiet) as stages:
        from dataclasses import asdict

        from learnability.experiments.oracles import run_oracles
        from learnability.experiments.runner import default_jobs

        options = _options(given)
        files = _files(treebanks, given)
        folder = Path(out) if out else Path("runs") / ("oracles-grid" if options.grid else "oracles")
        selection = {name: given[name] for name in ("ud_home", "release", "train", "dev", "test")}
        arguments = {"command": "oracles", "treebank": treebanks, **selection, **asdict(options)}
        outcome = run_oracles(
            files, options, folder, arguments, jobs=jobs or default_jobs(), resume=resume, progress=stages
        )
    if outcome.failed:
        first = outcome.failed[0]
        raise RunError(
            f"{len(outcome.failed)} of {len(outcome.plan.cells())} trainings failed; the first, "
            f"{first['key']}: {first['failed']}; the others are kept: mend the cause, continue with --resume"
        )
    from learnability.reports.oracle_tables import print_grid, print_oracle_tables
    from learnability.reports.text import print_json

    notes = outcome.plan.notes()
    if as_json:
        print_json({"rows": outcome.rows, "averages": outcome.averages, "notes": notes})
    elif options.grid:
        print_grid(outcome.rows, outcome.averages, notes)
    else:
        print_oracle_tables(outcome.rows, outcome.averages, notes)


def _options(given: dict[str, Any]) -> OracleOptions:
    """What is compared, from the values of the options.

    Raises:
        InputError: --grid together with what it varies.
    """
    from learnability.experiments.options import ORACLES, SYSTEMS, DataOptions, OracleOptions

    for name in ("k", "p", "oracles"):
        if given["grid"] and given[name] not in (None, ()):
            raise InputError(f"--grid tries every k and p of explore: leave --{name.removesuffix('s')} out")
    return OracleOptions(
        systems=tuple(dict.fromkeys(given["systems"])) or (("arc-eager",) if given["grid"] else SYSTEMS),
        oracles=tuple(dict.fromkeys(given["oracles"])) or ORACLES,
        labelled=not given["unlabelled"],
        iterations=given["iterations"],
        k=1 if given["k"] is None else given["k"],
        p=0.9 if given["p"] is None else given["p"],
        seeds=given["seeds"],
        features=given["features"],
        tags=given["tags"],
        grid=given["grid"],
        data=DataOptions(
            missing_train=given["missing_train"],
            split=given["split"],
            folds=given["folds"],
            multiple_roots=given["multiple_roots"],
        ),
    )


def _files(treebanks: tuple[str, ...], given: dict[str, Any]) -> list[TreebankFiles]:
    """Where the treebanks are.

    Raises:
        InputError: none given, not found, or explicit files for several treebanks.
    """
    if len(treebanks) > 1 and (given["train"] or given["dev"] or given["test"]):
        raise InputError("--train, --dev, --test are files of one treebank: give one --treebank, or none")
    return [
        TreebankSelection(
            treebank=treebank,
            ud_home=given["ud_home"],
            release=given["release"],
            train=given["train"],
            dev=given["dev"],
            test=given["test"],
        ).files()
        for treebank in treebanks or (None,)
    ]
