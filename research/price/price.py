"""What a survey costs in processor seconds: before and after a change, in two processes, and by `--quick`.

    python research/price/price.py --before CLONE --ud-home DIR UD_A UD_B ... [--run "--transform case"]

For each treebank it carries out the run of a survey (`--all`, one training each, nothing beyond the test
sets) by the program in CLONE and by this one, in turn and in one process, then by this one in two
processes, and with `--quick`. It prints processor seconds, those of child processes included, and whether
`results.csv` is the same. Kernels have to be compiled before; `--warm` carries out everything once and prints
nothing of it.

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
    "treebank", "before", "after", "after / before", "two processes / one", "quick / one process",
    "answers", "same results",
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
    """Print a line for each treebank, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("treebanks", nargs="+", help="their names, or paths of their folders")
    parser.add_argument("--ud-home", type=Path, help="the folder that has a release with the treebanks")
    parser.add_argument("--before", type=Path, default=HERE)
    parser.add_argument("--run", default="--transform case --transform cop --transform cc --transform det")
    parser.add_argument("--warm", action="store_true")
    arguments = parser.parse_args()
    options = shlex.split(arguments.run)
    if arguments.warm:
        measure_treebank(arguments, arguments.treebanks[0], options)
    print(*HEADINGS, sep="\t", flush=True)
    lines = []
    for treebank in arguments.treebanks:
        lines.append(measure_treebank(arguments, treebank, options))
        print_line(Path(treebank).name, lines[-1:])
    print_line("all", lines)


Line = tuple[Carried, Carried, Carried, Carried]
"""Before, after, after in two processes, and with `--quick`."""


def measure_treebank(arguments: argparse.Namespace, treebank: str, options: Sequence[str]) -> Line:
    """Carry out the four runs of a treebank."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        release = folder / "home" / "ud-treebanks-v2.16"
        release.mkdir(parents=True)
        source = find_folder(arguments.ud_home, treebank)
        (release / source.name).symlink_to(source)
        survey = ["--ud-home", str(folder / "home"), "--all", "--seeds", "1", *options]
        whole = [*survey, "--budget", "1s"]
        before = carry_out(arguments.before, [*whole, "--jobs", "1"], folder / "before")
        after = carry_out(HERE, [*whole, "--jobs", "1"], folder / "after")
        two = carry_out(HERE, [*whole, "--jobs", "2"], folder / "two")
        quick = carry_out(HERE, [*survey, "--quick", "--jobs", "1"], folder / "quick")
    return before, after, two, quick


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
    subprocess.run(
        command, cwd=clone, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    results = out / "results.csv"
    return Carried(child_seconds() - began, results.read_bytes() if results.exists() else b"")


def child_seconds() -> float:
    """Return the processor seconds of all processes that ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_line(name: str, lines: Sequence[Line]) -> None:
    """Print the sums of some treebanks."""
    before, after, two, quick = (sum(run.seconds for run in runs) for runs in zip(*lines, strict=True))
    answered, asked = (sum(counts) for counts in zip(*(line[1].questions for line in lines), strict=True))
    same = all(line[0].results == line[1].results == line[2].results != b"" for line in lines)
    shares = f"{after / before:.2f}", f"{two / after:.2f}", f"{quick / after:.3f}"
    seconds = f"{before:.1f}", f"{after:.1f}"
    print(name, *seconds, *shares, f"{answered} of {asked}", "yes" if same else "NO", sep="\t", flush=True)


if __name__ == "__main__":
    main()
