"""`learnability oracles`: static and dynamic oracles compared, as in the papers that introduced them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import rich_click as click

from learnability.commands.options import Execution, given_values, options, taken
from learnability.comparing.options import OracleOptions, TreebankSelection
from learnability.errors import InputError, RunError
from learnability.reports.text import print_json
from learnability.support.progress import shown_stages


@click.command(
    "oracles",
    short_help="Compare static and dynamic oracles over transition systems.",
    epilog="Example: learnability oracles --treebank demo --system arc-eager --seeds 2",
)
@options(
    TreebankSelection, "treebank", multiple=True,
    help="Treebank: a name, a folder, a training file, or demo; repeatable.",
)  # fmt: skip
@options(OracleOptions, "systems", "oracles", "k", "p", "grid", "labelled", "seeds", "iterations")
@options(OracleOptions, "features", "tags")
@options(TreebankSelection, "ud_home", "release", "missing_train", "split", "folds", "train")
@options(TreebankSelection, "dev", help="Development file(s), not the treebank's; not used.")
@options(TreebankSelection, "test", "multiple_roots")
@options(Execution, "jobs", "cluster")
@click.option(
    "--out", metavar="DIR", panel=Execution.PANEL,
    help="Folder of the run; default: runs/oracles (with --grid -grid), or oracles-2, ... beside others.",
)  # fmt: skip
@options(Execution, "resume", "force", "as_json", "quiet")
def command(treebank: tuple[str, ...], out: str | None, **given: Any) -> None:
    """Train parsers of every transition system by every oracle, and compare each with its static oracle.

    The experiments of Goldberg & Nivre 2012 and 2013 and of Gómez-Rodríguez & Fernández-González 2015. Scores
    are on the test split, means over seeds; the development split is not used.
    """
    execution, selection = taken(Execution, given), taken(TreebankSelection, given)
    with shown_stages("starting", quiet=execution.quiet) as stages:
        from learnability.papers.oracles import run_oracles

        jobs = execution.processes()
        for name in ("k", "p", "oracles"):
            if given["grid"] and given[name] not in (None, ()):
                raise InputError(
                    f"--grid tries every k and p of explore: leave --{name.removesuffix('s')} out"
                )
        each_once = {name: tuple(dict.fromkeys(given[name])) for name in ("systems", "oracles")}
        if given["grid"] and not each_once["systems"]:
            each_once["systems"] = ("arc-eager",)
        compared = OracleOptions(**given_values({**given, **each_once}), data=selection.data)
        if len(treebank) > 1 and selection.given:
            raise InputError("--train, --dev, --test are files of one treebank: give one --treebank, or none")
        files = [replace(selection, treebank=name).files() for name in treebank or (None,)]
        asked = {name: getattr(selection, name) for name in ("ud_home", "release", "train", "dev", "test")}
        arguments = {"command": "oracles", "treebank": treebank, **asked, **asdict(compared)}
        folder = execution.folder(out, "oracles-grid" if compared.grid else "oracles", arguments)
        outcome = run_oracles(
            files, compared, folder, arguments, jobs=jobs, cluster=execution.cluster,
            resume=execution.resume, force=execution.force, progress=stages,
        )  # fmt: skip
    if outcome.failed:
        first = outcome.failed[0]
        raise RunError(
            f"{len(outcome.failed)} of {len(outcome.plan.cells())} trainings failed; the first, "
            f"{first.key}: {first.failed}; the others are kept: mend the cause, continue with --resume"
        )
    from learnability.papers.oracle_tables import print_grid, print_oracle_tables
    from learnability.papers.oracles import in_columns

    notes = outcome.plan.notes()
    if execution.as_json:
        rows, averages = map(in_columns, outcome.rows), map(in_columns, outcome.averages)
        print_json({"rows": list(rows), "averages": list(averages), "notes": notes})
    else:
        show = print_grid if compared.grid else print_oracle_tables
        show(outcome.rows, outcome.averages, notes)
