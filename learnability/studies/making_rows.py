"""Make rows of comparisons, an outcome that several studies have."""

from __future__ import annotations

from learnability.evidence.all_parsers import combine_parsers
from learnability.evidence.parser_means import parser_means
from learnability.evidence.rows_from_records import records_of_rows, result_rows
from learnability.reports.content import Outcome
from learnability.reports.tagging import tagging_section
from learnability.running.config import RunConfig
from learnability.running.records import Records


def make_rows(config: RunConfig, records: Records) -> Outcome:
    """Return the comparisons of a run for which the records are complete."""
    rows = result_rows(config, records)
    all_parsers = []
    if len(config.parsers) > 1:
        of_rows = records_of_rows(config, rows, records)
        all_parsers = combine_parsers(rows, parser_means(rows, of_rows, config.seed_ratio))
    tagging = tagging_section(rows)
    return Outcome(
        pairs=config.pairs,
        rows=rows,
        all_parsers=tuple(all_parsers),
        details=() if tagging is None else (tagging,),
    )
