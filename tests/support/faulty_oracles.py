"""Oracles for arc-eager and arc-standard: correct, as printed, and with faults that parsers had."""

from __future__ import annotations

from learnability.oracles.systems import DEFINITIONS, State


def arc_eager_costs(c: State, gold: tuple[int, ...], *, printed: bool = False) -> dict[str, int]:
    """Goldberg & Nivre 2013, 4.5; as printed, LEFT lacks the arc (s, b) and RIGHT the arc (b, s)."""
    stack, buffer, heads, _ = c
    arcs = {(head, d) for d, head in enumerate(gold, start=1)}
    s, b, beta = stack[-1] if stack else None, buffer[0], buffer[1:]
    free = {k for k in stack if heads[k - 1] is None}
    found = {
        "SHIFT": len({(k, b) for k in stack} & arcs) + len({(b, k) for k in free} & arcs),
        "RIGHT": len({(k, b) for k in (*stack[:-1], *beta)} & arcs)
        + len({(b, k) for k in (free - {s} if printed else free)} & arcs),
        "LEFT": len({(k, s) for k in beta} & arcs)
        + len({(s, k) for k in (beta if printed else buffer)} & arcs),
        "REDUCE": len({(s, k) for k in buffer} & arcs),
    }
    return {name: found[name] for name in DEFINITIONS["arc-eager"].legal(c)}


def zero_cost(c: State, gold: tuple[int, ...]) -> list[str]:
    """The correct transitions of arc-eager."""
    return [name for name, cost in arc_eager_costs(c, gold).items() if cost == 0]


def zero_cost_forgetting_the_stack(c: State, gold: tuple[int, ...]) -> list[str]:
    """SHIFT is called correct although the front of the buffer has its head on the stack."""
    costs = arc_eager_costs(c, gold)
    if "SHIFT" in costs:
        costs["SHIFT"] -= gold[c.buffer[0] - 1] in c.stack
    return [name for name, cost in costs.items() if cost == 0]


def off_by_one(c: State, gold: tuple[int, ...]) -> dict[str, int]:
    """REDUCE does not look at the end of the buffer."""
    costs = arc_eager_costs(c, gold)
    if "REDUCE" in costs:
        costs["REDUCE"] = sum(gold[k - 1] == c.stack[-1] for k in c.buffer[:-2])
    return costs


def arc_standard_static(c: State, gold: tuple[int, ...], *, waits: bool = True) -> str:
    """RIGHT waits until the top has all its dependents; a student forgot that."""
    done = {(head, d) for d, head in enumerate(c.heads, start=1) if head is not None}
    if len(c.stack) >= 2:
        below, top = c.stack[-2:]
        if below != 0 and gold[below - 1] == top:
            return "LEFT"
        missing = [d for d, head in enumerate(gold, start=1) if head == top and (top, d) not in done]
        if gold[top - 1] == below and not (waits and missing):
            return "RIGHT"
    return "SHIFT"
