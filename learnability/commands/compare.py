"""`learnability compare`: combine finished runs over several treebanks."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options
from learnability.commands.streams import note
from learnability.errors import InputError
from learnability.support.files import check_writable, made_folder
from learnability.support.progress import shown_stages
from learnability.support.terminal import print_line
from learnability.support.written import WrittenFiles


@click.command(
    "compare",
    short_help="Combine finished runs over several treebanks.",
    epilog="Example: learnability compare runs --out tables",
)
@click.argument("runs", metavar="DIR...", nargs=-1, required=True, shell_complete=completion.files)
@click.option("--out", metavar="DIR", help="Also write tables, figures and a page to this folder.")
@click.option(
    "--atlas",
    metavar="DIR",
    help="Also write a static site to this folder: a page for each construction and treebank.",
)
@click.option("--cldf", metavar="DIR", help="Also write the answers as a CLDF dataset to this folder.")
@click.option("--paper", is_flag=True, help="Also make the tables and figures of the 2018 paper.")
@options(Execution, "as_json", "details", "quiet")
def command(
    runs: tuple[str, ...],
    out: str | None,
    atlas: str | None,
    cldf: str | None,
    paper: bool,
    as_json: bool,
    details: bool,
    quiet: bool,
) -> None:
    """Give one answer per construction over the treebanks of finished runs, and say how much they differ.

    Each DIR is a run, or a folder with runs below it. Answers come from random-effects means of the
    differences, by the same rules as in one treebank. --paper also shows how often UD wins, and how often
    each indirect indicator names the side ahead, beside what the paper reported.
    --atlas and --cldf are for many treebanks: a site to browse and to cite, and a dataset for archives.
    """
    with shown_stages("reading", quiet=quiet) as stages:
        from learnability.evidence.stored_runs import read_run, runs_to_compare
        from learnability.evidence.survey import gather
        from learnability.papers.annotation_2018.section import supplement
        from learnability.reports.atlas.publication import Publication
        from learnability.reports.atlas.sentences import SentenceSource
        from learnability.reports.comparison_files import as_json as json_of
        from learnability.reports.comparison_files import outputs
        from learnability.reports.comparison_tables import print_evidence
        from learnability.studies.asking import treebanks_found
        from learnability.studies.runner import refined_run

        publication = Publication(atlas, cldf)
        publication.check(out)
        with made_folder(out) if out else nullcontext() as folder:
            if folder is not None:
                check_writable(folder / "compare.json")
                WrittenFiles(folder).check()
            found = runs_to_compare(map(Path, runs))
            for skipped in found.others:
                note(f"{skipped} was left out, because this run compares no annotations", quiet=quiet)
            read = read_run if paper else refined_run
            stored = list(map(read, stages.each(found.finished, "reading", "runs")))
            evidence = gather(stored, found.unfinished)
            if paper and evidence.base != "UD":
                problem = f"the paper's tables compare with UD, but these runs compare with {evidence.base}"
                raise InputError(f"{problem}; leave out --paper")
            beside = supplement(evidence) if paper else None
            if folder is not None:
                stages.stage("tables and figures", expected=5)
                WrittenFiles(folder).write(outputs(evidence, folder, beside))
                note(f"Wrote tables, figures and compare.html to {folder}", quiet=quiet)
        for line in publication.write(evidence, stored, SentenceSource(stored, treebanks_found), stages):
            note(line, quiet=quiet)
    if as_json:
        print_line(json_of(evidence, beside), end="")
    else:
        print_evidence(evidence, beside, details=details)
    publication.check_complete()
