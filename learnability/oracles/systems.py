"""Define transition systems in plain Python: slow, obvious, and without compiling.

They are written from the papers' definitions, without a look at the kernels that train parsers, so each can
check the other. What can follow depends on the configuration alone. Words are 1 to n, the root is 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeVar

from learnability.drawing.derivations import Derivation, number_words, write_configuration
from learnability.errors import InputError, meant

Heads = tuple[int | None, ...]
"""The head of each word so far; None where it has none."""

Arcs = Iterable[tuple[int, int]]
"""Pairs of head and dependent."""

C = TypeVar("C", bound=Hashable)


class TransitionDefinition(Protocol[C]):
    """Define a transition system; configurations and transitions can be any keys of a dict."""

    def initial(self, n: int) -> C:
        """Return the initial configuration of a sentence of n words."""

    def legal(self, configuration: C) -> Iterable[Hashable]:
        """Return the legal transitions; none if the configuration is final."""

    def apply(self, configuration: C, transition: Hashable) -> C:
        """Return the configuration after a legal transition."""

    def arcs(self, configuration: C) -> Arcs:
        """Return the arcs so far; words that have no head in a final configuration hang on the root."""


class State(NamedTuple):
    """Represent a configuration of a system of this module.

    Attributes:
        stack: words on the stack, its top last. Easy-first: its list. Covington: lambda1.
        buffer: words in the buffer, its front first.
        heads: the head of each word so far, None where it has none.
        middle: the words between stack and buffer (Covington: lambda2).
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    heads: Heads
    middle: tuple[int, ...] = ()

    @property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        return tuple((head, d) for d, head in enumerate(self.heads, start=1) if head is not None)

    def __str__(self) -> str:
        """Return the configuration in the notation of the papers; words are called w1, w2 ..."""
        return write_configuration(self, self.arcs, number_words(len(self.heads)))

    def draw_svg(self) -> str:
        return self._alone().draw_svg()

    def _repr_html_(self) -> str | None:
        return self._alone()._repr_html_()

    def _alone(self) -> Derivation[State]:
        words = number_words(len(self.heads))
        return Derivation(forms=words, configurations=(self,), arcs=(self.arcs,))

    def with_arc(self, head: int, dependent: int) -> State:
        return self._replace(heads=(*self.heads[: dependent - 1], head, *self.heads[dependent:]))


class _System:
    """Share what all systems of this module have: `successors` says what each legal transition makes."""

    def initial(self, n: int) -> State:
        raise NotImplementedError

    def successors(self, state: State) -> Mapping[Hashable, State]:
        raise NotImplementedError

    def legal(self, configuration: State) -> tuple[Hashable, ...]:
        return tuple(self.successors(configuration))

    def apply(self, configuration: State, transition: Hashable) -> State:
        return self.successors(configuration)[transition]

    def arcs(self, configuration: State) -> Arcs:
        return configuration.arcs


class ArcEagerDefinition(_System):
    """Goldberg & Nivre 2013, 2.2, with ROOT at the end of the buffer; or at its beginning (2012)."""

    def __init__(self, *, root_first: bool = False) -> None:
        self.root_first = root_first

    def initial(self, n: int) -> State:
        """Return the configuration with all words in the buffer."""
        words = tuple(range(1, n + 1))
        return State((0,), words, (None,) * n) if self.root_first else State((), (*words, 0), (None,) * n)

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        stack, buffer, heads, _ = state
        if not buffer or (not self.root_first and not stack and buffer == (0,)):
            return {}
        found: dict[Hashable, State] = {}
        front = buffer[0]
        if front != 0:
            found["SHIFT"] = state._replace(stack=(*stack, front), buffer=buffer[1:])
        if stack:
            top = stack[-1]
            has_head = top != 0 and heads[top - 1] is not None
            if front != 0:
                found["RIGHT"] = state.with_arc(top, front)._replace(stack=(*stack, front), buffer=buffer[1:])
            if top != 0 and not has_head:
                found["LEFT"] = state.with_arc(front, top)._replace(stack=stack[:-1])
            if has_head:
                found["REDUCE"] = state._replace(stack=stack[:-1])
        return found


class ArcHybridDefinition(_System):
    """Goldberg & Nivre 2013, 2.2."""

    def initial(self, n: int) -> State:
        return State((), tuple(range(n + 1)), (None,) * n)

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        stack, buffer, _, _ = state
        found: dict[Hashable, State] = {}
        if buffer:
            found["SHIFT"] = state._replace(stack=(*stack, buffer[0]), buffer=buffer[1:])
        if len(stack) >= 2:
            found["RIGHT"] = state.with_arc(stack[-2], stack[-1])._replace(stack=stack[:-1])
        if stack and buffer and stack[-1] != 0:
            found["LEFT"] = state.with_arc(buffer[0], stack[-1])._replace(stack=stack[:-1])
        return found


