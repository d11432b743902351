"""What is ahead of a run is what it then computes, and perhaps more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from learnability.comparing.plan import RunPlan
from learnability.running.records import Records, read_records
from learnability.studies.declaration import StudyRequest
from learnability.studies.runner import studies_of, workload


def replay(plan: RunPlan, studies: Sequence[StudyRequest], folder: Path) -> list[int | None]:
    """Give the records of a run to its studies, one by one: none comes that was not ahead of them.

    Returns:
        How many cells were ahead before each record, and after the last; None while nobody could tell.
    """
    lines = list(read_records(folder / "records.jsonl").values())
    load, known = workload(plan, studies_of(plan, studies)), Records()
    counts: list[int | None] = []
    for number in range(len(lines) + 1):
        possible = load.possible(known)
        keys = None if possible is None else {cell.key for cell in possible} - known.keys()
        assert keys is None or {record.key for record in lines[number:]} <= keys, f"after {number} records"
        counts.append(None if keys is None else len(keys))
        if number < len(lines):
            known.add(lines[number])
    return counts
