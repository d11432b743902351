"""Rows of results written by hand, and the columns of each kind of run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from learnability.experiments.columns import TABLE, Row, columns

COLUMNS = tuple(column.name for column in columns())
LAS_COLUMNS = tuple(column.name for column in columns(labelled=True) if column.labelled)
AGAINST_COLUMNS = tuple(column.name for column in columns(against=True) if column.against)
LAS_AGAINST_COLUMNS = tuple(
    column.name for column in columns(labelled=True, against=True) if column.labelled and column.against
)
DETAILS = tuple(column.name for column in TABLE if column.kind == "detail")


class HandRow(Row):
    """A row that can be had with other values."""

    def __or__(self, values: Mapping[str, Any]) -> HandRow:
        return HandRow({**self, **values})


def empty_row(*names: str) -> HandRow:
    """A row without values; `names`: of its columns, by default those of every run."""
    return HandRow(dict.fromkeys(names or COLUMNS))
