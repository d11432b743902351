"""Trainings against both annotations wait for those whose length they share, and for nothing else."""

from __future__ import annotations

import pytest
from run_data import plan, trained

from learnability.comparing.cells import BaseCell, BothCell, comparison_cells, computable
from learnability.running.records import Record, Records


def test_setting_c_follows_as_soon_as_a_is_recorded() -> None:
    cells = comparison_cells(plan("UD_A", folds=3))
    records = Records()
    order = []
    first: BaseCell | None = None
    for number, cell in enumerate(computable(cells, records)):
        order.append((cell.SETTING, cell.fold))
        if isinstance(cell, BaseCell) and cell.fold == 0:
            first = cell
        if number == 3 and first is not None:  # that of the first fold ends while the second one has begun
            records.add(Record.of(first, trained([3], [4], iterations=7)))
    settings = [setting for setting, fold in order if fold == 0]
    assert settings[-1] == "c"
    assert settings.count("c") == 1
    assert order.index(("c", 0)) == 4
    assert not {("c", 1), ("c", 2)} & set(order)


def test_setting_c_trains_as_long_as_a() -> None:
    cells = comparison_cells(plan("UD_A"))
    records = Records()
    for cell in cells:
        if isinstance(cell, BaseCell):
            records.add(Record.of(cell, trained([3], [4], iterations=7)))
    (both,) = [cell for cell in computable(cells, records) if isinstance(cell, BothCell)]
    assert both.iterations == 7


@pytest.mark.parametrize("folds", [20, 80])
def test_waiting_cells_are_looked_at_when_there_is_a_new_record(folds: int) -> None:
    looks = 0

    class Counted(Records):
        def __contains__(self, key: object) -> bool:
            nonlocal looks
            looks += 1
            return super().__contains__(key)

    cells = comparison_cells(plan("UD_A", folds=folds))
    assert len(list(computable(cells, Counted()))) == 3 * folds
    assert looks <= 3 * len(cells)
