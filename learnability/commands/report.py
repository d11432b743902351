"""`learnability report`: all files of a finished run once more, and its evidence card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import finish
from learnability.commands.options import Execution, options, taken
from learnability.errors import InputError
from learnability.reports.text import json_text
from learnability.support.files import check_writable, write_atomically
from learnability.support.progress import shown_stages

JSON = ".json"


@click.command(
    "report",
    short_help="Make the files of a finished run once more, and its card.",
    epilog="Example: learnability report runs/UD_Irish --card card.md",
)
@click.argument("run", metavar="RUN", shell_complete=completion.files)
@click.option(
    "--card", metavar="FILE",
    help="Write an evidence card, a page of Markdown to paste into a discussion; the same as JSON beside it.",
)  # fmt: skip
@options(Execution, "as_json", "details", "quiet")
def command(run: str, card: str | None, **given: Any) -> None:
    """Make results.csv, the report and all else of a run once more from its records, and print what it says.

    Neither the treebanks nor any training is needed: records.jsonl and config.json say it all.
    """
    execution = taken(Execution, given)
    places = _card_places(Path(card)) if card is not None else ()
    with shown_stages("reading", quiet=execution.quiet) as stages:
        from learnability.evidence.stored_runs import finished_config
        from learnability.papers.annotation_2018.section import report_of
        from learnability.reports.card import card_markdown, card_values
        from learnability.studies.runner import report_run

        config = finished_config(Path(run))
        made_by = config["arguments"], len(config["treebanks"]), len(config["studies"])
        outcome = report_run(Path(run), report_of(*made_by))
        if places:
            if not outcome.content.rows:
                raise InputError(f"{run}: compares no annotations, so there is nothing to put on a card")
            if len(outcome.plan.treebanks) > 1:
                raise InputError(f"{run}: has several treebanks; a card is about one")
            values = card_values(outcome.content)
            for place, data in zip(places, (card_markdown(values), json_text(values).encode()), strict=True):
                write_atomically(place, data)
        finish(outcome, execution, stages, computed=False)


def _card_places(card: Path) -> tuple[Path, Path]:
    """Return where the card goes, and the same as JSON: only ``.md`` is an ending that this replaces.

    Raises:
        InputError: what could not be written.
    """
    if card.suffix == JSON or card.name == "-":
        raise InputError(f"--card {card}: is for Markdown; name it card.md, JSON goes beside it")
    check_writable(card)
    beside = card.with_name(card.name.removesuffix(".md") + JSON)
    check_writable(beside)
    return card, beside
