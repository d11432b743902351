"""Name the types of what files hold: the cells of CSV, and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

CellValue: TypeAlias = str | int | float | bool | None
"""What a cell of a CSV file is made of."""

CsvRow: TypeAlias = dict[str, CellValue]
"""The values of a row of a CSV file, by the names of the columns."""

JsonValue: TypeAlias = CellValue | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
"""What JSON can hold; a tuple becomes a list."""

JsonObject: TypeAlias = dict[str, JsonValue]
"""An object of JSON."""
