"""Runs as processes of their own, to be killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import learnability

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(learnability.__file__).parent.parent)}


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "learnability", *map(str, arguments), "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
        **options,
    )


def records_in(out: Path) -> int:
    path = out / "records.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for_records(process: subprocess.Popen[bytes], out: Path, count: int) -> bool:
    while records_in(out) < count:
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return True


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"LokyProcess" in Path(f"/proc/{pid}/cmdline").read_bytes()]
