"""`learnability report`: the files of a finished run again, its card, what a paper needs; or verify it."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from learnability.commands import completion
from learnability.commands.experiments import finish
from learnability.commands.options import Execution, number_type, options, take_options
from learnability.commands.streams import note, open_output
from learnability.errors import InputError, RunError
from learnability.parsing.parser_options import MOST_SEED
from learnability.reports.text import json_text, print_json, print_sentences
from learnability.support.files import check_writable, made_folder, write_atomically
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_steps
from learnability.support.terminal import print_line
from learnability.support.written import WrittenFiles

if TYPE_CHECKING:
    from learnability.reports.story import RunStory

JSON, STDOUT = ".json", "-"


@click.command(
    "report",
    epilog="Example: learnability report runs/UD_Irish --card card.md",
)
@click.argument("run", metavar="RUN", shell_complete=completion.files)
@click.option(
    "--card", metavar="FILE",
    help="Write an evidence card for a discussion, as Markdown and as JSON beside it; "
    "- prints the card alone (with --json as JSON).",
)  # fmt: skip
@click.option(
    "--paper", metavar="DIR",
    help="Write a table, figures, paragraphs and references for a paper to this folder, in LaTeX.",
)  # fmt: skip
@click.option(
    "--verify", metavar="P", type=number_type(0.0, 1.0),
    help="Write nothing: repeat this share of the trainings (0.1: a tenth; at least one), and compare them "
    "with the records.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=number_type(0, MOST_SEED),
    help="Seed that selects the trainings for --verify (default: 1).",
)  # fmt: skip
@options(Execution, "jobs", "as_json", "details", "explain", "quiet")
def command(
    run: str,
    card: str | None,
    paper: str | None,
    verify: float | None,
    seed: int | None,
    **parameters: Any,
) -> None:
    """Write the tables and the report of a run again from its records, and print the answers.

    This trains no parser and reads no treebank. --verify does: it checks data, versions and files, too. The
    exit code is 1 if anything differs.
    """
    execution = take_options(Execution, parameters)
    if verify is not None:
        others = (
            ("--card", card is not None),
            ("--paper", paper is not None),
            ("--details", execution.details),
            ("--explain", execution.explain),
        )
        for name, used in others:
            if used:
                raise click.UsageError(f"--verify writes nothing, so {name} has no effect; leave it out")
        _verify(Path(run), verify, 1 if seed is None else seed, execution)
        return
    if card == STDOUT and paper is not None:
        raise click.UsageError("--card - prints the card alone, so --paper has no effect; leave it out")
    for name, used in (("--seed", seed is not None), ("--jobs", execution.jobs is not None)):
        if used:
            raise click.UsageError(f"{name} is of use with --verify alone; add --verify 0.1, or leave it out")
    places = _card_places(Path(card)) if card not in (None, STDOUT) else ()
    with shown_steps("reading", quiet=execution.quiet) as steps:
        from learnability.reports.comparison_files import report_of
        from learnability.studies.runner import report_run

        story = report_run(Path(run), report_of)
        markdown, values = _card(run, story) if card is not None else (b"", "")
        if card == STDOUT:
            steps.stop()
            with open_output(STDOUT) as write:
                write(values.encode() if execution.as_json else markdown)
            return
        for place, data in zip(places, (markdown, values.encode()), strict=False):
            write_atomically(place, data)
        if paper is not None:
            _write_paper(run, story, paper, quiet=execution.quiet)
        finish(story, execution, steps, computed=False)


def _verify(folder: Path, share: float, seed: int, execution: Execution) -> None:
    """Repeat a share of the trainings of a run; RunError says what differs from its records."""
    workforce = execution.workforce()
    with shown_steps("looking for treebanks", quiet=execution.quiet) as steps:
        from learnability.studies.verification import verify_run

        found = verify_run(folder, share=share, seed=seed, workforce=workforce, steps=steps)
    repeated = f"repeated {found.repeated} of {count_noun(found.cells, 'training')}"
    if execution.as_json:
        print_json({**asdict(found), "folder": str(folder), "share": share, "seed": seed})
    else:
        for line in found.differences:
            print_line(line)
        if not found.differences:
            print_sentences(
                [f"{repeated} (seed {seed}): data, versions, results and numbers match the records"]
            )
    if found.differences:
        raise RunError(
            f"{folder} has {count_noun(len(found.differences), 'difference')} between the records and the "
            f"repetition, which {repeated} (seed {seed}); run the experiment again in a new folder"
        )


def _write_paper(run: str, story: RunStory, folder: str, *, quiet: bool) -> None:
    """Write what a paper needs of a run to a folder; InputError if nothing was tested."""
    from learnability.reports.paper import paper_files

    if not any(row.tested for row in story.rows):
        raise InputError(
            f"{run}: a paper needs comparisons, and this run has none; start one with `learnability run`"
        )
    with made_folder(folder) as place:
        WrittenFiles(place).write(paper_files(story.rows, [story.config], partial(note, quiet=quiet)))
    print_line(f"Wrote table.tex, references.bib and others to {folder}")


def _card(run: str, story: RunStory) -> tuple[bytes, str]:
    """Return the card of a run in Markdown and as JSON; InputError if none can be made of it."""
    from learnability.reports.card import card_markdown, card_values

    try:
        values = card_values(story)
    except InputError as error:
        raise InputError(f"{run}: {error}") from None
    return card_markdown(values), json_text(values)


def _card_places(card: Path) -> tuple[Path, Path]:
    """Return where the card goes, and the same as JSON; the ending ``.md`` becomes ``.json``."""
    if card.suffix == JSON:
        raise InputError(
            f"--card {card} is not a Markdown file; use a name such as card.md (the JSON goes beside it)"
        )
    check_writable(card)
    beside = card.with_name(card.name.removesuffix(".md") + JSON)
    check_writable(beside)
    return card, beside
