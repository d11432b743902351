"""Files of word vectors: every format beside the same vectors written out, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from learnability.errors import InputError
from learnability.extensions.biaffine import word_vectors
from learnability.extensions.biaffine.word_vectors import (
    form_number,
    ngram_hashes,
    read_vectors,
    vectors_digest,
)
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup
from learnability.parsing.encoding import encode_tokens
from learnability.treebanks.sentence import Tree

WORDS = {"hund": [3.0, 4.0, 0.0], "New York": [0.0, 0.5, 0.0], "ßü𝄞": [1.0, -1.0, 1.0]}


def text(header: bool) -> bytes:
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in WORDS.items()]
    return "\n".join([*(["3 3"] if header else []), *lines, ""]).encode()


def word2vec(newlines: bool = True) -> bytes:
    end = b"\n" if newlines else b""
    return b"3 3\n" + b"".join(
        word.replace(" ", "_").encode() + b" " + struct.pack("<3f", *vector) + end
        for word, vector in WORDS.items()
    )


def fasttext(quantized: bool = False) -> bytes:
    """Return a model of two words with 5 buckets and n-grams of 2 and 3 letters."""
    head = struct.pack("<2i", 793712314, 12) + struct.pack("<12i", 3, 5, 5, 1, 5, 1, 2, 2, 5, 2, 3, 100)
    head += struct.pack("<d", 1e-4) + struct.pack("<3i2q", 2, 2, 0, 10, -1)
    entries = b"".join(word.encode() + b"\0" + struct.pack("<qb", 5, 0) for word in ("ab", "ü"))
    return head + entries + bytes([quantized]) + struct.pack("<2q", 7, 3) + ROWS.astype("<f4").tobytes()


ROWS = np.random.default_rng(1).normal(size=(7, 3)).astype(np.float32)


def packed(content: bytes) -> bytes:
    """Return the content compressed by gzip, the same bytes at any time of day."""
    return gzip.compress(content, mtime=0)


def written(folder: Path, content: bytes) -> str:
    path = folder / "words.vec"
    path.write_bytes(content)
    return str(path)


def vector(path: str, *forms: str) -> np.ndarray:
    return read_vectors(path).of(np.array([form_number(form) for form in forms], np.uint64))


CONTENTS = {
    "text": text(True),
    "text without header": text(False),
    "word2vec": word2vec(),
    "word2vec without newlines": word2vec(newlines=False),
}


@pytest.mark.parametrize(
    "content",
    [*CONTENTS.values(), *map(packed, CONTENTS.values())],
    ids=[*CONTENTS, *(f"{name} in gzip" for name in CONTENTS)],
)
def test_a_word_has_its_vector_in_length_one(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    vectors = read_vectors(path)
    assert (vectors.words, vectors.dimensions) == (3, 3)
    found = vector(path, "hund", "Hund", "HUND", "ßü𝄞", "nothing")
    hund, other = [0.6, 0.8, 0.0], np.array([1.0, -1.0, 1.0]) / 3**0.5
    np.testing.assert_allclose(found, [hund, hund, hund, other, [0, 0, 0]], rtol=1e-6)


def test_a_form_is_numbered_as_in_a_corpus() -> None:
    corpus = encode_tokens([Tree(("Hund",), ("NOUN",), (0,), ("root",))], columns=("w",))
    assert corpus.attributes[corpus.rows_of_tokens(), 0].tolist() == [form_number("Hund")]


@pytest.mark.parametrize("content", [fasttext(), packed(fasttext())], ids=["plain", "in gzip"])
def test_a_fasttext_model_has_the_mean_of_word_and_ngrams(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    assert read_vectors(path).words == 2

    def hashed(text: str) -> int:
        number = 2166136261
        for byte in text.encode():
            number = ((number ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) % 2**32
        return 2 + number % 5

    for index, (word, ngrams) in enumerate(
        {"ab": ["<a", "<ab", "ab", "ab>", "b>"], "ü": ["<ü", "<ü>", "ü>"]}.items()
    ):
        mean = ROWS[[index, *map(hashed, ngrams)]].mean(axis=0)
        np.testing.assert_allclose(vector(path, word)[0], mean / np.linalg.norm(mean), rtol=1e-5)
    assert len(ngram_hashes(b"ab", 1, 1)) == 2  # not < and >


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is empty"),
        (b"\n", "line 1 is neither"),
        (b"-3 3\nhund 1 2 3\n", "line 1 is neither"),
        (b"3 3\n", "0 words instead of the 3"),
        (bz2.compress(b"hund 1 2\n"), "compressed in a way that is not supported; unpack it"),
        (lzma.compress(b"hund 1 2\n"), "compressed in a way that is not supported; unpack it"),
        (b"PK\x03\x04" + bytes(30), "compressed in a way that is not supported; unpack it"),
        (packed(packed(text(True))), "compressed in a way that is not supported; unpack it"),
        (packed(b""), "it is empty"),
        (packed(b"hund 1 2\nkatze 1\n"), "line 2 does not hold a word and 2 numbers"),
        (packed(word2vec()[:-9]), "ends within word 3 of 3"),
        (packed(fasttext()[:-1]), "ends within its vectors"),
        (b"\x1f\x8b", "damaged or incomplete; download it again"),
        (packed(text(True))[:-1], "damaged or incomplete; download it again"),
        (packed(text(True))[:30], "damaged or incomplete; download it again"),
        (packed(text(True))[:10] + b"\xff" * 30, "damaged or incomplete; download it again"),
        (packed(text(True))[:-8] + bytes(8), "damaged or incomplete; download it again"),
        (packed(text(True)) + b"hund", "damaged or incomplete; download it again"),
        (b"hund\n", "line 1 is neither"),
        (b"hund 1 2\nkatze 1\n", "line 2 does not hold a word and 2 numbers"),
        (b"3 2\nhund 1 2\nkatze 1 2\n", "2 words instead of the 3"),
        (b"hund 1 2\n\nkatze 1 2\n", "line 2 does not hold a word and 2 numbers"),
        (word2vec()[:-9], "ends within word 3 of 3"),
        (word2vec() + b"maus ", "goes on after the 3 words"),
        (fasttext()[:60], "ends within its first part"),
        (fasttext()[:93], "ends within word 1 of 2"),
        (fasttext()[:-1], "ends within its vectors"),
        (fasttext(quantized=True), "not quantized"),
    ],
)
def test_a_faulty_file_gives_one_line(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as error:
        read_vectors(written(tmp_path, content))
    assert str(error.value).startswith(str(tmp_path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", ["x", "nan", "inf"])
@pytest.mark.parametrize("header", ["", "2 2\n"])
@pytest.mark.parametrize("stored", [bytes, packed])
def test_a_faulty_vector_is_found_before_the_first_training(
    tmp_path: Path, number: str, header: str, stored: Callable[[bytes], bytes]
) -> None:
    """Also in the first line, which decides between text and binary numbers."""
    for lines in (f"hund 1 2\nkatze 1 {number}\n", f"katze 1 {number}\nhund 1 2\n"):
        path = written(tmp_path, stored((header + lines).encode()))
        assert vector(path, "hund").any()
        line = (header + lines).split("\n").index(f"katze 1 {number}") + 1
        with pytest.raises(InputError, match=f"line {line}: the vector of 'katze' is not made of finite"):
            coverage(path, ["hund", "Katze"])
        assert "cover 100.0 %" in coverage(path, ["hund"])


@pytest.mark.parametrize("stored", [bytes, packed])
def test_a_faulty_binary_vector_names_its_place(tmp_path: Path, stored: Callable[[bytes], bytes]) -> None:
    path = written(tmp_path, stored(b"1 2\nhund " + struct.pack("<2f", 1, float("nan"))))
    with pytest.raises(InputError, match=f"{path}: the vector at byte 9 is not made of finite numbers"):
        vector(path, "hund")


def test_a_compressed_file_may_have_any_name_and_several_members(tmp_path: Path) -> None:
    """As `cat a.gz b.gz` and programs that compress in parallel write it; the first bytes say what it is."""
    content = text(False)
    path = written(tmp_path, packed(content[:20]) + packed(content[20:]))
    np.testing.assert_allclose(vector(path, "Hund", "ßü𝄞"), vector(written(tmp_path, content), "Hund", "ßü𝄞"))
    plain = tmp_path / "words.vec.gz"
    plain.write_bytes(content)
    assert read_vectors(str(plain)).words == 3


@pytest.mark.parametrize("content", [text(True), word2vec(), fasttext()])
def test_vectors_are_read_in_the_order_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """Backwards, a compressed file is unpacked from its beginning each time."""
    places = []

    class Watched(io.BytesIO):
        def seek(self, offset: int, whence: int = 0) -> int:
            places.append(offset)
            return super().seek(offset, whence)

    vectors = read_vectors(written(tmp_path, content))
    monkeypatch.setattr(word_vectors, "_open_unpacked", lambda path: Watched(content))
    vectors.read(vectors.numbers)
    assert len(places) >= len(vectors.seen) == vectors.words > 1
    assert places == sorted(places)


def coverage(path: str, forms: list[str]) -> str:
    named = parser_named(f"biaffine:vectors={path}")
    assert named.kind.remark is not None
    return named.kind.remark(dict(named.values), forms)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("content", [b"hund 3e38 3e38\n", b"1 2\nhund 3e60 3e60\n"])
def test_large_numbers_have_a_direction(tmp_path: Path, content: bytes) -> None:
    np.testing.assert_allclose(vector(written(tmp_path, content), "hund")[0], [0.5**0.5] * 2, rtol=1e-6)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf2 2\nhund 3 4\nmaus 1 1\n",
        b"hund\t3\t4\nmaus\t1\t1\n",
        b"hund 3 4 \r\nmaus 1 1 \r\n",
        b"1 2\n" + b"\xc3\xbc" * 400 + b" " + struct.pack("<2f", 1, 2) + b"\n",
    ],
)
def test_variants_of_the_formats_are_read(tmp_path: Path, content: bytes) -> None:
    """A byte order mark, tabs, ends of lines of other systems, a long word."""
    path = written(tmp_path, content)
    assert read_vectors(path).dimensions == 2
    word, expected = ("hund", [0.6, 0.8]) if b"hund" in content else ("ü" * 400, [0.2**0.5, 0.8**0.5])
    np.testing.assert_allclose(vector(path, word)[0], expected, rtol=1e-6)


def test_a_parser_is_not_trained_with_a_file_that_has_changed(tmp_path: Path) -> None:
    """Even where the middle of a large file has changed and its size has not."""
    lines = [f"w{i} 1 2\n" for i in range(400_000)]
    path = written(tmp_path, "".join(lines).encode())
    named = parser_named(f"biaffine:vectors={path}")
    lines[200_000] = lines[200_000].replace(" 1 ", " 3 ")
    written(tmp_path, "".join(lines).encode())
    pytest.importorskip("jax", reason="jax is not installed; pip install '.[neural]'")
    with pytest.raises(InputError, match="has changed since the start"):
        named.trainer(Setup())


def test_the_option_of_a_parser_names_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, text(True))
    named = parser_named(f"biaffine:nonprojective,vectors={path}")
    assert named.spelling == f"biaffine:nonprojective,vectors={path}"
    assert named.title == "biaffine:nonprojective,vectors=words.vec"
    assert named.sha256 == vectors_digest(path)
    assert parser_named(named.spelling) == named
    assert (
        coverage(path, ["Hund", "hund", "Katze", "x"])
        == "words.vec holds 3 word vectors of 3 dimensions; they cover 50.0 % of the tokens"
    )
    assert named.kind.remark is not None
    assert named.kind.remark({"vectors": ""}, ["Hund"]) == ""
    Path(path).write_bytes(text(False))
    assert vectors_digest(path) != named.sha256


def test_a_compressed_file_is_covered_and_known_by_its_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, packed(text(True)))
    assert (
        coverage(path, ["Hund", "hund", "Katze", "x"])
        == "words.vec holds 3 word vectors of 3 dimensions; they cover 50.0 % of the tokens"
    )
    assert parser_named(f"biaffine:vectors={path}").sha256 == hashlib.sha256(packed(text(True))).hexdigest()
    Path(path).write_bytes(packed(text(True))[:-5])
    with pytest.raises(InputError, match=f"{path}: the compressed file is damaged"):
        coverage(path, ["Hund"])


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("biaffine:vectors=nowhere.vec", "nowhere.vec: the word vectors cannot be read"),
        ("biaffine:vectors=", "vectors names no file; write vectors=FILE"),
        ("biaffine:vektors=x", "there is no option 'vektors'; did you mean 'vectors'?"),
        ("biaffine:words.vec", "there is no value 'words.vec'"),
    ],
)
def test_what_cannot_be_used_is_named(spec: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        parser_named(spec)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
