"""Find the correct transitions for several references, and the references that survive.

This is Algorithm 1 of Wisniewski, Lacroix & Yvon (2018). For a set of references R the cost of a transition
is the least cost over the surviving references,

    cost(t; c, R) = min over T in R of cost(t; c, T),        CORRECT = { t legal : cost(t; c, R) minimal },

and after taking t only the references that attain the minimum survive. So a parse commits to one
reference and never mixes two. Several references may disagree as long as they agree on the transitions
taken; the set is not forced to a choice before the parser is.

Over an arc-decomposable system the cost is a sum over gold arcs. Over a product of factors the minimum of
the sum is the sum of the factors' minima, and the minimisers are again a product. So the oracle only reads
the factors that touch the two words whose arcs can be lost.

A label is correct if a surviving reference gives it to the arc; then only such references survive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import transitions
from learnability.parsing.configuration import ROOT, KernelConfiguration, N
from learnability.parsing.jit import Flags, Ints, njit
from learnability.parsing.oracle import Gold, set_gold
from learnability.parsing.perceptron import STEP, Perceptron, best_of, update
from learnability.parsing.training import learn_known_label, predict_label
from learnability.parsing.transitions import System
from learnability.parsing.workspace import Workspace

IMPOSSIBLE = np.int32(1 << 20)
"""The cost of options that have not survived, above any other cost."""


class References(NamedTuple):
    """Hold the reference sets of a corpus as flat arrays; the parts of a large factor are numbered like
    factors.

    Attributes:
        fixed, fixed_label: int32[rows of the corpus], head and label of tokens in no factor, else UNKNOWN.
        factor_start: int64[sentences + 1], where a sentence's factors begin.
        option_start, token_start, head_start: int64[factors + 1], where a factor's options, its tokens and
            its option vectors in `head` begin.
        token: int32, position of the token in its sentence.
        head, label: int32, heads (0 is the root) and labels, option by option. Labels may be empty.
        alive: uint8[options], 1 while the option survives.
        touch_start: int64[rows + 1], where the factors that touch a token begin in `touch`: those that
            decide its head, or in which it can be a head.
        touch: int64, numbers of factors; a factor in parts has the number of its last part, the root.
        first_part: int64[factors], for a root the number of the factor's first part, else the part's number.
        parent: int64[factors], the neighbour towards the root, -1 where there is none.
        state: int32[options], the state of the places that a part shares with its parent.
        parent_state_start: int64[factors + 1], where the part's states begin in `parent_state`.
        parent_state: int32, the state of the shared places in each option of the parent.
        message_start: int64[factors + 1], where the part's messages begin, one per state.
        message, reply: int32, scratch: messages to the parent and back.
        belief: int32[options], scratch.
        allowed: uint8[labels], scratch.
    """

    fixed: Ints
    factor_start: NDArray[np.int64]
    token_start: NDArray[np.int64]
    token: Ints
    option_start: NDArray[np.int64]
    head_start: NDArray[np.int64]
    head: Ints
    fixed_label: Ints
    label: Ints
    alive: Flags
    touch_start: NDArray[np.int64]
    touch: NDArray[np.int64]
    first_part: NDArray[np.int64]
    parent: NDArray[np.int64]
    state: Ints
    parent_state_start: NDArray[np.int64]
    parent_state: Ints
    message_start: NDArray[np.int64]
    message: Ints
    reply: Ints
    belief: Ints
    allowed: Flags


@njit
def begin(references: References, sentence: int, n: int, root: int, base: int, gold: Gold) -> None:
    """Set `gold` to the arcs that all references share, and let every reference of the sentence survive."""
    set_gold(gold, n, root, references.fixed, references.fixed_label, base)
    first = references.option_start[references.factor_start[sentence]]
    last = references.option_start[references.factor_start[sentence + 1]]
    for option in range(first, last):
        references.alive[option] = 1


@njit
def option_cost(
    system: System, c: KernelConfiguration, references: References, factor: int, option: int, transition: int
) -> int:
    """Return the number of arcs of one option of a factor that the transition loses."""
    s, b = transitions.words(system, c, transition)
    first = references.token_start[factor]
    width = references.token_start[factor + 1] - first
    heads = references.head_start[factor] + (option - references.option_start[factor]) * width
    count = 0
    for i in range(width):
        d = int(np.int64(references.token[first + i]))
        h = int(np.int64(references.head[heads + i]))
        if h == 0:
            h = int(np.int64(c.at[ROOT]))
        if (d in (s, b) or h in (s, b)) and transitions.loses_arc(system, c, transition, h, d):
            count += 1
    return count


@njit
def weigh(system: System, c: KernelConfiguration, references: References, root: int, transition: int) -> None:
    """Write the cost of each surviving option of a factor to `belief`."""
    first, belief = references.first_part[root], references.belief
    for part in range(first, root + 1):
        for option in range(references.option_start[part], references.option_start[part + 1]):
            belief[option] = IMPOSSIBLE
            if references.alive[option] == 1:
                belief[option] = option_cost(system, c, references, part, option, transition)


@njit
def collect(references: References, root: int) -> int:
    """Return the least sum of `belief` over the surviving selections.

    Add to the belief of each option the least belief of the parts below it.
    """
    first, belief = references.first_part[root], references.belief
    for part in range(first, root):
        begin = references.message_start[part]
        for i in range(begin, references.message_start[part + 1]):
            references.message[i] = IMPOSSIBLE
        for option in range(references.option_start[part], references.option_start[part + 1]):
            i = begin + references.state[option]
            references.message[i] = min(references.message[i], belief[option])
        above = references.option_start[references.parent[part]]
        states = references.parent_state_start[part]
        for option in range(above, references.option_start[references.parent[part] + 1]):
            i = begin + references.parent_state[states + option - above]
            belief[option] = min(IMPOSSIBLE, belief[option] + references.message[i])
    least = IMPOSSIBLE
    for option in range(references.option_start[root], references.option_start[root + 1]):
        least = min(least, belief[option])
    return int(least)


@njit
def keep_least(references: References, root: int) -> None:
    """Keep the selections with the least sum of `belief`, by messages to the root and to the leaves."""
    least = collect(references, root)
    first, belief = references.first_part[root], references.belief
    for part in range(root - 1, first - 1, -1):
        begin = references.message_start[part]
        for i in range(begin, references.message_start[part + 1]):
            references.reply[i] = IMPOSSIBLE
        above = references.option_start[references.parent[part]]
        states = references.parent_state_start[part]
        for option in range(above, references.option_start[references.parent[part] + 1]):
            i = begin + references.parent_state[states + option - above]
            references.reply[i] = min(references.reply[i], belief[option])
        for option in range(references.option_start[part], references.option_start[part + 1]):
            i = begin + references.state[option]
            if belief[option] < IMPOSSIBLE:
                # the reply includes the message that the part sent to its parent: subtract it
                belief[option] += references.reply[i] - references.message[i]
    for option in range(references.option_start[first], references.option_start[root + 1]):
        if belief[option] != least:
            references.alive[option] = 0


@njit
def reconcile(references: References, root: int) -> None:
    """Drop options that no surviving selection contains, after options of one part were dropped."""
    first = references.first_part[root]
    for option in range(references.option_start[first], references.option_start[root + 1]):
        references.belief[option] = 0 if references.alive[option] == 1 else IMPOSSIBLE
    keep_least(references, root)


@njit
def touches(references: References, row: int, factor: int) -> bool:
    """Return whether the factor is in the list of the token at `row`."""
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        if references.touch[i] == factor:
            return True
    return False


@njit
def open_cost(
    references: References, system: System, c: KernelConfiguration, base: int, transition: int
) -> int:
    """Return the least number of arcs, not common to all, that a surviving reference loses."""
    n = c.at[N]
    s, b = transitions.words(system, c, transition)
    total = 0
    for word in (s, b):
        if 1 <= word <= n:
            for i in range(references.touch_start[base + word], references.touch_start[base + word + 1]):
                factor = references.touch[i]
                if word == b and 1 <= s <= n and touches(references, base + s, factor):
                    continue  # already counted for s
                weigh(system, c, references, factor, transition)
                total += collect(references, factor)
    return total


@njit
def commit(
    references: References, system: System, c: KernelConfiguration, base: int, transition: int
) -> None:
    """Keep the references that attain the least cost for the transition about to be taken in c."""
    for word in transitions.words(system, c, transition):
        if 1 <= word <= c.at[N]:
            for i in range(references.touch_start[base + word], references.touch_start[base + word + 1]):
                weigh(system, c, references, references.touch[i], transition)
                keep_least(references, references.touch[i])


@njit
def learn_label(
    references: References, base: int, head: int, dependent: int, exploring: bool, learner: Perceptron,
    work: Workspace,
) -> int:  # fmt: skip
    """Predict the label of the arc about to be added, learn from it, and return the label to assign.

    A prediction is correct if a surviving reference has it. References with another label are dropped.
    """
    gold, root = work.gold, work.configuration.at[ROOT]
    if gold.head[dependent] >= 0:
        certain = gold.label[dependent] if gold.head[dependent] == head else -1
        return int(learn_known_label(certain, False, learner, work))
    if allow_labels(references, base, root, head, dependent) == 0:
        return int(learn_known_label(-1, False, learner, work))
    label = predict_label(learner, work)
    learner.meta[STEP] += 1
    if references.allowed[label] == 0:
        best = best_of(work.label_scores, references.allowed)
        update(learner, work.label_keys, work.label_rows, best, label)
        label = best
    prune_labels(references, base, root, head, dependent, label)
    return int(label)


@njit
def allow_labels(references: References, base: int, root: int, head: int, dependent: int) -> int:
    """Mark in `allowed` the labels that surviving references give the arc; return their number."""
    for i in range(references.allowed.shape[0]):
        references.allowed[i] = 0
    count = 0
    row = base + dependent
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        factor, where = find_deciding_part(references, references.touch[i], dependent)
        if where >= 0:
            for option in range(references.option_start[factor], references.option_start[factor + 1]):
                label = label_of(references, factor, option, where, root, head)
                if label >= 0 and references.alive[option] == 1 and references.allowed[label] == 0:
                    references.allowed[label] = 1
                    count += 1
    return count


@njit
def prune_labels(references: References, base: int, root: int, head: int, dependent: int, label: int) -> None:
    """Remove the references that give the arc another label, if any reference gives it this one."""
    row = base + dependent
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        factor, where = find_deciding_part(references, references.touch[i], dependent)
        if where >= 0:
            for option in range(references.option_start[factor], references.option_start[factor + 1]):
                if label_of(references, factor, option, where, root, head) not in (-1, label):
                    references.alive[option] = 0
            reconcile(references, references.touch[i])


@njit
def label_of(references: References, factor: int, option: int, where: int, root: int, head: int) -> int:
    """Return the label that an option gives to a token of its factor; -1 if it gives another head."""
    width = references.token_start[factor + 1] - references.token_start[factor]
    at = references.head_start[factor] + (option - references.option_start[factor]) * width + where
    h = references.head[at] if references.head[at] != 0 else root
    return int(references.label[at]) if h == head else -1


@njit
def find_deciding_part(references: References, factor: int, token: int) -> tuple[int, int]:
    """Return the part of a factor that decides the token, and the token's index there; -1 if none does."""
    for part in range(references.first_part[factor], factor + 1):
        first = references.token_start[part]
        for i in range(references.token_start[part + 1] - first):
            if references.token[first + i] == token:
                return part, int(i)
    return factor, -1
