"""Mutation testing: single faults put into the core, and whether its tests notice.

    pip install cosmic-ray
    python tests/verification/mutation.py [--sample 50] [--seed 1] [--jobs 2] [GROUP...]

So many mutants of a group are drawn without replacement by the seed, among all that the operators of
cosmic-ray make of its modules (comparisons, arithmetic, numbers, pairs, loops). Each is tried in a copy
of the repository: the group's tests run interpreted, without real treebanks, until one fails. A mutant with
which one test takes longer than any should has been noticed, too. Printed are a row per module for
`research/verification/README.md`, and on standard error every outcome, with the difference of a mutant that
survives.
"""

from __future__ import annotations

import argparse
import difflib
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator, operator_names

REPOSITORY = Path(__file__).resolve().parents[2]
GROUPS = {
    "significance": (
        [f"statistics/{name}.py" for name in ("significance", "spread", "inference", "holm")],
        ["tests/statistics/test_significance.py"],
    ),
    "transitions": (
        ["parsing/systems/*.py", "parsing/oracle.py", "parsing/transitions.py"],
        ["tests/parsing/test_parsing_parts.py", "tests/parsing/test_stepwise.py",
         "tests/parsing/test_oracles_exhaustive.py",
         "tests/parsing/test_training.py::test_easy_first_weights_equal_the_twins",
         "tests/parsing/test_training.py::test_every_system_learns_its_training_trees",
         "-k", "not 5 and not 7 and not 8"],
    ),
    "references": (
        ["multiref/oracle.py", "multiref/references.py", "multiref/junction.py", "multiref/contrasts.py"],
        ["tests/multiref/test_multiref_oracle.py", "tests/multiref/test_reference_sets.py",
         "tests/multiref/test_contrasts.py", "tests/multiref", "-k", "not multiref_training"],
    ),
    "transformations": (
        ["transforms/*.py"], ["tests/transforms/test_worked_examples.py", "tests/transforms"]
    ),
}  # fmt: skip
"""What is mutated below `learnability`, and the tests that should notice, quick ones first, for pytest."""

SERVER = multiprocessing.get_context("forkserver")
"""Every mutant has a process, forked from one that has imported what takes long to import."""

IMPORTED = ("hypothesis.strategies", "networkx", "numba", "pandas", "pytest", "scipy.stats")

LONGEST = 40
"""Seconds of the processor that a test may take; without a mutant none takes half of it."""

SKIPPED = ("Bit", "Shift", "RemoveDecorator", "Variable", "Exception", "_Is", "Pow", "Mod", "Div")
"""Operators that make the same as others, or what type checking and compilation refuse."""


@dataclass(frozen=True)
class Mutant:
    """A module with one fault: what the operator makes of the place of this number."""

    module: str
    operator: str
    number: int
    source: str

    @property
    def mutated(self) -> str:
        """The module with it."""
        return str(MutationVisitor.mutate_code(self.source, get_operator(self.operator)(), self.number))

    def difference(self) -> str:
        """The lines that differ."""
        lines = difflib.unified_diff(self.source.splitlines(), self.mutated.splitlines(), lineterm="", n=1)
        return "\n".join([f"{self.module} ({self.operator.removeprefix('core/')})", *list(lines)[2:]])


def mutants(module: str) -> Iterator[Mutant]:
    """All mutants of a module by the operators that are not skipped."""
    source = (REPOSITORY / module).read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        if not any(part in name for part in SKIPPED):
            operator = get_operator(name)()
            places = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            yield from (Mutant(module, name, number, source) for number in range(places))


def run_tests(place: Path, tests: list[str]) -> str:
    """`survived` if all tests pass, `too slow` if one does not end, else `killed`."""
    process = SERVER.Process(target=run_pytest, args=(place, tests))
    process.start()
    process.join()
    return {0: "survived", -signal.SIGVTALRM: "too slow"}.get(process.exitcode or 0, "killed")


def run_pytest(place: Path, tests: list[str]) -> None:
    """The tests in this process, which ends with their exit code, or by a signal when one takes too long."""
    os.chdir(place)
    sys.path.insert(0, str(place))
    os.environ["PYTHONPATH"] = str(place)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    words = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    sys.exit(pytest.main(words, plugins=[Limit()]))


class Limit:
    """A plugin of pytest: every test has so many seconds of the processor, however busy that is."""

    def pytest_runtest_logstart(self) -> None:
        """Begin to count."""
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)


def copy_of_repository(folder: Path) -> Path:
    """A copy in which files can be changed."""
    place = Path(tempfile.mkdtemp(dir=folder)) / "copy"
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.nbi", "*.nbc", "runs", "place")
    return Path(shutil.copytree(REPOSITORY, place, ignore=left_out))


def main() -> None:
    """Try a sample of the mutants of the groups; exit code 1 if one survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[*GROUPS, []], default=[])
    parser.add_argument("--sample", type=int, default=50, help="mutants per group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "LEARNABILITY_UD_HOME": "none", "PYTHONDONTWRITEBYTECODE": "1"}
    SERVER.set_forkserver_preload(["__main__", *IMPORTED])
    survived = 0
    print("| module | mutants | tried | noticed | too slow | survived |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        places: SimpleQueue[Path] = SimpleQueue()
        for _ in range(given.jobs):
            places.put(copy_of_repository(Path(folder)))
        for name in given.groups or GROUPS:
            patterns, tests = GROUPS[name]
            place = places.get()
            if run_tests(place, tests) != "survived":
                sys.exit(f"{name}: its tests fail without a mutant")
            places.put(place)

            def tried(mutant: Mutant, tests: list[str] = tests) -> tuple[Mutant, str]:
                place = places.get()
                (place / mutant.module).write_text(mutant.mutated, encoding="utf-8")
                try:
                    return mutant, run_tests(place, tests)
                finally:
                    (place / mutant.module).write_text(mutant.source, encoding="utf-8")
                    places.put(place)

            paths = sorted(path for own in patterns for path in (REPOSITORY / "learnability").glob(own))
            every = [m for path in paths for m in mutants(str(path.relative_to(REPOSITORY)))]
            chosen = random.Random(given.seed).sample(every, min(given.sample, len(every)))
            outcomes = {module: Counter[str]() for module in dict.fromkeys(m.module for m in every)}
            for number, (mutant, outcome) in enumerate(pool.map(tried, chosen), start=1):
                outcomes[mutant.module][outcome] += 1
                print(f"{name} {number}/{len(chosen)}: {outcome}", file=sys.stderr, flush=True)
                if outcome == "survived":
                    survived += 1
                    print(f"{mutant.difference()}\n", file=sys.stderr, flush=True)
            for module, counted in outcomes.items():
                cells = [sum(m.module == module for m in every), counted.total()]
                cells += [counted[outcome] for outcome in ("killed", "too slow", "survived")]
                print(f"| `{module}` |", " | ".join(map(str, cells)), "|", flush=True)
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
