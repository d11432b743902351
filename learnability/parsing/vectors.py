"""Provide operations that numba cannot express: sums of weight rows in vector registers, and prefetching.

Each function exists twice: in Python, as its definition and for runs without compilation, and as the
instructions that compiled kernels use instead. Both add in the same order, so sums are equal to the last bit
on every machine.
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
"""Floats of a row of weights for the transitions; a cache line holds four rows."""

AT_ONCE = (4, 2, 1)
"""How many cache lines of a row are added in one pass over the rows: independent chains of additions run in
parallel."""

BYTES = LANES * 4

typed: Any = numba.extending.type_callable
instructions: Any = numba.extending.lower_builtin


def pad_row(classes: int) -> int:
    """Return the number of floats in a row of weights: that of the classes, padded to whole vectors."""
    return FEW if classes <= FEW else -(-classes // LANES) * LANES


def aligned_zeros(rows: int, width: int) -> Scores:
    """Return float32[rows, width] of zeros that starts at the start of a cache line."""
    room = np.zeros(rows * width + LANES, np.float32)
    begin = -room.ctypes.data % BYTES // room.itemsize
    return room[begin : begin + rows * width].reshape(rows, width)


def sum_rows(weight: Scores, rows: Ints, out: Scores) -> None:
    """Set out[k] to the sum of weight[row, k] over the rows, in their order.

    `weight`: float32[any, width], `out`: float32[width], `rows`: int32[any]; `pad_row` determines the width.
    """
    out[:] = 0.0
    for row in rows:
        out += weight[row]


def prefetch(table: NDArray[Any], row: int) -> None:
    """Start to load the row (or element) into the cache, without waiting for it."""


@typed(sum_rows)
def _type_of_sum_rows(_: Any) -> Callable[..., Any]:
    return lambda weight, rows, out: types.none


@typed(prefetch)
def _type_of_prefetch(_: Any) -> Callable[..., Any]:
    return lambda table, row: types.none


def _bytes(builder: Any, array: Any) -> Any:
    return builder.bitcast(array.data, ir.IntType(8).as_pointer())


@instructions(sum_rows, types.Array, types.Array, types.Array)
def _sum_rows(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    weight, rows, out = (
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, arguments, strict=True)
    )
    count = cgutils.unpack_tuple(builder, rows.shape)[0]
    width = cgutils.unpack_tuple(builder, weight.shape)[1]
    stride = cgutils.unpack_tuple(builder, weight.strides)[0]
    word = count.type

    def add_block(first: Any, lanes: int, vectors: int) -> None:
        """Write the sums of `vectors` consecutive vectors of a row, from byte `first` on."""
        kind = ir.VectorType(ir.FloatType(), lanes)
        sums = [cgutils.alloca_once_value(builder, ir.Constant(kind, [0.0] * lanes)) for _ in range(vectors)]
        for total in sums:
            builder.store(ir.Constant(kind, [0.0] * lanes), total)
        begin = builder.gep(_bytes(builder, weight), [first])
        with cgutils.for_range(builder, count) as loop:
            row = builder.zext(builder.load(builder.gep(rows.data, [loop.index])), word)
            block = builder.bitcast(builder.gep(begin, [builder.mul(row, stride)]), kind.as_pointer())
            for i, total in enumerate(sums):
                value = builder.load(builder.gep(block, [word(i)]))
                value.align = 4  # the array may start anywhere
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
def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[0]
    table = context.make_array(kind)(context, builder, arguments[0])
    row = context.cast(builder, arguments[1], signature.args[1], types.intp)
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
