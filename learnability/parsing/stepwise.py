"""Oracles to ask from Python, one configuration at a time, and the gold derivations of whole treebanks.

The kernels that train the parsers answer; nothing is computed twice. Positions are those of the sentence:
tokens 1..n, and 0 for the root, wherever the system keeps it. Transitions go by the names they have in the
files of the systems; easy-first's LEFT and RIGHT also say at which item of the list, from 0.

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

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import configuration as flat
from learnability.parsing import oracle, transitions
from learnability.parsing.encoding import UNLABELLED
from learnability.parsing.jit import Ints, njit
from learnability.parsing.projectivity import is_projective
from learnability.parsing.systems import system_named
from learnability.parsing.transitions import TransitionSystem
from learnability.treebanks.sentence import Sentence, Tree, trees_of

ROOT_NAME = "ROOT"


class Configuration:
    """A configuration c = (stack, buffer, arcs) of a sentence; applying a transition gives another one.

    Easy-first has no stack and buffer but a list: it is the `stack`, and the `buffer` is empty. So it is with
    Covington's lambda1; its lambda2 is what lies between the two.

    Attributes:
        system: the transition system, by its name on the command line.
        forms: the words.
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
        """The positions on the stack, its top last."""
        c = self._arrays
        return self._positions(c.stack[: c.at[flat.SIZE]])

    @property
    def buffer(self) -> tuple[int, ...]:
        """The positions in the buffer, its front first."""
        c = self._arrays
        return self._positions(np.arange(c.at[flat.FRONT], c.at[flat.LAST_FRONT] + 1))

    @property
    def heads(self) -> tuple[int | None, ...]:
        """The head of each token so far; None where it has none."""
        n = len(self.forms)
        return tuple(None if h == n + 2 else h % (n + 1) for h in self._arrays.head[1 : n + 1].tolist())

    @property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """The arcs so far: pairs of head and dependent, by dependent."""
        return tuple((h, d) for d, h in enumerate(self.heads, start=1) if h is not None)

    @property
    def is_final(self) -> bool:
        """Whether this is a terminal configuration."""
        return bool(transitions.is_final(self._facts.kernels, self._arrays))

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the legal transitions."""
        return tuple(self._numbers())

    def apply(self, transition: str) -> Configuration:
        """The configuration that a legal transition leads to.

        Raises:
            InputError: it is not legal here.
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
        """As in the papers, with forms for positions."""
        names = (ROOT_NAME, *self.forms)
        stack, buffer = (" ".join(names[i] for i in part) for part in (self.stack, self.buffer))
        arcs = ", ".join(f"{names[h]} -> {names[d]}" for h, d in self.arcs)
        return f"([{stack}], [{buffer}], {{{arcs}}})"

    def __repr__(self) -> str:
        return f"<Configuration {self.system}: {self}>"

    def _positions(self, positions: Ints) -> tuple[int, ...]:
        return tuple(i % (len(self.forms) + 1) for i in positions.tolist())

    def _numbers(self) -> dict[str, int]:
        """The legal transitions, their numbers in the kernels by name."""
        system = self._facts
        numbers = [] if self.is_final else range(system.most_numbers(len(self.forms)))
        legal = [t for t in numbers if transitions.is_legal(system.kernels, self._arrays, t)]
        return {system.transition_name(t): t for t in legal}


