"""Garbage is collected rarely, and what stays is not looked at again, in processes of our own only."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from learnability.support.memory import collect_garbage, collect_rarely


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


class Node:
    alive = 0

    def __init__(self) -> None:
        self.other = self
        Node.alive += 1

    def __del__(self) -> None:
        Node.alive -= 1


@pytest.mark.parametrize("own", [True, False], ids=["own process", "notebook"])
def test_garbage_is_freed_and_only_our_own_objects_are_frozen(own: bool) -> None:
    if own:
        collect_rarely()
    frozen = gc.get_freeze_count()
    Node()
    assert Node.alive == 1
    collect_garbage()
    assert Node.alive == 0
    assert (gc.get_freeze_count() > frozen) == own
