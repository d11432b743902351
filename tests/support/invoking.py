"""What the tests of the command line share."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import learnability

PACKAGE = Path(learnability.__file__).parent
DEMO = PACKAGE / "treebanks" / "data" / "UD_Demo"


needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="dask is not installed; pip install '.[cluster]'"
)


@dataclass(frozen=True)
class Result:
    code: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        return self.output.decode()


def without_progress(errors: str) -> str:
    """What a command said, without the lines of progress that a slow machine writes after half a minute."""
    return re.sub(r"^\d+(:\d\d)+ .*\n", "", errors, flags=re.MULTILINE)


def left_unfinished(run: Path) -> None:
    """Make a finished run one that was stopped before its files were written."""
    path = run / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    del config["finished"]
    path.write_text(json.dumps(config), encoding="utf-8")


Call = Callable[..., Result]
