"""Work that is shared among processes is done, whatever happens to one of them."""

from __future__ import annotations

import os
import time
from concurrent.futures import BrokenExecutor
from functools import partial

import pytest

from learnability.running.processes import local_processes, map_in_processes


def doubled(number: int, dies_at: int, parent: int) -> int:
    if number == dies_at and os.getpid() != parent:
        os._exit(1)
    return 2 * number


@pytest.mark.parametrize("dies_at", [-1, 0, 3])
def test_what_a_process_leaves_undone_is_computed_here(dies_at: int) -> None:
    function = partial(doubled, dies_at=dies_at, parent=os.getpid())
    assert list(map_in_processes(function, range(5), 2)) == [0, 2, 4, 6, 8]


def test_a_process_takes_all_calls_until_it_dies() -> None:
    first, second = local_processes(2)
    number = first.submit(os.getpid).result()
    assert number == first.submit(os.getpid).result() != second.submit(os.getpid).result()
    assert local_processes(1) == [first]
    with pytest.raises(BrokenExecutor):
        first.submit(os._exit, 1).result()
    assert first.submit(os.getpid).result() not in (number, second.submit(os.getpid).result())


def tell_process(number: int) -> tuple[int, int]:
    time.sleep(0.02)
    return number, os.getpid()


def test_processes_share_items_whose_results_come_in_order() -> None:
    numbers, processes = zip(*map_in_processes(tell_process, range(20), 2), strict=True)
    assert numbers == tuple(range(20))
    assert len(set(processes)) == 2
    assert os.getpid() not in processes
