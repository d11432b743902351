"""Fixtures of the tests of parsers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from learnability.parsing import jit


@pytest.fixture
def interpreted_unless_usual(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The kernels of a test's system run as Python, except arc-eager's: compiling the others takes longer.

    A slow test shows that compiled kernels give the same (`test_without_compilation_everything_is_the_same`).
    """
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if parameters.get("name", "easy-first").startswith("arc-eager"):
        yield
        return
    monkeypatch.setattr(jit._Kernel, "__call__", lambda kernel, *arguments: kernel.__wrapped__(*arguments))
    with np.errstate(over="ignore"):  # keys are sums modulo 2^64
        yield
