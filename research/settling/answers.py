"""How many questions a run answers, how many settling answers, and what an answer costs.

A question is a construction that occurs at least 10 times in a treebank. The test set and all sentences are
two commands, each in a process of its own; seconds are those of one processor, from start to end.

    python research/settling/answers.py UD_Irish UD_Tamil [--release 1.3] [--splits 60:20:20]
        [--transform cc ...] [--out DIR]
"""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from learnability.evidence.questions import Answer
from learnability.metrics.scores import FEWEST
from learnability.transforms.registry import PAPER
from research.support.treebank_folds import arguments


def main() -> None:
    """Print one line per treebank, and one for all together."""
    parser = arguments(__doc__, ("UD_Irish", "UD_Tamil"), "1.3")
    parser.add_argument("--splits", default="released")
    parser.add_argument("--transform", nargs="+", default=PAPER)
    parser.add_argument("--out", help="keep the runs in this folder")
    command_line = parser.parse_args()
    names = (
        "questions",
        "on the test set",
        "on all sentences",
        "seconds",
        "seconds of all sentences",
        "per answer",
    )
    print("treebank", *names, sep="\t")
    every = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in command_line.treebanks:
            folder = Path(command_line.out or temporary) / Path(name).name
            every.append(figures(name, folder, command_line))
            print_line(name, every[-1])
    print_line("all", [sum(column) for column in zip(*every, strict=True)])


def print_line(name: str, values: Sequence[float]) -> None:
    """Print counts, seconds, and the seconds per answer before and after settling."""
    questions, answered, settled, run, settle = values
    per_answer = f"{run / max(1, answered):.0f} {(run + settle) / max(1, answered + settled):.0f}"
    print(name, questions, answered, settled, f"{run:.0f}", f"{settle:.0f}", per_answer, sep="\t", flush=True)


def figures(name: str, folder: Path, command_line: Any) -> list[float]:
    """Return the questions of a treebank, the answers of both stages, and the seconds of both."""
    chosen = ["--treebank", name, "--release", command_line.release, "--splits", command_line.splits]
    if command_line.ud_home:
        chosen += ["--ud-home", command_line.ud_home]
    for transform in command_line.transform:
        chosen += ["--transform", transform]
    run_seconds = seconds("run", "--test-set", *chosen, "--out", str(folder))
    of_run = rows(folder / "results.csv")
    settle_seconds = seconds("run", "--resume", "--budget", "10h", "--out", str(folder))
    settled = [row for row in rows(folder / "results.csv") if row["tested_on"] != "test set"]
    questions = [
        row for row in of_run if int(row["places"] or 0) + int(row["test_places"] or 0) >= FEWEST.places
    ]
    answered = [
        sum(row["easier"] not in ("", Answer.OPEN, Answer.TOO_FEW_EXAMPLES) for row in each)
        for each in (questions, settled)
    ]
    return [len(questions), *answered, run_seconds, settle_seconds]


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table of the run; none where it has no such table."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def seconds(*words: str) -> float:
    """Return the processor seconds of a command in one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "learnability", *words, "--jobs", "1", "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
