"""report.html: one self-contained page per run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from learnability.reports.tables import number, row_cells

Row = dict[str, Any]

HEADINGS = (
    *("transform", "sites", "UAS UD", "UAS alternative", "difference [95 %]", "better", "survival UD / alt"),
    *("multi-reference", "predictability", "perplexity", "complexity"),
)

COMMON_GROUND = (
    ("UAS UD", "uas_original"),
    ("UAS alternative", "uas_transformed"),
    ("nucleus UAS UD", "nucleus_uas_original"),
    ("nucleus UAS alternative", "nucleus_uas_transformed"),
    ("alternative, converted back", "uas_back_transformed"),
    ("ceiling of the conversion", "back_ceiling"),
    ("its ceiling with gold sites", "back_ceiling_gold_sites"),
    ("closest reference: UD", "closest_uas_original"),
    ("closest reference: alternative", "closest_uas_transformed"),
    ("closest reference: trained on both", "closest_uas_multiref"),
)
"""Headings and columns of the table of scores on common ground."""


def name_of(row: Row) -> str:
    """The condition as given on the command line."""
    return f"{row['transform']}:{row['variant']}" if row["variant"] else str(row["transform"])


def verdict(row: Row) -> str:
    """One sentence on a condition."""
    name = name_of(row)
    if row["sites"] == 0:
        return f"{name}: the treebank has no place where it applies."
    if row["uas_delta"] is None:
        return f"{name}: not computed."
    if row["test_sites"] == 0:
        return f"{name}: no test sentence has a site, so the test scores say nothing about it."
    low, high = number(row["uas_delta_low"]), number(row["uas_delta_high"])
    span = f"{row['uas_delta']:+.2f} UAS, 95 % interval {low} to {high}"
    if row["better"] == "none":
        return f"{name}: no difference found ({span})."
    side = "UD's annotation" if row["better"] == "original" else "the alternative annotation"
    return f"{name}: {side} is easier ({span}; p = {row['p_value']:.3f}, corrected {row['p_holm']:.3f})."


def report_page(rows: Sequence[Row], records: Sequence[Row], config: Row) -> bytes:
    """The page as UTF-8 bytes; the same rows, records and configuration give the same bytes."""
    import jinja2

    source = (files("learnability.reports") / "report.html.jinja").read_text(encoding="utf-8")
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    skipped = {
        record["condition"]: record["skipped"]
        for record in records
        if record["setting"] == "measures" and record.get("skipped")
    }
    names = sorted({str(row["treebank"]) for row in rows})

    def of(row: Row) -> str:
        return f"{row['treebank']}, " if len(names) > 1 else ""

    page = template.render(
        title=", ".join(names) if len(names) < 4 else f"{len(names)} treebanks",
        headings=HEADINGS,
        table=[[of(row) + cells[0], *cells[1:]] for row in rows if (cells := row_cells(row))],
        common_headings=["transform", *(heading for heading, _ in COMMON_GROUND)],
        common=[
            [of(row) + name_of(row), *(number(row[column]) for _, column in COMMON_GROUND)]
            for row in rows
            if row["uas_delta"] is not None
        ],
        verdicts=[of(row) + verdict(row) for row in rows],
        seeds=len(config["seeds"]),
        oracle=config["options"]["oracle"],
        policies=[t["split_policy"] for t in config["treebanks"] if t["split_policy"]],
        skipped=skipped,
        config=json.dumps(config, ensure_ascii=False, indent=2),
    )
    return page.encode()
