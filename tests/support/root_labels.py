"""Root words with several labels, and what every parser makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from corpora import random_treebank

from learnability.parsing.iterations import CorpusParser
from learnability.treebanks.sentence import Tree

Train = Callable[[Sequence[Tree]], tuple[CorpusParser, Sequence[Tree]]]
"""Trains a parser on trees, and parses `UNSEEN`."""

OF_ROOTS = ("FINV", "FRAG", "obj")
"""The last one is also the label of other words."""


def with_root_labels(trees: Iterable[Tree], names: Sequence[str] = OF_ROOTS) -> list[Tree]:
    """The trees with labels of root words that follow from their tags."""
    number = {"VERB": 0, "NOUN": 1}
    labelled = []
    for tree in trees:
        columns = zip(tree.heads, tree.upos, tree.deprels, strict=True)
        deprels = [old if head else names[number.get(tag, 2) % len(names)] for head, tag, old in columns]
        labelled.append(tree.with_heads(tree.heads, deprels))
    return labelled


def of_roots(trees: Iterable[Tree]) -> list[str]:
    return [name for tree in trees for head, name in zip(tree.heads, tree.deprels, strict=True) if not head]


TRAIN = with_root_labels(random_treebank(seed=3, sentences=60))
UNSEEN = random_treebank(seed=8, sentences=60, longest=9)


def check_root_labels(train: Train, *, is_sure: bool = True) -> Sequence[Tree]:
    """Root words of the parses have a label of root words, mostly the right one if the parser `is_sure`."""
    parser, parsed = train(TRAIN)
    assert parser.root_labels == OF_ROOTS
    names = of_roots(parsed)
    assert {*names} <= {*OF_ROOTS}
    gold = of_roots(with_root_labels(parsed))  # what the tags of the root words found say
    assert len({*gold}) == len(OF_ROOTS)
    if is_sure:
        assert sum(map(str.__eq__, names, gold)) > 0.8 * len(gold)
    others = {name for tree in parsed for head, name in zip(tree.heads, tree.deprels, strict=True) if head}
    assert "root" not in others
    return parsed


def check_single_label(train: Train) -> None:
    """A single label is that of every root word; the rest is the same under any name that sorts alike."""
    parses = {}
    for name in ("root", "rook"):
        parser, parsed = train(with_root_labels(TRAIN, [name]))
        assert parser.root_labels == (name,)
        assert {*of_roots(parsed)} == {name}
        parses[name] = parsed
    for one, other in zip(*parses.values(), strict=True):
        assert one.heads == other.heads
        # elsewhere `root` is not allowed, any other label is
        assert one.deprels == tuple(
            {"rook": "dep"}.get(name, name) if head else "root"
            for head, name in zip(other.heads, other.deprels, strict=True)
        )
