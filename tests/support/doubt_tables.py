"""Read and write doubts.csv and files of decisions as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = dict[str, str]


def read_table(path: Path) -> list[Row]:
    file = path / "doubts.csv" if path.is_dir() else path
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path
