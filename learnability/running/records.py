"""records.jsonl: one typed record per finished cell; everything else is computed from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from learnability.errors import InputError


class CellRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the record of a cell has."""

    key: str
    failed: str | None = None

    @property
    def kernel_seconds(self) -> float | None:
        """The wall time in the trainer, if there was a training."""
        return None

    @property
    def trained_tokens(self) -> int | None:
        """The tokens trained on times the iterations, if there was a training."""
        return None


R = TypeVar("R", bound=CellRecord)


def encode(record: CellRecord) -> bytes:
    """The line of a record."""
    return msgspec.json.encode(record) + b"\n"


def read_records(path: Path, decode: Callable[[bytes], R]) -> dict[str, R]:
    """The records of a file by key, without those of cells that failed; an unfinished last line is ignored,
    and a later record replaces an earlier one. InputError for a line that is not a record of a run."""
    if not path.exists():
        return {}
    records: dict[str, R] = {}
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            about = _ABOUT.decode(line)
            if about.failed is None:
                records[about.key] = decode(line)
            else:
                records.pop(about.key, None)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(
                f"{path}:{number}: is not a record of this version ({error}); "
                "remove the line and continue with --resume, or run it again"
            ) from None
    return records


_ABOUT = msgspec.json.Decoder(CellRecord)
