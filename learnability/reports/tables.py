"""Results as tables on stdout."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from learnability.experiments.finished import name_of, original_of
from learnability.experiments.plan import UD, Plan, label
from learnability.experiments.progress import CONDITION_SECONDS, REPORT_SECONDS, START_SECONDS
from learnability.reports.sections import counted

if TYPE_CHECKING:
    from rich.table import Table

Row = dict[str, Any]

Groups = Callable[[Row], dict[str, dict[str, str]]]
"""The cells of a row, by groups of columns and headings."""

LAYOUTS = (
    ("scores las survival picks",),
    ("scores las survival", "picks"),
    ("scores", "las survival picks"),
    ("scores", "las survival", "picks"),
)
"""Which groups of columns stand in one table; the first layout that fits the terminal is shown."""

COMMON_LAYOUTS = (("own back nucleus closest",), ("own back", "nucleus closest"))
"""The same for the scores on common ground."""

PICKS = {
    "multiref": "pick_multiref",
    "predict.": "pick_predictability",
    "perplex.": "pick_perplexity",
    "complex.": "pick_complexity",
}
"""The columns of what the criteria pick, by their headings."""

SETTINGS = ("a", "b", "c", "joint", "verify", "curve")
"""The trainings of a run, in the order in which a plan names them."""

SYMBOL = {"original": "UD", "transformed": "alt", "none": "–", None: ""}
"""How a winner or a pick is shown."""


def shown_choice(row: Row, column: str) -> str:
    """The winner or pick in this column, as :data:`SYMBOL`, with the name of the scheme of `--against`."""
    choice = row[column]
    return original_of(row) if choice == "original" else SYMBOL[choice]


def print_rows(rows: Sequence[Row]) -> None:
    """Print the rows of results.csv for people: as one table, or as several where the terminal is narrow."""
    treebanks = list(dict.fromkeys(row["treebank"] for row in rows))
    ud = original_of(rows[0]) if rows else "UD"
    caption = (
        f"Difference: UAS on {ud} minus UAS on the alternative, each against its own reference; "
        f"positive: {ud} is better. In brackets the 95 % interval. Survival: share of training sentences in "
        f"which {ud} (the alternative) survived training against both."
    )
    title = ", ".join(treebanks) if len(treebanks) <= 3 else f"{len(treebanks)} treebanks"
    _print_first_that_fits(rows, _groups, LAYOUTS, title, caption)


def print_common_ground(rows: Sequence[Row]) -> None:
    """Print the scores that can be compared across references beside those that each has on its own.

    By UAS, and where the parsers are labelled by LAS; rows without scores are left out.
    """
    scored = [row for row in rows if row["uas_delta"] is not None]
    if not scored:
        return
    scores = ("uas", "las") if "las_original" in scored[0] else ("uas",)
    caption = (
        "Own: each against its own reference, as above. To UD: parses converted to UD; ceiling: what the "
        "conversion makes of gold trees. Nucleus: arcs between phrases, which both share (not defined with "
        f"cc). Closest: against the nearest mixture of {original_of(scored[0])} and the alternative; both: "
        "trained against all mixtures."
    )
    for score in scores:
        title = f"On common ground, {score.upper()}"
        said = caption if score == scores[-1] else ""
        _print_first_that_fits(scored, partial(_common_groups, score=score), COMMON_LAYOUTS, title, said)


def _print_first_that_fits(
    rows: Sequence[Row], groups: Groups, layouts: Sequence[Sequence[str]], title: str, caption: str
) -> None:
    """Print the rows in the first layout whose tables fit the terminal."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file or a pipe has no width: nothing is cut off
        console.width = 200
    unlimited = console.options.update_width(10_000)
    for layout in layouts:
        tables = _tables(rows, groups, layout, title, caption)
        if all(console.measure(table, options=unlimited).maximum <= console.width for table in tables):
            break
    for table in tables:
        console.print(table)


def _tables(
    rows: Sequence[Row], groups: Groups, layout: Sequence[str], title: str, caption: str
) -> list[Table]:
    """One table for each of the groups of columns, every one with the names of the rows."""
    from rich import box
    from rich.table import Table

    several = len({row["treebank"] for row in rows}) > 1
    single = len(layout) == 1
    tables = []
    for number, together in enumerate(layout):
        table = Table(
            title="What each criterion picks" if together == "picks" else None if number else title,
            caption=None if number or not caption else caption,
            box=box.HEAVY_HEAD if single else box.SIMPLE_HEAD,
            pad_edge=single,
        )

        def cells(row: Row, together: str = together) -> dict[str, str]:
            own = groups(row)
            return {heading: cell for group in together.split() for heading, cell in own[group].items()}

        for name in ("treebank", "transform")[not several :]:
            table.add_column(name, overflow="fold")
        for name in cells(rows[0]) if rows else ():
            heading = name if single else name.replace(" ", "\n")
            table.add_column(heading, justify="center" if name in PICKS else "right", no_wrap=True)
        for row in rows:
            names = (row["treebank"], name_of(row))[not several :]
            table.add_row(*names, *cells(row).values())
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


def _groups(row: Row) -> dict[str, dict[str, str]]:
    """The cells of one row by groups of columns and headings."""
    ud = original_of(row)
    difference = survival = ""
    if row["uas_delta"] is not None:
        difference = f"{row['uas_delta']:+.2f} [{row['uas_delta_low']:+.2f}, {row['uas_delta_high']:+.2f}]"
    if row["multiref_original_share"] is not None:
        survival = f"{row['multiref_original_share']:.0%} / {row['multiref_transformed_share']:.0%}"
    las = {f"LAS {ud}": "las_original", "LAS alt": "las_transformed"} if "las_original" in row else {}
    return {
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


def _common_groups(row: Row, score: str) -> dict[str, dict[str, str]]:
    """The scores of one row on common ground, by groups of columns and headings; `score`: uas or las."""
    ud, prefix = original_of(row), "las_" if score == "las" else ""
    columns = {
        "own": {f"own {ud}": f"{score}_original", "own alt": f"{score}_transformed"},
        "back": {
            f"{ud} to UD": f"{score}_back_original",
            f"ceiling {ud}": f"{prefix}back_ceiling_original",
            "alt to UD": f"{score}_back_transformed",
            "ceiling alt": f"{prefix}back_ceiling",
        },
        "nucleus": {
            f"nucleus {ud}": f"nucleus_{score}_original",
            "nucleus alt": f"nucleus_{score}_transformed",
        },
        "closest": {
            f"closest {ud}": f"closest_{score}_original",
            "closest alt": f"closest_{score}_transformed",
            "closest both": f"closest_{score}_multiref",
        },
    }
    return {
        group: {heading: number(row[column]) for heading, column in own.items() if column in row}
        for group, own in columns.items()
    }


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
