"""What the package's oracle says of configurations as the definitions write them."""

from __future__ import annotations

from learnability import Configuration, Oracle, Tree
from learnability.drawing.derivations import number_words
from learnability.oracles.search import Search
from learnability.oracles.systems import DEFINITIONS, State


class DefinitionCosts:
    """The costs by the kernels in all configurations of a sentence of n words."""

    def __init__(self, name: str, n: int) -> None:
        self.name = name
        self.at: dict[State, Configuration] = {}
        for state, path in Search(DEFINITIONS[name], n).paths.items():
            c = Configuration(number_words(n), name)
            for transition in path:
                c = c.apply(str(transition))
            self.at[state] = c
        self.oracles: dict[tuple[int, ...], Oracle] = {}

    def costs(self, c: State, gold: tuple[int, ...]) -> dict[str, int]:
        """The costs of all legal transitions."""
        n = len(gold)
        if gold not in self.oracles:
            tree = Tree(number_words(n), ("X",) * n, gold, ("dep",) * n)
            self.oracles[gold] = Oracle(tree, self.name)
        return self.oracles[gold].costs(self.at[c])
