"""What the tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import learnability

PACKAGE = Path(learnability.__file__).parent
DEMO = PACKAGE / "treebanks" / "data" / "UD_Demo"


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        return self.output.decode()


Call = Callable[..., Result]
