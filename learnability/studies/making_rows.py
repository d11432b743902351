"""Make rows of comparisons, an outcome that several studies have."""

from __future__ import annotations

from learnability.evidence.rows_from_records import result_rows
from learnability.reports.content import Outcome
from learnability.reports.tagging import tagging_section
from learnability.running.config import RunConfig
from learnability.running.records import Records


def make_rows(config: RunConfig, records: Records) -> Outcome:
    """Return the comparisons of a run for which the records are complete."""
    rows = result_rows(config, records)
    tagging = tagging_section(rows)
    return Outcome(
        pairs=config.pairs,
        rows=rows,
        details=() if tagging is None else (tagging,),
    )
