"""Whether a survey that is disturbed writes the same bytes as one that is not.

    python research/scale/interrupted.py --ud-home DIR UD_A UD_B ... [--transform case det] [--jobs 2]

The run is carried out in one process, then in several: stopped after a quarter, half and three quarters of
its records and continued each time; with a process killed halfway; and on a local Dask cluster. The script
prints whether `results.csv` and `scores.csv` are those of the first.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

FILES = ("results.csv", "scores.csv")


def main() -> None:
    """Print a line for each way to disturb the run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--ud-home")
    parser.add_argument("--transform", nargs="+", default=["case", "det"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", default="10m", help="as for `learnability run`")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "learnability", "run", "--seeds", "1", "--quiet"]
    command += ["--budget", arguments.budget]
    for name, values in (("--treebank", arguments.treebanks), ("--transform", arguments.transform)):
        command += [word for value in values for word in (name, value)]
    if arguments.ud_home:
        command += ["--ud-home", arguments.ud_home]
    several = [*command, "--jobs", str(arguments.jobs)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        whole = folder / "whole"
        seconds = carry_out([*command, "--jobs", "1", "--out", str(whole)])
        records = count_records(whole)
        print("disturbed", "bytes", "seconds", sep="\t")
        print(f"not, one process, {records} records", "", f"{seconds:.0f}", sep="\t", flush=True)
        stopped = folder / "stopped"
        started = time.monotonic()
        for quarter in (1, 2, 3):
            stop_after(several, stopped, quarter * records // 4)
        carry_out([*several, "--resume", "--out", str(stopped)])
        print_result("stopped three times", whole, stopped, time.monotonic() - started)
        lost = folder / "lost"
        started = time.monotonic()
        killed = lose_a_process(several, lost, records // 2)
        name = "a process killed" if killed else "no process killed (it is too short for several)"
        print_result(name, whole, lost, time.monotonic() - started)
        cluster = folder / "cluster"
        seconds = carry_out([*command, "--jobs", f"local:{arguments.jobs}", "--out", str(cluster)])
        print_result("on a local cluster", whole, cluster, seconds)


def print_result(name: str, whole: Path, other: Path, seconds: float) -> None:
    """Print whether a run wrote what the undisturbed one wrote."""
    same = all((whole / file).read_bytes() == (other / file).read_bytes() for file in FILES)
    print(name, "the same" if same else "DIFFERENT", f"{seconds:.0f}", sep="\t", flush=True)


def carry_out(command: Sequence[str]) -> float:
    """Carry out a command and return its seconds."""
    started = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def count_records(folder: Path) -> int:
    """Return the number of finished records in a folder."""
    path = folder / "records.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def stop_after(command: Sequence[str], folder: Path, records: int) -> None:
    """Begin or continue a run, and stop it when it has so many records."""
    resume = ["--resume"] if folder.exists() else []
    run = subprocess.Popen([*command, *resume, "--out", str(folder)], stdout=subprocess.DEVNULL)
    while run.poll() is None and count_records(folder) < records:
        time.sleep(0.02)
    run.send_signal(signal.SIGTERM)
    run.wait()


def lose_a_process(command: Sequence[str], folder: Path, records: int) -> bool:
    """Carry out a run, and kill one of its processes when it has so many records; say whether it had one."""
    run = subprocess.Popen([*command, "--out", str(folder)], stdout=subprocess.DEVNULL)
    while run.poll() is None and count_records(folder) < records:
        time.sleep(0.02)
    children = psutil.Process(run.pid).children()
    workers = [child for child in children if "LokyProcess" in " ".join(child.cmdline())]
    for worker in workers[-1:]:
        worker.kill()
    if run.wait():
        raise SystemExit(f"the run ended with {run.returncode}")
    return bool(workers)


if __name__ == "__main__":
    main()
