"""Sums in vector registers against the same sums in Python, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from learnability.parsing.jit import Ints, Scores, njit
from learnability.parsing.vectors import LANES, aligned_zeros, pad_row, prefetch, sum_rows


@njit
def compiled_sum(weight: Scores, rows: Ints, out: Scores) -> None:
    for row in rows:
        prefetch(weight, row)
        prefetch(rows, row)
    sum_rows(weight, rows, out)


@pytest.mark.parametrize("classes", [1, 3, 4, 5, 16, 17, 33, 50, 64, 100, 130])
@pytest.mark.parametrize("count", [0, 1, 72])
@pytest.mark.parametrize("shift", [0, 1])
def test_sums_are_those_of_a_loop(classes: int, count: int, shift: int) -> None:
    """With weights so different that another order would give another sum; also where no line begins."""
    random = np.random.default_rng(classes)
    width = pad_row(classes)
    room = np.zeros(90 * width + shift, np.float32)
    weight = room[shift:].reshape(90, width)
    weight[:] = random.standard_normal(weight.shape) * 10.0 ** random.integers(-6, 6, size=weight.shape)
    rows = random.integers(0, 90, size=count).astype(np.int32)
    expected = np.zeros(width, np.float32)
    for row in rows:
        for k in range(width):
            expected[k] = expected[k] + weight[row, k]
    for summed in (sum_rows, compiled_sum):
        out = np.full(width, 7.0, np.float32)
        summed(weight, rows, out)
        assert out.tobytes() == expected.tobytes()


def test_rows_begin_with_a_line() -> None:
    for width in map(pad_row, (1, 16, 40)):
        table = aligned_zeros(5, width)
        assert table.shape == (5, width)
        assert table.ctypes.data % (LANES * table.itemsize) == 0
        assert not table.any()
