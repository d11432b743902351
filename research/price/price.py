"""What a survey costs in processor seconds: before and after a change, in two processes, and by `--quick`.

    python research/price/price.py --before CLONE --ud-home DIR UD_A UD_B ... [--run="--transform case"]

It carries out the survey of the treebanks (`--all`, one training each, nothing beyond the test sets) by the
program in CLONE and by this one, in turn and in one process, then by this one in two processes, and with
`--quick`. It prints processor seconds, those of child processes included, and whether `results.csv` is the
same. Kernels have to be compiled before: with `--repeat 2` everything is carried out twice, and the second
line counts.

Without `--before` this program stands in for the other one, which shows the noise.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
"""The folder of this program."""

UNANSWERED = ("open", "too few examples")

HEADINGS = (
    "before", "after", "after / before", "two processes", "two / one", "quick", "quick / one", "answers",
    "same results",
)  # fmt: skip


@dataclass(frozen=True)
class Carried:
    """Hold what a run cost and gave.

    Attributes:
        seconds: processor seconds of all its processes.
        results: the content of results.csv; empty if the run wrote none.
    """

    seconds: float
    results: bytes

    @property
    def questions(self) -> tuple[int, int]:
        """Return how many questions have an answer, and how many have enough examples."""
        rows = list(csv.DictReader(self.results.decode().splitlines()))
        asked = [row["easier"] for row in rows if row["easier"] != UNANSWERED[1]]
        return sum(answer not in UNANSWERED for answer in asked), len(asked)


def main() -> None:
    """Print a line for each time that everything is carried out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("treebanks", nargs="+", help="their names, or paths of their folders")
    parser.add_argument("--ud-home", type=Path, help="the folder that has a release with the treebanks")
    parser.add_argument("--before", type=Path, default=HERE)
    parser.add_argument("--run", default="--transform case --transform cop --transform cc --transform det")
    parser.add_argument("--not-quick", default="", help="more options of a survey, which `--quick` refuses")
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    folders = [find_folder(arguments.ud_home, treebank) for treebank in arguments.treebanks]
    print(*HEADINGS, sep="\t", flush=True)
    options, not_quick = shlex.split(arguments.run), shlex.split(arguments.not_quick)
    for _ in range(arguments.repeat):
        line = measure_survey(arguments.before, folders, options, [*options, *not_quick])
        print(*line, sep="\t", flush=True)


def measure_survey(
    clone: Path, treebanks: Sequence[Path], quick_options: Sequence[str], options: Sequence[str]
) -> list[str]:
    """Carry out the four runs, and return what they cost and gave."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        release = folder / "home" / "ud-treebanks-v2.16"
        release.mkdir(parents=True)
        for treebank in treebanks:
            (release / treebank.name).symlink_to(treebank)
        survey = ["--ud-home", str(folder / "home"), "--all", "--seeds", "1"]
        whole = [*survey, *options, "--budget", "1s"]
        before = carry_out(clone, [*whole, "--jobs", "1"], folder / "before")
        after = carry_out(HERE, [*whole, "--jobs", "1"], folder / "after")
        two = carry_out(HERE, [*whole, "--jobs", "2"], folder / "two")
        quick = carry_out(HERE, [*survey, *quick_options, "--quick", "--jobs", "1"], folder / "quick")
    answered, asked = after.questions
    same = before.results == after.results == two.results != b""
    return [
        *(f"{before.seconds:.1f}", f"{after.seconds:.1f}", f"{after.seconds / before.seconds:.2f}"),
        *(f"{two.seconds:.1f}", f"{two.seconds / after.seconds:.2f}"),
        *(f"{quick.seconds:.1f}", f"{quick.seconds / after.seconds:.3f}"),
        f"{answered} of {asked}",
        "yes" if same else "NO",
    ]


def find_folder(home: Path | None, treebank: str) -> Path:
    """Return the folder of a treebank."""
    if Path(treebank).is_dir():
        return Path(treebank).resolve()
    for folder in sorted((home or Path()).glob(f"*/{treebank}")):
        return folder.resolve()
    raise SystemExit(f"there is no {treebank} in {home}")


def carry_out(clone: Path, options: Sequence[str], out: Path) -> Carried:
    """Carry out a run by the program in a clone."""
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    command = [sys.executable, "-m", "learnability", "run", *options, "--quiet", "--out", str(out)]
    began = child_seconds()
    done = subprocess.run(command, cwd=clone, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:  # the seconds of a run that failed say nothing
        raise SystemExit(f"{shlex.join(command)}\n{done.stderr}")
    results = out / "results.csv"
    return Carried(child_seconds() - began, results.read_bytes() if results.exists() else b"")


def child_seconds() -> float:
    """Return the processor seconds of all processes that ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
