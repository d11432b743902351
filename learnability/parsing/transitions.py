"""Define the kernels of a transition system: what is legal, what a transition does, which arcs it loses.

A system is a module in `systems/` that defines these functions. Where it omits a function, the default here
is used (see `jit`). The defaults cover what most systems share: ROOT comes first and is shifted like a word,
arcs join the top s of the stack and the front b of the buffer, and SHIFT, RIGHT and LEFT have fixed numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from learnability.parsing.configuration import SIZE, KernelConfiguration, absent, clear, front, has_front, top
from learnability.parsing.jit import Flags, Ints, dispatch_kernel, njit
from learnability.parsing.templates import ADDRESSES

CLASSES = 4
"""Number of transition types (classes of the perceptron): SHIFT, RIGHT, LEFT and a fourth."""

SHIFT, RIGHT, LEFT = range(3)


class System(Protocol):
    """Represent a transition system as the kernels see it: a named tuple whose type selects the kernels."""

    @property
    def root_first(self) -> bool:
        """Return whether ROOT comes before the words."""


@dataclass(frozen=True, kw_only=True)
class TransitionSystem:
    """Represent a transition system and the facts about it.

    Attributes:
        name: its name on the command line.
        kernels: the named tuple whose type selects the system's kernels.
        transitions: their names, by number.
        features: the feature tables by the names of the feature sets (`templates`).
        addresses: the addresses in these tables, in the order in which the kernels write them.
        in_list: transitions apply at each pair of neighbours in a list. The number of a transition, divided
            by the number of names, gives the position, and the rest the name.
        projective: it builds projective trees only, so its training trees must be projective.
        unknown_costs: why the cost of a transition is unknown, if it is. Then the system has only a static
            oracle, and cannot be trained on reference sets.
        has_static_oracle: whether some oracle names one transition for each configuration.
        regimes: the training regimes that differ, in the order of the rows of tables.
        variant: how it differs from the other systems in its module, if there are any.
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
    variant: str = ""

    @property
    def summary(self) -> str:
        """Return a description in one or two sentences: the first line of its module, and the variant."""
        first = (sys.modules[type(self.kernels).__module__].__doc__ or "").partition("\n")[0]
        return f"{first} {self.variant}".rstrip()

    @property
    def default_regime(self) -> str:
        return "static" if self.unknown_costs else "dynamic"

    def most_numbers(self, n: int) -> int:
        return len(self.transitions) * (n if self.in_list else 1)

    def transition_name(self, number: int) -> str:
        """Return the name of a transition; in a list, with its position from 0: ``LEFT(0)``."""
        position, kind = divmod(number, len(self.transitions))
        return f"{self.transitions[kind]}({position})" if self.in_list else self.transitions[number]


@njit
def root_position(system: System, n: int) -> int:
    """Return the position of the artificial root in a sentence of n tokens."""
    return 0 if system.root_first else n + 1


@dispatch_kernel
def initial(system: System, c: KernelConfiguration, n: int) -> None:
    """Set c to the initial configuration for n tokens: ([], ROOT 1..n, {})."""
    clear(c, n, 0, 0, n)


@dispatch_kernel
def is_final(system: System, c: KernelConfiguration) -> bool:
    """Return whether c is terminal: ([ROOT], [], A)."""
    return bool(c.at[SIZE] == 1 and not has_front(c))


@dispatch_kernel
def is_legal(system: System, c: KernelConfiguration, transition: int) -> bool:
    raise NotImplementedError


@dispatch_kernel
def legal(system: System, c: KernelConfiguration, out: Flags) -> int:
    """Write the mask of legal transitions to `out` (uint8[4]) and return their number."""
    count = 0
    for t in range(CLASSES):
        out[t] = is_legal(system, c, t)
        count += out[t]
    return count


@dispatch_kernel
def apply(system: System, c: KernelConfiguration, transition: int, label: int) -> None:
    """Take a legal transition; `label` is used where it adds an arc."""
    raise NotImplementedError


@dispatch_kernel
def words(system: System, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Return the two positions whose arcs the transition may lose, from left to right."""
    return top(c), front(c)


@dispatch_kernel
def arc(system: System, c: KernelConfiguration, transition: int) -> tuple[int, int]:
    """Return head and dependent of the arc that the transition would add; (absent, absent) without an arc."""
    left, right = words(system, c, transition)
    if transition == RIGHT:
        return left, right
    if transition == LEFT:
        return right, left
    return absent(c), absent(c)


@dispatch_kernel
def loses_arc(system: System, c: KernelConfiguration, transition: int, head: int, dependent: int) -> bool:
    """Return whether the transition makes a reachable arc of one of `words` unreachable."""
    raise NotImplementedError


@dispatch_kernel
def cycle_cost(system: System, c: KernelConfiguration, gold: Ints, transition: int) -> int:
    """Return the cost of a legal transition beyond the arcs that it loses: 0, or a change in cycles."""
    return 0


@dispatch_kernel
def static_transition(system: System, c: KernelConfiguration, gold: Ints) -> int:
    """Return the static oracle's transition by gold heads (int32[n + 3]); -1 if there is no oracle."""
    return -1
