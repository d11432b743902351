"""`learnability recheck`: repeat a part of a finished run, and compare it with its records."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, number_type, options, take_options
from learnability.errors import RunError
from learnability.parsing.parser_options import MOST_SEED
from learnability.reports.text import print_json
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_stages
from learnability.support.terminal import print_line


@click.command(
    "recheck",
    short_help="Repeat a part of a finished run and compare.",
    epilog="Example: learnability recheck runs/UD_Irish --share 0.2",
)
@click.argument("run", metavar="RUN", shell_complete=completion.files)
@click.option(
    "--share", metavar="P", type=number_type(0.0, 1.0), default=0.1, show_default=True,
    help="Share of the trainings to repeat; at least one is repeated.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=number_type(0, MOST_SEED), default=1, show_default=True,
    help="Seed that selects the trainings.",
)  # fmt: skip
@options(Execution, "jobs", "as_json", "quiet")
def command(run: str, share: float, seed: int, **parameters: Any) -> None:
    """Repeat a random share of the trainings of a finished run, and compare them with its records.

    Its data, versions and files are checked too. The exit code is 1 if anything differs.
    """
    execution, folder = take_options(Execution, parameters), Path(run)
    workforce = execution.workforce()
    with shown_stages("looking for treebanks", quiet=execution.quiet) as stages:
        from learnability.studies.recheck import recheck

        found = recheck(folder, share=share, seed=seed, workforce=workforce, stages=stages)
    repeated = f"repeated {found.repeated} of {count_noun(found.cells, 'training')}"
    if execution.as_json:
        print_json({**asdict(found), "folder": str(folder), "share": share, "seed": seed})
    else:
        for line in found.differences:
            print_line(line)
        if not found.differences:
            print_line(f"{repeated} (seed {seed}): data, versions, results and numbers match the records")
    if found.differences:
        raise RunError(
            f"{folder} has {count_noun(len(found.differences), 'difference')} between the records and the "
            f"repetition, which {repeated} (seed {seed}); run the experiment again in a new folder"
        )
