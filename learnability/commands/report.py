"""`learnability report`: the files of a finished run again, its card, and what a paper needs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import finish
from learnability.commands.options import Execution, options, take_options
from learnability.commands.streams import note
from learnability.errors import InputError
from learnability.reports.text import json_text
from learnability.support.files import check_writable, made_folder, write_atomically
from learnability.support.progress import shown_steps
from learnability.support.terminal import print_line
from learnability.support.written import WrittenFiles

if TYPE_CHECKING:
    from learnability.reports.story import RunStory

JSON = ".json"


@click.command("report", epilog="Example: learnability report runs/UD_Irish --card card.md")
@click.argument("run", metavar="RUN", shell_complete=completion.files)
@click.option(
    "--card", metavar="FILE",
    help="Write an evidence card for a discussion, as Markdown and as JSON beside it.",
)  # fmt: skip
@click.option(
    "--paper", metavar="DIR",
    help="Write a table, figures, paragraphs and references for a paper to this folder, in LaTeX.",
)  # fmt: skip
@options(Execution, "as_json", "details", "explain", "quiet")
def command(run: str, card: str | None, paper: str | None, **parameters: Any) -> None:
    """Write the tables and the report of a run again from its records, and print the answers.

    This trains no parser and reads no treebank.
    """
    execution = take_options(Execution, parameters)
    places = _card_places(Path(card)) if card is not None else ()
    with shown_steps("reading", quiet=execution.quiet) as steps:
        from learnability.reports.comparison_files import report_of
        from learnability.studies.runner import report_run

        story = report_run(Path(run), report_of)
        for place, data in zip(places, _card(run, story) if places else (), strict=True):
            write_atomically(place, data)
        if paper is not None:
            _write_paper(run, story, paper, quiet=execution.quiet)
        finish(story, execution, steps, computed=False)


def _write_paper(run: str, story: RunStory, folder: str, *, quiet: bool) -> None:
    from learnability.reports.comparison_tables import combine_treebanks
    from learnability.reports.paper import paper_files

    if not any(row.tested for row in story.rows):
        raise InputError(
            f"{run}: a paper needs comparisons, and this run has none; start one with `learnability run`"
        )
    with made_folder(folder) as place:
        evidence, tell = combine_treebanks(story), partial(note, quiet=quiet)
        WrittenFiles(place).write(paper_files(evidence.rows, [story.config], tell, evidence))
    print_line(f"Wrote table.tex, references.bib and others to {folder}")


def _card(run: str, story: RunStory) -> tuple[bytes, bytes]:
    from learnability.reports.card import card_markdown, card_values

    try:
        values = card_values(story)
    except InputError as error:
        raise InputError(f"{run}: {error}") from None
    return card_markdown(values), json_text(values).encode()


def _card_places(card: Path) -> tuple[Path, Path]:
    if card.suffix == JSON:
        raise InputError(
            f"--card {card} is not a Markdown file; use a name such as card.md (the JSON goes beside it)"
        )
    check_writable(card)
    beside = card.with_name(card.name.removesuffix(".md") + JSON)
    check_writable(beside)
    return card, beside
