"""Named tuples of arrays in kernels: the same as in Python, by one address."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from learnability.parsing import numba_parts
from learnability.parsing.bundles import bundle
from learnability.parsing.jit import Flags, Ints, Scores, njit

compiles = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@bundle
class Inner(NamedTuple):
    counts: NDArray[np.int64]
    table: Scores


@bundle
class Outer(NamedTuple):
    flags: Flags
    inner: Inner
    wide: bool
    rows: Ints
    cube: Scores
    size: int
    other: Inner | None
    last: Ints


def example(n: int) -> Outer:
    """Every number in it differs from the others."""
    inner = Inner(np.arange(10, 10 + n), np.arange(100, 100 + 3 * n, dtype=np.float32).reshape(n, 3))
    cube = np.arange(1000, 1000 + 2 * n * 4, dtype=np.float32).reshape(2, n, 4)
    return Outer(
        np.arange(n, dtype=np.uint8), inner, n % 2 == 0, np.arange(50, 50 + n, dtype=np.int32), cube, -n,
        None, np.full(1, 77, np.int32),
    )  # fmt: skip


@njit
def look(b: Outer, i: int, out: NDArray[np.float64]) -> int:
    """Write what every field holds at i to `out`."""
    out[0], out[1], out[2] = b.flags[i], b.inner.counts[i], b.inner.table[i, 2]
    out[3], out[4], out[5] = (1.0 if b.wide else 0.0), b.rows[i], b.cube[1, i, 3]
    out[6], out[7], out[8] = b.size, b.last[-1], b.inner.table[i:, 1:].sum()
    out[9] = b.rows.shape[0] + 100 * b.inner.table.shape[1] + 1000 * b.cube.size
    return within(b.inner, i)


@njit
def within(inner: Inner, i: int) -> int:
    inner.counts[i] += 1
    return int(inner.counts.sum())


def expected(b: Outer, i: int) -> list[float]:
    """The same in numpy."""
    inner = b.inner
    return [
        b.flags[i], inner.counts[i], inner.table[i, 2], b.wide, b.rows[i], b.cube[1, i, 3], b.size, 77,
        inner.table[i:, 1:].sum(), len(b.rows) + 100 * 3 + 1000 * b.cube.size,
    ]  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_kernel_reads_what_python_reads(n: int) -> None:
    for i in range(n):
        b, out = example(n), np.zeros(10)
        before = expected(b, i)
        assert look(b, i, out) == sum(range(10, 10 + n)) + 1
        assert out.tolist() == before
        assert b.inner.counts[i] == 10 + i + 1  # kernels write to the arrays themselves


@njit
def add_column(b: Inner, column: int) -> float:
    total = 0.0
    for row in range(b.table.shape[0]):
        total += b.table[row, column]
    return total


def test_arrays_need_not_be_contiguous() -> None:
    table = np.arange(24, dtype=np.float32).reshape(4, 6)
    for part in (table[:, 1::2], table.T[:3].copy().T, table[::-1, 3:]):
        assert add_column(Inner(np.zeros(1, np.int64), part), 2) == part[:, 2].sum()


@njit
def hold(b: Inner | None) -> int:
    """Only the branch that is taken is compiled: no array has a field `missing`."""
    if b is None:
        return -1
    return int(b.counts[0])


def test_a_field_can_be_missing() -> None:
    assert hold(None) == -1
    assert hold(example(2).inner) == 10


@compiles
def test_the_address_is_the_only_argument() -> None:
    compiled = numba.njit(**numba_parts.OPTIONS)(
        within.__wrapped__
    )  # what the cache has shows no instructions
    compiled(example(2).inner, 0)
    text = str(compiled.inspect_llvm(compiled.signatures[0]))
    begin = next(line for line in text.splitlines() if line.startswith("define") and "cpython" not in line)
    assert begin.count("%arg.") == 2  # the bundle, and i
    assert "!invariant.load" in text
