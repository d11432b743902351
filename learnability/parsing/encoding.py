"""Encode sentences as flat arrays, the input of the kernels.

Every string is hashed to a 64-bit number (BLAKE2), so no vocabulary is kept: a form that did not occur
in training simply has no weights. Two strings have the same number with probability 2^-64 per pair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing.bundles import bundle
from learnability.parsing.features import COLUMNS
from learnability.parsing.jit import Flags, Ints, Keys
from learnability.parsing.templates import TAGS
from learnability.treebanks.labels import ROOT_LABEL, UNKNOWN_RELATION
from learnability.treebanks.sentence import ROOT, Tree, is_known

PADDING = 3
"""The number of positions of a sentence besides its tokens: root first, root last, absent."""

UNKNOWN_LABEL = -1
"""Stands for a deprel that is not among the labels: its arc teaches no label."""

UNLABELLED = np.zeros(0, np.int32)
"""Replaces the labels of a corpus in unlabelled training."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Hold the labels that a parser learns.

    Attributes:
        names: the labels, by number; none if the parser is unlabelled.
        of_roots: those of root words. A single one is the label of every root word. Of several, the parser
            chooses.
    """

    names: tuple[str, ...] = ()
    of_roots: tuple[str, ...] = (ROOT_LABEL,)

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Self:
        return cls.of_arcs(arc for tree in trees for arc in zip(tree.heads, tree.deprels, strict=True))

    @classmethod
    def of_arcs(cls, arcs: Iterable[tuple[int, str]]) -> Self:
        """Return the labels of arcs, each a head (0: the root) and a deprel."""
        found = {(head == ROOT, deprel) for head, deprel in arcs}
        names = tuple(sorted({deprel for _, deprel in found}))
        return cls(names, tuple(sorted(deprel for is_root, deprel in found if is_root)))

    @property
    def root_mask(self) -> Flags:
        """Return uint8[labels], 1 for the labels of root words; empty where these have a single label."""
        if len(self.of_roots) < 2:
            return NO_CHOICE
        return np.array([name in self.of_roots for name in self.names], np.uint8)

    def deprels(self, heads: Iterable[int], numbers: Iterable[int]) -> list[str]:
        """Return the deprels of words.

        The deprel is `dep` for a missing label, and for `root` at another word than a root word, because the
        official validator requires it.
        """
        named = (UNKNOWN_RELATION, *self.names)
        others = [UNKNOWN_RELATION if name == ROOT_LABEL else name for name in named]
        roots = self.of_roots * len(named) if len(self.of_roots) == 1 else named
        return [(others if head else roots)[number] for head, number in zip(heads, numbers, strict=True)]


NO_LABELS = Labels()
"""The labels of a parser that learns none."""

NO_CHOICE = np.zeros(0, np.uint8)
"""Replaces the mask of the labels of root words where there is nothing to choose."""


@bundle
class Corpus(NamedTuple):
    """Hold the encoded tokens of a corpus, without its trees.

    Attributes:
        start: int64[sentences], the row of each sentence's position 0.
        length: int32[sentences], the number of tokens.
        attributes: uint64[rows, columns], the token attributes of every position.
    """

    start: NDArray[np.int64]
    length: Ints
    attributes: Keys

    def tokens(self) -> int:
        return int(self.length.sum())

    def rows_of_tokens(self) -> NDArray[np.int64]:
        """Return int64[tokens], the row of each token, in order."""
        tokens_before = np.cumsum(self.length, dtype=np.int64) - self.length
        return np.repeat(self.start + 1 - tokens_before, self.length) + np.arange(self.tokens())


Encode = Callable[[Sequence[Tree]], Corpus]
"""A function that encodes sentences for the kernels."""


def string_number(text: str) -> int:
    """Return the 64-bit number of a string, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def encode_tokens(trees: Sequence[Tree], *, tags: str = "gold", columns: tuple[str, ...] = COLUMNS) -> Corpus:
    """Encode the tokens of the sentences, one row per token and `PADDING` further rows per sentence.

    Args:
        trees: the sentences; their heads and deprels are not read.
        tags: the tag attribute, one of `templates.TAGS`: gold (UPOS), xpos, none, or only (no words).
        columns: the attributes to encode, as `features.columns_of` lists them.

    Raises:
        InputError: `tags` is unknown, or no token has a tag. (A parser trained with tags would parse such
            text badly without any sign of it.)
    """
    check_tags(trees, tags)
    return join_rows([encode_rows(trees, tags=tags, columns=columns)], [len(tree) for tree in trees])


