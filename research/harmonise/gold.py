"""The four Latin treebanks before and after they were harmonised by hand, and which words a hand changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from learnability.annotation_diffs.version import Version, files_named
from learnability.extensions.harmonise.words import Flags
from learnability.treebanks.sentence import Sentence
from learnability.treebanks.splits import read_treebank

BEFORE, AFTER = "ud-2.10", "harmonised"
FITTED, MEASURED = ("ITTB", "LLCT"), ("PROIEL", "UDante")
NAMES = (*FITTED, *MEASURED)


@dataclass(frozen=True)
class Gold:
    """Which words of a treebank a hand changed; the arrays have an entry for each word.

    Attributes:
        before, after: both versions.
        compared: the words of test sentences that have the same words in both.
        heads: the words with another head.
        arcs: the words with another head or relation.
    """

    before: Version
    after: Version
    compared: Flags
    heads: Flags
    arcs: Flags


def read_version(folder: Path, name: str) -> Version:
    files = files_named(str(folder / f"UD_Latin-{name}"))
    return Version.of_treebank(read_treebank(files, multiple_roots=True), name)


def read_gold(folder: Path, name: str) -> Gold:
    before, after = (read_version(folder / part, name) for part in (BEFORE, AFTER))
    by_id = {(split, s.sent_id): s for split, s in zip(after.sets, after.sentences, strict=True)}
    compared, heads, arcs = [], [], []
    for split, sentence in zip(before.sets, before.sentences, strict=True):
        other = by_id.get((split, sentence.sent_id))
        is_same = other is not None and other.tree.forms == sentence.tree.forms
        compared += [is_same and split == "test"] * len(sentence)
        pair = changed_words(sentence, other if is_same and other is not None else sentence)
        heads += pair[0]
        arcs += pair[1]
    return Gold(before, after, np.array(compared), np.array(heads), np.array(arcs))


def changed_words(before: Sentence, after: Sentence) -> tuple[list[bool], list[bool]]:
    """Return for each word whether its head changed, and whether its head or relation did."""
    first, second = before.tree, after.tree
    heads = [old != new for old, new in zip(first.heads, second.heads, strict=True)]
    relations = [old != new for old, new in zip(first.deprels, second.deprels, strict=True)]
    return heads, [head or relation for head, relation in zip(heads, relations, strict=True)]
