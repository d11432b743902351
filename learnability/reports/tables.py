"""Results as tables on stdout."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from learnability.experiments.plan import Plan

Row = dict[str, Any]

SYMBOL = {"original": "UD", "transformed": "alt", "none": "–", None: ""}
"""How a winner or a pick is shown."""


def print_rows(rows: Sequence[Row], *, as_json: bool = False) -> None:
    """Print the rows of results.csv: a table for people, or unrounded JSON."""
    if as_json:
        print(json.dumps(list(rows), ensure_ascii=False, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    names = {row["treebank"] for row in rows}
    table = Table(
        title=", ".join(sorted(names)),
        caption="Difference: UAS on UD minus UAS on the alternative, each against its own reference; positive: "
        "UD is better. In brackets the 95 % interval. Survival: share of training sentences in which UD "
        "(the alternative) survived training against both.",
    )
    table.add_column("transform", no_wrap=True)
    for name in ("sites", "UAS UD", "UAS alt", "difference", "better", "survival UD/alt"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("multiref", "predict.", "perplex.", "complex."):
        table.add_column(name, justify="center")
    for row in rows:
        table.add_row(*row_cells(row))
    console = Console()
    if not console.is_terminal:  # a file or a pipe has no width: nothing is cut off
        console.width = 200
    console.print(table)


def row_cells(row: Row) -> list[str]:
    """The cells of one row of the table."""
    name = f"{row['transform']}:{row['variant']}" if row["variant"] else str(row["transform"])
    picks = [SYMBOL[row[f"pick_{m}"]] for m in ("multiref", "predictability", "perplexity", "complexity")]
    difference = ""
    if row["uas_delta"] is not None:
        difference = (
            f"{row['uas_delta']:+.2f} [{row['uas_delta_low']:+.2f}, {row['uas_delta_high']:+.2f}]"
        )
    survival = ""
    if row["multiref_original_share"] is not None:
        survival = f"{row['multiref_original_share']:.0%} / {row['multiref_transformed_share']:.0%}"
    return [
        name,
        "none" if row["sites"] == 0 else str(row["sites"]),
        number(row["uas_original"]),
        number(row["uas_transformed"]),
        difference,
        SYMBOL[row["better"]],
        survival,
        *picks,
    ]


def number(value: float | None, decimals: int = 2) -> str:
    """A number for people; empty where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.{decimals}f}"


def print_plan(plan: Plan) -> None:
    """Print what a run consists of."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{len(plan.cells())} cells")
    for name in ("treebank", "release", "folds", "seeds", "conditions"):
        table.add_column(name)
    for files, folds in zip(plan.treebanks, plan.folds, strict=True):
        table.add_row(
            files.name, files.release, str(folds), str(plan.options.seeds), " ".join(plan.options.conditions)
        )
    Console().print(table)
