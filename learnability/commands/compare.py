"""`learnability compare`: the paper's tables over finished runs."""

from __future__ import annotations

import sys
from pathlib import Path

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options
from learnability.commands.streams import note
from learnability.errors import explained
from learnability.progress import shown_stages


@click.command(
    "compare",
    short_help="Make the 2018 paper's tables of finished runs.",
    epilog="Example: learnability compare runs/UD_Greek runs/UD_Turkish --out tables",
)
@click.argument("runs", metavar="DIR...", nargs=-1, required=True, shell_complete=completion.files)
@click.option("--out", metavar="DIR", help="Also write tables, figures and a page to this folder.")
@options(Execution, "as_json", "quiet")
def command(runs: tuple[str, ...], out: str | None, as_json: bool, quiet: bool) -> None:
    """How often UD wins, and how often each criterion tells, over all conditions of finished runs.

    Beside the criteria stand the two trivial ones (always UD, the majority of the other languages), what two
    seeds of the same scheme agree on, and what the paper reported.
    """
    with shown_stages("reading", quiet=quiet) as stages:
        from learnability.experiments.comparison import gather
        from learnability.experiments.stored_runs import read_run
        from learnability.files import check_writable, write_atomically
        from learnability.reports import comparison

        folder = Path(out) if out else None
        if folder is not None:
            with explained(f"{folder}: cannot be written", "give another --out"):
                folder.mkdir(parents=True, exist_ok=True)
            check_writable(folder / "compare.json")
        evidence = gather([read_run(Path(run)) for run in stages.each(runs, "reading", "runs")])
        if folder is not None:
            stages.stage("tables and figures", expected=5)
            for name, data in comparison.outputs(evidence, folder).items():
                write_atomically(folder / name, data)
            note(f"tables, figures and compare.html are in {folder}", quiet=quiet)
    if as_json:
        sys.stdout.write(comparison.as_json(evidence))
    else:
        comparison.print_evidence(evidence)
