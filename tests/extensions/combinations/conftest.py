"""Fixtures of the tests of combinations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from compiled_plans import compiled_once


@pytest.fixture(scope="module", autouse=True)
def plans_are_compiled_once() -> Iterator[None]:
    """The twins compile the plan of a tree many times."""
    with compiled_once():
        yield
