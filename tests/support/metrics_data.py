"""Trees for the tests of the measures, written out."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.treebanks.sentence import Tree


def tree(heads: Sequence[int], *, forms: str = "", upos: str = "", deprels: str = "") -> Tree:
    n = len(heads)
    return Tree(
        forms=tuple(forms.split()) if forms else tuple(f"w{i}" for i in range(1, n + 1)),
        upos=tuple(upos.split()) if upos else ("X",) * n,
        heads=tuple(heads),
        deprels=tuple(deprels.split()) if deprels else tuple("root" if h == 0 else "dep" for h in heads),
    )
