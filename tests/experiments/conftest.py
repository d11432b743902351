"""A treebank small enough to be run many times."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_treebanks import small_treebank

from learnability.treebanks.locate import TreebankFiles, locate_treebank


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small treebank."""
    return small_treebank(tmp_path_factory.mktemp("ud"))


@pytest.fixture
def small_files(small: Path) -> TreebankFiles:
    """The files of the small treebank."""
    return locate_treebank(small)
