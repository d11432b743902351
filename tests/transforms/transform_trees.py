"""Trees for the tests of transformations: written out, and the slow obvious twin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from learnability.transforms.base import Transformation
from learnability.transforms.joint import JointTransformation
from learnability.transforms.plan import Leaf
from learnability.transforms.registry import TRANSFORMATIONS, get_transformation
from learnability.treebanks.sentence import Conventions, Tree


def tree(words: str, heads: str | Sequence[int], labels: str) -> Tree:
    """A tree from words, heads and labels separated by blanks; a word may be written form/UPOS."""
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


def decisions(rules: Transformation, tree: Tree) -> list[tuple[int, Sequence[Leaf]]]:
    """For each token of `tree` the leaves of the decision tree of its head."""
    plan = rules.plan(tree)
    return [(token, plan.leaves(token)) for token in range(1, len(tree) + 1)]


def invert_function_heads_slowly(original: Tree, selected: Iterable[int]) -> tuple[int, ...]:
    """The rule word for word: content words bottom-up, each replaced by the chain of its function words.

    Keeps for every word the token that stands for its block by now, and rewrites heads eagerly.
    """
    chosen = set(selected)
    above = (0, *original.heads)
    new = list(above)
    top = list(range(len(above)))

    def depth(token: int) -> int:
        return 0 if above[token] == 0 else 1 + depth(above[token])

    for c in sorted(range(1, len(above)), key=depth, reverse=True):
        sites = [f for f in chosen if above[f] == c]
        k = sorted(f for f in sites if f > c) + sorted((f for f in sites if f < c), reverse=True)
        for d in range(1, len(above)):
            if above[d] != c or d in sites:
                continue
            beyond = [f for f in k if d < f < c or c < f < d]
            nearest = min(beyond, key=lambda f: abs(f - d), default=None)
            new[top[d]] = c if nearest is None else top[nearest]
        inner = c
        for f in k:
            new[inner] = top[f]
            inner = f if top[f] == f else top[f]
        # The chain member below the next one is its block's top, which then stands for all of c.
        top[c] = inner
        new[inner] = above[c]
    return tuple(new[1:])
