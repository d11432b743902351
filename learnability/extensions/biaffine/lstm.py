"""Run a bidirectional LSTM over rows that hold several sentences each.

Hochreiter & Schmidhuber (1997), with a forget gate. Both directions run in one loop, and every sentence
begins with an empty memory. The gradient is written out: automatic differentiation would add up the gradient
of the recurrent weights at each position, where one product after the loop does.
"""

from __future__ import annotations

from typing import Any

from learnability.extensions.biaffine.backend import jax, jnp

Array = Any
"""An array of JAX, which has no useful type of shape."""


def bidirectional(inputs: Array, inside: Array, recurrent: Array, kept: Array) -> Array:
    """Return the states of both directions.

    Args:
        inputs: float32[rows, width, 8 hidden], what the gates receive from below: input, forget, output and
            candidate of the forward direction, then of the backward direction.
        inside: bool[rows, width], whether a position belongs to the sentence of the position before it.
        recurrent: float32[2, hidden, 4 hidden], the weights of the previous state.
        kept: float32[2, rows, hidden], the factors of the previous state (dropout, the same at all
            positions).

    Returns:
        float32[rows, width, 2 hidden].
    """
    rows, width, _ = inputs.shape
    directions = inputs.reshape(rows, width, 2, -1)
    both = jnp.stack([directions[:, :, 0], directions[:, ::-1, 1]])
    after = jnp.concatenate([inside[:, 1:], jnp.zeros((rows, 1), bool)], axis=1)
    joined = jnp.stack([inside, after[:, ::-1]]).transpose(2, 0, 1)[..., None].astype(inputs.dtype)
    states = recurrence(both.transpose(2, 0, 1, 3), joined, recurrent, kept)
    return jnp.concatenate([states[:, 0], states[::-1, 1]], axis=-1).transpose(1, 0, 2)


@jax.custom_vjp
def recurrence(inputs: Array, joined: Array, recurrent: Array, kept: Array) -> Array:
    """Return the state at each position.

    Args:
        inputs: float32[width, 2, rows, 4 hidden].
        joined: float32[width, 2, rows, 1], 0 where a sentence begins, else 1.
        recurrent: float32[2, hidden, 4 hidden].
        kept: float32[2, rows, hidden].

    Returns:
        float32[width, 2, rows, hidden].
    """
    return _run(inputs, joined, recurrent, kept)[0]


def _run(inputs: Array, joined: Array, recurrent: Array, kept: Array) -> tuple[Array, Array, Array]:
    """Return the states, the memories and the activated gates at each position."""

    def step(before: tuple[Array, Array], at: tuple[Array, Array]) -> tuple[tuple[Array, Array], Any]:
        (memory, state), (received, joins) = before, at
        sums = received + jnp.matmul(state * (joins * kept), recurrent)
        enter, forget, leave, candidate = jnp.split(sums, 4, axis=-1)
        enter, forget, leave = (jax.nn.sigmoid(gate) for gate in (enter, forget, leave))
        candidate = jnp.tanh(candidate)
        memory = forget * (memory * joins) + enter * candidate
        state = leave * jnp.tanh(memory)
        gates = jnp.concatenate([enter, forget, leave, candidate], axis=-1)
        return (memory, state), (state, memory, gates)

    empty = jnp.zeros((*inputs.shape[1:-1], inputs.shape[-1] // 4), inputs.dtype)
    _, (states, memories, gates) = jax.lax.scan(step, (empty, empty), (inputs, joined))
    return states, memories, gates


def _forward(inputs: Array, joined: Array, recurrent: Array, kept: Array) -> tuple[Array, Any]:
    states, memories, gates = _run(inputs, joined, recurrent, kept)
    return states, (states, memories, gates, joined, recurrent, kept)


def _backward(residuals: Any, gradient: Array) -> tuple[Array, None, Array, None]:
    states, memories, gates, joined, recurrent, kept = residuals
    earlier = _shift_positions(memories) * joined
    transposed = recurrent.transpose(0, 2, 1)

    def step(after: tuple[Array, Array], at: Any) -> tuple[tuple[Array, Array], Array]:
        (d_state, d_memory), (d_above, memory, before, activated, joins) = after, at
        enter, forget, leave, candidate = jnp.split(activated, 4, axis=-1)
        d_state = d_state + d_above
        squashed = jnp.tanh(memory)
        d_memory = d_memory + d_state * leave * (1 - squashed * squashed)
        d_sums = jnp.concatenate(
            [
                d_memory * candidate * enter * (1 - enter),
                d_memory * before * forget * (1 - forget),
                d_state * squashed * leave * (1 - leave),
                d_memory * enter * (1 - candidate * candidate),
            ],
            axis=-1,
        )
        return (jnp.matmul(d_sums, transposed) * (joins * kept), d_memory * forget * joins), d_sums

    zeros = jnp.zeros_like(states[0])
    at = (gradient, memories, earlier, gates, joined)
    _, d_inputs = jax.lax.scan(step, (zeros, zeros), at, reverse=True)
    read = _shift_positions(states) * joined * kept
    return d_inputs, None, jnp.einsum("ldrh,ldrk->dhk", read, d_inputs), None


def _shift_positions(values: Array) -> Array:
    """Return the values of the position before each position; zeros before the first."""
    return jnp.concatenate([jnp.zeros_like(values[:1]), values[:-1]])


recurrence.defvjp(_forward, _backward)
