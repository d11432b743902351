"""Compare annotations (`learnability run`): settings (a), (b) and (c), and the measures.

A *pair* is a treebank with a transformation or scheme. For each pair, seed and fold there is one
training of setting (b), on the alternative, and one of setting (c), against all references between the two;
setting (a), on the original trees, is shared by all pairs. The measures need no training. Each parser
trains (a) and (b); (c) has one (`comparing.run_parsers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import Any

from learnability.comparing.cells import ComparisonCell, comparison_cells, computable
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import result_rows
from learnability.reports.content import Outcome
from learnability.reports.results import lead_in_short
from learnability.running.cell import Cell
from learnability.running.config import RunConfig
from learnability.running.records import Records
from learnability.studies.making_rows import make_rows
from learnability.studies.study import Interim, Options, Study


class MainStudy(Study[Options]):
    """Compare annotations by training parsers on each, and on both at once."""

    _finished: Set[str] = frozenset()
    _rows: Sequence[ComparisonRow] = ()

    @cached_property
    def cells(self) -> list[ComparisonCell[Any]]:
        return comparison_cells(self.plan)

    @property
    def config(self) -> RunConfig:
        """Return what is known of the run besides its records."""
        return self.plan.config

    def plan_cells(self) -> Sequence[Cell[Any]]:
        return self.cells

    def next_cells(self, records: Records) -> Iterable[Cell[Any]]:
        return computable(self.cells, records)

    def interim(self, records: Records) -> Iterator[Interim]:
        """Yield the comparisons of treebanks of which everything is recorded, by the first parser."""
        finished = {cell.treebank for cell in self.cells} - {
            cell.treebank for cell in self.cells if cell.key not in records
        }
        if finished != self._finished:  # otherwise nothing is new
            self._finished = finished
            rows = result_rows(self.config, records)
            self._rows = [row for row in rows if row.treebank_label in finished]
        first = self.plan.options.parsers[0].title
        for row in self._rows:
            if row.parser in ("", first):
                yield Interim(row.treebank_label, row.name, lead_in_short(row), row.tested_on())

    def outcome(self, records: Records) -> Outcome:
        return make_rows(self.config, records)
