"""Print what a run would consist of (`--dry-run`), and roughly how long it would take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from learnability.comparing.plan import RunPlan, id_of_files
from learnability.reports.text import Table, print_sentences, print_table, time_in_words
from learnability.running.cell import Cell, estimate_compiling
from learnability.running.progress_steps import PAIR_SECONDS, REPORT_SECONDS, START_SECONDS
from learnability.running.workers import compiling_processes
from learnability.support.nouns import count_noun
from learnability.support.terminal import console


def print_plan(plan: RunPlan, cells: Sequence[Cell[Any]], notes: Sequence[str], jobs: int) -> None:
    """Print what a run consists of, and roughly how long it takes."""
    counts = Counter(cell.treebank for cell in cells)
    table = Table.of(
        f"{count_noun(len(cells), 'training')} and measurements, about {duration(plan, cells, jobs)} "
        f"on {count_noun(jobs, 'processor')}",
        list(zip(plan.treebanks, plan.facts, strict=True)),
        (
            ("treebank", lambda t: t[0].name),
            ("release", lambda t: t[0].release),
            ("training tokens", lambda t: _span(t[1].train_tokens)),
            ("folds", lambda t: t[1].folds),
            ("seeds", lambda t: plan.options.seeds),
            ("trainings and\nmeasurements", lambda t: counts[id_of_files(t[0])]),
            ("splits", lambda t: t[1].split_policy or "as released"),
        ),
        align="<<<><<",
    )
    print_table(table, console(), "bold", tight=True)
    print_sentences(
        [
            "; ".join(_describe_comparison(plan)),
            *_describe_compiling(plan, cells, jobs),
            *notes,
        ]
    )


def _describe_compiling(plan: RunPlan, cells: Sequence[Cell[Any]], jobs: int) -> Iterator[str]:
    calls = {call for cell in cells for call in cell.kernels(plan.options)}
    if seconds := estimate_compiling(calls, compiling_processes(jobs)):
        yield f"if they are not compiled yet, that takes about {time_in_words(seconds)} more"


def _span(counts: Sequence[int]) -> str:
    return " to ".join(map(str, sorted({min(counts), max(counts)})))


def _describe_comparison(plan: RunPlan) -> Iterator[str]:
    constructions = ", ".join(annotation.spelling for annotation in plan.options.alternatives)
    if constructions:
        yield f"constructions: {constructions}"
    if not plan.options.against.is_ud:
        yield f"against {plan.options.against.spelling}"
    yield f"parsers: {', '.join(plan.parsers)}"


def duration(plan: RunPlan, cells: Sequence[Cell[Any]], jobs: int) -> str:
    """Return a rough estimate of the wall time, in words: start-up, trainings, statistics, report."""
    pairs = len(plan.treebanks) * len(plan.options.alternatives)
    seconds = START_SECONDS + (plan.seconds(cells) / jobs) + pairs * PAIR_SECONDS / jobs + REPORT_SECONDS
    return time_in_words(seconds)
