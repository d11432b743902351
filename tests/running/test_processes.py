"""Work that is shared among processes is done, whatever happens to one of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from functools import partial

import pytest

from learnability.running.processes import MOST_GROWTH, local_processes, map_in_processes


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


def find_growth_limit() -> int:
    from joblib.externals.loky import process_executor

    return process_executor._MAX_MEMORY_LEAK_SIZE


def test_a_process_may_grow_by_more_than_loky_lets_it() -> None:
    """The limit has no setting: here shows if another version of joblib calls it otherwise."""
    here = find_growth_limit()
    (process,) = local_processes(1)
    assert process.submit(find_growth_limit).result() == MOST_GROWTH > here


def test_processes_leave_nothing_to_say_at_the_end() -> None:
    """Pools that outlived the modules of loky made it fail, in programs that load as much as these tests."""
    one = f"{__file__}::{test_a_process_takes_all_calls_until_it_dies.__name__}"
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", one]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
