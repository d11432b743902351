"""Offer step-by-step oracles to Python.

They call the kernels that train the parsers, so there is no second implementation. A position is that of a
token in the sentence, from 1 to n, or 0 for the root. The modules of the systems name the transitions. The
transitions LEFT and RIGHT of easy-first also contain an index, counted from 0, of an item in its list.

>>> tree = Tree(("Mice", "sleep"), ("NOUN", "VERB"), (2, 0), ("nsubj", "root"))
>>> oracle = Oracle(tree, system="arc-hybrid")
>>> c = oracle.initial()
>>> while not c.is_final:
...     print(c, oracle.costs(c))
...     c = c.apply(oracle.zero_cost(c)[0])
([], [ROOT Mice sleep], {}) {'SHIFT': 0}
([ROOT], [Mice sleep], {}) {'SHIFT': 0}
([ROOT Mice], [sleep], {}) {'SHIFT': 2, 'RIGHT': 1, 'LEFT': 0}
([ROOT], [sleep], {sleep -> Mice}) {'SHIFT': 0}
([ROOT sleep], [], {sleep -> Mice}) {'RIGHT': 0}
>>> c.heads
(2, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from learnability.drawing.derivations import Derivation, write_configuration
from learnability.errors import InputError
from learnability.parsing import configuration as flat
from learnability.parsing import oracle, transitions
from learnability.parsing.encoding import UNLABELLED
from learnability.parsing.jit import Ints, njit
from learnability.parsing.projectivity import is_projective
from learnability.parsing.systems import system_named
from learnability.parsing.transitions import TransitionSystem
from learnability.treebanks.sentence import Sentence, Tree, trees_of


class Configuration:
    """Represent a configuration c = (stack, buffer, arcs) of a sentence; a new object is in the initial
    configuration.

    Configurations do not change: :meth:`apply` returns a new one. Easy-first works on a list instead of a
    stack and a buffer. Here the list is the `stack`, and the `buffer` is empty. For Covington's system,
    `stack` is lambda1, and lambda2 is the words between the stack and the buffer.

    Args:
        sentence: a sentence, a tree, or its forms.
        system: the transition system, by its name on the command line.

    Attributes:
        system: the name of the transition system.
        forms: the words.

    Raises:
        InputError: there is no such system.
    """

    __slots__ = ("_arrays", "_facts", "forms", "system")

    def __init__(self, sentence: Tree | Sentence | Sequence[str], system: str = "arc-eager") -> None:
        self._facts: TransitionSystem = system_named(system)
        self.system = system
        tree = sentence.tree if isinstance(sentence, Sentence) else sentence
        self.forms: tuple[str, ...] = tree.forms if isinstance(tree, Tree) else tuple(tree)
        self._arrays = flat.new_configuration(len(self.forms))
        transitions.initial(self._facts.kernels, self._arrays, len(self.forms))

    @property
    def stack(self) -> tuple[int, ...]:
        """Return the positions on the stack, its top last."""
        c = self._arrays
        return self._positions(c.stack[: c.at[flat.SIZE]])

    @property
    def buffer(self) -> tuple[int, ...]:
        """Return the positions in the buffer, its front first."""
        c = self._arrays
        return self._positions(np.arange(c.at[flat.FRONT], c.at[flat.LAST_FRONT] + 1))

    @property
    def middle(self) -> tuple[int, ...]:
        """Return the words between stack and buffer, which only Covington's system has: its lambda2."""
        if self.system != "covington":
            return ()
        first = max((self.stack[-1] if self.stack else 0) + 1, 1)
        return tuple(range(first, int(self._arrays.at[flat.FRONT])))

    @property
    def heads(self) -> tuple[int | None, ...]:
        """Return the head of each token so far; None where it has none."""
        n = len(self.forms)
        return tuple(None if h == n + 2 else h % (n + 1) for h in self._arrays.head[1 : n + 1].tolist())

    @property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """Return the arcs so far, as pairs of head and dependent, ordered by dependent."""
        return tuple((h, d) for d, h in enumerate(self.heads, start=1) if h is not None)

    @property
    def is_final(self) -> bool:
        return bool(transitions.is_final(self._facts.kernels, self._arrays))

    @property
    def legal(self) -> tuple[str, ...]:
        """Return the names of the legal transitions."""
        return tuple(self._numbers())

    def apply(self, transition: str) -> Configuration:
        """Return the configuration after a legal transition.

        Args:
            transition: its name, one of :attr:`legal`.

        Raises:
            InputError: the transition is not legal here.
        """
        numbers = self._numbers()
        if transition not in numbers:
            raise InputError(f"{transition!r} is not legal in {self}; legal: {', '.join(numbers) or 'none'}")
        after = object.__new__(Configuration)
        after._facts, after.system, after.forms = self._facts, self.system, self.forms
        after._arrays = flat.KernelConfiguration._make(array.copy() for array in self._arrays)
        transitions.apply(self._facts.kernels, after._arrays, numbers[transition], 0)
        return after

    def __str__(self) -> str:
        """Return the configuration in the notation of the papers, with forms in place of positions."""
        return write_configuration(self, self.arcs, self.forms)

    def draw_svg(self) -> str:
        """Return the configuration as an SVG picture; write it to a file as it is."""
        return self._alone().draw_svg()

    def _repr_html_(self) -> str | None:
        return self._alone()._repr_html_()

    def _alone(self) -> Derivation[Configuration]:
        return Derivation(forms=self.forms, configurations=(self,), arcs=(self.arcs,))

    def __repr__(self) -> str:
        return f"<Configuration {self.system}: {self}>"

    def _positions(self, positions: Ints) -> tuple[int, ...]:
        return tuple(i % (len(self.forms) + 1) for i in positions.tolist())

    def _numbers(self) -> dict[str, int]:
        """Return the legal transitions: their numbers in the kernels, by name."""
        system = self._facts
        numbers = [] if self.is_final else range(system.most_numbers(len(self.forms)))
        legal = [t for t in numbers if transitions.is_legal(system.kernels, self._arrays, t)]
        return {system.transition_name(t): t for t in legal}


