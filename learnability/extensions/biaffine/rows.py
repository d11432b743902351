"""Put sentences into rows of few widths, so that few compiled programs serve every treebank.

A row holds as many sentences as fit into it, each with its root; the network keeps them apart. So nearly no
position is empty, and only sentences of more than `WIDTH` - 1 words need another program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.extensions.biaffine.network import AFFIXES, FORMS, TAGS, Batch
from learnability.extensions.biaffine.word_vectors import WordVectors
from learnability.parsing.encoding import UNKNOWN_LABEL, Corpus
from learnability.parsing.jit import Ints, Keys

COLUMNS = ("w", "p", "p1", "p2", "p3", "s1", "s2", "s3", "s4")
"""The attributes of a word that the network reads: its form, its tag, and affixes of the form."""

WIDTH = 64
"""Positions of a row; twice as many, and so on, where a sentence is longer."""

POSITIONS = 256
"""Positions of a batch; those of a single row where it is longer."""

OPEN_ROWS = 16
"""The rows to which a sentence may be added while they are filled."""


class PackedSentence(NamedTuple):
    """Say where a sentence stands: its number in the corpus, its row and the position of its root."""

    sentence: int
    row: int
    root: int


class PackedBatch(NamedTuple):
    """Hold rows of one width as the network reads them, and where each sentence stands."""

    batch: Batch
    places: list[PackedSentence]


@dataclass(frozen=True)
class Vocabulary:
    """Hold the words, affixes and tags of the training sentences by their rows in the tables of embeddings.

    Row 0 stands for what did not occur, and for forms with one occurrence.

    Attributes:
        forms: uint64, sorted, the most frequent forms with two or more occurrences.
        tags: uint64, sorted, the most frequent tags.
        affixes: uint64, sorted; an affix has the row that its number selects.
        vectors: word vectors; None without a file.
    """

    forms: Keys
    tags: Keys
    affixes: Keys
    vectors: WordVectors | None = None

    @classmethod
    def of(cls, corpus: Corpus, vectors: WordVectors | None) -> Vocabulary:
        """Return the vocabulary of training sentences."""
        roots = corpus.start[:1]
        rows = np.concatenate([corpus.rows_of_tokens(), roots])
        attributes = corpus.attributes[rows]
        forms = _most_frequent(attributes[:, 0], FORMS - 1, least=2)
        tags = _most_frequent(attributes[:, 1], TAGS - 1, least=1)
        return cls(forms, tags, np.unique(attributes[:, 2:]), vectors)

    @property
    def dimensions(self) -> int:
        """Return the dimensions of the word vectors; 0 without them."""
        return self.vectors.dimensions if self.vectors else 0

    def rows(self, corpus: Corpus) -> TableRows:
        """Return the rows of the tables for every position of a corpus."""
        attributes = corpus.attributes
        if self.vectors:
            self.vectors.read(attributes[:, 0])
        hashed = (attributes[:, 2:] % np.uint64(AFFIXES - 1) + np.uint64(1)).astype(np.int32)
        hashed[_index(self.affixes, attributes[:, 2:]) == 0] = 0
        return TableRows(
            _index(self.forms, attributes[:, 0]),
            _index(self.tags, attributes[:, 1]),
            hashed,
            attributes[:, 0],
        )


class TableRows(NamedTuple):
    """Hold rows of the tables of embeddings (int32) and the form's number for each position of a corpus."""

    form: Ints
    tag: Ints
    affixes: Ints
    number: Keys


def _most_frequent(values: Keys, most: int, least: int) -> Keys:
    """Return, sorted, the `most` values that occur most often, without those that occur less than `least`."""
    different, counts = np.unique(values, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:most]
    return np.sort(different[frequent[counts[frequent] >= least]])


def _index(known: Keys, values: Keys) -> Ints:
    """Return 1 + the index of each value in `known`, which is sorted; 0 where it is not there."""
    if not len(known):
        return np.zeros(values.shape, np.int32)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, at + 1, 0).astype(np.int32)


