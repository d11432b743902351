"""Results as tables on stdout."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from learnability.experiments.finished import original_of
from learnability.experiments.plan import UD, Plan, label
from learnability.experiments.progress import CONDITION_SECONDS, REPORT_SECONDS, START_SECONDS
from learnability.reports.sections import counted

Row = dict[str, Any]

WIDE = 140
"""From so many columns on, the picks stand in the same table as the scores."""

SETTINGS = ("a", "b", "c", "joint", "verify", "curve")
"""The trainings of a run, in the order in which a plan names them."""

SYMBOL = {"original": "UD", "transformed": "alt", "none": "–", None: ""}
"""How a winner or a pick is shown."""


def shown_choice(row: Row, column: str) -> str:
    """The winner or pick in this column, as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    choice = row[column]
    return original_of(row) if choice == "original" else SYMBOL[choice]


def print_rows(rows: Sequence[Row]) -> None:
    """Print the rows of results.csv as a table for people."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no width: nothing is cut off
        console.width = 200
    names = list(dict.fromkeys(row["treebank"] for row in rows))
    wide = console.width >= WIDE
    ud = original_of(rows[0]) if rows else "UD"
    table = Table(
        box=box.HEAVY_HEAD if wide else box.SIMPLE_HEAD,
        pad_edge=wide,
        title=", ".join(names) if len(names) <= 3 else f"{len(names)} treebanks",
        caption=f"Difference: UAS on {ud} minus UAS on the alternative, each against its own reference; "
        f"positive: {ud} is better. In brackets the 95 % interval. Survival: share of training sentences in "
        f"which {ud} (the alternative) survived training against both.",
    )
    if len(names) > 1:
        table.add_column("treebank", no_wrap=True)
    table.add_column("transform", no_wrap=True)
    labelled = (f"LAS {ud}", "LAS alt") if any("las_original" in row for row in rows) else ()
    for name in ("sites", f"UAS {ud}", "UAS alt", "difference", "better", *labelled, f"survival {ud}/alt"):
        table.add_column(name if wide else name.replace(" ", "\n"), justify="right", no_wrap=True)
    picks = Table(title="What each criterion picks", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("treebank", "transform") if len(names) > 1 else ("transform",):
        picks.add_column(heading, no_wrap=True)
    for name in ("multiref", "predict.", "perplex.", "complex."):
        (table if wide else picks).add_column(name, justify="center")
    for row in rows:
        treebank = [row["treebank"]] if len(names) > 1 else []
        cells = row_cells(row)
        table.add_row(*treebank, *(cells if wide else cells[:-4]))
        picks.add_row(*treebank, cells[0], *([] if wide else cells[-4:]))
    console.print(table)
    if not wide:
        console.print(picks)


def print_verdicts(sentences: Sequence[str]) -> None:
    """Print what the run says, a sentence per condition; long ones go on below their beginning."""
    import textwrap

    from rich.console import Console

    console = Console(highlight=False)
    width = console.width if console.is_terminal else 200
    for sentence in sentences:
        wrapped = textwrap.fill(sentence, width, subsequent_indent="  ", break_on_hyphens=False)
        console.print(wrapped, markup=False, soft_wrap=True)


def row_cells(row: Row) -> list[str]:
    """The cells of one row of the table."""
    name = f"{row['transform']}:{row['variant']}" if row["variant"] else str(row["transform"])
    picks = [
        shown_choice(row, f"pick_{m}") for m in ("multiref", "predictability", "perplexity", "complexity")
    ]
    difference = ""
    if row["uas_delta"] is not None:
        difference = f"{row['uas_delta']:+.2f} [{row['uas_delta_low']:+.2f}, {row['uas_delta_high']:+.2f}]"
    survival = ""
    if row["multiref_original_share"] is not None:
        survival = f"{row['multiref_original_share']:.0%} / {row['multiref_transformed_share']:.0%}"
    return [
        name,
        "none" if row["sites"] == 0 else str(row["sites"]),
        number(row["uas_original"]),
        number(row["uas_transformed"]),
        difference,
        shown_choice(row, "better"),
        *(number(row[name]) for name in ("las_original", "las_transformed") if name in row),
        survival,
        *picks,
    ]


def number(value: float | None, decimals: int = 2) -> str:
    """A number for people; empty where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.{decimals}f}"


def print_plan(plan: Plan, jobs: int) -> None:
    """Print what a run consists of, and roughly how long it takes."""
    from rich.console import Console
    from rich.table import Table

    cells = plan.cells()
    processors = counted(jobs, "processor")
    table = Table(title=f"{len(cells)} cells, about {duration(plan, jobs)} on {processors}")
    for name in ("treebank", "release", "train tokens", "folds", "seeds", "cells", "splits"):
        table.add_column(name, justify="right" if name in ("train tokens", "cells") else "left")
    counts = Counter(cell.treebank for cell in cells)
    for files, facts in zip(plan.treebanks, plan.facts, strict=True):
        table.add_row(
            files.name,
            files.release,
            str(sum(facts.train_tokens) // facts.folds),
            str(facts.folds),
            str(plan.options.seeds),
            str(counts[label(files)]),
            facts.split_policy or "as released",
        )
    console = Console()
    if not console.is_terminal:
        console.width = 200
    console.print(table)
    settings = ", ".join(name for name in SETTINGS if any(cell.setting == name for cell in cells))
    against = "" if plan.options.against == UD else f"; against {plan.options.against}"
    console.print(f"settings: {settings}; conditions: {', '.join(plan.options.conditions)}{against}")
    console.print("the first run of a transition system compiles its kernels: about 30 seconds more")
    for name, reason in plan.unusable:
        console.print(f"cannot be used: {name}: {reason}", markup=False)


def duration(plan: Plan, jobs: int) -> str:
    """A rough estimate of the wall time, in words: start-up, trainings and measures, statistics, report."""
    conditions = len(plan.treebanks) * len(plan.options.conditions)
    work = sum(map(plan.seconds, plan.cells())) + conditions * CONDITION_SECONDS
    seconds = START_SECONDS + work / jobs + REPORT_SECONDS
    if seconds < 90:
        return counted(round(seconds), "second")
    return counted(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"
