"""Trees for the tests of transformations: written out, random, and the slow obvious twins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from learnability.treebanks.sentence import Tree


def tree(words: str, heads: str | Sequence[int], labels: str) -> Tree:
    """A tree from words, heads and labels separated by blanks; a word may be written form/UPOS."""
    forms, upos = zip(*([*word.split("/"), "X"][:2] for word in words.split()), strict=True)
    numbers = tuple(map(int, heads.split())) if isinstance(heads, str) else tuple(heads)
    assert len(forms) == len(numbers) == len(labels.split())
    return Tree(forms, upos, numbers, tuple(labels.split()))


def is_tree(heads: Sequence[int]) -> bool:
    """One root, and every token reaches it."""
    for token in range(1, len(heads) + 1):
        seen = set()
        while token:
            if token in seen:
                return False
            seen.add(token)
            token = heads[token - 1]
    return list(heads).count(0) == 1


def is_projective(heads: Sequence[int]) -> bool:
    """No two arcs cross, the arc from the root (position 0) included."""
    arcs = [(min(pair), max(pair)) for pair in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


@st.composite
def heads(draw: st.DrawFn, projective: bool, longest: int) -> tuple[int, ...]:
    n = draw(st.integers(1, longest))
    found = [0] * n
    if projective:
        work = [(1, n, 0)]
        while work:
            low, high, above = work.pop()
            if low > high:
                continue
            # The root span holds one block, others may be cut into several.
            end = high if above == 0 else draw(st.integers(low, high))
            top = draw(st.integers(low, end))
            found[top - 1] = above
            work += [(low, top - 1, top), (top + 1, end, top), (end + 1, high, above)]
    else:
        order = draw(st.permutations(range(1, n + 1)))
        for i, token in enumerate(order[1:], start=1):
            found[token - 1] = order[draw(st.integers(0, i - 1))]
    return tuple(found)


@st.composite
def labelled_trees(
    draw: st.DrawFn, labels: Sequence[str], projective: bool | None = None, longest: int = 9
) -> Tree:
    """A random tree whose labels are drawn from `labels` (repeat one to have more of it)."""
    found = draw(heads(draw(st.booleans()) if projective is None else projective, longest))
    names = tuple("root" if head == 0 else draw(st.sampled_from(labels)) for head in found)
    forms = tuple(f"w{i}" for i in range(1, len(found) + 1))
    return Tree(forms, ("X",) * len(found), found, names)


def invert_function_heads_slowly(original: Tree, selected: Iterable[int]) -> tuple[int, ...]:
    """Rule 2.2 word for word: content words bottom-up, each replaced by the chain of its function words.

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
