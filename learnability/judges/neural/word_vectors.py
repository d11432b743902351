"""Word vectors in a file: text (word2vec, fastText, GloVe), word2vec's binary format, or fastText's models.

The file is read once to find the words; the vectors of words that occur are read when they are needed. Words
are kept as the numbers that sentences are encoded with. A word that the file lacks with a capital letter has
the vector of the same word in lower case. Vectors have length 1.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing.encoding import string_number
from learnability.parsing.jit import Keys, Scores

FASTTEXT = 793712314
"""The number with which fastText's models begin."""

LONGEST_WORD = 10_000
"""Bytes; a longer word is taken for a sign that the file has another format."""

MOST_DIMENSIONS = 10_000

AT_ENDS = 1 << 20
"""Bytes at each end of a file that its digest covers, besides its size."""


@dataclass(frozen=True)
class WordVectors:
    """The vectors of a file.

    Attributes:
        path: the file.
        dimensions: of the vectors.
        words: the number of words in the file.
        numbers: uint64, sorted, the words that have a vector, as `encoding` numbers forms.
        offsets: int64, where the vector of each begins in the file (fastText: its word).
        vector_at: reads the vector at an offset.
        seen: the vectors that were read.
    """

    path: str
    dimensions: int
    words: int
    numbers: Keys
    offsets: NDArray[np.int64]
    vector_at: Callable[[BinaryIO, int], Scores] = field(repr=False, compare=False)
    seen: dict[int, Scores] = field(default_factory=dict, repr=False, compare=False)

    def covers(self, numbers: Keys) -> NDArray[np.bool_]:
        """Return which of these forms have a vector."""
        if not len(self.numbers):
            return np.zeros(len(numbers), np.bool_)
        found: NDArray[np.bool_] = self.numbers[self._at(numbers)] == numbers
        return found

    def of(self, numbers: Keys) -> Scores:
        """Return float32[..., dimensions], the vectors of forms; zeros where there is none.

        Args:
            numbers: uint64, the forms as `encoding` numbers them.
        """
        forms, inverse = np.unique(numbers, return_inverse=True)
        at = self._at(forms)
        known = self.covers(forms)
        rows = np.zeros((len(forms), self.dimensions), np.float32)
        missing = [i for i in np.flatnonzero(known).tolist() if int(self.offsets[at[i]]) not in self.seen]
        if missing:
            with open(self.path, "rb") as file:
                for i in missing:
                    offset = int(self.offsets[at[i]])
                    vector = self.vector_at(file, offset)
                    self.seen[offset] = vector / max(float(np.linalg.norm(vector)), 1e-12)
        for i in np.flatnonzero(known).tolist():
            rows[i] = self.seen[int(self.offsets[at[i]])]
        return rows[inverse].reshape(*numbers.shape, self.dimensions)

    def _at(self, numbers: Keys) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(self.numbers, numbers), max(len(self.numbers) - 1, 0))


def form_number(form: str) -> int:
    """Return the number of a form in the column `w` of a corpus."""
    return string_number(f"w={form}")


