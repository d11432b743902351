"""Kernels that call kernels: the same results as in Python, and no machine code that nobody calls."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from filelock import FileLock, Timeout
from numba.core.caching import FunctionCache

from learnability.parsing.jit import Ints, njit


@njit
def add_to(values: Ints, amount: int) -> int:
    for i in range(values.shape[0]):
        values[i] += amount
    return values.shape[0]


@njit
def add_twice(values: Ints, amount: int) -> int:
    return add_to(values, amount) + add_to(values, 2 * amount)


def signatures(kernel: Any) -> list[Any]:
    """Of the machine code that there is."""
    return list(kernel._compiled.signatures)


def test_a_kernel_within_a_kernel_is_not_finished_for_itself() -> None:
    values = np.arange(3, dtype=np.int32)
    assert add_twice(values, 1) == 6
    assert values.tolist() == [3, 4, 5]
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    assert (len(signatures(add_twice)), signatures(add_to)) == (1, [])
    assert add_to(values, 1) == 3  # Python can call it all the same
    assert values.tolist() == [4, 5, 6]
    assert len(signatures(add_to)) == 1


def is_locked(path: Path) -> bool:
    try:
        FileLock(path).acquire(timeout=0).lock.release()
    except Timeout:
        return True
    return False


def test_one_process_at_a_time_compiles_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two, the index of one could come to stand beside the machine code of the other."""
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    saved: list[bool] = []

    def save(*_: Any) -> None:
        (compiling,) = (path for path in Path(numba.config.CACHE_DIR).glob("compiling-*") if is_locked(path))
        assert is_locked(compiling.with_name("lock"))
        saved.append(True)

    monkeypatch.setattr(FunctionCache, "save_overload", save)
    assert njit(add_twice.__wrapped__)(np.zeros(2, np.int64), 1) == 4  # other types than above
    assert saved == [True]


def test_a_kernel_that_another_process_compiles_is_awaited_and_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    other, values = [], np.zeros(2, np.int16)
    load = FunctionCache.load_overload

    def compiled_by_another(cache: Any, *looked_for: Any) -> Any:
        """The first look is too early; the other process is done before the second."""
        if other:
            return load(cache, *looked_for)
        other.append(njit(add_twice.__wrapped__))
        assert other[0](values, 1) == 4
        assert list(tmp_path.glob("compiling-*"))
        return None

    kernel: Any = njit(add_twice.__wrapped__)
    monkeypatch.setattr(FunctionCache, "load_overload", compiled_by_another)
    assert kernel(values, 1) == 4
    assert sum(kernel._compiled.stats.cache_misses.values()) == 0


def test_a_kernel_that_cannot_be_compiled_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    with pytest.raises(numba.core.errors.TypingError):
        njit(lambda values: values.no_such_attribute)(np.zeros(2, np.int16))
    assert any(map(is_locked, tmp_path.glob("compiling-*")))
    assert njit(add_twice.__wrapped__)(np.zeros(2, np.int16), 1) == 4
    assert not any(map(is_locked, tmp_path.glob("compiling-*")))


def test_kernels_are_found_again_by_name() -> None:
    assert pickle.loads(pickle.dumps(add_to)) is add_to
