"""What a survey costs beside its trainings, by the number of its treebanks.

    python research/scale/scale.py RUN --treebanks 5 20 61

RUN is the folder of a finished run of many treebanks. The script replays it on its first treebanks: the
engine asks for trainings as in the run, and gets their records at once. It prints the parent's processor
milliseconds for a record, its largest memory, the processor seconds of `learnability report`, and the size
of the page. Each number of treebanks has processes of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from learnability.comparing.plan import RunPlan
from learnability.running.cell import Cell
from learnability.running.config import read_config
from learnability.running.engine import complete
from learnability.running.folder import RunFolder
from learnability.running.records import Record, read_records
from learnability.studies.declaration import StudyRequest
from learnability.studies.registry import STUDIES
from learnability.studies.runner import studies_of, workload
from learnability.support.progress import ProgressSteps


def main() -> None:
    """Print one line for each number of treebanks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--treebanks", type=int, nargs="+", default=[5, 20, 61])
    parser.add_argument("--replay", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.replay:
        print(json.dumps(replay(arguments.run, arguments.replay)))
        return
    print("treebanks", "records", "ms per record", "MB", "report, s", "page, MB", sep="\t")
    for number in arguments.treebanks:
        with tempfile.TemporaryDirectory() as temporary:
            part = Path(temporary) / "run"
            copy_part(arguments.run, part, number)
            measured = json.loads(own_output(str(part), "--replay", str(Path(temporary) / "replayed")))
            seconds = children_seconds()
            command = [sys.executable, "-m", "learnability", "report", str(part), "--quiet"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds = children_seconds() - seconds
            page = (part / "report.html").stat().st_size / 1e6
        print(
            number, measured["records"], f"{measured['milliseconds']:.2f}", measured["megabytes"],
            f"{seconds:.1f}", f"{page:.2f}", sep="\t", flush=True,
        )  # fmt: skip


def own_output(*arguments: str) -> str:
    """Return what this script prints in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def children_seconds() -> float:
    """Return the processor seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def copy_part(run: Path, part: Path, number: int) -> None:
    """Copy the first treebanks of a run into a folder of its own."""
    part.mkdir()
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["treebanks"] = config["treebanks"][:number]
    labels = {treebank["label"] for treebank in config["treebanks"]}
    asked = config["arguments"].get("treebanks")
    if asked:
        config["arguments"]["treebanks"] = asked[:number]
    kept = [record for record in read_records(run / "records.jsonl").values() if record.treebank in labels]
    lines = (run / "records.jsonl").read_bytes().splitlines(keepends=True)
    keys = {record.key for record in kept}
    with (part / "records.jsonl").open("wb") as file:
        file.writelines(line for line in lines if json.loads(line)["key"] in keys)
    config["records"] = len(kept)
    (part / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")


def replay(run: Path, folder: Path) -> dict[str, Any]:
    """Return what the engine costs where a record takes no time to compute."""
    config = read_config(run / "config.json")
    known = read_records(run / "records.jsonl")
    plan = RunPlan.of_config(config)
    load = workload(plan, studies_of(plan, [StudyRequest(STUDIES[name]) for name in config.studies]))

    def task_of(cell: Cell[Any]) -> Callable[[], Record]:
        return lambda: known[cell.key]

    instant = replace(load, task=task_of, warm_ups=lambda cells: ())
    begun = RunFolder(folder)
    begun.begin(config, resume=False)
    started = time.process_time()
    completed = complete(instant, begun, jobs=1, cluster=None, steps=ProgressSteps())
    seconds = time.process_time() - started
    return {
        "records": len(completed.records),
        "milliseconds": 1000 * seconds / len(completed.records),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


if __name__ == "__main__":
    main()
