"""`learnability compare`: combine finished runs over several treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options
from learnability.commands.streams import note
from learnability.errors import InputError
from learnability.reports.text import enumerate_names, print_json
from learnability.support.files import check_writable, made_folder
from learnability.support.progress import shown_steps
from learnability.support.terminal import print_line
from learnability.support.written import WrittenFiles

if TYPE_CHECKING:
    from learnability.reports.content import Outcome
    from learnability.support.progress import ProgressSteps

HELP = """Give one answer per construction over the treebanks of finished runs, and say how much they differ.

Each DIR is a run, or a folder with runs below it; for --atlas also one with answers.csv, as a survey
publishes it. Answers come from random-effects means of the differences, by the same rules as in one treebank.

--atlas is for many treebanks: a site to browse.
"""


@click.command("compare", help=HELP, epilog="Example: learnability compare runs --out tables")
@click.argument("runs", metavar="DIR...", nargs=-1, required=True, shell_complete=completion.files)
@click.option("--out", metavar="DIR", help="Also write tables, figures and a page to this folder.")
@click.option(
    "--paper", metavar="DIR",
    help="Write a table, figures, paragraphs and references for a paper to this folder, in LaTeX.",
)  # fmt: skip
@click.option(
    "--without", metavar="T", multiple=True,
    help="Leave out this treebank; repeatable.",
)  # fmt: skip
@click.option(
    "--atlas", metavar="DIR",
    help="Also write a static site to this folder: a page for each construction.",
)  # fmt: skip
@options(Execution, "as_json", "details", "explain", "quiet")
def command(
    runs: tuple[str, ...],
    out: str | None,
    paper: str | None,
    without: tuple[str, ...],
    atlas: str | None,
    as_json: bool,
    details: bool,
    explain: bool,
    quiet: bool,
) -> None:
    """Combine runs; the help is `HELP`."""
    with shown_steps("reading", quiet=quiet) as steps:
        from learnability.evidence.answers_file import find_answers
        from learnability.evidence.stored_runs import runs_to_compare
        from learnability.evidence.survey import combine_runs
        from learnability.reports.atlas.site import check_place, publish
        from learnability.reports.comparison_files import as_json as json_of
        from learnability.reports.comparison_files import outputs
        from learnability.reports.comparison_tables import print_evidence
        from learnability.reports.paper import paper_files
        from learnability.studies.runner import combine_studies, refined_run

        if atlas is not None:
            check_place(atlas, out)
        with made_folder(out) if out else nullcontext() as folder:
            if folder is not None:
                check_writable(folder / "compare.json")
                WrittenFiles(folder).check()
            answers = [file for name in runs if (file := find_answers(Path(name))) is not None]
            if answers:
                if any([out, paper, without, as_json]):
                    raise InputError(
                        f"{answers[0]} has no scores for `out`, `paper`, `without`, `as_json`; name a run"
                    )
                note(_publish_answers(answers, runs, atlas, steps), quiet=quiet)
                return
            if (outcome := combine_studies(map(Path, runs))) is not None:
                if paper or without or atlas:
                    raise InputError(
                        f"{runs[0]} compares no annotations of a treebank, as --paper, --without or an "
                        "atlas need; leave these options out"
                    )
                if folder is not None:
                    WrittenFiles(folder).write(outcome.files)
                    note(f"Wrote {enumerate_names(list(outcome.files))} to {folder}", quiet=quiet)
                _print_combined(outcome, as_json=as_json, explain=explain)
                return
            found = runs_to_compare(map(Path, runs))
            for skipped in found.others:
                note(f"{skipped} was left out, because this run compares no annotations", quiet=quiet)
            stored = list(map(refined_run, steps.each(found.finished, "reading", "runs")))
            evidence = combine_runs(stored, found.unfinished, without)
            if folder is not None:
                steps.begin("tables and figures", expected=5)
                WrittenFiles(folder).write(outputs(evidence, folder))
                note(f"Wrote tables, figures and compare.html to {folder}", quiet=quiet)
        if paper is not None:
            with made_folder(paper) as place:
                configs, tell = [run.config for run in stored], partial(note, quiet=quiet)
                WrittenFiles(place).write(paper_files(evidence.rows, configs, tell, evidence))
            note(f"Wrote table.tex, references.bib and others to {paper}", quiet=quiet)
        if atlas is not None:
            note(publish(atlas, evidence, stored, steps), quiet=quiet)
    if as_json:
        print_line(json_of(evidence), end="")
    else:
        print_evidence(evidence, details=details, explain=explain)


def _print_combined(outcome: Outcome, *, as_json: bool, explain: bool) -> None:
    if as_json:
        print_json(outcome.values)
        return
    from learnability.reports.section import print_section

    for section in outcome.answers:
        print_section(section, explain=explain)


def _publish_answers(
    files: Sequence[Path], named: Sequence[str], atlas: str | None, steps: ProgressSteps
) -> str:
    from learnability.evidence.answers_file import combine_answers, read_answers
    from learnability.reports.atlas.site import publish

    if len(files) < len(named):
        raise InputError(f"{files[0]} has answers, and the others are runs; name either")
    if atlas is None:
        raise InputError(f"{files[0]} has answers, not records; add --atlas DIR")
    stored = [read_answers(file) for file in files]
    return publish(atlas, combine_answers(stored), stored, steps)
