"""Fixtures of the multi-reference tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from learnability.transforms import plan
from learnability.transforms.base import Transformation
from learnability.transforms.plan import Plan
from learnability.treebanks.sentence import Tree


@pytest.fixture(scope="session")
def test_files(ud_files: list[Path]) -> list[Path]:
    """The test files of all real treebanks."""
    return [path for path in ud_files if "-ud-test" in path.name]


compile_plan = Transformation.plan


@lru_cache(maxsize=1 << 14)
def known_plan(rule: Transformation, tree: Tree, most_leaves: int) -> Plan:
    """The plan, which follows from the rule and the tree."""
    return compile_plan(rule, tree)


@pytest.fixture(scope="module", autouse=True)
def plans_are_compiled_once() -> Iterator[None]:
    """The twins apply every selection to every tree, and each time the plan was compiled again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transformation, "plan", lambda rule, tree: known_plan(rule, tree, plan.MAX_LEAVES))
        yield
