"""`learnability report`: write the files of a finished run again, and its evidence card."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import finish
from learnability.commands.options import Execution, options, take_options
from learnability.commands.streams import open_output
from learnability.errors import InputError
from learnability.reports.text import json_text
from learnability.support.files import check_writable, write_atomically
from learnability.support.progress import shown_stages

if TYPE_CHECKING:
    from learnability.studies.runner import RunOutcome

JSON, STDOUT = ".json", "-"


@click.command(
    "report",
    short_help="Write the files of a finished run again, and its card.",
    epilog="Example: learnability report runs/UD_Irish --card card.md",
)
@click.argument("run", metavar="RUN", shell_complete=completion.files)
@click.option(
    "--card", metavar="FILE",
    help="Write an evidence card for a discussion, as Markdown and as JSON beside it; "
    "- prints the card alone (with --json as JSON).",
)  # fmt: skip
@options(Execution, "as_json", "details", "quiet")
def command(run: str, card: str | None, **parameters: Any) -> None:
    """Write the tables and the report of a run again from its records, and print the answers.

    This trains no parser and reads no treebank.
    """
    execution = take_options(Execution, parameters)
    places = _card_places(Path(card)) if card not in (None, STDOUT) else ()
    with shown_stages("reading", quiet=execution.quiet) as stages:
        from learnability.reports.comparison_files import report_of
        from learnability.studies.runner import report_run

        outcome = report_run(Path(run), report_of)
        markdown, values = _card(run, outcome) if card is not None else (b"", "")
        if card == STDOUT:
            stages.stop()
            with open_output(STDOUT) as write:
                write(values.encode() if execution.as_json else markdown)
            return
        for place, data in zip(places, (markdown, values.encode()), strict=False):
            write_atomically(place, data)
        finish(outcome, execution, stages, computed=False)


def _card(run: str, outcome: RunOutcome) -> tuple[bytes, str]:
    """Return the card of a run in Markdown and as JSON.

    Raises:
        InputError: no card can be made of this run.
    """
    from learnability.reports.card import card_markdown, card_values

    try:
        values = card_values(outcome.content)
    except InputError as error:
        raise InputError(f"{run}: {error}") from None
    return card_markdown(values), json_text(values)


def _card_places(card: Path) -> tuple[Path, Path]:
    """Return where the card goes, and the same as JSON; the ending ``.md`` becomes ``.json``.

    Raises:
        InputError: a file cannot be written.
    """
    if card.suffix == JSON:
        raise InputError(
            f"--card {card} is not a Markdown file; use a name such as card.md (the JSON goes beside it)"
        )
    check_writable(card)
    beside = card.with_name(card.name.removesuffix(".md") + JSON)
    check_writable(beside)
    return card, beside
