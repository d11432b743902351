"""What a later release changed in the columns of a treebank, and what classifiers say of its values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.comparing.fold import read_folds
from learnability.comparing.options import DataOptions
from learnability.extensions.doubts.cells import score_columns
from learnability.extensions.doubts.column_evidence import DoubtedColumn, doubt_column
from learnability.extensions.doubts.columns import SUBTYPE, group_of, value_columns, values_in
from learnability.extensions.doubts.results import ColumnScores
from learnability.extensions.doubts.words import ColumnWords
from learnability.treebanks.labels import universal
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.sentence import Sentence, Tree
from learnability.treebanks.splits import read_treebank
from research.doubts.doubts import SYSTEMATIC, Flags, Floats, matched

FOLDS = 5


def sentences_of(files: TreebankFiles) -> list[Sentence]:
    """Return all sentences of a treebank."""
    return [s for _, part in read_treebank(files, multiple_roots=True).splits() for s in part]


@dataclass(frozen=True, eq=False)
class Rows:
    """The doubted values of a group of columns, one after the other.

    Attributes:
        words: int64[rows], the index of the word.
        kinds: for each row the column, the tag and both values; None where the value was not corrected.
        evidence: float64[rows] by name.
        is_right: bool[rows], whether the proposal is what the later release has.
    """

    words: NDArray[np.int64]
    kinds: Sequence[tuple[str, ...] | None]
    evidence: Mapping[str, Floats]
    is_right: Flags

    @cached_property
    def corrected(self) -> Flags:
        """Return bool[rows], which values were corrected."""
        return np.array([kind is not None for kind in self.kinds], bool)


@dataclass(frozen=True, eq=False)
class Compared:
    """A treebank with the doubts about its values and what a later release changed.

    Attributes:
        name, release: of the treebank.
        trees: of the old release.
        later: the same sentences in the new one; None for a sentence that it does not have.
        folds: how the classifiers see the columns, fold by fold; none if only the changes matter.
    """

    name: str
    release: str
    trees: Sequence[Tree]
    later: Sequence[Tree | None]
    folds: Sequence[Sequence[ColumnScores]] = ()

    @cached_property
    def language(self) -> str:
        """Return the language of the treebank."""
        return self.name.removeprefix("UD_").partition("-")[0]

    @cached_property
    def known(self) -> Flags:
        """Return bool[words], which words the later release has in the same sentence, without punctuation."""
        return np.array(
            [
                later is not None and tag != "PUNCT"
                for tree, later in zip(self.trees, self.later, strict=True)
                for tag in tree.upos
            ]
        )

    @cached_property
    def tags(self) -> list[str]:
        """Return the tag of each word."""
        return [tag for tree in self.trees for tag in tree.upos]

    @cached_property
    def columns(self) -> list[str]:
        """Return the columns of either release."""
        later = [tree for tree in self.later if tree is not None]
        return list(dict.fromkeys([*value_columns(self.trees), *value_columns(later)]))

    def changes(self, column: str) -> dict[int, tuple[str, ...]]:
        """Return the corrected words: the column, the tag and both values by the index of the word.

        A subtype is corrected if the universal relation stays.
        """
        found: dict[int, tuple[str, ...]] = {}
        word = 0
        for tree, later in zip(self.trees, self.later, strict=True):
            new = values_in(later or tree, column)
            for tag, old, value in zip(tree.upos, values_in(tree, column), new, strict=True):
                same = column != SUBTYPE or universal(old) == universal(value)
                if later is not None and tag != "PUNCT" and old != value and same:
                    found[word] = (column, tag, old, value)
                word += 1
        return found

    def changed(self, group: str) -> dict[int, list[tuple[str, ...]]]:
        """Return what was corrected of each word in the columns of a group, or in one column."""
        found: dict[int, list[tuple[str, ...]]] = defaultdict(list)
        for column in self.columns:
            if group in (column, group_of(column)):
                for word, kind in self.changes(column).items():
                    found[word].append(kind)
        return found

    @cached_property
    def doubted(self) -> list[DoubtedColumn]:
        """Return the doubts about each column."""
        words = ColumnWords(self.trees)
        return [doubt_column(words, of_column) for of_column in zip(*self.folds, strict=True)]

    def rows(self, group: str) -> Rows:
        """Return the doubts about the columns of a group, or about one column."""
        parts = [
            each for each in self.doubted if group in (each.column, group_of(each.column)) and len(each.words)
        ]
        kinds: list[tuple[str, ...] | None] = []
        right: list[bool] = []
        for part in parts:
            changes, new = self.changes(part.column), self.new_values(part.column)
            kinds += [changes.get(word) for word in part.words.tolist()]
            names = part.names
            right += [
                names[p] == new[word]
                for word, p in zip(part.words.tolist(), part.proposed.tolist(), strict=True)
            ]
        evidence = {
            name: np.concatenate([part.evidence[name] for part in parts])
            for name in parts[0].evidence
            if all(name in part.evidence for part in parts)
        }
        return Rows(np.concatenate([part.words for part in parts]), kinds, evidence, np.array(right, bool))

    def new_values(self, column: str) -> list[str]:
        """Return the value of each word in the later release; the old one where that lacks the sentence."""
        pairs = zip(self.trees, self.later, strict=True)
        return [value for tree, later in pairs for value in values_in(later or tree, column)]


def sporadic_kinds(changed: Mapping[int, Sequence[tuple[str, ...]]]) -> set[tuple[str, ...]]:
    """Return the kinds of corrections that are not systematic."""
    count = Counter(kind for kinds in changed.values() for kind in kinds)
    return {kind for kind, number in count.items() if number < SYSTEMATIC}


def compared(old: Path, new: Path, names: Sequence[str], kept: Path | None) -> Iterator[Compared]:
    """Yield the treebanks of two releases; with a folder to keep what classifiers say, that too."""
    listed = {files.name: files for files in list_treebanks(new)}
    for before in list_treebanks(old):
        if before.name in listed and (not names or before.name in names):
            sentences = sentences_of(before)
            pairs = matched(sentences, sentences_of(listed[before.name]))
            later = [other.tree if other else None for other in pairs]
            folds = scored(before, kept) if kept else ()
            yield Compared(before.name, before.release, [s.tree for s in sentences], later, folds)


def scored(files: TreebankFiles, kept: Path, name: str = "") -> list[list[ColumnScores]]:
    """Return how the classifiers of the other folds see each fold, as `doubts` trains them.

    Args:
        files: the treebank.
        kept: the folder in which this is kept.
        name: what kind of copy of the treebank it is.
    """
    path = kept / f"{files.name}-{name or files.release}.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=list[list[ColumnScores]])
    found = []
    for fold in read_folds(files, DataOptions(cross_validate=FOLDS, multiple_roots=True)):
        train = [sentence.tree for part in (fold.train, fold.dev) for sentence in part]
        test = [sentence.tree for sentence in fold.test]
        found.append(score_columns(train, test, value_columns([*train, *test]), 1))
    kept.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(found))
    return found