class Oracle:
    """What each transition costs with respect to a gold tree, and what the static oracle does.

    The cost of a transition is the number of gold arcs that can still be reached before it and no longer
    after it (Goldberg & Nivre 2013; Covington: the change of the loss, Gómez-Rodríguez & Fernández-González
    2015). Heads only; no labels.

    Attributes:
        tree: the gold tree.
        system: the transition system, by its name on the command line.

    Raises:
        InputError: no such system, or a non-projective tree for a projective one.
    """

    def __init__(self, tree: Tree | Sentence, system: str = "arc-eager") -> None:
        (self.tree,) = trees_of(tree)
        self.system = system
        self._facts = system_named(system)
        if self._facts.projective and not is_projective(self.tree.heads):
            raise InputError(
                f"the tree is not projective, and {system} has exact costs for projective ones only; lift it "
                "(learnability.lift), or choose covington"
            )
        n = len(self.tree)
        heads = np.array((0, *self.tree.heads), np.int32)
        self._gold = oracle.new_gold(n)
        root = transitions.root_position(self._facts.kernels, n)
        oracle.set_gold(self._gold, n, root, heads, UNLABELLED, 0)

    def __repr__(self) -> str:
        return f"<Oracle {self.system} of {self.tree!r}>"

    def initial(self) -> Configuration:
        """The initial configuration of the sentence."""
        return Configuration(self.tree, self.system)

    def costs(self, c: Configuration) -> dict[str, int]:
        """The cost of each legal transition, by its name.

        Raises:
            InputError: arc-standard, which is not arc-decomposable; a configuration of another sentence.
        """
        self._check(c)
        if self._facts.unknown_costs:
            raise InputError(
                f"{self.system}: the cost of a transition is unknown, {self._facts.unknown_costs} "
                "(Goldberg & Nivre 2013, 4.3); ask for its static transition, or choose arc-hybrid"
            )
        kernels = self._facts.kernels
        return {name: oracle.cost(kernels, c._arrays, self._gold, t) for name, t in c._numbers().items()}

    def zero_cost(self, c: Configuration) -> tuple[str, ...]:
        """The correct transitions: those after which all gold arcs that were reachable still are."""
        return tuple(name for name, cost in self.costs(c).items() if cost == 0)

    def static(self, c: Configuration) -> str:
        """The transition of the static oracle; it means something on the gold derivation only.

        Raises:
            InputError: easy-first, which has none; a configuration of another sentence.
        """
        self._check(c)
        if not self._facts.has_static_oracle:
            raise InputError(f"{self.system} has no static oracle; take one of the zero-cost transitions")
        transition = transitions.static_transition(self._facts.kernels, c._arrays, self._gold.head)
        return self._facts.transition_name(int(transition))

    def derivation(self) -> list[tuple[Configuration, str]]:
        """The gold derivation by the static oracle: each configuration with the transition it takes."""
        steps, c = [], self.initial()
        while not c.is_final:
            steps.append((c, self.static(c)))
            c = c.apply(steps[-1][1])
        return steps

    def _check(self, c: Configuration) -> None:
        if (c.system, c.forms) != (self.system, self.tree.forms):
            raise InputError(f"{c!r} is no configuration of {self!r}; begin with its initial()")


def static_sequences(
    trees: Sequence[Sequence[int]], system: str = "arc-eager-root-first"
) -> list[NDArray[np.int8]]:
    """The static oracle's transitions (int8) for each projective tree, given as its heads (0: the root).

    The default is Algorithm 1 of Goldberg & Nivre (2012): arc-eager, ROOT first.
    """
    derived_by = system_named(system)
    if not derived_by.has_static_oracle:
        raise InputError(f"{system} has no static oracle; choose a system that works from left to right")
    kernels = derived_by.kernels
    longest = max((len(heads) for heads in trees), default=0)
    configuration, gold = flat.new_configuration(longest), oracle.new_gold(longest)
    out = np.zeros(transitions.most_transitions(kernels, longest) + 1, np.int8)
    sequences = []
    for i, heads in enumerate(trees):
        padded = np.array((0, *heads), np.int32)
        length = _derive(kernels, len(heads), padded, UNLABELLED, configuration, gold, out)
        if length < 0:
            raise InputError(f"tree {i + 1} has no {system} derivation: it is not projective")
        sequences.append(out[:length].copy())
    return sequences


@njit
def _derive(
    system: transitions.System, n: int, heads: Ints, labels: Ints, c: flat.KernelConfiguration,
    gold: oracle.Gold, out: NDArray[np.int8],
) -> int:  # fmt: skip
    """Write the static oracle's transitions to `out`; their number, or -1 if they miss the tree."""
    oracle.set_gold(gold, n, transitions.root_position(system, n), heads, labels, 0)
    transitions.initial(system, c, n)
    length = 0
    while not transitions.is_final(system, c):
        transition = transitions.static_transition(system, c, gold.head)
        if not transitions.is_legal(system, c, transition) or length == out.shape[0]:
            return -1
        transitions.apply(system, c, transition, 0)
        out[length] = transition
        length += 1
    for d in range(1, n + 1):
        # where the root comes first, a word without a head belongs to it
        if c.head[d] != gold.head[d] and not (gold.head[d] == 0 and c.head[d] == n + 2):
            return -1
    return length