def read_vectors(path: str) -> WordVectors:
    """Return the word vectors of a file.

    Raises:
        InputError: the file cannot be read or has none of the formats; the message is one line.
    """
    try:
        state = os.stat(path)
        return _read(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise InputError(
            f"{path}: the word vectors cannot be read ({error.strerror}); give a readable file"
        ) from None


@lru_cache(maxsize=2)
def _read(path: str, modified: int, size: int) -> WordVectors:
    with open(path, "rb") as file:
        if size >= 8 and struct.unpack("<i", file.read(4)) == (FASTTEXT,):
            dimensions, words, vector_at = _fasttext(file, path)
        else:
            file.seek(0)
            dimensions, words, vector_at = _word2vec(file, path, size)
        of_number: dict[int, int] = {}
        capitals: dict[int, int] = {}
        count = 0
        for word, offset in words:
            count += 1
            of_number.setdefault(form_number(word), offset)
            for other in {word.capitalize(), word.upper()} - {word}:
                capitals.setdefault(form_number(other), offset)
    if not count:
        _fail(path, "it holds no words")
    of_number = capitals | of_number
    numbers = np.array(list(of_number), np.uint64)
    offsets = np.array(list(of_number.values()), np.int64)
    order = np.argsort(numbers)
    return WordVectors(path, dimensions, count, numbers[order], offsets[order], vector_at)


Format = tuple[int, Iterator[tuple[str, int]], Callable[[BinaryIO, int], Scores]]
"""The dimensions, the words with their offsets, and what reads a vector at an offset."""


def _word2vec(file: BinaryIO, path: str, size: int) -> Format:
    """Return the format of a text file, with or without a header, or of word2vec's binary format."""
    first = file.readline(LONGEST_WORD).split()
    count = None
    if len(first) == 2 and all(part.isdigit() for part in first):
        count, dimensions = map(int, first)
    else:
        dimensions = len(first) - 1
        file.seek(0)
    if not 0 < dimensions <= MOST_DIMENSIONS:
        _fail(path, "line 1 is neither a header (words, dimensions) nor a word with its vector")
    begin = file.tell()
    if count is not None and not _is_text(file.readline(LONGEST_WORD + 32 * dimensions), dimensions):
        file.seek(begin)
        return dimensions, _binary_words(file, path, count, dimensions, size), _binary_vector(dimensions)
    file.seek(begin)
    return dimensions, _text_words(file, path, count, dimensions), _text_vector(path, dimensions)


def _is_text(line: bytes, dimensions: int) -> bool:
    """Return whether a line holds a word and its vector as text."""
    try:
        return len([float(part) for part in line.split()[-dimensions:]]) == dimensions
    except ValueError:
        return False


def _text_words(file: BinaryIO, path: str, count: int | None, dimensions: int) -> Iterator[tuple[str, int]]:
    number = 0 if count is None else 1
    found = 0
    while True:
        offset = file.tell()
        line = file.readline()
        if not line:
            break
        number += 1
        parts = line.rstrip().rsplit(b" ", dimensions)
        if len(parts) != dimensions + 1:
            _fail(path, f"line {number} has {len(line.split()) - 1} numbers instead of {dimensions}")
        found += 1
        yield parts[0].decode("utf-8", "replace"), offset
    if count is not None and found != count:
        _fail(path, f"it holds {found:,} words instead of the {count:,} of its first line")


def _text_vector(path: str, dimensions: int) -> Callable[[BinaryIO, int], Scores]:
    def read(file: BinaryIO, offset: int) -> Scores:
        file.seek(offset)
        word, *numbers = file.readline().rstrip().rsplit(b" ", dimensions)
        try:
            vector = np.array([float(number) for number in numbers], np.float32)
        except ValueError:
            _fail(path, f"the vector of {word.decode('utf-8', 'replace')!r} is not made of numbers")
        return _checked(path, vector)

    return read


def _binary_words(
    file: BinaryIO, path: str, count: int, dimensions: int, size: int
) -> Iterator[tuple[str, int]]:
    for number in range(1, count + 1):
        start = file.tell()
        word, space, _ = file.read(256).partition(b" ")
        offset = start + len(word) + 1
        if not space or offset + 4 * dimensions > size:
            _fail(path, f"it ends within word {number:,} of {count:,}")
        yield word.lstrip(b"\n").decode("utf-8", "replace"), offset
        file.seek(offset + 4 * dimensions)


def _binary_vector(dimensions: int) -> Callable[[BinaryIO, int], Scores]:
    def read(file: BinaryIO, offset: int) -> Scores:
        file.seek(offset)
        return _checked(file.name, np.frombuffer(file.read(4 * dimensions), "<f4").astype(np.float32))

    return read


def _fasttext(file: BinaryIO, path: str) -> Format:
    """Return the format of a fastText model: a vector is the mean of a word's row and its n-grams' rows.

    Bojanowski et al. (2017), "Enriching word vectors with subword information".
    """
    try:
        version, dimensions, *_, buckets, shortest, longest, _ = struct.unpack("<13i", file.read(52))
        file.seek(8, os.SEEK_CUR)
        _, words, labels, _, pruned = struct.unpack("<3i2q", file.read(28))
        entries = []
        for index in range(words + labels):
            offset = file.tell()
            word, end, _ = file.read(LONGEST_WORD).partition(b"\0")
            if not end:
                _fail(path, f"it ends within word {index + 1:,} of {words + labels:,}")
            entries.append((word, offset, index))
            file.seek(offset + len(word) + 10)
        quantized = file.read(1) != b"\0"
        _, columns = struct.unpack("<2q", file.read(16))
    except struct.error:
        _fail(path, "the fastText model ends within its first part")
    if quantized or pruned > 0 or columns != dimensions or version < 12:
        _fail(path, "this kind of fastText model is not supported", "give a model that is not quantized")
    matrix = file.tell()
    index_at = {offset: (word, index) for word, offset, index in entries}

    def read(opened: BinaryIO, offset: int) -> Scores:
        word, index = index_at[offset]
        rows = [index] + [words + h % buckets for h in ngram_hashes(word, shortest, longest) if buckets]
        total = np.zeros(dimensions, np.float32)
        for row in rows:
            opened.seek(matrix + 4 * dimensions * row)
            data = opened.read(4 * dimensions)
            if len(data) < 4 * dimensions:
                _fail(path, "it ends within the vectors")
            total += np.frombuffer(data, "<f4")
        return _checked(path, total / np.float32(len(rows)))

    of_words = ((word.decode("utf-8", "replace"), offset) for word, offset, _ in entries[:words])
    return dimensions, of_words, read


def ngram_hashes(word: bytes, shortest: int, longest: int) -> list[int]:
    """Return fastText's numbers of the n-grams of a word in UTF-8: FNV-1a with signed bytes."""
    letters = [letter.encode() for letter in f"<{word.decode('utf-8', 'replace')}>"]
    found = []
    for start in range(len(letters)):
        for size in range(shortest, longest + 1):
            end = start + size
            if end > len(letters):
                break
            if size == 1 and (start == 0 or end == len(letters)):
                continue
            number = 2166136261
            for byte in b"".join(letters[start:end]):
                signed = byte | 0xFFFFFF00 if byte > 127 else byte
                number = ((number ^ signed) * 16777619) & 0xFFFFFFFF
            found.append(number)
    return found


def _checked(path: str, vector: NDArray[Any]) -> Scores:
    if not np.isfinite(vector).all():
        _fail(path, "a vector holds a number that is not finite")
    return vector.astype(np.float32)


def _fail(path: str, problem: str, advice: str = "") -> NoReturn:
    advice = advice or "give word vectors as text, as word2vec's binary file, or as a fastText model"
    raise InputError(f"{path}: {problem}; {advice}")


def vectors_digest(path: str) -> str:
    """Return the SHA-256 of the size and both ends of a file, by which a run knows that it has not changed.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            digest = hashlib.sha256(str(size).encode())
            for begin in (0, max(0, size - AT_ENDS)):
                file.seek(begin)
                digest.update(file.read(AT_ENDS))
    except OSError as error:
        raise InputError(
            f"{path}: the word vectors cannot be read ({error.strerror}); give a readable file"
        ) from None
    return digest.hexdigest()
