"""Read and write records.jsonl, a line per finished cell, from which everything else follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from learnability.errors import InputError, without_marks
from learnability.running.cell import Cell

Result = TypeVar("Result", bound=msgspec.Struct)

FORMAT = 3
"""The format of records and of config.json. Columns, fields that have a default, and settings may be added
without a new format."""

NOTHING = msgspec.Raw(b"null")


class Work(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Hold the cost of a training.

    Attributes:
        iterations: iterations over the training data.
        kernel_seconds: wall time in the trainer.
        trained_tokens: training tokens times iterations (once where these are unknown, 0).
        features: features that have weights; None if unknown.
    """

    iterations: int
    kernel_seconds: float
    trained_tokens: int
    features: int | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Hold the record of a cell: which cell it is, what came out, and what it took.

    Attributes:
        result: the struct that the cell computed (`Cell.RESULT`) as JSON; null where there was nothing to
            compute.
        failed: why the cell failed, None if it did not.
        wall_seconds: seconds of the whole cell, `read_seconds` of which until its data were ready.
        worker: host and process.
        peak_memory_mb: the most memory that the process has used so far.
    """

    key: str
    treebank: str
    setting: str
    subject: str = ""
    seed: int = 0
    fold: int = 0
    parser: str = ""
    share: float = 1.0
    result: msgspec.Raw = NOTHING
    failed: str | None = None
    wall_seconds: float = 0.0
    read_seconds: float = 0.0
    worker: str = ""
    peak_memory_mb: int | None = None

    @classmethod
    def of(cls, cell: Cell[Any], result: msgspec.Struct | None = None, **facts: Any) -> Record:
        """Return the record of a cell with its result."""
        encoded = NOTHING if result is None else msgspec.Raw(msgspec.json.encode(result))
        return cls(
            key=cell.key,
            treebank=cell.treebank,
            setting=cell.SETTING,
            subject=cell.subject,
            seed=cell.seed,
            fold=cell.fold,
            parser=cell.parser,
            share=cell.share,
            result=encoded,
            **facts,
        )

    def result_as(self, kind: type[Result]) -> Result | None:
        return msgspec.json.decode(self.result, type=kind | None)

    @property
    def work(self) -> Work | None:
        try:
            return self.result_as(Work)
        except msgspec.ValidationError:
            return None


class Records(Mapping[str, Record]):
    """Hold the records of a run by key, without those of cells that failed, and their results decoded."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._records = {record.key: record for record in records if record.failed is None}
        self._results: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Record:
        return self._records[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def add(self, record: Record) -> None:
        """Add a record, in the place of an earlier one of its cell."""
        self._records[record.key] = record
        self._results.pop(record.key, None)

    def result(self, cell: Cell[Result]) -> Result | None:
        return self.at(cell.key, cell.RESULT)

    def at(self, key: str, kind: type[Result]) -> Result | None:
        """Return the result under a key (`cell.key_of`) as a struct of this kind; None as above."""
        if key not in self._results:
            record = self._records.get(key)
            if record is None:
                return None
            try:
                self._results[key] = record.result_as(kind)
            except msgspec.DecodeError as error:
                raise InputError(
                    f"record {key}: its result cannot be read ({without_marks(error)}); "
                    "remove its line from records.jsonl and continue with `resume=True`, or repeat the run "
                    "with `force=True`"
                ) from None
        result: Result | None = self._results[key]
        return result


def encode(record: Record) -> bytes:
    return msgspec.json.encode(record) + b"\n"


decode = msgspec.json.Decoder(Record).decode
"""Return a line of records.jsonl as a record. Raises msgspec.DecodeError."""


def read_records(path: Path) -> dict[str, Record]:
    """Return the records of a file by key, without failed ones; InputError if a line is no record."""
    return {key: record for key, record in _last_records(path).items() if record.failed is None}


def read_failures(path: Path) -> list[Record]:
    """Return the records of the cells that failed when they were last computed, by key; raises as above."""
    return sorted((r for r in _last_records(path).values() if r.failed is not None), key=lambda r: r.key)


def _last_records(path: Path) -> dict[str, Record]:
    if not path.exists():
        return {}
    records: dict[str, Record] = {}
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            record = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(
                f"{path}:{number} is not a record ({without_marks(error)}); "
                "remove the line and continue with `resume=True`, or repeat the run with `force=True`"
            ) from None
        if (before := records.get(record.key)) is not None and before.failed != record.failed:
            del records[record.key]  # its place is that of the line that counts
        records[record.key] = record
    return records
