"""What of a run's time went into training.

    python research/reproduction/throughput.py RUN [SECONDS PROCESSES]

Reads the records of a finished run. With the wall time and the number of processes it also says how the whole
run compares with as many processes that do nothing but train at the kernels' speed in this run.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from learnability.running.folder import RECORDS
from learnability.running.records import read_records


def main(run: Path, wall: float | None = None, processes: int = 1) -> None:
    """Print the shares."""
    records = list(read_records(run / RECORDS).values())
    rows: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for record in records:
        for name in (record.setting, "all"):
            rows[name][0] += record.wall_seconds
            rows[name][1] += record.work.kernel_seconds if record.work else 0.0
            rows[name][2] += record.read_seconds
    print(f"{'setting':<10}{'seconds':>10}{'training':>10}{'reading':>10}{'share':>8}")
    for name, (seconds, kernels, reading) in rows.items():
        print(f"{name:<10}{seconds:>10.1f}{kernels:>10.1f}{reading:>10.1f}{kernels / seconds:>8.2f}")
    if not rows["all"][1]:
        sys.exit(f"{run} has no finished training")
    tokens = sum(record.work.trained_tokens for record in records if record.work)
    kernels = rows["all"][1]
    print(f"{tokens:,} tokens x iterations, {tokens / kernels:,.0f} per second in the training kernels")
    print(f"largest worker: {max(record.peak_memory_mb or 0 for record in records)} MB")
    if wall is not None:
        rate = tokens / wall
        share = rate / (processes * tokens / kernels)
        print(f"{rate:,.0f} per second of wall time: {share:.2f} of {processes} processes that only train")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[2:]:
        main(Path(arguments[0]), float(arguments[1]), int(arguments[2]))
    else:
        main(Path(arguments[0]))
