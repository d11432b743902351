"""The source files of the package, which a process parses once."""

from __future__ import annotations

import ast
import gc
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import learnability

PACKAGE = Path(learnability.__file__).parent


def parse_sources(folder: Path) -> dict[str, ast.Module]:
    return {
        path.relative_to(folder).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.py"))
    }


@cache
def package_sources() -> Mapping[str, ast.Module]:
    sources = parse_sources(PACKAGE)
    gc.freeze()
    return sources
