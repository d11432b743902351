"""Does progress tell the truth? Ten commands, what they said was left, and what was left.

    python research/progress/progress.py [--only WORD] [--jobs 2] [--history DIR]

Each command runs by itself, in a new folder, and twice a second it is asked what its bar shows.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

COMMANDS = {
    "quick": "run --quick --treebank demo --out {out}",
    "test set": "run --test-set --treebank demo --out {out}",
    "until there is an answer": "run --treebank demo --out {out}",
    "a longer run": "run --treebank UD_Irish --release 1.3 --out {out}",
    "two parsers": "run --treebank UD_Kazakh --release 1.3 --parser arc-eager --parser graph --out {out}",
    "two treebanks": "run --treebank UD_Kazakh --treebank UD_Tamil --release 1.3 --transform cop --out {out}",
    "doubts": "doubts --treebank UD_Tamil --release 1.3 --out {out}",
    "history": "history --treebank UD_Tamil-TTB --releases 2.4,2.8 --ud-home {history} --out {out}",
    "combinations": "combinations --treebank demo --transform cc --transform cop --out {out}",
    "labelled": "run --test-set --labelled --treebank UD_Irish --release 1.3 --transform case --out {out}",
}
FULL = re.compile(r"(\d+)(?: of at most |/)(\d+) steps")
EVERY = 0.5
"""Seconds between two looks."""


@dataclass(frozen=True)
class Look:
    """What a bar shows at a moment.

    Attributes:
        passed: seconds since the command began.
        title: of the stage.
        left: seconds that it says are left; None if it says nothing.
        count: how much is done, ``3/12 steps``.
    """

    passed: float
    title: str
    left: float | None
    count: str


def watch(words: list[str], file: Path) -> int:
    """Run a command in this process, and write down what its bar shows."""
    from learnability import cli
    from learnability.support import progress

    begun = time.monotonic()
    bars: list[progress.ProgressSteps] = []
    make = progress.ProgressSteps.__init__

    def noted(steps: progress.ProgressSteps, bar: object = None) -> None:
        make(steps, bar)
        bars.append(steps)

    progress.ProgressSteps.__init__ = noted  # type: ignore[assignment,method-assign]

    def look() -> None:
        with file.open("w", encoding="utf-8") as out:
            while True:
                for steps in bars[-1:]:
                    tasks = steps._bar.tasks if steps._bar is not None else ()
                    for task in tasks[-1:]:
                        told = progress.estimate_remaining(task)
                        left = told.seconds if told else None
                        seen = [time.monotonic() - begun, task.description, left, progress.amount(task)]
                        out.write(json.dumps(seen) + "\n")
                        out.flush()
                time.sleep(EVERY)

    threading.Thread(target=look, daemon=True).start()
    return cli.run(words)


def looks_at(words: list[str], folder: Path) -> tuple[list[Look], float]:
    """Run a command in a process of its own; return what its bar showed, and how long it took."""
    file = folder / "looks.jsonl"
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, __file__, "--watch", str(file), *words], stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)} failed")
    lines = file.read_text(encoding="utf-8").splitlines()
    return [Look(*json.loads(line)) for line in lines], time.monotonic() - begun


def describe(looks: list[Look], seconds: float) -> list[str]:
    """Return the cells of a command: what it took, how far the time left rose, and what the end showed."""
    rose, after = 0.0, 0.0
    told = [look for look in looks if look.left is not None and round(look.left)]  # else nothing is shown
    for before, now in pairwise(told):
        # Only from the first tenth on; what is under five seconds is no promise.
        if now.passed >= seconds / 10 and max(before.left or 0, now.left or 0) > 5:
            rise = (now.left or 0) / max(before.left or 0, 1e-9) - 1 if before.left else 0.0
            if rise > rose:
                rose, after = rise, now.passed
    at_tenth = next((look for look in told if look.passed >= seconds / 10), None)
    said = at_tenth.passed + (at_tenth.left or 0) if at_tenth else 0.0
    counts = [look.count for look in looks if "steps" in look.count]
    early = sum(bool(match) and match[1] == match[2] for look in looks if (match := FULL.match(look.count)))
    return [
        f"{seconds:.0f}", f"{said:.0f}", f"{100 * rose:.0f} % at {after:.0f} s" if rose else "0",
        counts[-1] if counts else "", f"{early * EVERY:.0f}",
    ]  # fmt: skip


def main() -> None:
    """Print a row for each command."""
    if sys.argv[1:2] == ["--watch"]:
        raise SystemExit(watch(sys.argv[3:], Path(sys.argv[2])))
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="commands whose name has this word")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--history", default="history", help="a folder with releases of UD_Tamil-TTB")
    asked = parser.parse_args()
    print("| command | s | said at a tenth, s | largest rise of the time left | last count | full bar, s |")
    print("|---|--:|--:|---|---|--:|")
    for name, command in COMMANDS.items():
        if asked.only in name:
            with tempfile.TemporaryDirectory() as folder:
                typed = command.format(out=f"{folder}/run", history=asked.history)
                words = [*shlex.split(typed), "--jobs", asked.jobs]
                print("|", " | ".join([name, *describe(*looks_at(words, Path(folder)))]), "|", flush=True)


if __name__ == "__main__":
    main()