@dataclass(frozen=True)
class PackedCorpus:
    """Hold a corpus whose sentences are put into rows, in any order.

    Attributes:
        corpus: the sentences.
        vocabulary: of the training sentences.
        heads: int32[rows of the corpus], gold heads; None in parsing.
        labels: int32[rows of the corpus], gold labels; None in parsing or if unlabelled.
    """

    corpus: Corpus
    vocabulary: Vocabulary
    heads: Ints | None = None
    labels: Ints | None = None

    @cached_property
    def table(self) -> TableRows:
        """Return the rows of the tables of embeddings."""
        return self.vocabulary.rows(self.corpus)

    def batches(self, order: NDArray[np.int64], random: np.random.Generator | None) -> Iterator[PackedBatch]:
        """Yield all sentences in batches.

        Args:
            order: int64, indices of sentences, in which they are put into rows.
            random: shuffles the batches; None leaves them as they are.
        """
        rows = filled_rows(self.corpus.length[order] + 1)
        widths = sorted({width for width, _ in rows})
        batches: list[tuple[int, list[list[int]]]] = []
        for width in widths:
            of_width = [members for row_width, members in rows if row_width == width]
            count = max(1, POSITIONS // width)
            batches += [(width, of_width[i : i + count]) for i in range(0, len(of_width), count)]
        for i in random.permutation(len(batches)) if random is not None else range(len(batches)):
            width, members = batches[i]
            yield self._fill_batch(width, [[int(order[k]) for k in row] for row in members])

    def _fill_batch(self, width: int, rows: Sequence[Sequence[int]]) -> PackedBatch:
        """Return a batch of these sentences."""
        count = max(1, POSITIONS // width)
        at = np.full((count, width), -1, np.int64)  # the row of the corpus
        sentence = np.full((count, width), -1, np.int32)
        offset = np.zeros((count, width), np.int32)
        places = []
        for row, members in enumerate(rows):
            root = 0
            for number, k in enumerate(members):
                start, size = self.corpus.start[k], self.corpus.length[k] + 1
                part = slice(root, root + size)
                at[row, part] = np.arange(start, start + size)
                sentence[row, part], offset[row, part] = number, root
                places.append(PackedSentence(k, row, root))
                root += size
        empty = at < 0
        word = ~empty
        for place in places:
            word[place.row, place.root] = False
        table, zeros = self.table, np.zeros((count, width), np.int32)

        def taken(values: NDArray[np.int32]) -> Ints:
            found: Ints = values[at]
            found[empty] = 0
            return found

        heads = zeros if self.heads is None else taken(self.heads) + offset
        labels = zeros + UNKNOWN_LABEL if self.labels is None else taken(self.labels)
        vectors = self.vocabulary.vectors
        vector = np.zeros((count, width, 0), np.float32)
        if vectors is not None:
            vector = vectors.of(table.number[at])
            vector[~word] = 0.0
        batch = Batch(
            taken(table.form), taken(table.tag), taken(table.affixes), vector, sentence,
            np.where(word, heads, 0).astype(np.int32), labels, word,
            np.arange(width, dtype=np.int32),
        )  # fmt: skip
        return PackedBatch(batch, places)


def width_of(size: int) -> int:
    """Return the width of the row for a sentence, by the number of positions that it takes."""
    width = WIDTH
    while width < size:
        width *= 2
    return width


def filled_rows(sizes: Ints) -> list[tuple[int, list[int]]]:
    """Return rows as their width and the indices of their sentences, which are put in where they fit first.

    Args:
        sizes: the positions that each sentence takes.
    """
    rows: list[tuple[int, list[int]]] = []
    opened: dict[int, list[tuple[int, list[int]]]] = {}
    for index, size in enumerate(sizes.tolist()):
        width = width_of(size)
        candidates = opened.setdefault(width, [])
        for i, (used, members) in enumerate(candidates):
            if used + size <= width:
                members.append(index)
                candidates[i] = (used + size, members)
                break
        else:
            candidates.append((size, [index]))
            if len(candidates) > OPEN_ROWS:
                fullest = max(range(len(candidates)), key=lambda i: candidates[i][0])
                rows.append((width, candidates.pop(fullest)[1]))
    return rows + [(width, members) for width, row in opened.items() for _, members in row]
