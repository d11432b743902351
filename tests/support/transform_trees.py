"""Trees for the tests of transformations, written out, and what transformations there are."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Path
from learnability.transforms.registry import TRANSFORMATIONS, get_transformation
from learnability.treebanks.sentence import Conventions, Tree


def tree(words: str, heads: str | Sequence[int], labels: str) -> Tree:
    forms, upos = zip(*([*word.split("/"), "X"][:2] for word in words.split()), strict=True)
    numbers = tuple(map(int, heads.split())) if isinstance(heads, str) else tuple(heads)
    assert len(forms) == len(numbers) == len(labels.split())
    return Tree(forms, upos, numbers, tuple(labels.split()))


def transformation(spec: str, version: int = 2) -> JointTransformation:
    conventions = Conventions(version)
    return JointTransformation([get_transformation(one, conventions) for one in spec.split("+")])


def variants() -> list[str]:
    """Every registered transformation, and with every other value of each of its options."""
    return [
        spec
        for name, rule in TRANSFORMATIONS.items()
        for spec in (name, *(f"{name}:{key}={v}" for key, values in rule.options.items() for v in values[1:]))
    ]


def decisions(rules: Transformation, tree: Tree) -> list[tuple[int, list[tuple[Path, int]]]]:
    """For each token of `tree` the leaves of the decision tree of its head."""
    plan = rules.plan(tree)
    tokens = range(1, len(tree) + 1)
    return [(token, [(path, head) for path, (head, _) in plan.leaves(token)]) for token in tokens]
