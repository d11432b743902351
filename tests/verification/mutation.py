"""Mutation testing: single faults put into the core, and whether its tests notice.

    pip install cosmic-ray
    python tests/verification/mutation.py [--sample 10] [--seed 1] [--jobs 2] [GROUP...]

From every module of a group so many mutants are drawn without replacement by the seed, among those that the
operators of cosmic-ray make (comparisons, arithmetic, numbers, conditions, loops). Each is tried in a copy of
the repository: the group's tests run interpreted, without real treebanks, until one fails. A mutant that
takes five times as long as the tests without it has been noticed, too. Printed are a row per module for
`docs/verification.md`, and on standard error the difference of every mutant that survives.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue

from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator, operator_names

REPOSITORY = Path(__file__).resolve().parents[2]
GROUPS = {
    "significance": (["metrics/significance.py"], ["tests/metrics/test_significance.py"]),
    "transitions": (
        ["parsing/systems/*.py", "parsing/oracle.py", "parsing/transitions.py"],
        ["tests/parsing/test_parsing_parts.py", "tests/parsing/test_stepwise.py",
         "tests/parsing/test_oracles_exhaustive.py", "-k", "not 4 and not 5 and not 7 and not 8"],
    ),
    "references": (
        ["multiref/oracle.py", "multiref/references.py", "multiref/junction.py", "multiref/contrasts.py"],
        ["tests/multiref"],
    ),
    "transformations": (["transforms/*.py"], ["tests/transforms"]),
}  # fmt: skip
"""What is mutated below `learnability`, and the tests that should notice, as arguments of pytest."""

SKIPPED = ("Bit", "Shift", "RemoveDecorator", "Variable", "Exception", "_Is", "Pow", "Mod", "Div")
"""Operators that make the same as others, or what type checking and compilation refuse."""


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    module: str
    operator: str
    source: str
    mutated: str

    def difference(self) -> str:
        """The lines that differ."""
        lines = difflib.unified_diff(self.source.splitlines(), self.mutated.splitlines(), lineterm="", n=1)
        return "\n".join([f"{self.module} ({self.operator})", *list(lines)[2:]])


def mutants(module: str) -> Iterator[Mutant]:
    """All mutants of a module by the operators that are not skipped."""
    source = (REPOSITORY / module).read_text(encoding="utf-8")
    for name in operator_names():
        if not any(part in name for part in SKIPPED):
            for occurrence in count():
                mutated = MutationVisitor.mutate_code(source, get_operator(name)(), occurrence)
                if mutated is None:
                    break
                yield Mutant(module, name.removeprefix("core/"), source, mutated)


def run_tests(place: Path, tests: list[str], limit: float | None) -> str:
    """`survived` if all tests pass, else `killed`, or `too slow` after `limit` seconds."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "LEARNABILITY_UD_HOME": "none"}
    environment |= {"PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    try:
        done = subprocess.run(
            words, cwd=place, env=environment, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "too slow"
    return "survived" if done.returncode == 0 else "killed"


def copy_of_repository(folder: Path) -> Path:
    """A copy in which files can be changed."""
    place = Path(tempfile.mkdtemp(dir=folder)) / "copy"
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.nbi", "*.nbc", "runs", "site")
    return Path(shutil.copytree(REPOSITORY, place, ignore=left_out))


def main() -> None:
    """Try a sample of the mutants of the groups; exit code 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[*GROUPS, []], default=list(GROUPS))
    parser.add_argument("--sample", type=int, default=10, help="mutants per module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    survived = 0
    print("| module | mutants | tried | noticed | too slow | survived |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        places: SimpleQueue[Path] = SimpleQueue()
        for _ in range(given.jobs):
            places.put(copy_of_repository(Path(folder)))
        for name in given.groups:
            patterns, tests = GROUPS[name]
            place, began = places.get(), time.monotonic()
            if run_tests(place, tests, None) != "survived":
                sys.exit(f"{name}: its tests fail without a mutant")
            limit = 5 * (time.monotonic() - began)
            places.put(place)

            def tried(mutant: Mutant, tests: list[str] = tests, limit: float = limit) -> tuple[Mutant, str]:
                place = places.get()
                (place / mutant.module).write_text(mutant.mutated, encoding="utf-8")
                try:
                    return mutant, run_tests(place, tests, limit)
                finally:
                    (place / mutant.module).write_text(mutant.source, encoding="utf-8")
                    places.put(place)

            paths = sorted(path for own in patterns for path in (REPOSITORY / "learnability").glob(own))
            for path in paths:
                module = str(path.relative_to(REPOSITORY))
                every = list(mutants(module))
                chosen = random.Random(given.seed).sample(every, min(given.sample, len(every)))
                outcomes = Counter[str]()
                for mutant, outcome in pool.map(tried, chosen):
                    outcomes[outcome] += 1
                    if outcome == "survived":
                        survived += 1
                        print(f"\n{mutant.difference()}", file=sys.stderr, flush=True)
                if every:
                    cells = (
                        len(every),
                        len(chosen),
                        *(outcomes[o] for o in ("killed", "too slow", "survived")),
                    )
                    print(f"| `{module}` |", " | ".join(map(str, cells)), "|", flush=True)
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
