"""The multi-reference oracle: what is correct, and which references survive (Algorithm 1 of NAACL 2018).

For a set of references R the cost of a transition is the least cost over the surviving references,

    cost(t; c, R) = min over T in R of cost(t; c, T),        CORRECT = { t legal : cost(t; c, R) minimal },

and after taking t only the references that attain the minimum survive, so that a parse commits to one
reference and never mixes two. Several references may disagree as long as they agree on the transitions
taken; the set is not forced to a choice before the parser is.

Over an arc-decomposable system the cost is a sum over gold arcs; over a product of factors the minimum of
the sum is the sum of the factors' minima, and the minimisers are again a product. So the oracle looks at
the factors that touch the two words whose arcs can be lost, and at nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.arrays import References
from learnability.parsing import systems
from learnability.parsing.configuration import ROOT, Configuration, N
from learnability.parsing.jit import njit
from learnability.parsing.oracle import Gold, costs
from learnability.parsing.systems import System

IMPOSSIBLE = np.int32(1 << 20)
"""More than any cost: of options that have not survived."""


@njit
def revive(references: References, sentence: int) -> None:
    """Let every reference of the sentence survive again."""
    first = references.option_start[references.factor_start[sentence]]
    last = references.option_start[references.factor_start[sentence + 1]]
    for option in range(first, last):
        references.alive[option] = 1


@njit
def option_cost(
    system: System,
    c: Configuration,
    references: References,
    factor: int,
    option: int,
    transition: int,
    s: int,
    b: int,
) -> int:
    """The number of arcs of one option of a factor that the transition loses; they touch s or b."""
    first = references.token_start[factor]
    width = references.token_start[factor + 1] - first
    heads = references.head_start[factor] + (option - references.option_start[factor]) * width
    count = 0
    for i in range(width):
        d = references.token[first + i]
        h = references.head[heads + i]
        if h == 0:
            h = c.at[ROOT]
        if (d in (s, b) or h in (s, b)) and systems.lost(system, c, transition, h, d):
            count += 1
    return count


@njit
def least_option_cost(
    system: System, c: Configuration, references: References, factor: int, transition: int, s: int, b: int
) -> int:
    """The least cost over the factor's surviving options; only arcs that touch s or b can be lost."""
    if references.first_part[factor] != factor:
        weigh_parts(system, c, references, factor, transition, s, b)
        return int(collect(references, factor))
    least = -1
    for option in range(references.option_start[factor], references.option_start[factor + 1]):
        if references.alive[option] == 1:
            cost = option_cost(system, c, references, factor, option, transition, s, b)
            if least < 0 or cost < least:
                least = cost
                if least == 0:
                    break
    return least


@njit
def weigh_parts(
    system: System, c: Configuration, references: References, root: int, transition: int, s: int, b: int
) -> None:
    """Write the cost of each surviving option of a factor in parts to `belief`."""
    first, belief = references.first_part[root], references.belief
    for part in range(first, root + 1):
        for option in range(references.option_start[part], references.option_start[part + 1]):
            belief[option] = IMPOSSIBLE
            if references.alive[option] == 1:
                belief[option] = option_cost(system, c, references, part, option, transition, s, b)


@njit
def collect(references: References, root: int) -> int:
    """The least sum over the surviving selections of a factor in parts: messages from leaves to root.

    `belief` holds the cost of each option; afterwards, of a part together with the parts below it.
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
    """Keep the selections of a factor in parts that attain the least sum of the options' `belief`.

    Messages to the root, and back to the leaves.
    """
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
                # what the part itself told its parent is in the reply: take it out
                belief[option] += references.reply[i] - references.message[i]
    for option in range(references.option_start[first], references.option_start[root + 1]):
        if belief[option] != least:
            references.alive[option] = 0


@njit
def reconcile(references: References, root: int) -> None:
    """Once options of one part are gone, drop those of the others that no surviving selection has."""
    first = references.first_part[root]
    for option in range(references.option_start[first], references.option_start[root + 1]):
        references.belief[option] = 0 if references.alive[option] == 1 else IMPOSSIBLE
    keep_least(references, root)


@njit
def touches(references: References, row: int, factor: int) -> bool:
    """Whether the factor is in the list of the token at `row`."""
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        if references.touch[i] == factor:
            return True
    return False


@njit
def reference_costs(
    system: System,
    c: Configuration,
    fixed: Gold,
    references: References,
    base: int,
    mask: NDArray[np.uint8],
    out: NDArray[np.int32],
) -> None:
    """Write the cost of each legal transition with respect to the surviving references to `out` (int32[4]).

    `fixed`: the arcs all references share; `base`: the corpus row of the sentence's position 0.
    """
    costs(system, c, fixed, mask, out)
    n = c.at[N]
    s = systems.left_word(system, c)
    b = systems.right_word(system, c)
    for word in (s, b):
        if 1 <= word <= n:
            for i in range(references.touch_start[base + word], references.touch_start[base + word + 1]):
                factor = references.touch[i]
                if word == b and 1 <= s <= n and touches(references, base + s, factor):
                    continue  # counted with s
                for t in range(systems.TRANSITIONS):
                    if mask[t] == 1:
                        out[t] += least_option_cost(system, c, references, factor, t, s, b)


@njit
def prune(system: System, c: Configuration, references: References, base: int, transition: int) -> None:
    """Keep the references that attain the least cost for the transition about to be taken in c."""
    s = systems.left_word(system, c)
    b = systems.right_word(system, c)
    for word in (s, b):
        if 1 <= word <= c.at[N]:
            prune_word(system, c, references, base + word, transition, s, b)


@njit
def prune_word(
    system: System, c: Configuration, references: References, row: int, transition: int, s: int, b: int
) -> None:
    """`prune` for the factors that touch the token at one row of the corpus."""
    for i in range(references.touch_start[row], references.touch_start[row + 1]):
        factor = references.touch[i]
        if references.first_part[factor] != factor:
            weigh_parts(system, c, references, factor, transition, s, b)
            keep_least(references, factor)
            continue
        least = least_option_cost(system, c, references, factor, transition, s, b)
        for option in range(references.option_start[factor], references.option_start[factor + 1]):
            if (
                references.alive[option] == 1
                and option_cost(system, c, references, factor, option, transition, s, b) > least
            ):
                references.alive[option] = 0
