"""Work that is shared among processes is done, whatever happens to one of them."""

from __future__ import annotations

import os
from functools import partial

import pytest

from learnability.running.processes import map_in_processes


def doubled(number: int, dies_at: int, parent: int) -> int:
    if number == dies_at and os.getpid() != parent:
        os._exit(1)
    return 2 * number


@pytest.mark.parametrize("dies_at", [-1, 0, 3])
def test_what_a_process_leaves_undone_is_computed_here(dies_at: int) -> None:
    function = partial(doubled, dies_at=dies_at, parent=os.getpid())
    assert list(map_in_processes(function, range(5), 2)) == [0, 2, 4, 6, 8]