def check_tags(trees: Sequence[Tree], tags: str) -> None:
    """Raise the InputError of :func:`encode_tokens` if the sentences have no tags for this setting."""
    if tags not in TAGS:
        raise InputError(f"`tags={tags!r}` is not accepted; choose one of {', '.join(TAGS)}")
    if trees and not are_tagged(trees, tags):
        raise InputError(
            f"no token has {TAG_COLUMNS[tags]}, which the parser reads; tag the text, or train with "
            "`tags='none'`"
        )


def encode_rows(trees: Sequence[Tree], *, tags: str = "gold", columns: tuple[str, ...] = COLUMNS) -> Keys:
    """Return uint64[rows, columns], the rows of the sentences in a corpus, each by itself."""
    rows = sum(map(len, trees)) + PADDING * len(trees)
    attributes = np.zeros((rows, len(columns)), np.uint64)
    trees = [tree.as_seen(tags) for tree in trees]
    for j, column in enumerate(columns):
        root, absent = string_number(f"{column} ROOT"), string_number(f"{column} ABSENT")
        of_value, numbers = cache(partial(_value_number, column)), list[int]()
        for tree in trees:
            numbers += [root, *map(of_value, _texts(tree, column)), root, absent]
        attributes[:, j] = np.array(numbers, np.uint64)
    return attributes


def join_rows(rows: Sequence[Keys], lengths: Sequence[int]) -> Corpus:
    """Return the corpus of sentences with these rows (:func:`encode_rows`) and numbers of tokens."""
    length = np.array(lengths, np.int32)
    start = np.zeros(len(lengths), np.int64)
    np.cumsum(length[:-1] + PADDING, out=start[1:])
    return Corpus(start, length, rows[0] if len(rows) == 1 else np.concatenate(rows))


TAG_COLUMNS = {"gold": "UPOS", "xpos": "XPOS", "only": "UPOS"}
"""The columns that parsers read as tags, by the tag attribute; none reads no column."""


def are_tagged(trees: Iterable[Tree], tags: str) -> bool:
    """Return whether a token has what a parser with this setting of `tags` reads; true if it reads none."""
    return tags not in TAG_COLUMNS or any(is_known(tree.as_seen(tags).upos) for tree in trees)


@lru_cache(maxsize=1 << 16)
def _value_number(column: str, text: str) -> int:
    """Return the number of an attribute's value; for affixes, cut the affix out of the form first."""
    kind, length = column[0], column[1:]
    if length.isdigit():
        text = text[: int(length)] if kind == "p" else text[-int(length) :]
    return string_number(f"{column}={text}")


def _texts(tree: Tree, column: str) -> Sequence[str]:
    """Return the strings from which the values of one attribute are computed, one per token."""
    texts = {"w": tree.forms, "p": tree.upos, "x": tree.xpos, "f": tree.feats, "m": tree.lemmas}
    if column in texts:
        return texts[column] or ("",) * len(tree)
    if column == "wp":
        return [f"{form}\t{tag}" for form, tag in zip(tree.forms, tree.upos, strict=True)]
    return tree.forms


def encode_heads(corpus: Corpus, heads: Sequence[Sequence[int]]) -> Ints:
    """Return int32[rows], each token's head in the numbering of its sentence (0: the root); 0 at padding."""
    flat, rows = np.zeros(corpus.attributes.shape[0], np.int32), corpus.rows_of_tokens()
    flat[rows] = np.fromiter(chain.from_iterable(heads), np.int32, sum(map(len, heads)))
    return flat


def encode_trees(trees: Sequence[Tree], encode: Encode) -> tuple[Corpus, Ints]:
    """Return the encoded tokens of the trees, and their heads as :func:`encode_heads` returns them."""
    corpus = encode(trees)
    return corpus, encode_heads(corpus, [tree.heads for tree in trees])


def encode_labels(corpus: Corpus, deprels: Sequence[Sequence[str]], labels: Sequence[str]) -> Ints:
    """Return int32[rows], the index of every token's deprel in `labels`, or `UNKNOWN_LABEL`; 0 at padding."""
    number = {label: i for i, label in enumerate(labels)}
    return encode_heads(corpus, [[number.get(d, UNKNOWN_LABEL) for d in sentence] for sentence in deprels])