class Oracle:
    """Compute the costs of transitions with respect to a gold tree, and the static oracle's choice.

    The cost of a transition is the number of gold arcs that can be reached before it but not after it
    (Goldberg & Nivre 2013, section 4). For Covington's system it is the change of the loss (Gómez-Rodríguez &
    Fernández-González 2015, Theorem 1). Costs concern heads only, not labels.

    Args:
        tree: the gold tree, or a sentence with it.
        system: the transition system, by its name on the command line.

    Attributes:
        tree: the gold tree.
        system: the name of the transition system.

    Raises:
        InputError: there is no such system, or the tree is not projective and the system needs projective
            trees.
    """

    def __init__(self, tree: Tree | Sentence, system: str = "arc-eager") -> None:
        (self.tree,) = trees_of(tree)
        self.system = system
        self._facts = system_named(system)
        if self._facts.projective and not is_projective(self.tree.heads):
            raise InputError(
                f"the tree is not projective, and {system} has exact costs for projective trees only; lift "
                "it (learnability.lift), or choose covington"
            )
        n = len(self.tree)
        heads = np.array((0, *self.tree.heads), np.int32)
        self._gold = oracle.new_gold(n)
        root = transitions.root_position(self._facts.kernels, n)
        oracle.set_gold(self._gold, n, root, heads, UNLABELLED, 0)

    def __repr__(self) -> str:
        return f"<Oracle {self.system} of {self.tree!r}>"

    def initial(self) -> Configuration:
        """Return the initial configuration of the sentence."""
        return Configuration(self.tree, self.system)

    def costs(self, c: Configuration) -> dict[str, int]:
        """Return the cost of each legal transition, by its name.

        Args:
            c: a configuration of the oracle's sentence and system, reached by any transitions, including
                wrong ones.

        Raises:
            InputError: the system is arc-standard, which is not arc-decomposable (Goldberg & Nivre 2013,
                4.3), or `c` belongs to another sentence or system.
        """
        self._check(c)
        self._check_costs()
        kernels = self._facts.kernels
        return {name: oracle.cost(kernels, c._arrays, self._gold, t) for name, t in c._numbers().items()}

    def zero_cost(self, c: Configuration) -> tuple[str, ...]:
        """Return the correct transitions: all gold arcs that were reachable stay reachable after them.

        Args:
            c: a configuration of the oracle's sentence and system.

        Raises:
            InputError: as for :meth:`costs`.
        """
        return tuple(name for name, cost in self.costs(c).items() if cost == 0)

    @property
    def transitions(self) -> tuple[str, ...]:
        """Return the names of all transitions, in the order of the columns of :meth:`cost_array`."""
        return tuple(map(self._facts.transition_name, range(self._facts.most_numbers(len(self.tree)))))

    def cost_array(self, transitions: Sequence[str]) -> NDArray[np.int32]:
        """Return the costs along a derivation, compiled: much faster than configuration by configuration.

        Args:
            transitions: those that were taken from the initial configuration, also wrong ones.

        Returns:
            int32[configurations, transitions]: a row for each configuration, also the last one, and a column
                for each of :attr:`transitions`; -1 where it is not legal.

        Raises:
            InputError: a transition is not legal, or the system is arc-standard.
        """
        self._check_costs()
        names = self.transitions
        unknown = [name for name in transitions if name not in names]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is no transition of {self.system}; choose from {', '.join(names)}"
            )
        taken = np.array([names.index(name) for name in transitions], np.int32)
        costs = np.full((len(taken) + 1, len(names)), -1, np.int32)
        c = flat.new_configuration(len(self.tree))
        step = _fill_costs(self._facts.kernels, len(self.tree), c, self._gold, taken, costs)
        if step < len(taken):
            raise InputError(f"transition {step + 1}, {transitions[step]}, is not legal there")
        return costs

    def static(self, c: Configuration) -> str:
        """Return the transition of the static oracle, which is meaningful on the gold derivation only.

        For arc-eager this is Algorithm 1 of Goldberg & Nivre (2012).

        Args:
            c: a configuration of the oracle's sentence and system.

        Raises:
            InputError: the system is easy-first, which has no static oracle, or `c` belongs to another
                sentence or system.
        """
        self._check(c)
        if not self._facts.has_static_oracle:
            raise InputError(f"{self.system} has no static oracle; take one of the zero-cost transitions")
        transition = transitions.static_transition(self._facts.kernels, c._arrays, self._gold.head)
        return self._facts.transition_name(int(transition))

    def derivation(self, transitions: Iterable[str] | None = None) -> Derivation[Configuration]:
        """Return a derivation with the cost of every transition; it draws itself in a notebook.

        Args:
            transitions: those to take, also wrong ones; by default those of the static oracle.

        Returns:
            The configurations and transitions; for arc-standard without costs.

        Raises:
            InputError: a transition is not legal, or the system is easy-first, which has no static oracle.
        """
        configurations, taken = [self.initial()], []
        given = None if transitions is None else iter(transitions)
        while not configurations[-1].is_final:
            c = configurations[-1]
            transition = self.static(c) if given is None else next(given, None)
            if transition is None:
                break
            taken.append(transition)
            configurations.append(c.apply(transition))
        has_costs = not self._facts.unknown_costs
        return Derivation(
            forms=self.tree.forms,
            configurations=tuple(configurations),
            transitions=tuple(taken),
            arcs=tuple(c.arcs for c in configurations),
            costs=tuple(self.costs(c) for c in configurations) if has_costs else (),
            golds=(self.tree.heads,),
        )

    def _check_costs(self) -> None:
        if self._facts.unknown_costs:
            raise InputError(
                f"{self.system}: {self._facts.unknown_costs}, so the cost of a transition is unknown "
                "(Goldberg & Nivre 2013, 4.3); use the static transition, or choose arc-hybrid"
            )

    def _check(self, c: Configuration) -> None:
        if (c.system, c.forms) != (self.system, self.tree.forms):
            raise InputError(f"{c!r} is not a configuration of {self!r}; begin with its initial()")


@njit
def _fill_costs(
    system: transitions.System, n: int, c: flat.KernelConfiguration, gold: oracle.Gold, taken: Ints,
    costs: NDArray[np.int32],
) -> int:  # fmt: skip
    """Write the costs in each configuration of a derivation.

    Returns the number of transitions taken, fewer than given where one is not legal.
    """
    transitions.initial(system, c, n)
    for step in range(costs.shape[0]):
        if not transitions.is_final(system, c):
            for transition in range(costs.shape[1]):
                if transitions.is_legal(system, c, transition):
                    costs[step, transition] = oracle.cost(system, c, gold, transition)
        if step == taken.shape[0]:
            return step
        transition = int(np.int64(taken[step]))
        if costs[step, transition] < 0:
            return step
        transitions.apply(system, c, transition, 0)
    return 0
