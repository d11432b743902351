"""Read word vectors: text (word2vec, fastText, GloVe), word2vec's binary format, or fastText's models.

The file is read once to find the words; the vectors of words that occur are read when they are needed. Words
are kept as the numbers that sentences are encoded with. A word that the file lacks with a capital letter has
the vector of the same word in lower case. Vectors have length 1.

A file compressed with gzip is never unpacked on disk, because it may hold several gigabytes. Each reading of
vectors unpacks it from its beginning, so they are read many at once, in the order of the file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import BinaryIO, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing.encoding import string_number
from learnability.parsing.jit import Keys, Scores
from learnability.support.nouns import count_noun

FASTTEXT = 793712314
"""The number with which fastText's models begin."""

GZIP = b"\x1f\x8b"
"""The bytes with which a file begins that gzip wrote."""

REFUSED = (GZIP, b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0")
"""The bytes with which compressed contents begin that are not read: gzip within gzip, zip, bzip2 and xz."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

LONGEST_WORD = 10_000
"""Bytes; a longer word is taken for a sign that the file has another format."""

FEWEST_DIMENSIONS, MOST_DIMENSIONS = 2, 10_000


VectorsAt = Callable[[BinaryIO, Sequence[int]], Iterator[tuple[int, NDArray[np.float64]]]]
"""Reads vectors of an open file: takes sorted offsets, and yields each with the vector that is there."""


@dataclass(frozen=True)
class WordVectors:
    """Hold the vectors of a file.

    Attributes:
        path: the file.
        dimensions: of the vectors.
        words: the number of words in the file.
        numbers: uint64, sorted, the forms that have a vector, as `encoding` numbers them.
        offsets: int64, where the vector of each begins in the file (fastText: its word).
        vectors_at: reads the vectors at offsets.
        seen: the vectors that were read.
    """

    path: str
    dimensions: int
    words: int
    numbers: Keys
    offsets: NDArray[np.int64]
    vectors_at: VectorsAt = field(repr=False, compare=False)
    seen: dict[int, Scores] = field(default_factory=dict, repr=False, compare=False)

    def covers(self, numbers: Keys) -> NDArray[np.bool_]:
        """Return which of these forms have a vector."""
        if not len(self.numbers):
            return np.zeros(len(numbers), np.bool_)
        found: NDArray[np.bool_] = self.numbers[self._at(numbers)] == numbers
        return found

    def read(self, numbers: Keys) -> None:
        """Read the vectors of forms that will be asked for, all on one way through the file.

        Args:
            numbers: uint64, the forms as `encoding` numbers them.

        Raises:
            InputError: the file cannot be read, or a vector has a mistake.
        """
        forms = np.unique(numbers)
        offsets = np.unique(self.offsets[self._at(forms[self.covers(forms)])]).tolist()
        missing = [offset for offset in offsets if offset not in self.seen]
        if missing:
            with _open_unpacked(self.path) as file:
                for offset, vector in self.vectors_at(file, missing):
                    self.seen[offset] = _of_length_one(vector)

    def of(self, numbers: Keys) -> Scores:
        """Return float32[..., dimensions], the vectors of forms; zeros where there is none.

        Args:
            numbers: uint64, the forms as `encoding` numbers them.

        Raises:
            InputError: the file cannot be read, or a vector has a mistake.
        """
        self.read(numbers)
        forms, inverse = np.unique(numbers, return_inverse=True)
        at = self._at(forms)
        rows = np.zeros((len(forms), self.dimensions), np.float32)
        for i in np.flatnonzero(self.covers(forms)).tolist():
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
    return _read(path, *_state(path))


def _state(path: str) -> tuple[int, int]:
    """Return when a file was written, in nanoseconds, and its size in bytes."""
    try:
        state = os.stat(path)
    except OSError as error:
        _unreadable(path, error)
    return state.st_mtime_ns, state.st_size


@contextmanager
def _open_unpacked(path: str) -> Iterator[BinaryIO]:
    """Open a file to read what gzip packed in it, or the file itself if it does not begin as gzip's files do.

    Raises:
        InputError: it cannot be read or unpacked, now or while it is open.
    """
    try:
        with open(path, "rb") as file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield file
    except (gzip.BadGzipFile, zlib.error, EOFError):
        _fail(path, "the compressed file is damaged or incomplete", "download it again")
    except OSError as error:
        _unreadable(path, error)


@lru_cache(maxsize=2)
def _read(path: str, modified: int, stored: int) -> WordVectors:
    with _open_unpacked(path) as file:
        size = file.seek(0, os.SEEK_END)  # of what is packed; to the end, where gzip's checksum is
        file.seek(0)
        begin = file.read(8)
        file.seek(len(BYTE_ORDER_MARK) if begin.startswith(BYTE_ORDER_MARK) else 0)
        if not size:
            _fail(path, "it is empty")
        if begin.startswith(REFUSED):
            advice = "unpack it and give the file inside, or compress that with gzip"
            _fail(path, "it is compressed in a way that is not supported", advice)
        if len(begin) == 8 and struct.unpack("<i", begin[:4]) == (FASTTEXT,):
            dimensions, words, vectors_at = _fasttext(file, path, size)
        else:
            dimensions, words, vectors_at = _word2vec(file, path, size)
        forms, in_lower_case = (array("Q"), array("q")), (array("Q"), array("q"))
        for word, offset in words:
            forms[0].append(form_number(word))
            forms[1].append(offset)
            for other in {word.capitalize(), word.upper()} - {word}:
                in_lower_case[0].append(form_number(other))
                in_lower_case[1].append(offset)
    if not forms[0]:
        _fail(path, "it holds no words")
    numbers = np.array(forms[0] + in_lower_case[0], np.uint64)
    offsets = np.array(forms[1] + in_lower_case[1], np.int64)
    numbers, first = np.unique(numbers, return_index=True)  # a word itself comes before other spellings
    return WordVectors(path, dimensions, len(forms[0]), numbers, offsets[first], vectors_at)


Format = tuple[int, Iterator[tuple[str, int]], VectorsAt]
"""The dimensions, the words with their offsets, and what reads the vectors at offsets."""


def _word2vec(file: BinaryIO, path: str, size: int) -> Format:
    """Return the format of a text file, with or without a header, or of word2vec's binary format."""
    begin = file.tell()
    first = file.readline(LONGEST_WORD + 32 * MOST_DIMENSIONS).split()
    count = None
    if len(first) == 2 and all(part.isdigit() for part in first):
        count, dimensions = map(int, first)
        begin = file.tell()
    else:
        dimensions = len(first) - 1
    if not FEWEST_DIMENSIONS <= dimensions <= MOST_DIMENSIONS:
        _fail(path, "line 1 is neither a header (words, dimensions) nor a word with its vector")
    text = count is None or _is_text(file.readline(LONGEST_WORD + 32 * dimensions), dimensions)
    file.seek(begin)
    if count is not None and not text:
        return dimensions, _binary_words(file, path, count, dimensions, size), _binary_vectors(dimensions)
    return dimensions, _text_words(file, path, count, dimensions), _text_vectors(path, dimensions)


def _is_text(line: bytes, dimensions: int) -> bool:
    """Return whether a line is text: characters that can be printed, or a word and its vector in digits."""
    try:
        return all(letter.isprintable() or letter.isspace() for letter in line.decode())
    except UnicodeDecodeError:
        return _numbers(line.rsplit(None, dimensions)[1:]) is not None


def _numbers(parts: list[bytes]) -> NDArray[np.float64] | None:
    """Return the numbers that are written out; None if there is something else."""
    try:
        return np.array([float(part) for part in parts])
    except ValueError:
        return None


def _text_words(file: BinaryIO, path: str, count: int | None, dimensions: int) -> Iterator[tuple[str, int]]:
    header = 0 if count is None else 1
    found = 0
    offset = file.tell()
    while line := file.readline():
        parts = line.rsplit(None, dimensions)
        if len(parts) != dimensions + 1:
            _fail(path, f"line {header + found + 1} does not hold a word and {dimensions} numbers")
        found += 1
        yield parts[0].decode("utf-8", "replace"), offset
        offset = file.tell()
    if count is not None and found != count:
        _fail(path, f"it holds {count_noun(found, 'word')} instead of the {count:,} of its first line")


def _text_vectors(path: str, dimensions: int) -> VectorsAt:
    def read(file: BinaryIO, offsets: Sequence[int]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        for offset in offsets:
            file.seek(offset)
            word, *parts = file.readline().rsplit(None, dimensions)
            numbers = _numbers(parts)
            if numbers is None or not np.isfinite(numbers).all():
                file.seek(0)
                line = file.read(offset).count(b"\n") + 1
                form = word.decode("utf-8", "replace")
                _fail(path, f"line {line}: the vector of {form!r} is not made of finite numbers")
            yield offset, numbers

    return read


def _word_at(file: BinaryIO, end: bytes) -> bytes | None:
    """Return the bytes up to `end` and move behind it; None if it does not follow soon."""
    start, found = file.tell(), b""
    while len(found) < LONGEST_WORD and (piece := file.read(256)):
        found += piece
        if end in piece:
            word = found[: found.index(end)]
            file.seek(start + len(word) + 1)
            return word
    return None


def _binary_words(
    file: BinaryIO, path: str, count: int, dimensions: int, size: int
) -> Iterator[tuple[str, int]]:
    for number in range(1, count + 1):
        word = _word_at(file, b" ")
        offset = file.tell()
        if word is None or offset + 4 * dimensions > size:
            _fail(path, f"it ends within word {number:,} of {count:,}")
        yield word.lstrip(b"\n").decode("utf-8", "replace"), offset
        file.seek(offset + 4 * dimensions)
    if file.read(2).strip():
        _fail(path, f"it goes on after the {count_noun(count, 'word')} of its first line")


def _binary_vectors(dimensions: int) -> VectorsAt:
    def read(file: BinaryIO, offsets: Sequence[int]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        for offset in offsets:
            yield offset, _floats(file, offset, dimensions)

    return read


def _floats(file: BinaryIO, offset: int, dimensions: int) -> NDArray[np.float64]:
    """Return the vector of binary numbers at an offset."""
    file.seek(offset)
    vector = np.frombuffer(file.read(4 * dimensions), "<f4").astype(np.float64)
    if not np.isfinite(vector).all():
        _fail(file.name, f"the vector at byte {offset:,} is not made of finite numbers")
    return vector


def _fasttext(file: BinaryIO, path: str, size: int) -> Format:
    """Return the format of a fastText model: a vector is the mean of a word's row and its n-grams' rows.

    Bojanowski et al. (2017), "Enriching word vectors with subword information".
    """
    file.seek(4)
    try:
        version, dimensions, *_, buckets, shortest, longest, _ = struct.unpack("<13i", file.read(52))
        file.seek(8, os.SEEK_CUR)
        _, words, labels, _, pruned = struct.unpack("<3i2q", file.read(28))
        entries = []
        for index in range(words + labels):
            offset = file.tell()
            word = _word_at(file, b"\0")
            if word is None:
                _fail(path, f"it ends within word {index + 1:,} of {words + labels:,}")
            entries.append((word, offset, index))
            file.seek(9, os.SEEK_CUR)
        quantized = file.read(1) != b"\0"
        rows, columns = struct.unpack("<2q", file.read(16))
    except struct.error:
        _fail(path, "the fastText model ends within its first part")
    if quantized or pruned > 0 or columns != dimensions or version < 12:
        _fail(path, "this kind of fastText model is not supported", "give a model that is not quantized")
    matrix = file.tell()
    if matrix + 4 * rows * columns > size:
        _fail(path, "the fastText model ends within its vectors")
    index_at = {offset: (word, index) for word, offset, index in entries}

    def read(opened: BinaryIO, offsets: Sequence[int]) -> Iterator[tuple[int, NDArray[np.float64]]]:
        sums = np.zeros((len(offsets), dimensions))
        counts = np.zeros(len(offsets), np.int64)
        users = defaultdict(list)  # by row, so that the file is read in its order
        for i, offset in enumerate(offsets):
            word, index = index_at[offset]
            ngrams = ngram_hashes(word, shortest, longest) if buckets else []
            for row in (index, *(words + ngram % buckets for ngram in ngrams)):
                users[row].append(i)
                counts[i] += 1
        for row in sorted(users):
            vector = _floats(opened, matrix + 4 * dimensions * row, dimensions)
            for i in users[row]:
                sums[i] += vector
        return zip(offsets, sums / counts[:, None], strict=True)

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


def _of_length_one(vector: NDArray[np.float64]) -> Scores:
    """Return a vector of this direction and length 1; zeros if it has no direction."""
    return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)


def _fail(path: str, problem: str, advice: str = "") -> NoReturn:
    advice = advice or "give word vectors as text, as word2vec's binary file, or as a fastText model"
    raise InputError(f"{path}: {problem}; {advice}") from None


def _unreadable(path: str, error: OSError) -> NoReturn:
    raise InputError(
        f"{path}: the word vectors cannot be read ({error.strerror}); give a readable file"
    ) from None


def vectors_digest(path: str) -> str:
    """Return the SHA-256 of a file, by which a run knows that it has not changed.

    Raises:
        InputError: the file cannot be read.
    """
    return _digest(path, *_state(path))


@lru_cache(maxsize=2)
def _digest(path: str, modified: int, stored: int) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        _unreadable(path, error)
