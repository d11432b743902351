"""Draw sentences of the treebanks that parsers learn from."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from learnability.extending import (
    Release,
    Sentence,
    Treebank,
    TreebankFiles,
    list_treebanks,
    origin_of_treebank,
)

DEVELOPMENT = 10
"""One word to stop by for this many words to learn from."""


@dataclass(frozen=True)
class SourceTreebank:
    """Hold the sentences of a treebank from which parsers learn, without their lines.

    Attributes:
        files: the SHA-256 of each file.
        version: the major version of the guidelines that it follows.
        marks_names: whether it marks names with `flat:name`.
    """

    name: str
    sentences: tuple[Sentence, ...]
    files: dict[str, str]
    version: int
    marks_names: bool
    warnings: tuple[str, ...]

    def draw(self, words: int, *seeds: int) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        """Return sentences to learn from, with about this many words, and others to stop by."""
        order = np.random.default_rng([*seeds, zlib.crc32(self.name.encode())]).permutation(
            len(self.sentences)
        )
        shuffled = [self.sentences[i] for i in order]
        kept = -(-len(shuffled) // (DEVELOPMENT + 1))  # a small treebank has some to stop by, too
        learned = take_words(shuffled[:-kept], words)
        return learned, take_words(shuffled[-kept:], words // DEVELOPMENT)


def take_words(sentences: Sequence[Sentence], words: int) -> tuple[Sentence, ...]:
    """Return the first sentences, with the number of words that is nearest to the one asked for."""
    if not sentences:
        return ()
    totals = np.cumsum([len(sentence) for sentence in sentences])
    return tuple(sentences[: int(np.abs(totals - words).argmin()) + 1])


def largest_treebanks(ud_home: str | None, release: str) -> list[TreebankFiles]:
    """Return the largest treebank of each language, by the size of its files, in the order of their names.

    Without a `release`: of the newest that is there.
    """
    if not release:
        release = max((files.release for files in list_treebanks(ud_home)), key=Release.key, default="")
    largest: dict[str, tuple[int, TreebankFiles]] = {}
    for files in list_treebanks(ud_home, release=release):
        size = sum(path.stat().st_size for path in files.paths())
        language = origin_of_treebank(files.name, files.paths()).language
        if size > largest.get(language, (0, files))[0]:
            largest[language] = size, files
    return sorted((files for _, files in largest.values()), key=lambda files: files.name)


Read = Callable[[TreebankFiles], Treebank]

_kept: dict[object, SourceTreebank] = {}
"""The sources that this process has read: all targets learn from the same ones."""


def read_source(files: TreebankFiles, read: Read) -> SourceTreebank:
    """Return a source: read once, however many targets learn from it."""
    state = tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files.paths())
    if state not in _kept:
        treebank = read(files)
        everything = chain.from_iterable(part for _, part in treebank.splits())
        _kept[state] = SourceTreebank(
            files.name,
            tuple(replace(sentence, lines=(), rows=()) for sentence in everything),
            treebank.files,
            treebank.conventions.version,
            treebank.conventions.flat_name,
            tuple(f"{treebank.name}: {line}" for line in treebank.warnings),
        )
    return _kept[state]
