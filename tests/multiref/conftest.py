"""Fixtures of the multi-reference tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def test_files(ud_files: list[Path]) -> list[Path]:
    """The test files of all real treebanks."""
    return [path for path in ud_files if "-ud-test" in path.name]
