"""What a first use compiles, and what that takes: each command in a process of its own with empty caches.

    python research/first_use/first_use.py --repeat 3
    python research/first_use/first_use.py "run --treebank demo" --parts

For each command it prints the processor seconds and the seconds that pass, of its first use, of a second one
with compiled kernels, and their difference, all children included: the lowest of `--repeat` runs, in turn.
`--against FOLDER` also measures the program in another folder, in turn with this one. `--parts` prints which
steps of compilation take the time in one process.
"""

from __future__ import annotations

import argparse
import functools
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parents[2]

COMMANDS = (
    "run --treebank demo --transform case",
    "doubts --treebank demo",
    "train --labelled demo-ud-train.conllu -m model",
)
"""What is measured where no command is named."""

DEMO = HERE / "learnability" / "treebanks" / "data" / "UD_Demo"


class Cost(NamedTuple):
    """What a command takes: seconds of processors, and seconds that pass."""

    processor: float
    passed: float

    def or_less(self, other: Cost) -> Cost:
        """Return the lower of each."""
        return Cost(min(self.processor, other.processor), min(self.passed, other.passed))


ENDLESS = Cost(float("inf"), float("inf"))


def words_of(command: str) -> list[str]:
    """Return the arguments of a command; files are those of the bundled treebank."""
    return [str(DEMO / word) if word.endswith(".conllu") else word for word in shlex.split(command)]


def measure_command(command: str, package: Path, cache: str) -> Cost:
    """Return what a command takes in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": cache}
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "learnability", *words_of(command)],
            env=environment, cwd=folder, check=True, capture_output=True,
        )  # fmt: skip
        after, passed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, passed)


def measure(command: str, packages: list[Path], repeat: int) -> None:
    """Print a row of the table for each copy of the program."""
    first, later = dict.fromkeys(packages, ENDLESS), dict.fromkeys(packages, ENDLESS)
    for _ in range(repeat):
        for package in packages:
            with tempfile.TemporaryDirectory() as cache:
                first[package] = first[package].or_less(measure_command(command, package, cache))
                later[package] = later[package].or_less(measure_command(command, package, cache))
    for package in packages:
        of_first, of_later = first[package], later[package]
        cells = [of_first.processor, of_later.processor, of_first.processor - of_later.processor]
        cells += [of_first.passed, of_later.passed, of_first.passed - of_later.passed]
        numbers = " | ".join(f"{cell:.1f}" for cell in cells)
        print(f"| `{command}` | {package.name} | {numbers} |", flush=True)


def count_parts(command: str) -> None:
    """Run a command in this process with empty caches, and print what the steps of compilation take."""
    cache = tempfile.TemporaryDirectory()
    os.environ["NUMBA_CACHE_DIR"] = cache.name
    import llvmlite.binding
    from numba.core import codegen, compiler_machinery

    from learnability import cli
    from learnability.parsing import numba_parts

    spent: dict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    inner: list[float] = []

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function; the seconds that it spends outside other timed functions are added."""

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            begin = time.process_time()
            inner.append(0.0)
            try:
                return function(*arguments, **named)
            finally:
                taken = time.process_time() - begin
                spent[name] += taken - inner.pop()
                times[name] += 1
                if inner:
                    inner[-1] += taken

        return call

    library: Any = codegen.CPUCodeLibrary
    for name, method in (
        ("LLVM: optimize a function", "_optimize_functions"),
        ("LLVM: optimize a kernel", "_optimize_final_module"),
        ("LLVM: machine code", "_finalize_final_module"),
        ("LLVM: link", "finalize"),
    ):
        setattr(library, method, timed(name, getattr(library, method)))
    ours: Any = getattr(numba_parts, "_Optimized", None)
    if ours is not None:  # older programs optimize kernels as numba does
        ours._optimize_final_module = timed("LLVM: optimize a kernel", ours._optimize_final_module)
    binding: Any = llvmlite.binding  # which numba calls by this name
    binding.parse_assembly = timed("LLVM: read text", binding.parse_assembly)
    manager: Any = compiler_machinery.PassManager
    run_pass = manager._runPass

    def run_timed(self: Any, index: int, step: Any, state: Any) -> Any:
        return timed(f"numba: {step.name()}", run_pass)(self, index, step, state)

    manager._runPass = run_timed
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        cli.run(words_of(command))
        os.chdir(HERE)
    cache.cleanup()
    print(f"\n| step of `{command}` | times | processor seconds |\n|---|--:|--:|")
    for name, taken in sorted(spent.items(), key=lambda item: -item[1])[:12]:
        print(f"| {name} | {times[name]:,} | {taken:.1f} |")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("commands", nargs="*", default=COMMANDS, metavar="COMMAND")
    arguments.add_argument("--repeat", type=int, default=1)
    arguments.add_argument("--against", type=Path, default=None, help="a folder with another version")
    arguments.add_argument("--parts", action="store_true")
    given = arguments.parse_args()
    if given.rules:
        for command in given.commands:
            count_parts(command)
        return
    print("| command | program | first use, CPU s | later | compiling | first use, s | later | compiling |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for command in given.commands:
        measure(command, [path for path in (given.against, HERE) if path], given.repeat)


if __name__ == "__main__":
    main()
