"""What numba has no words for: rows of weights added in vector registers, memory asked for in advance.

Each function is here twice: in Python, which says what it computes and runs where kernels are not compiled;
and as the instructions that kernels get instead. Both add in the same order, so that sums are the same to
the last bit, on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.extending
import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from learnability.parsing.jit import Ints, Scores
from learnability.parsing.numba_parts import cgutils

LANES = 16
"""Floats of a cache line, added at once."""

FEW = 4
"""Floats of a row for the transitions, which fit four to a line."""

AT_ONCE = (4, 2, 1)
"""How many lines of a row are added in one pass over the rows: chains of additions that do not wait for each
other."""

BYTES = LANES * 4

typed: Any = numba.extending.type_callable
instructions: Any = numba.extending.lower_builtin


def padded(classes: int) -> int:
    """How many floats a row of weights takes: those of the classes, filled up with zeros to what is added at
    once."""
    return FEW if classes <= FEW else -(-classes // LANES) * LANES


def aligned_zeros(rows: int, width: int) -> Scores:
    """float32[rows, width] of zeros that begins at the beginning of a cache line."""
    room = np.zeros(rows * width + LANES, np.float32)
    begin = -room.ctypes.data % BYTES // room.itemsize
    return room[begin : begin + rows * width].reshape(rows, width)


def sum_rows(weight: Scores, rows: Ints, out: Scores) -> None:
    """Set out[k] to the sum of weight[row, k] over the rows, in their order.

    `weight`: float32[any, width], `out`: float32[width], `rows`: int32[any]; the width as `padded` says.
    """
    out[:] = 0.0
    for row in rows:
        out += weight[row]


def prefetch(table: NDArray[Any], row: int) -> None:
    """Have the row (or element) brought into the cache; there is nothing to wait for."""


@typed(sum_rows)
def _type_of_sum_rows(_: Any) -> Callable[..., Any]:
    return lambda weight, rows, out: types.none


@typed(prefetch)
def _type_of_prefetch(_: Any) -> Callable[..., Any]:
    return lambda table, row: types.none


def _bytes(builder: Any, array: Any) -> Any:
    """The address of an array, counted in bytes."""
    return builder.bitcast(array.data, ir.IntType(8).as_pointer())


@instructions(sum_rows, types.Array, types.Array, types.Array)
def _sum_rows(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    weight, rows, out = (
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, given, strict=True)
    )
    count = cgutils.unpack_tuple(builder, rows.shape)[0]
    width = cgutils.unpack_tuple(builder, weight.shape)[1]
    stride = cgutils.unpack_tuple(builder, weight.strides)[0]
    word = count.type

    def add_block(first: Any, lanes: int, vectors: int) -> None:
        """Write the sums of so many vectors of a row, from byte `first` on."""
        kind = ir.VectorType(ir.FloatType(), lanes)
        sums = [cgutils.alloca_once_value(builder, ir.Constant(kind, [0.0] * lanes)) for _ in range(vectors)]
        for total in sums:
            builder.store(ir.Constant(kind, [0.0] * lanes), total)
        begin = builder.gep(_bytes(builder, weight), [first])
        with cgutils.for_range(builder, count) as loop:
            row = builder.zext(builder.load(builder.gep(rows.data, [loop.index])), word)
            own = builder.bitcast(builder.gep(begin, [builder.mul(row, stride)]), kind.as_pointer())
            for i, total in enumerate(sums):
                value = builder.load(builder.gep(own, [word(i)]))
                value.align = 4  # whatever array is given
                builder.store(builder.fadd(builder.load(total), value), total)
        target = builder.bitcast(builder.gep(_bytes(builder, out), [first]), kind.as_pointer())
        for i, total in enumerate(sums):
            stored = builder.store(builder.load(total), builder.gep(target, [word(i)]))
            stored.align = 4

    with builder.if_else(builder.icmp_signed("==", width, word(FEW))) as (few, many):
        with few:
            add_block(word(0), FEW, 1)
        with many:
            lines = builder.udiv(width, word(LANES))
            done = cgutils.alloca_once_value(builder, word(0))
            builder.store(word(0), done)
            for vectors in AT_ONCE:
                left = builder.sub(lines, builder.load(done))
                with cgutils.for_range(builder, builder.udiv(left, word(vectors))):
                    add_block(builder.mul(builder.load(done), word(BYTES)), LANES, vectors)
                    builder.store(builder.add(builder.load(done), word(vectors)), done)
    return context.get_dummy_value()


@instructions(prefetch, types.Array, types.Integer)
def _prefetch(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    kind = signature.args[0]
    table = context.make_array(kind)(context, builder, given[0])
    row = context.cast(builder, given[1], signature.args[1], types.intp)
    stride = cgutils.unpack_tuple(builder, table.strides)[0]
    begin = builder.gep(_bytes(builder, table), [builder.mul(row, stride)])
    i32, word = ir.IntType(32), stride.type
    name = "llvm.prefetch.p0i8"
    of = ir.FunctionType(ir.VoidType(), [begin.type, i32, i32, i32])
    fetch = cgutils.get_or_insert_function(builder.module, of, name)
    reading, all_caches, data = i32(0), i32(3), i32(1)
    builder.call(fetch, [begin, reading, all_caches, data])
    if kind.ndim == 2:
        others = builder.udiv(builder.sub(stride, word(1)), word(BYTES))
        with cgutils.for_range(builder, others) as loop:
            line = builder.gep(begin, [builder.mul(builder.add(loop.index, word(1)), word(BYTES))])
            builder.call(fetch, [line, reading, all_caches, data])
    return context.get_dummy_value()
