"""Results as tables on stdout."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from learnability.experiments.columns import Row
from learnability.experiments.criteria import CRITERIA
from learnability.experiments.options import UD
from learnability.experiments.plan import Plan, label
from learnability.experiments.progress import CONDITION_SECONDS, REPORT_SECONDS, START_SECONDS
from learnability.reports.sections import counted

if TYPE_CHECKING:
    from rich.table import Table

LAYOUTS = (
    ("scores las survival picks",),
    ("scores las survival", "picks"),
    ("scores", "las survival picks"),
    ("scores", "las survival", "picks"),
)
"""Which groups of columns stand in one table; the first layout that fits the terminal is shown."""

PICKS = {criterion.narrow: criterion.pick_column for criterion in CRITERIA}
"""The columns of what the criteria pick, by their headings."""

SETTINGS = ("a", "b", "c", "joint", "verify", "curve")
"""The trainings of a run, in the order in which a plan names them."""

SYMBOL = {"original": "UD", "transformed": "alt", "none": "–", None: ""}
"""How a winner or a pick is shown."""


def shown_choice(row: Row, column: str) -> str:
    """The winner or pick in this column, as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    choice = row[column]
    return row.original if choice == "original" else SYMBOL[choice]


def print_rows(rows: Sequence[Row]) -> None:
    """Print the rows of results.csv for people: as one table, or as several where the terminal is narrow."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no width: nothing is cut off
        console.width = 200
    unlimited = console.options.update_width(10_000)
    for layout in LAYOUTS:
        tables = _tables(rows, layout)
        if all(console.measure(table, options=unlimited).maximum <= console.width for table in tables):
            break
    for table in tables:
        console.print(table)


def _tables(rows: Sequence[Row], layout: Sequence[str]) -> list[Table]:
    """One table for each of the groups of columns, every one with the names of the rows."""
    from rich import box
    from rich.table import Table

    treebanks = list(dict.fromkeys(row["treebank"] for row in rows))
    ud = rows[0].original if rows else "UD"
    title = ", ".join(treebanks) if len(treebanks) <= 3 else f"{len(treebanks)} treebanks"
    caption = (
        f"Difference: UAS on {ud} minus UAS on the alternative, each against its own reference; "
        f"positive: {ud} is better. In brackets the 95 % interval. Survival: share of training sentences in "
        f"which {ud} (the alternative) survived training against both."
    )
    single = len(layout) == 1
    tables = []
    for groups in layout:
        table = Table(
            title=title if "scores" in groups else "What each criterion picks" if groups == "picks" else None,
            caption=caption if "scores" in groups else None,
            box=box.HEAVY_HEAD if single else box.SIMPLE_HEAD,
            pad_edge=single,
        )
        for name in ("treebank", "transform")[len(treebanks) < 2 :]:
            table.add_column(name, overflow="fold")
        for name in _cells(rows[0], groups) if rows else ():
            heading = name if single else name.replace(" ", "\n")
            table.add_column(heading, justify="center" if name in PICKS else "right", no_wrap=True)
        for row in rows:
            names = (row["treebank"], row.name)[len(treebanks) < 2 :]
            table.add_row(*names, *_cells(row, groups).values())
        tables.append(table)
    return tables


def print_verdicts(sentences: Sequence[str]) -> None:
    """Print what the run says, a sentence per condition; long ones go on below their beginning."""
    import textwrap

    from rich.console import Console

    console = Console(highlight=False)
    width = console.width if console.is_terminal else 200
    for sentence in sentences:
        wrapped = textwrap.fill(sentence, width, subsequent_indent="  ", break_on_hyphens=False)
        console.print(wrapped, markup=False, soft_wrap=True)


def _cells(row: Row, groups: str) -> dict[str, str]:
    """The cells of one row in these groups of columns, by their headings."""
    ud = row.original
    difference = survival = ""
    if row["uas_delta"] is not None:
        difference = f"{row['uas_delta']:+.2f} [{row['uas_delta_low']:+.2f}, {row['uas_delta_high']:+.2f}]"
    if row["multiref_original_share"] is not None:
        survival = f"{row['multiref_original_share']:.0%} / {row['multiref_transformed_share']:.0%}"
    las = {f"LAS {ud}": "las_original", "LAS alt": "las_transformed"} if "las_original" in row else {}
    cells = {
        "scores": {
            "sites": "none" if row["sites"] == 0 else str(row["sites"]),
            f"UAS {ud}": number(row["uas_original"]),
            "UAS alt": number(row["uas_transformed"]),
            "difference": difference,
            "better": shown_choice(row, "better"),
        },
        "las": {heading: number(row[column]) for heading, column in las.items()},
        "survival": {f"survival {ud}/alt": survival},
        "picks": {heading: shown_choice(row, column) for heading, column in PICKS.items()},
    }
    return {heading: cell for group in groups.split() for heading, cell in cells[group].items()}


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
