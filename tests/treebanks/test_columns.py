"""CoNLL-U Plus is read like CoNLL-U; its other columns come back byte for byte."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from conllu_examples import AWKWARD, conllu, read, words
from hypothesis import given
from hypothesis import strategies as st
from trees import random_heads

from learnability.errors import InputError
from learnability.treebanks.columns import COLUMNS, FileColumns, words_with_dependencies
from learnability.treebanks.conllu_writing import conllu_text, with_tree, write_conllu
from learnability.treebanks.sentence import Tree

CUPT = (*COLUMNS, "PARSEME:MWE")
NEEDED = {"ID", "FORM", "HEAD", "DEPREL"}


def plus(data: bytes, names: Sequence[str]) -> bytes:
    """CoNLL-U with these columns: what CoNLL-U does not have follows from ID and FORM."""
    lines = ["# global.columns = " + " ".join(names)]
    for line in data.decode().removesuffix("\n").split("\n"):
        if line and not line.startswith("#"):
            cells = dict(zip(COLUMNS, line.split("\t"), strict=True))
            line = "\t".join(cells.get(name, f"{name}|{cells['ID']}|{cells['FORM']}") for name in names)
        lines.append(line)
    return ("\n".join(lines) + "\n").encode()


def without(data: bytes, names: Sequence[str]) -> bytes:
    """CoNLL-U in which every column with none of these names is blank."""
    lines = []
    for line in data.decode().split("\n"):
        if line and not line.startswith("#"):
            cells = zip(COLUMNS, line.split("\t"), strict=True)
            line = "\t".join(cell if name in names else "_" for name, cell in cells)
        lines.append(line)
    return "\n".join(lines).encode()


@st.composite
def layouts(draw: st.DrawFn) -> tuple[str, ...]:
    """ID, the other columns that are needed, some of the rest, and others, in any order."""
    optional = [name for name in COLUMNS if name not in NEEDED]
    some = draw(st.lists(st.sampled_from(optional), unique=True))
    others = [f"MY:X{number}" for number in range(draw(st.integers(0, 3)))]
    return ("ID", *draw(st.permutations([*sorted(NEEDED - {"ID"}), *some, *others])))


DATA = AWKWARD + words([2, 0, 1], "s2") + words([0], "s3")


@given(layouts(), st.integers(0, 10**6), st.sampled_from(["drop", "keep"]), st.booleans())
def test_writing_is_that_of_conllu(names: tuple[str, ...], seed: int, deps: str, predicted: bool) -> None:
    """Whether the columns are changed before or after writing makes no difference."""
    plain = without(DATA, names)
    file, other = read(plain), read(plus(plain, names))
    assert [s.tree for s in other.sentences] == [s.tree for s in file.sentences]
    assert write_conllu(other, [s.tree for s in other.sentences]) == other.data
    chance = random.Random(seed)
    trees = [
        s.tree.with_heads(random_heads(chance, len(s)), [chance.choice("xyz") for _ in s.tree.forms])
        for s in file.sentences
    ]
    options = {"deps": deps, "predicted": predicted, "transformed": "some"}
    expected = plus(write_conllu(file, trees, **options), names)  # type: ignore[arg-type]
    written = write_conllu(other, trees, **options)  # type: ignore[arg-type]
    assert written == expected


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("front", [b"", b"\xef\xbb\xbf", b"# a comment\n", b"\n"])
def test_other_ends_and_beginnings(front: bytes, end: bytes) -> None:
    data = (front + plus(DATA, CUPT)).replace(b"\n", end)
    file = read(data)
    assert file.columns.names == CUPT
    trees = [sentence.tree for sentence in file.sentences]
    assert write_conllu(file, trees) == data
    trees[1] = trees[1].with_heads((0, 1, 1), ("root", "dep", "dep"))
    changed = write_conllu(file, trees, deps="keep")
    assert changed.count(end) == data.count(end)
    assert read(changed).sentences[1].tree == trees[1]
    differing = [a for a, b in zip(data.split(end), changed.split(end), strict=True) if a != b]
    assert len(differing) == 2


def test_sentences_are_those_of_conllu() -> None:
    """In Python sentences have the columns of CoNLL-U; the header would name others."""
    file = read(plus(DATA, (*CUPT, "MY:X")))
    assert conllu_text(file.sentences) == conllu_text(read(DATA).sentences)
    tree = file.sentences[1].tree.with_heads((0, 1, 1), ("root", "dep", "dep"))
    text = conllu_text([with_tree(file.sentences[1], tree)])
    assert read(text.encode()).sentences[0].tree == tree


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            "ID FORM UPOS",
            r"x\.conllu:1: `# global\.columns` names no HEAD and no DEPREL; use a file with trees",
        ),
        ("ID HEAD DEPREL", "names no FORM; use a file with trees"),
        ("FORM ID HEAD DEPREL", "begins with FORM; put ID first"),
        ("ID FORM HEAD DEPREL FORM", "names FORM twice; name each column once"),
        (
            "ID FORM HEAD DEPREL",
            r"x\.conllu:2: .*the line has 10 columns, but `# global\.columns` names 4; corr",
        ),
    ],
)
def test_wrong_headers_are_one_line(header: str, message: str) -> None:
    data = f"# global.columns = {header}\n".encode() + conllu("1 a _ X _ _ 0 root _ _")
    with pytest.raises(InputError, match=message):
        read(data)


def test_without_heads_there_is_no_place_for_a_parse() -> None:
    data = b"# global.columns = ID FORM UPOS\n1\ta\tX\n\n"
    with pytest.raises(InputError, match="names no HEAD and no DEPREL; add this, with _ in each line"):
        read(data, require_trees=False)
    followed = b"# global.columns = ID FORM UPOS HEAD DEPREL\n1\ta\tX\t_\t_\n\n"
    (sentence,) = read(followed, require_trees=False).sentences
    assert sentence.tree.forms == ("a",)


def test_a_file_keeps_its_columns() -> None:
    again = plus(words([0], "s2"), CUPT)
    assert len(read(plus(words([0]), CUPT) + again)) == 2
    with pytest.raises(InputError, match=r"x\.conllu:5: .*names other columns than before; split the file"):
        read(plus(words([0]), CUPT) + plus(words([0], "s2"), (*CUPT, "MY:X")))


def test_lines_of_other_formats_say_what_they_are() -> None:
    cells = "1 a a a X X _ _ 0 0 root root _ _"
    message = (
        r"14 columns, as in CoNLL-2009, but CoNLL-U has 10; write columns 1, 2, 3, 5, _, 7, 9, 11, _ and _"
    )
    with pytest.raises(InputError, match=message):
        read("\t".join(cells.split()).encode() + b"\n\n")
    numbers = ("1", "2", "3", "5", "_", "7", "9", "11", "_", "_")
    followed = ["_" if number == "_" else cells.split()[int(number) - 1] for number in numbers]
    assert read("\t".join(followed).encode() + b"\n\n").sentences[0].tree == Tree(
        ("a",), ("X",), (0,), ("root",), ("a",), ("_",), ("_",)
    )
    with pytest.raises(InputError, match=r"11 columns instead of 10; name them in the first line \(# global"):
        read("\t".join(["1", "a", *"_____", "0", "root", "_", "_"][:11]).encode() + b"\n\n")


def test_words_with_dependencies_are_counted_in_any_column() -> None:
    assert words_with_dependencies(DATA) == 4
    for names in (CUPT, ("ID", "FORM", "HEAD", "DEPREL", "DEPS"), ("ID", "DEPS", "FORM", "DEPREL", "HEAD")):
        assert words_with_dependencies(plus(DATA, names)) == 4
        assert words_with_dependencies(plus(DATA, names).replace(b"\n", b"\r\n")) == 4
    assert words_with_dependencies(plus(DATA, ("ID", "FORM", "HEAD", "DEPREL"))) == 0


def test_standard_columns_may_be_named() -> None:
    data = plus(DATA, COLUMNS)
    file = read(data)
    assert file.columns == FileColumns()
    assert write_conllu(file, [sentence.tree for sentence in file.sentences]) == data
    assert conllu_text(file.sentences).startswith("# global.columns = ID FORM LEMMA")
