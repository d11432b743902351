"""A doubt says where its word stands, and is known again by what it says."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from doubted_words import assess_by_votes, no_other_arcs
from hypothesis import given
from hypothesis import strategies as st

from learnability import InputError
from learnability.extensions.doubts.decisions import REJECT, Rejected, decisions_typed
from learnability.extensions.doubts.files import doubts_files
from learnability.extensions.doubts.listing import (
    AssessedTreebank,
    Listing,
    list_doubts,
)
from learnability.extensions.doubts.merging import known_doubts
from learnability.extensions.doubts.patterns import patterns
from learnability.extensions.doubts.results import MarginsResult, VotesResult
from learnability.extensions.doubts.section import doubts_section, drawn_doubts, patterns_section
from learnability.extensions.doubts.words import AssessedWords
from learnability.treebanks.conllu_io import ConlluFile, read_conllu

NAMES = ["root", "obj", "nsubj"]


def conllu(name: str, *ids: str, form: str = "it") -> ConlluFile:
    """A file with a sentence of two words for each id; without an id if that is empty."""
    words = f"1\tSee\tsee\tVERB\t_\t_\t0\troot\t_\t_\n2\t{form}\tit\tPRON\t_\t_\t1\tobj\t_\t_\n\n"
    text = "".join((f"# sent_id = {one}\n" if one else "") + words for one in ids)
    return read_conllu(io.BytesIO(text.encode()), name=name)


def assessed(files: Sequence[ConlluFile]) -> AssessedTreebank:
    """The sentences of the files; all parsers find another relation."""
    sentences = [sentence for file in files for sentence in file.sentences]
    n = len(sentences)
    votes = VotesResult(heads=[0, 1] * n, relations=[0, 2] * n, names=NAMES)
    margins = MarginsResult(
        heads=votes.heads, relations=votes.relations, names=NAMES, arc_margins=[1.0, 1.0] * n,
        rivals=[2, 0] * n, relation_margins=[1.0, -1.0] * n, rival_relations=[1, 2] * n,
        others=no_other_arcs(2 * n),
    )  # fmt: skip
    return assess_by_votes(AssessedWords.of(sentences, [[votes]], [[margins]]))


def everything(treebank: AssessedTreebank) -> Listing:
    return list_doubts(treebank, known_doubts(()), most=None)


def test_sentences_without_ids_are_called_by_file_and_line() -> None:
    files = [conllu(f"ga-ud-{split}.conllu", "", "") for split in ("train", "dev", "test")]
    treebank = assessed(files)
    listed, grouped = everything(treebank), patterns(treebank, everything(treebank).doubts)
    written = doubts_files(files, treebank, listed.doubts, grouped)
    rows = list(csv.DictReader(io.StringIO(written["doubts.csv"].decode())))
    cells = {(file.name, number): line.split("\t") for file in files
             for number, line in enumerate(file.data.decode().split("\n"), start=1)}  # fmt: skip
    assert len({(row["file"], row["line"]) for row in rows}) == len(rows) == 12
    for row in rows:
        assert cells[row["file"], int(row["line"])][:2] == [row["word"], row["form"]]
    places = {f"ga-ud-{split}.conllu:{line}" for split in ("train", "dev", "test") for line in (1, 4)}
    (table,) = doubts_section(listed, treebank.words.trees).tables
    assert {row[0] for row in table.rows} == places
    assert all(str(row[1]).rpartition(":")[0] in {file.name for file in files} for row in table.rows)
    table_of_patterns = csv.DictReader(io.StringIO(written["patterns.csv"].decode()))
    named = [row["sentences"].split("; ") for row in table_of_patterns]
    assert all(2 <= len(names) <= 5 and set(names) <= places for names in named)
    assert named
    (table,) = patterns_section(grouped, treebank.words.trees).tables
    assert all(str(row[-1]).split()[0] in places for row in table.rows)
    drawn = [figure.data.title for figure in drawn_doubts(treebank, grouped)]
    assert all(any(place in title for place in places) for title in drawn)


def test_sentences_with_the_same_id_are_told_apart() -> None:
    files = [conllu("a.conllu", "x", "y"), conllu("b.conllu", "x")]
    treebank = assessed(files)
    (table,) = doubts_section(everything(treebank), treebank.words.trees).tables
    assert {row[0] for row in table.rows} == {"x (a.conllu:1)", "y", "x (b.conllu:1)"}


IDS = st.text(
    st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda text: text.strip())
"""Whatever a comment may hold."""


@given(IDS, IDS.filter(lambda text: text == text.strip()))
def test_a_line_of_the_list_rejects_its_doubt(
    tmp_path_factory: pytest.TempPathFactory, sent_id: str, form: str
) -> None:
    check(tmp_path_factory.mktemp("ids"), sent_id, form)


@pytest.mark.parametrize(
    "sent_id",
    ["with a space", "'quoted' \"twice\"", "Ñandú-ga 7", "#1", "a # b", "a] Node 3]: b",
     "x Line 3 Sent y Node 4", "", "a\u2028b", "a\x85b\rc"],
)  # fmt: skip
def test_ids_of_all_kinds(tmp_path: Path, sent_id: str) -> None:
    check(tmp_path, sent_id, "it")


def check(folder: Path, sent_id: str, form: str) -> None:
    file = conllu("x y.conllu", sent_id, form=form)
    treebank = assessed([file])
    doubts = everything(treebank).doubts
    lines = doubts_files([file], treebank, doubts, [])["doubts.txt"]
    path = folder / "known.txt"
    path.write_bytes(b"# looked at\n" + lines)
    known = known_doubts((decisions_typed(str(path)),))
    left = list_doubts(treebank, known, most=None)
    assert (len(left.doubts), left.decided) == (0, {REJECT: len(doubts)}) == (0, {REJECT: 2})
    other = assessed([conllu("x y.conllu", sent_id, form="that")])
    assert (
        len(list_doubts(other, replace(known, rejected=Rejected(known.rejected.doubts)), most=None).doubts)
        == 2
    )


def test_a_file_that_is_not_utf_8_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "known.txt"
    path.write_bytes(b"# known\npattern: PRON:\xe9l det -> case\n")
    with pytest.raises(InputError, match=r"known.txt:2: the line is not UTF-8"):
        decisions_typed(str(path))
