"""Compare annotations (`learnability run`): settings (a), (b) and (c), and the measures.

A *pair* is a treebank with a transformation or scheme. For each pair, seed and fold there is one
training of setting (b), on the alternative, and one of setting (c), against all references between the two;
setting (a), on the original trees, is shared by all pairs. The measures need no training. Each parser
trains (a) and (b); (c) has one (`comparing.run_parsers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from learnability.comparing.cells import ComparisonCell, comparison_cells, computable
from learnability.reports.content import Outcome
from learnability.running.cell import Cell
from learnability.running.config import RunConfig
from learnability.running.records import Records
from learnability.studies.making_rows import make_rows
from learnability.studies.study import Options, Study


class MainStudy(Study[Options]):
    """Compare annotations by training parsers on each, and on both at once."""

    @cached_property
    def cells(self) -> list[ComparisonCell[Any]]:
        return comparison_cells(self.plan)

    @property
    def config(self) -> RunConfig:
        return self.plan.config

    def plan_cells(self) -> Sequence[Cell[Any]]:
        return self.cells

    def next_cells(self, records: Records) -> Iterable[Cell[Any]]:
        return computable(self.cells, records)

    def outcome(self, records: Records) -> Outcome:
        return make_rows(self.config, records)
