"""A doubt says where its word stands, and is known again by what it says; the page explains its columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import hooks
import pytest
from doubted_words import assess_parses
from explained import extension_page, in_first_cells
from hypothesis import given
from hypothesis import strategies as st

from learnability import InputError
from learnability.extending import Column
from learnability.extensions.doubts.decisions import REJECT
from learnability.extensions.doubts.files import COLUMNS, doubt_values
from learnability.extensions.doubts.listing import AssessedTreebank, Listing, list_doubts
from learnability.extensions.doubts.merging import DecidedDoubts, decisions_typed, known_doubts
from learnability.treebanks.conllu_io import ConlluFile, read_conllu


def conllu(name: str, *ids: str, form: str = "it") -> ConlluFile:
    """A file with a sentence of two words for each id; without an id if that is empty."""
    words = f"1\tSee\tsee\tVERB\t_\t_\t0\troot\t_\t_\n2\t{form}\tit\tPRON\t_\t_\t1\tobj\t_\t_\n\n"
    text = "".join((f"# sent_id = {one}\n" if one else "") + words for one in ids)
    return read_conllu(io.BytesIO(text.encode()), name=name)


def assessed(files: Sequence[ConlluFile]) -> AssessedTreebank:
    """The sentences of the files; all parsers find another relation."""
    sentences = [sentence for file in files for sentence in file.sentences]
    parses = [sentence.tree.with_heads((0, 1), ("root", "nsubj")) for sentence in sentences]
    return assess_parses(sentences, [parses, parses])


def everything(treebank: AssessedTreebank) -> Listing:
    return list_doubts(treebank, known_doubts(()), most=None)


def cells_of(treebank: AssessedTreebank) -> list[dict[str, object]]:
    return [doubt_values(doubt) for doubt in everything(treebank).doubts]


def test_sentences_without_ids_are_called_by_file_and_line() -> None:
    files = [conllu(f"ga-ud-{split}.conllu", "", "") for split in ("train", "dev", "test")]
    treebank = assessed(files)
    rows = cells_of(treebank)
    cells = {(file.name, number): line.split("\t") for file in files
             for number, line in enumerate(file.data.decode().split("\n"), start=1)}  # fmt: skip
    assert len({(row["file"], row["line"]) for row in rows}) == len(rows) == 12
    for row in rows:
        assert cells[row["file"], row["line"]][:2] == [str(row["word"]), row["form"]]


FORMS = st.text(
    st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda text: text == text.strip() != "")
"""Whatever a word may be."""


@given(FORMS)
def test_a_row_of_the_list_rejects_its_doubt(tmp_path_factory: pytest.TempPathFactory, form: str) -> None:
    treebank = assessed([conllu("x y.conllu", "an id", form=form)])
    rows = [{**row, "decision": REJECT} for row in cells_of(treebank)]
    path = tmp_path_factory.mktemp("forms") / "known.csv"
    path.write_bytes(Column.csv(COLUMNS, rows))
    known = known_doubts((decisions_typed(str(path)),))
    left = list_doubts(treebank, known, most=None)
    assert (len(left.doubts), left.decided) == (0, {REJECT: len(rows)}) == (0, {REJECT: 2})
    other = assessed([conllu("x y.conllu", "an id", form=f"{form}x")])
    assert len(list_doubts(other, known, most=None).doubts) == 2


def test_what_counting_finds_is_merged_and_of_two_rows_the_stronger_stays() -> None:
    treebank = assessed([conllu("a.conllu", "x")])
    first, second = everything(treebank).doubts
    alone = replace(first, column="upos", value="VERB", proposed_value="AUX", reason="1 of 9", pattern="q")
    counted = [
        replace(second, score=0.99, reason="3 of 4"),
        replace(first, score=first.score / 2, reason="3 of 4"),
        replace(alone, score=first.score / 3),
        replace(alone, column="xpos", score=0.001, pattern="z"),
    ]
    listed = list_doubts(treebank, known_doubts(()), most=None, counted=counted)
    assert listed.doubts == [replace(second, score=0.99), first, counted[2]]
    other = replace(counted[0], proposed_deprel="iobj")  # which says something else, and more surely
    assert list_doubts(treebank, known_doubts(()), most=None, counted=[other]).doubts[0] == other
    quiet = DecidedDoubts(patterns=frozenset(["q"]))
    left = list_doubts(treebank, quiet, most=None, counted=counted)
    assert (len(left.doubts), left.decided) == (2, {REJECT: 1})


def test_a_file_that_is_not_utf_8_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "known.csv"
    path.write_bytes(b"content,decision\nPRON:\xe9l,reject\n")
    with pytest.raises(InputError, match=r"known.csv:2: the line is not UTF-8"):
        decisions_typed(str(path))


def test_every_column_is_explained() -> None:
    page = hooks.with_reference("extensions/doubts.md", extension_page("doubts"))
    section = page.partition("\n## doubts.csv")[2].partition("\n## ")[0]
    assert in_first_cells(section) == {column.name for column in COLUMNS}
