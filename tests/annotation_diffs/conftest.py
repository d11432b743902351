"""Where the releases are that the tests compare."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def history_home(ud_home: Path) -> Path:
    """The folder of several releases: LEARNABILITY_HISTORY_HOME, else `history` beside the real treebanks."""
    given = os.environ.get("LEARNABILITY_HISTORY_HOME")
    home = Path(given) if given else ud_home.parent / "history"
    if not home.is_dir():
        pytest.skip(f"no releases: {home} is no folder; set LEARNABILITY_HISTORY_HOME")
    return home
