"""Hold every cost against search, and measure how fast costs come through Python and as arrays.

    python research/oracles/costs.py [--words 5] [--sentences 200] [--system SYSTEM ...]

The first table: the costs of each system in all configurations of sentences of up to so many words, each for
all trees of the system, checked by `check_oracle`. The second: microseconds of the processor for one
configuration, on sentences of the demo treebank. Compiling is not counted.
"""

from __future__ import annotations

import argparse
import time

from learnability import Configuration, Oracle, Tree, check_oracle, lift, load_treebank
from learnability.drawing.derivations import number_words
from learnability.oracles.search import Search
from learnability.oracles.systems import DEFINITIONS, State
from learnability.parsing.systems import SYSTEMS

WITH_COSTS = [name for name, system in SYSTEMS.items() if not system.unknown_costs]


class PathCosts:
    """Costs of configurations by the array of the path that leads to each."""

    def __init__(self, name: str, n: int) -> None:
        self.name = name
        self.paths = Search(DEFINITIONS[name], n).paths
        self.oracles: dict[tuple[int, ...], Oracle] = {}

    def find_costs(self, c: State, gold: tuple[int, ...]) -> dict[str, int]:
        """The costs of all legal transitions."""
        if gold not in self.oracles:
            n = len(gold)
            self.oracles[gold] = Oracle(Tree(number_words(n), ("X",) * n, gold, ("dep",) * n), self.name)
        oracle = self.oracles[gold]
        row = oracle.cost_array([str(t) for t in self.paths[c]])[-1].tolist()
        return {name: cost for name, cost in zip(oracle.transitions, row, strict=True) if cost >= 0}


def check_costs(name: str, words: int) -> tuple[bool, int, float]:
    """Whether all costs are exact, in how many configurations, and the seconds of the processor."""
    begun = time.process_time()
    costs = {n: PathCosts(name, n) for n in range(1, words + 1)}
    found = check_oracle(lambda c, gold: costs[len(gold)].find_costs(c, gold), name, words=words)
    return found.is_correct, found.cases, time.process_time() - begun


def measure_speed(name: str, sentences: int) -> tuple[float, float, int]:
    """Microseconds per configuration through Python and as arrays, and the number of configurations."""
    trees = lift([sentence.tree for sentence in load_treebank("demo").train[:sentences]])
    oracles = [Oracle(tree, name) for tree in trees]
    paths = [follow_zero_costs(oracle) for oracle in oracles]  # compiles
    oracles[0].cost_array(paths[0])
    begun = time.process_time()
    for oracle in oracles:
        follow_zero_costs(oracle)
    stepwise = time.process_time() - begun
    begun = time.process_time()
    for oracle, path in zip(oracles, paths, strict=True):
        oracle.cost_array(path)
    arrays = time.process_time() - begun
    configurations = sum(map(len, paths))
    return 1e6 * stepwise / configurations, 1e6 * arrays / configurations, configurations


def follow_zero_costs(oracle: Oracle) -> list[str]:
    """The transitions of a derivation that a parser would take from the costs."""
    c: Configuration = oracle.initial()
    path = []
    while not c.is_final:
        costs = oracle.costs(c)
        path.append(min(costs, key=lambda name: costs[name]))
        c = c.apply(path[-1])
    return path


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--words", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--system", action="append", choices=WITH_COSTS)
    given = parser.parse_args()
    names = given.system or WITH_COSTS
    print("| system | all costs exact | configurations × trees | seconds |\n|---|---|--:|--:|")
    for name in names:
        is_correct, cases, seconds = check_costs(name, given.words)
        print(f"| {name} | {'yes' if is_correct else 'no'} | {cases:,} | {seconds:.0f} |", flush=True)
    print("\n| system | µs by `costs` and `apply` | µs by `cost_array` | configurations |\n|---|--:|--:|--:|")
    for name in names:
        stepwise, arrays, configurations = measure_speed(name, given.sentences)
        print(f"| {name} | {stepwise:.0f} | {arrays:.1f} | {configurations:,} |", flush=True)


if __name__ == "__main__":
    main()
