"""Rows of comparisons, as an outcome that several studies have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from learnability.comparing.judging import seed_ratio_of
from learnability.comparing.plan import RunPlan
from learnability.evidence.columns import Row, results_csv
from learnability.evidence.panel import panel_csv, panels
from learnability.evidence.rows import records_of_rows, result_rows
from learnability.reports.panel import panel_section
from learnability.running.records import Records
from learnability.studies.study import Outcome

RESULTS, PANEL = "results.csv", "panel.csv"


def compared(
    plan: RunPlan, records: Records, mark: Callable[[Sequence[Row]], None] | None = None
) -> Outcome:
    """Return the comparisons of a plan, as far as the records have them.

    Args:
        plan: the treebanks, conditions and judges.
        records: of the run.
        mark: changes the rows, if it is given.
    """
    rows = result_rows(plan, records)
    if mark is not None:
        mark(rows)
    together = (
        panels(rows, records_of_rows(plan, records), seed_ratio_of(plan.options.judges))
        if len(plan.judges) > 1
        else []
    )
    files = {RESULTS: results_csv(rows)}
    if together:
        files[PANEL] = panel_csv(together)
    return Outcome(
        files=files,
        values={"rows": rows, **({"panel": [panel.values() for panel in together]} if together else {})},
        rows=rows,
        panels=tuple(together),
        answers=(panel_section(together),) if together else (),
    )
