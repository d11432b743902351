"""`learnability run`: which annotation of a treebank does a parser learn best?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from learnability.commands.options import (
    TreebankSelection,
    max_options_option,
    output_options,
    treebank_options,
)
from learnability.errors import InputError, RunError


@click.command(
    "run",
    short_help="Measure which annotation of a treebank a parser learns best.",
    epilog="Example: learnability run --treebank demo --transform case --transform det",
)
@treebank_options()
@click.option(
    "--transform", multiple=True, metavar="NAME",
    help="Transformation to compare with UD, for example case or cop:reattach=clause; repeatable. "
    "Default: the seven of the paper.",
)
@click.option("--scheme", multiple=True, metavar="S", help="Scheme to compare with UD; repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Number of seeds; from 2 on the report knows how noisy it is.")
@click.option("--iterations", default="auto", show_default=True, metavar="N|auto",
              help="Training iterations; auto: at most 15, until dev UAS has not improved for 3.")
@click.option("--system", default="arc-eager", show_default=True, metavar="S", help="Transition system.")
@click.option("--oracle", default=None, metavar="R",
              help="Training of settings (a) and (b): dynamic (default) or explore.")
@click.option("--tags", type=click.Choice(["gold", "xpos", "none"]), default="gold", show_default=True,
              help="The tags the parser sees: UPOS, XPOS or none.")
@click.option("--nonprojective", type=click.Choice(["lift", "drop", "min-cost"]), default="lift",
              show_default=True, help="Non-projective training trees under a projective system.")
@max_options_option
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one per processor.")
@click.option("--out", metavar="DIR", help="Folder of the run; default: runs/TREEBANK.")
@click.option("--resume", is_flag=True, help="Continue an unfinished run in the folder.")
@click.option("--dry-run", is_flag=True, help="Show what would be run, and stop.")
@output_options
def command(
    selection: TreebankSelection,
    transform: tuple[str, ...],
    scheme: tuple[str, ...],
    seeds: int,
    iterations: str,
    system: str,
    oracle: str | None,
    tags: str,
    nonprojective: str,
    max_options: int,
    jobs: int | None,
    out: str | None,
    resume: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Train parsers on UD (a), on the transformed treebank (b) and against both (c), and compare.

    One row per transformation: UAS under both annotations and its difference (positive: UD is better), the
    share of training sentences in which each annotation survives, and what the cheap measures predict.
    """
    from learnability.experiments.data import SCHEME
    from learnability.experiments.plan import DataOptions, ExperimentOptions
    from learnability.experiments.runner import default_jobs, make_plan, run_plan
    from learnability.reports.page import report_page
    from learnability.reports.progress import cell_progress
    from learnability.reports.tables import print_plan, print_rows
    from learnability.transforms import PAPER

    conditions = transform + tuple(SCHEME + name for name in scheme) or tuple(PAPER)
    options = ExperimentOptions(
        conditions=tuple(dict.fromkeys(conditions)),
        seeds=seeds,
        iterations=parse_iterations(iterations),
        system=system,
        oracle=oracle or ("static" if system == "arc-standard" else "dynamic"),
        tags=tags,
        nonprojective=nonprojective,
        max_options=max_options,
        data=DataOptions(
            missing_train=selection.missing_train,
            split=selection.split,
            folds=selection.folds,
            multiple_roots=selection.multiple_roots,
        ),
    )
    files = selection.files()
    plan = make_plan([files], options)
    if dry_run:
        print_plan(plan)
        return
    folder = Path(out) if out else Path("runs") / files.name
    with cell_progress(len(plan.cells()), quiet=quiet) as progress:
        outcome = run_plan(
            plan,
            folder,
            _arguments(selection, options),
            jobs=jobs or default_jobs(),
            resume=resume,
            progress=progress,
            report=report_page,
        )
    if outcome.failed:
        first = outcome.failed[0]
        raise RunError(
            f"{len(outcome.failed)} of {len(plan.cells())} cells failed; the first, {first['key']}: "
            f"{first['failed']}; the others are kept: mend the cause and continue with --resume"
        )
    print_rows(outcome.rows, as_json=as_json)


def parse_iterations(text: str) -> int | None:
    """`auto` or a number of at least 1.

    Raises:
        InputError: neither.
    """
    if text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise InputError(f"--iterations {text}: give a number of at least 1, or auto")


def _arguments(selection: TreebankSelection, options: Any) -> dict[str, Any]:
    """What the user asked for, as config.json keeps it: enough to give the command again."""
    from dataclasses import asdict

    return {"command": "run", "treebank": asdict(selection), **options.as_json()}
