"""Plans of transformations that are compiled once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest

from learnability.transforms import plan
from learnability.transforms.base import Transformation
from learnability.transforms.plan import Plan
from learnability.treebanks.sentence import Tree

compile_plan = Transformation.plan


@lru_cache(maxsize=1 << 14)
def known_plan(rule: Transformation, tree: Tree, most_leaves: int) -> Plan:
    return compile_plan(rule, tree)


@contextmanager
def compiled_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transformation, "plan", lambda rule, tree: known_plan(rule, tree, plan.MAX_LEAVES))
        yield