class ArcStandardDefinition(ArcHybridDefinition):
    """Goldberg & Nivre 2013, 2.2: as arc-hybrid, but LEFT joins the two words on top of the stack."""

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        found = {name: after for name, after in super().successors(state).items() if name != "LEFT"}
        if len(state.stack) >= 2 and state.stack[-2] != 0:
            below, top = state.stack[-2:]
            found["LEFT"] = state.with_arc(top, below)._replace(stack=(*state.stack[:-2], top))
        return found


class ArcStandardSwapDefinition(ArcStandardDefinition):
    """Nivre 2009: arc-standard that can also put the word below the top back into the buffer."""

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        found = dict(super().successors(state))
        if len(state.stack) >= 2 and 0 < state.stack[-2] < state.stack[-1]:
            below, top = state.stack[-2:]
            found["SWAP"] = state._replace(stack=(*state.stack[:-2], top), buffer=(below, *state.buffer))
        return found


class ArcHybridSwapDefinition(_System):
    """De Lhoneux, Stymne & Nivre 2017: arc-hybrid with ROOT last, that can also swap top and front."""

    def initial(self, n: int) -> State:
        return State((), (*range(1, n + 1), 0), (None,) * n)

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        stack, buffer, _, _ = state
        front = buffer[0]
        found: dict[Hashable, State] = {}
        if front != 0:
            found["SHIFT"] = state._replace(stack=(*stack, front), buffer=buffer[1:])
        if stack:
            found["LEFT"] = state.with_arc(front, stack[-1])._replace(stack=stack[:-1])
            if stack[-1] < front:
                found["SWAP"] = state._replace(stack=stack[:-1], buffer=(front, stack[-1], *buffer[1:]))
        if len(stack) >= 2:
            found["RIGHT"] = state.with_arc(stack[-2], stack[-1])._replace(stack=stack[:-1])
        return found


class CovingtonDefinition(_System):
    """Gómez-Rodríguez & Fernández-González 2015, Figure 1."""

    def initial(self, n: int) -> State:
        return State((), tuple(range(1, n + 1)), (None,) * n)

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        if not state.buffer:
            return {}
        front, *rest = state.buffer
        found: dict[Hashable, State] = {
            "SHIFT": state._replace(stack=(*state.stack, *state.middle, front), buffer=tuple(rest), middle=())
        }
        if state.stack:
            top = state.stack[-1]
            passed = state._replace(stack=state.stack[:-1], middle=(top, *state.middle))
            if state.heads[front - 1] is None and not _descends(state.heads, top, front):
                found["RIGHT"] = passed.with_arc(top, front)
            if state.heads[top - 1] is None and not _descends(state.heads, front, top):
                found["LEFT"] = passed.with_arc(front, top)
            found["NO-ARC"] = passed
        return found


class EasyFirstDefinition(_System):
    """Goldberg & Nivre 2013, 2.2: ``LEFT(k)`` hangs item k on the next, ``RIGHT(k)`` that one on item k."""

    def initial(self, n: int) -> State:
        return State(tuple(range(n + 1)), (), (None,) * n)

    def successors(self, state: State) -> Mapping[Hashable, State]:
        """Return what each legal transition makes of a configuration."""
        items = state.stack
        found: dict[Hashable, State] = {}
        for k in range(len(items) - 1):
            left, right = items[k : k + 2]
            if left != 0:
                found[f"LEFT({k})"] = state.with_arc(right, left)._replace(
                    stack=(*items[:k], *items[k + 1 :])
                )
            found[f"RIGHT({k})"] = state.with_arc(left, right)._replace(
                stack=(*items[: k + 1], *items[k + 2 :])
            )
        return found


DEFINITIONS: dict[str, _System] = {
    "arc-eager": ArcEagerDefinition(),
    "arc-eager-root-first": ArcEagerDefinition(root_first=True),
    "arc-hybrid": ArcHybridDefinition(),
    "arc-hybrid-swap": ArcHybridSwapDefinition(),
    "arc-standard": ArcStandardDefinition(),
    "arc-standard-swap": ArcStandardSwapDefinition(),
    "covington": CovingtonDefinition(),
    "easy-first": EasyFirstDefinition(),
}
"""The systems by name."""


def find_definition(name: str) -> TransitionDefinition[State]:
    """Return the definition of a transition system, in plain Python.

    Args:
        name: one of `oracles.systems.DEFINITIONS`.

    Returns:
        An object with `initial(n)`, `legal(c)`, `apply(c, transition)` and `arcs(c)`.

    Raises:
        InputError: there is no such system.
    """
    if name not in DEFINITIONS:
        raise InputError(f"the transition system {name!r} is unknown; {meant(name, DEFINITIONS)}")
    return DEFINITIONS[name]


def _descends(heads: Heads, word: int | None, ancestor: int) -> bool:
    while word:
        if word == ancestor:
            return True
        word = heads[word - 1]
    return False
