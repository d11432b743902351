"""Make rows of comparisons, an outcome that several studies have."""

from __future__ import annotations

from learnability.comparing.plan import RunPlan
from learnability.evidence.panel import panel_csv, panels
from learnability.evidence.parser_means import parser_means
from learnability.evidence.rows_from_records import records_of_rows, result_rows
from learnability.reports.tagging import tagging_section
from learnability.running.records import Records
from learnability.studies.study import Outcome

PANEL = "parsers.csv"


def compare_plan(plan: RunPlan, records: Records) -> Outcome:
    """Return the comparisons of a plan for which the records are complete."""
    design = plan.design
    rows = result_rows(design, records)
    together = []
    if len(design.parsers) > 1:
        of_rows = records_of_rows(design, rows, records)
        together = panels(rows, parser_means(rows, of_rows, design.seed_ratio))
    files = {PANEL: panel_csv(together)} if together else {}
    values = {"parsers": [panel.values() for panel in together]} if together else {}
    tagging = tagging_section(rows)
    return Outcome(
        files=files,
        values=values,
        design=design,
        rows=rows,
        panels=tuple(together),
        sections=() if tagging is None else (tagging,),
    )
