"""What is known of a transition system besides its kernels: facts that nobody states elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from learnability.parsing.features import ADDRESSES
from learnability.parsing.transitions import System

REGIMES = ("static", "ambiguity", "dynamic", "explore")
"""The training regimes (see `training`), in the order of the rows of tables."""


@dataclass(frozen=True, kw_only=True)
class TransitionSystem:
    """A transition system.

    Attributes:
        kernels: the named tuple by whose type kernels find those of the system.
        transitions: their names, by number.
        features: the feature tables by the names of the feature sets (`templates`).
        addresses: the addresses in these tables, in the order in which the kernels write them.
        in_list: transitions apply at each pair of neighbours in a list: the number of a transition, divided
            by how many names there are, gives the position, and the rest the name.
        projective: it builds projective trees only, so that its training trees have to be projective.
        unknown_costs: why the cost of a transition is unknown, if it is: then there is only the static
            oracle, and no training against sets of references.
        has_static_oracle: whether some oracle names one transition for each configuration.
        regimes: the training regimes that differ; `other_regimes`: why there are no others, for users.
        iterations: of its trainings in the papers on dynamic oracles.
        tokens_per_second: of one process, training and everything around it; for estimates only.
        variant: what distinguishes it from the other systems in its file, if there are any.
    """

    name: str
    kernels: System
    transitions: tuple[str, ...]
    features: Mapping[str, str]
    addresses: tuple[str, ...] = ADDRESSES
    in_list: bool = False
    projective: bool = True
    unknown_costs: str = ""
    has_static_oracle: bool = True
    regimes: tuple[str, ...] = REGIMES
    other_regimes: str = ""
    iterations: int = 15
    tokens_per_second: int = 300_000
    variant: str = ""

    @property
    def summary(self) -> str:
        """The system in one sentence or two: how its file begins, and the variant."""
        first = (sys.modules[type(self.kernels).__module__].__doc__ or "").partition("\n")[0]
        return f"{first} {self.variant}".rstrip()

    @property
    def default_regime(self) -> str:
        """The training regime if none is asked for: dynamic, or static where costs are unknown."""
        return "static" if self.unknown_costs else "dynamic"

    def most_numbers(self, n: int) -> int:
        """Transitions in a sentence of n tokens have lower numbers."""
        return len(self.transitions) * (n + 1 if self.in_list else 1)

    def transition_name(self, number: int) -> str:
        """The name of a transition; in a list together with its position, from 0."""
        position, kind = divmod(number, len(self.transitions))
        return f"{self.transitions[kind]}({position})" if self.in_list else self.transitions[number]
