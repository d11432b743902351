"""Read word vectors from text files of word2vec, fastText or GloVe: a word and its numbers per line.

The file is read once to find the words; the vectors of words that occur are read when they are needed,
because a file may hold several gigabytes. Words are kept as the numbers that sentences are encoded with. A
word that the file lacks with a capital letter has the vector of the same word in lower case. Vectors have
length 1.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError, explain_errors
from learnability.parsing.encoding import string_number
from learnability.parsing.jit import Keys, Scores
from learnability.support.nouns import count_noun

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

LONGEST_LINE = 200_000
"""Bytes; a longer line is taken for a sign that the file is no text."""

ADVICE = "give word vectors as unpacked text, a word and its numbers per line"


@dataclass(frozen=True)
class WordVectors:
    """Hold the vectors of a file.

    Attributes:
        path: the file.
        dimensions: of the vectors.
        words: the number of words in the file.
        numbers: uint64, sorted, the forms that have a vector, as `encoding` numbers them.
        offsets: int64, where the line of each begins in the file.
        seen: the vectors that were read, by offset.
    """

    path: str
    dimensions: int
    words: int
    numbers: Keys
    offsets: NDArray[np.int64]
    seen: dict[int, Scores] = field(default_factory=dict, repr=False, compare=False)

    def covers(self, numbers: Keys) -> NDArray[np.bool_]:
        """Return which of these forms have a vector."""
        return np.asarray(self.numbers[self._rows(numbers)] == numbers)

    def read(self, numbers: Keys) -> None:
        """Read the vectors of forms that will be asked for, in the order of the file.

        Args:
            numbers: uint64, the forms as `encoding` numbers them.

        Raises:
            InputError: the file cannot be read, or a vector has a mistake.
        """
        offsets = np.unique(self.offsets[self._rows(numbers[self.covers(numbers)])]).tolist()
        missing = [offset for offset in offsets if offset not in self.seen]
        if not missing:
            return
        with _explain(self.path), open(self.path, "rb") as file:
            for offset in missing:
                file.seek(offset)
                self.seen[offset] = _vector(self.path, file.readline(LONGEST_LINE), self.dimensions)

    def of(self, numbers: Keys) -> Scores:
        """Return float32[..., dimensions], the vectors of forms; zeros where there is none.

        Args:
            numbers: uint64, the forms as `encoding` numbers them.

        Raises:
            InputError: the file cannot be read, or a vector has a mistake.
        """
        forms, inverse = np.unique(numbers, return_inverse=True)
        self.read(forms)
        vectors = np.zeros((len(forms), self.dimensions), np.float32)
        for row in np.flatnonzero(self.covers(forms)):
            vectors[row] = self.seen[int(self.offsets[self._rows(forms[row])])]
        return vectors[inverse].reshape(*numbers.shape, self.dimensions)

    def _rows(self, numbers: Keys) -> NDArray[np.int64]:
        """Return the row of each form, or another one if it has no vector."""
        return np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)


def form_number(form: str) -> int:
    """Return the number of a form in the column `w` of a corpus."""
    return string_number(f"w={form}")


def read_vectors(path: str) -> WordVectors:
    """Return the word vectors of a file.

    Raises:
        InputError: the file cannot be read or is no text file of vectors; the message is one line.
    """
    return _read(path, *_state(path))


def vectors_digest(path: str) -> str:
    """Return the SHA-256 of a file, by which a run knows that it has not changed.

    Raises:
        InputError: the file cannot be read.
    """
    return _digest(path, *_state(path))


def _explain(path: str) -> AbstractContextManager[None]:
    return explain_errors(f"{path}: the word vectors cannot be read", "give a readable file")


def _state(path: str) -> tuple[int, int]:
    """Return when a file was written, in nanoseconds, and its size in bytes."""
    with _explain(path):
        state = os.stat(path)
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=2)
def _read(path: str, modified: int, size: int) -> WordVectors:
    forms, offsets = array("Q"), array("q")
    spellings, their_offsets = array("Q"), array("q")
    with _explain(path), open(path, "rb") as file:
        if file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
            file.seek(0)
        offset, first = file.tell(), file.readline(LONGEST_LINE)
        parts = first.split()
        has_header = len(parts) == 2 and all(part.isdigit() and len(part) < 10 for part in parts)
        dimensions = int(parts[1]) if has_header else len(parts) - 1
        if dimensions < 2:
            raise InputError(f"{path}: line 1 is neither a header (words, dimensions) nor a vector; {ADVICE}")
        if has_header:
            offset, first = file.tell(), file.readline(LONGEST_LINE)
        line = first
        while line:
            word, *numbers = line.rsplit(None, dimensions) or [b""]
            if len(numbers) != dimensions:
                where = f"line {len(forms) + 1 + has_header}"
                raise InputError(f"{path}: {where} does not hold a word and {dimensions} numbers; {ADVICE}")
            if not forms:  # other vectors are checked when they are read
                _vector(path, line, dimensions)
            form = word.decode("utf-8", "replace")
            forms.append(form_number(form))
            offsets.append(offset)
            for spelling in {form.capitalize(), form.upper()} - {form}:
                spellings.append(form_number(spelling))
                their_offsets.append(offset)
            offset, line = file.tell(), file.readline(LONGEST_LINE)
    if not forms:
        raise InputError(f"{path}: it holds no words; {ADVICE}")
    if has_header and len(forms) != int(parts[0]):
        problem = (
            f"it holds {count_noun(len(forms), 'word')} instead of the {int(parts[0]):,} of its first line"
        )
        raise InputError(f"{path}: {problem}; {ADVICE}")
    # a word itself comes before other spellings
    numbers_of_forms, first_rows = np.unique(np.array(forms + spellings, np.uint64), return_index=True)
    begins = np.array(offsets + their_offsets, np.int64)[first_rows]
    return WordVectors(path, dimensions, len(forms), numbers_of_forms, begins)


def _vector(path: str, line: bytes, dimensions: int) -> Scores:
    """Return the vector of a line with length 1; zeros if it has no direction."""
    word, *parts = line.rsplit(None, dimensions)
    try:
        vector = np.array([float(part) for part in parts])
    except ValueError:
        vector = np.array([np.nan])
    if len(vector) != dimensions or not np.isfinite(vector).all():
        form = word.decode("utf-8", "replace")
        raise InputError(f"{path}: the vector of {form!r} is not made of finite numbers; {ADVICE}")
    return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)


@lru_cache(maxsize=2)
def _digest(path: str, modified: int, size: int) -> str:
    with _explain(path), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
