"""Define the comparison of oracles as a study: the cells to train, and the tables to write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from learnability.comparing.options import ExperimentOptions
from learnability.extensions.papers.oracles.declaration import OracleOptions
from learnability.extensions.papers.oracles.rows import average_rows, in_columns, oracle_rows, rows_csv
from learnability.extensions.papers.oracles.tables import grid_section, oracles_section
from learnability.extensions.papers.oracles.trainings import OracleCell, notes, oracle_cells, regimes_of
from learnability.reports.content import Outcome
from learnability.running.records import Records
from learnability.studies.study import Study

RESULTS, AVERAGES = "results.csv", "averages.csv"


class OraclesStudy(Study[OracleOptions]):
    """Train every system by every oracle, and compare with static training."""

    @classmethod
    def check(cls, run: ExperimentOptions, options: OracleOptions) -> None:
        """Refuse unknown systems, regimes and values, with an InputError."""
        regimes_of(options)

    @cached_property
    def cells(self) -> list[OracleCell]:
        """Return all trainings."""
        return list(oracle_cells(self.plan, self.options))

    def plan_cells(self) -> Sequence[OracleCell]:
        """Return all trainings."""
        return self.cells

    def next_cells(self, records: Records) -> Sequence[OracleCell]:
        """Return all trainings: none depends on what is found."""
        return self.cells

    def outcome(self, records: Records) -> Outcome | None:
        """Return a row per treebank and regime, and averages; None if a training has failed."""
        rows = oracle_rows(self.plan, self.options, records)
        if rows is None:
            return None
        averages, remarks = average_rows(rows), notes(self.plan, self.options)
        section = (grid_section if self.options.grid else oracles_section)(rows, averages, remarks)
        return Outcome(
            files={RESULTS: rows_csv(rows), AVERAGES: rows_csv(averages)},
            values={
                "rows": list(map(in_columns, rows)),
                "averages": list(map(in_columns, averages)),
                "notes": remarks,
            },
            answers=(section,),
        )
