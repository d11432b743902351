"""Files of word vectors: the vectors are those that stand in the file, and what is refused."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from learnability.errors import InputError
from learnability.extensions.biaffine.word_vectors import form_number, read_vectors, vectors_digest
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup
from learnability.parsing.encoding import encode_tokens
from learnability.treebanks.sentence import Tree

WORDS = {"hund": [3.0, 4.0, 0.0], "New York": [0.0, 0.5, 0.0], "ßü𝄞": [1.0, -1.0, 1.0]}


def text(header: bool) -> bytes:
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in WORDS.items()]
    return "\n".join([*(["3 3"] if header else []), *lines, ""]).encode()


def word2vec() -> bytes:
    """Return the binary format of word2vec, which is not read."""
    return b"3 3\n" + b"".join(
        word.replace(" ", "_").encode() + b" " + struct.pack("<3f", *vector) + b"\n"
        for word, vector in WORDS.items()
    )


def written(folder: Path, content: bytes) -> str:
    path = folder / "words.vec"
    path.write_bytes(content)
    return str(path)


def vector(path: str, *forms: str) -> np.ndarray:
    return read_vectors(path).of(np.array([form_number(form) for form in forms], np.uint64))


@pytest.mark.parametrize("header", [True, False])
def test_a_word_has_its_vector_in_length_one(tmp_path: Path, header: bool) -> None:
    path = written(tmp_path, text(header))
    vectors = read_vectors(path)
    assert (vectors.words, vectors.dimensions) == (3, 3)
    found = vector(path, "hund", "Hund", "HUND", "ßü𝄞", "nothing", "New York")
    hund, other = [0.6, 0.8, 0.0], np.array([1.0, -1.0, 1.0]) / 3**0.5
    np.testing.assert_allclose(found, [hund, hund, hund, other, [0, 0, 0], [0, 1, 0]], rtol=1e-6)


def test_a_form_is_numbered_as_in_a_corpus() -> None:
    corpus = encode_tokens([Tree(("Hund",), ("NOUN",), (0,), ("root",))], columns=("w",))
    assert corpus.attributes[corpus.rows_of_tokens(), 0].tolist() == [form_number("Hund")]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "line 1 is neither"),
        (b"\n", "line 1 is neither"),
        (b"-3 3\nhund 1 2 3\n", "line 1 is neither"),
        (b"hund\n", "line 1 is neither"),
        (b"0 3\n", "it holds no words"),
        (b"3 3\n", "it holds no words"),
        (b"3 2\nhund 1 2\nkatze 1 2\n", "2 words instead of the 3"),
        (b"hund 1 2\nkatze 1\n", "line 2 does not hold a word and 2 numbers"),
        (b"hund 1 2\n\nkatze 1 2\n", "line 2 does not hold a word and 2 numbers"),
        (b"hund 1 x\n", "the vector of 'hund' is not made of finite numbers"),
        (b"hund 1 2 " + b"3" * 300_000, "unpacked text"),
        (word2vec(), "unpacked text"),
        (gzip.compress(text(True), mtime=0), "unpacked text"),
        (b"PK\x03\x04" + bytes(30), "unpacked text"),
        (bytes(range(256)) * 2_000, "unpacked text"),
    ],
)
def test_a_faulty_file_gives_one_line(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as error:
        read_vectors(written(tmp_path, content))
    assert str(error.value).startswith(str(tmp_path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", ["x", "nan", "inf"])
@pytest.mark.parametrize("header", ["", "2 2\n"])
def test_a_faulty_vector_is_found_before_the_first_training(tmp_path: Path, number: str, header: str) -> None:
    path = written(tmp_path, f"{header}hund 1 2\nkatze 1 {number}\n".encode())
    assert vector(path, "hund").any()
    with pytest.raises(InputError, match=f"{path}: the vector of 'katze' is not made of finite"):
        coverage(path, ["hund", "Katze"])
    assert "cover 100.0 %" in coverage(path, ["hund"])


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
        b"\xc3\xbc" * 400 + b" 1 2\n",
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
