"""Plant errors in tags, features, lemmas, subtypes, heads and relations of a treebank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from learnability.extensions.doubts.columns import (
    FEATS,
    HEAD,
    LEMMA,
    PUNCT,
    PUNCTUATION,
    SUBTYPE,
    UPOS,
    XPOS,
    are_alternatives,
    doubted_words,
    group_of,
    value_columns,
    values_in,
)
from learnability.regularities.lemma_edits import LemmaEdit, edit_of
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree
from research.doubts.doubts import injected

GROUPS = (UPOS, FEATS, LEMMA, SUBTYPE, XPOS)
"""The groups of columns that are no arcs."""


def plant_errors(
    trees: Sequence[Tree], number: int, seed: int
) -> tuple[list[Tree], dict[tuple[int, int], tuple[str, str]]]:
    """Return trees with errors in each group of columns, and the column and the right value of each error by
    sentence and word.

    A word gets the value of another word of the same tag (of a tag: of any word; of a lemma: the form with
    another edit that is frequent).

    Args:
        trees: a treebank.
        number: how many errors each group gets.
        seed: of the random numbers.
    """
    draw = np.random.default_rng(seed)
    words = [(i, word) for i, tree in enumerate(trees) for word in range(1, len(tree) + 1)]
    order = iter(draw.permutation(len(words)).tolist())
    broken, planted = list(trees), {}
    for group in GROUPS:
        columns = [column for column in value_columns(trees) if group_of(column) == group]
        usable = {column: doubted_words(trees, column) for column in columns}
        pools = {column: _pools(trees, column) for column in columns}
        left = number if any(flags.any() for flags in usable.values()) else 0
        while left:
            place = next(order, None)
            if place is None:
                break
            i, word = words[place]
            fitting = [column for column in columns if usable[column][place]]
            if not fitting:
                continue
            column = fitting[int(draw.integers(len(fitting)))]
            tree = broken[i]
            value = values_in(tree, column)[word - 1]
            pool = pools[column].get(_pool_of(tree, word, column), [])
            if not pool:
                continue
            lent = pool[int(draw.integers(len(pool)))]
            other = lent.apply(tree.forms[word - 1]) if isinstance(lent, LemmaEdit) else lent
            if (not other and column == LEMMA) or not are_alternatives(column)(other, value):
                continue
            broken[i] = tree.with_value(word, column, other)
            planted[i, word] = (column, value)
            left -= 1
    return broken, planted


ARC_KINDS = {HEAD: ("relation", "head", "grandparent"), PUNCT: ("head",)}
"""The kinds of wrong arcs (`doubts.KINDS`), each of which is an error of one word."""


def plant_arcs(trees: Sequence[Tree], number: int, seed: int) -> list[Tree]:
    """Return trees with wrong arcs of words, and with wrong heads of punctuation; one in a tree at most.

    Args:
        trees: a treebank.
        number: how many errors each of the two groups gets, as far as there are trees.
        seed: of the random numbers.
    """
    draw = np.random.default_rng(seed)
    relations: dict[str, list[str]] = defaultdict(list)
    for tree in trees:
        for tag, deprel in zip(tree.upos, tree.deprels, strict=True):
            if deprel != "root":
                relations[tag].append(deprel)
    words = [(i, word) for i, tree in enumerate(trees) for word in range(1, len(tree) + 1)]
    order = iter(draw.permutation(len(words)).tolist())
    broken, changed = list(trees), set[int]()
    for group, kinds in ARC_KINDS.items():
        left = number
        for place in order:
            i, word = words[place]
            tag = trees[i].upos[word - 1]
            if i in changed or (tag == PUNCTUATION) != (group == PUNCT):
                continue
            wrong = injected(broken[i], word, kinds[left % len(kinds)], relations[tag], draw)
            if wrong is not None:
                broken[i], left = wrong, left - 1
                changed.add(i)
            if not left:
                break
    return broken


def _pool_of(tree: Tree, word: int, column: str) -> str:
    """Return which words lend a word their values: those of the same tag, or relation."""
    if column == UPOS:
        return ""
    return universal(tree.deprels[word - 1]) if column == SUBTYPE else tree.upos[word - 1]


def _pools(trees: Sequence[Tree], column: str) -> dict[str, list]:  # type: ignore[type-arg]
    """Return the values of words, or how their lemmas are made, by what they have in common."""
    pools: dict[str, list] = defaultdict(list)  # type: ignore[type-arg]
    for tree in trees:
        for word, value in enumerate(values_in(tree, column), start=1):
            if tree.upos[word - 1] != "PUNCT":
                lent = edit_of(tree.forms[word - 1], value) if column == LEMMA else value
                pools[_pool_of(tree, word, column)].append(lent)
    return pools
