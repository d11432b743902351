"""Put single faults into the costs of every system, and list those that `check_oracle` does not find.

    NUMBA_DISABLE_JIT=1 python tests/verification/mutated_costs.py [--words 4] [SYSTEM...]

A fault is another comparison, `and` for `or`, a number one higher, a condition turned round, or a test left
out, in a function that the costs come from. Sentences of up to three words are tried, then longer ones.
Printed are a row per system, and the faults that are not found: they change no cost in these sentences.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import os
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from definition_costs import DefinitionCosts

from learnability import check_oracle
from learnability.oracles.systems import State
from learnability.parsing import oracle
from learnability.parsing.systems import SYSTEMS

FUNCTIONS = ("is_reachable", "loses_arc", "head_after", "cycle", "cycles", "cycle_cost")
"""The functions of a system that its costs come from, where it has them."""

SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def mutate(function: ast.FunctionDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield a function with each single fault, and what the fault is."""
    for number, node in enumerate(ast.walk(function)):
        for change in changes_of(node):
            changed = copy.deepcopy(function)
            place = list(ast.walk(changed))[number]
            before, line = ast.unparse(place), getattr(node, "lineno", 0)
            change(place)
            yield f"{function.name}, line {line}: {before} -> {ast.unparse(place)}", changed


def changes_of(node: ast.AST) -> list[partial[None]]:
    """The faults that can be put into a node."""
    if isinstance(node, ast.Compare):
        return [partial(swap_comparison, i) for i, op in enumerate(node.ops) if type(op) in SWAPPED]  # type: ignore[list-item]
    if isinstance(node, ast.BoolOp):
        return [partial(swap_junction), *(partial(drop_test, i) for i in range(len(node.values)))]  # type: ignore[list-item]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return [partial(count_on)]  # type: ignore[list-item]
    return []


def swap_comparison(i: int, node: ast.Compare) -> None:
    """Another comparison."""
    node.ops[i] = SWAPPED[type(node.ops[i])]()


def swap_junction(node: ast.BoolOp) -> None:
    """`and` for `or`."""
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def drop_test(i: int, node: ast.BoolOp) -> None:
    """Without one of the tests."""
    node.values[i] = node.values[i - 1]


def count_on(node: ast.Constant) -> None:
    """A number one higher."""
    assert isinstance(node.value, int)
    node.value += 1


def is_found(name: str, words: int, costs: dict[int, DefinitionCosts]) -> bool:
    """Whether the tester finds the fault in the kernels; one that raises or never ends is found."""

    def find_costs(c: State, gold: tuple[int, ...]) -> dict[str, int]:
        signal.setitimer(signal.ITIMER_VIRTUAL, 5)
        try:
            return costs[len(gold)].costs(c, gold)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    return any(not check_oracle(find_costs, name, words=n).is_correct for n in range(3, words + 1))


def stop(signal: int, frame: object) -> None:
    """End a cost that takes too long."""
    raise TimeoutError("the cost takes more than five seconds")


def functions_of(name: str) -> list[tuple[ModuleType, ast.FunctionDef]]:
    """The functions that the costs of a system come from."""
    system = importlib.import_module(type(SYSTEMS[name].kernels).__module__)
    found = [(oracle, "cost"), *((system, function) for function in FUNCTIONS if hasattr(system, function))]
    trees = []
    for module, function in found:
        (tree,) = ast.parse(inspect.getsource(getattr(module, function))).body
        assert isinstance(tree, ast.FunctionDef)
        trees.append((module, tree))
    return trees


def main() -> None:
    """Try all faults; exit code 1 if the costs without one are wrong."""
    every = [name for name, system in SYSTEMS.items() if not system.unknown_costs]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", choices=[*every, []], default=[])
    parser.add_argument("--words", type=int, default=4)
    given = parser.parse_args()
    signal.signal(signal.SIGVTALRM, stop)
    print("| system | faults | found | not found | seconds |\n|---|--:|--:|--:|--:|")
    for name in given.systems or every:
        begun, survived, tried = time.process_time(), list[str](), 0
        costs = {n: DefinitionCosts(name, n) for n in range(1, given.words + 1)}
        if is_found(name, 3, costs):
            sys.exit(f"{name}: its costs are wrong")
        for module, function in functions_of(name):
            kept = getattr(module, function.name)
            for fault, changed in mutate(function):
                code = compile(ast.fix_missing_locations(ast.Module([changed], [])), "<fault>", "exec")
                exec(code, vars(module))
                tried += 1
                try:
                    if not is_found(name, given.words, costs):
                        survived.append(fault)
                finally:
                    setattr(module, function.name, kept)
        seconds = time.process_time() - begun
        print(f"| {name} | {tried} | {tried - len(survived)} | {len(survived)} | {seconds:.0f} |", flush=True)
        for fault in survived:
            print(f"{name}: {fault}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
