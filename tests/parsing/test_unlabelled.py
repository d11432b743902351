"""Unlabelled parsers have kernels of their own, without those of labels."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from learnability.parsing import decoding, training, unlabelled, workspace
from learnability.parsing.jit import config
from learnability.parsing.unlabelled import Unlabelled
from learnability.parsing.workspace import Labeller


def dispatched_by_labeller(module: ModuleType) -> dict[str, Any]:
    """The functions of a module that choose a kernel by the type of a labeller."""
    return {
        name: function
        for name, function in vars(module).items()
        if getattr(function, "__module__", "") == module.__name__
        and getattr(function, "__annotations__", {}).get("labeller") == "Labeller"
        and hasattr(function, "kernel_of")
    }


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_each_kernel_of_labels_is_replaced() -> None:
    found: dict[str, Any] = {}
    for module in (workspace, training, decoding):
        found |= dispatched_by_labeller(module)
    own = {name for name, kernel in vars(unlabelled).items() if hasattr(kernel, "_numba_type_")}
    assert set(found) == own
    for name, function in found.items():
        assert function.kernel_of(Unlabelled) is getattr(unlabelled, name)
        assert function.kernel_of(Labeller) is not getattr(unlabelled, name)
