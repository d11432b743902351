"""What the kernels ask of a transition system: what is legal, what a transition does, which arcs it loses.

A system is one file in `systems/` that defines these functions; where it leaves one out, that of this file is
meant (see `jit`). What the systems share: ROOT comes first and is shifted like a word, the top s of the
stack and the front b of the buffer are joined, and the numbers of SHIFT, RIGHT and LEFT.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from learnability.parsing.configuration import SIZE, KernelConfiguration, absent, clear, front, has_front, top
from learnability.parsing.features import ADDRESSES
from learnability.parsing.jit import Flags, Ints, dispatched, njit

CLASSES = 4
"""Number of transition types (classes of the perceptron): SHIFT, RIGHT, LEFT and a fourth."""

SHIFT, RIGHT, LEFT = range(3)


class System(Protocol):
    """A transition system as the kernels see it: a named tuple by whose type they choose what to do."""

    @property
    def root_first(self) -> bool:
        """Whether ROOT comes before the words."""


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
        regimes: the training regimes that differ, in the order of the rows of tables; `other_regimes`: why
            there are no others, for users.
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
    regimes: tuple[str, ...] = ("static", "ambiguity", "dynamic", "explore")
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
        return len(self.transitions) * (n if self.in_list else 1)

    def transition_name(self, number: int) -> str:
        """The name of a transition; in a list together with its position, from 0."""
        position, kind = divmod(number, len(self.transitions))
        return f"{self.transitions[kind]}({position})" if self.in_list else self.transitions[number]


@njit
def root_position(system: System, n: int) -> int:
    """Where the artificial root stands in a sentence of n tokens."""
    return 0 if system.root_first else n + 1


@dispatched
def initial(system: System, c: KernelConfiguration, n: int) -> None:
    """Set c to the initial configuration for n tokens: ([], ROOT 1..n, {})."""
    clear(c, n, 0, 0, n)


@dispatched
def is_final(system: System, c: KernelConfiguration) -> bool:
    """Whether c is terminal: ([ROOT], [], A)."""
    return bool(c.at[SIZE] == 1 and not has_front(c))


@dispatched
def is_legal(system: System, c: KernelConfiguration, transition: int) -> bool:
    """Whether the transition is valid in c."""
    raise NotImplementedError


@dispatched
def legal(system: System, c: KernelConfiguration, out: Flags) -> int:
    """Write the mask of legal transitions to `out` (uint8[4]) and return their number."""
    count = 0
    for t in range(CLASSES):
        out[t] = is_legal(system, c, t)
        count += out[t]
    return count


@dispatched
def apply(system: System, c: KernelConfiguration, transition: int, label: int) -> None:
    """Take a legal transition; `label` is used where it adds an arc."""
    raise NotImplementedError


@dispatched
def most_transitions(system: System, n: int) -> int:
    """No derivation of a sentence of n tokens has more: ROOT and every word are shifted and popped."""
    return 2 * n + 1


@dispatched
def words(system: System, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """The two words whose arcs the transition may lose, from left to right; or positions without a word."""
    return top(c), front(c)


@dispatched
def arc(system: System, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Head and dependent of the arc that the transition would add; (absent, absent) if it adds none."""
    left, right = words(system, c, transition)
    if transition == RIGHT:
        return left, right
    if transition == LEFT:
        return right, left
    return absent(c), absent(c)


@dispatched
def lost(system: System, c: KernelConfiguration, transition: int, head: int, dependent: int) -> bool:
    """Whether the transition makes the so far reachable arc, which touches one of `words`, unreachable."""
    raise NotImplementedError


@dispatched
def cycle_cost(system: System, c: KernelConfiguration, gold: Ints, transition: int) -> int:
    """What a legal transition costs besides the arcs it loses: nothing, or cycles."""
    return 0


@dispatched
def static_transition(system: System, c: KernelConfiguration, gold: Ints) -> int:
    """The transition of the static oracle, correct on its own path; -1: there is no such oracle.

    `gold`: int32[n + 3], the position of each token's gold head.
    """
    return -1
