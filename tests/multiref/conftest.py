"""Fixtures of the multi-reference tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from compiled_plans import compiled_once


@pytest.fixture(scope="session")
def test_files(ud_files: list[Path]) -> list[Path]:
    """The test files of all real treebanks."""
    return [path for path in ud_files if "-ud-test" in path.name]


@pytest.fixture(scope="module", autouse=True)
def plans_are_compiled_once() -> Iterator[None]:
    """The twins compile the plan of a tree many times."""
    with compiled_once():
        yield
