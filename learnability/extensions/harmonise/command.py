"""`learnability harmonise`: which conventions differ between treebanks of a language, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options, take_options
from learnability.commands.streams import note
from learnability.comparing.options import TreebankSelection
from learnability.support.options import option
from learnability.support.progress import shown_stages


@dataclass(frozen=True)
class HarmoniseOptions:
    """Hold how much is trained, and what is written."""

    PANEL: ClassVar[str] = "Training and output"

    seeds: int = option(3, "Number of trainings of each kind.", metavar="N", least=1, most=100)
    words: int = option(
        25_000, "The most words that a parser learns from.", metavar="N", least=500, most=10_000_000
    )
    processes: int | None = option(
        None, "Number of processes (default: one per processor).", metavar="N", flags=("--jobs",), least=1,
        most=1000,
    )  # fmt: skip
    quick: bool = option(False, "Find conventions only: no scores of two treebanks together, or rewritten.")
    answers: bool = option(
        False,
        "Also say which side of each construction and rule is easier to learn (takes minutes).",
    )
    out: str | None = option(
        None, "Write a page, CSV files, proposals and rewritten treebanks into DIR.",
        metavar="DIR",
    )  # fmt: skip


@click.command(
    name="harmonise",
    epilog="Example: learnability harmonise UD_Turkish-IMST UD_Turkish-BOUN --out turkish",
)
@click.argument("first", metavar="A", shell_complete=completion.versions)
@click.argument("others", metavar="B [C...]", nargs=-1, required=True, shell_complete=completion.versions)
@options(TreebankSelection, "ud_home", "multiple_roots")
@options(HarmoniseOptions)
@options(Execution, "as_json", "quiet")
def command(first: str, others: tuple[str, ...], **parameters: Any) -> None:
    """Find the conventions in which treebanks of one language differ, and what they cost a parser.

    A, B and others are names of treebanks, folders or files; NAME@2.16 names a release. Each treebank is
    parsed by parsers that learned from its other sentences, and by parsers that learned from the other
    treebanks. Where only the latter contradict the annotation, and the same happens the other way round,
    conventions differ.
    """
    chosen = take_options(HarmoniseOptions, parameters)
    quiet, as_json = bool(parameters["quiet"]), bool(parameters["as_json"])
    with shown_stages("starting", quiet=quiet) as stages:
        from learnability.differences.naming import version_named
        from learnability.extensions.harmonise.answers import add_answers
        from learnability.extensions.harmonise.comparison import compare_treebanks
        from learnability.extensions.harmonise.cross_parses import TrainingSettings
        from learnability.extensions.harmonise.files import replaceable_in, values_of, write_files
        from learnability.extensions.harmonise.section import sections_of
        from learnability.reports.section import print_section
        from learnability.reports.text import print_json
        from learnability.running.workforce import default_jobs
        from learnability.support.files import check_replaceable

        if chosen.out:
            check_replaceable(chosen.out, replaceable_in(chosen.out))
        jobs = chosen.processes or default_jobs()
        versions = []
        for name in (first, *others):
            stages.stage(f"reading {name}")
            versions.append(
                version_named(
                    name, ud_home=parameters["ud_home"], multiple_roots=bool(parameters["multiple_roots"])
                )
            )
        settings = TrainingSettings(words=chosen.words, seeds=tuple(range(1, chosen.seeds + 1)))
        comparison = compare_treebanks(
            versions,
            settings,
            with_matrix=not chosen.quick,
            jobs=jobs,
            stages=stages,
        )
        if chosen.answers and comparison.joined:
            stages.stage("learning from both sides of each convention")
            comparison = add_answers(comparison, jobs)
        written: list[str] = []
        if chosen.out:
            stages.stage("writing")
            written = write_files(comparison, chosen.out)
    if chosen.answers and not comparison.joined:
        note(
            "--answers had nothing to answer: no construction and no rule rewrites what differs",
            quiet=quiet,
        )
    if as_json:
        print_json(values_of(comparison))
    else:
        for section in sections_of(comparison):
            print_section(section)
    if written:
        note(f"Wrote {', '.join(written)} to {chosen.out}", quiet=quiet)
