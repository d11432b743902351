from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path

import pytest
from conllu_examples import AWKWARD, conllu, read, words
from hypothesis import given
from hypothesis import strategies as st

from learnability.errors import InputError
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import find_cycle


def test_sentence_and_tree_hold_what_the_file_says() -> None:
    file = read(AWKWARD)
    (sentence,) = file.sentences
    assert sentence.tree.forms == ("did", "n't", "go", "10  000")
    assert sentence.tree.lemmas == ("do", "not", "go", "_")
    assert sentence.tree.upos == ("AUX", "PART", "VERB", "NUM")
    assert sentence.tree.feats == ("_", "_", "B=1|A=2", "_")
    assert sentence.tree.heads == (3, 3, 0, 3)
    assert sentence.tree.deprels == ("aux", "advmod", "root", "obl")
    assert sentence.sent_id == "awkward-1"
    assert sentence.starts_document
    assert sentence.line == 1
    assert [sentence.lines[row].split("\t")[0] for row in sentence.rows] == ["1", "2", "3", "4"]
    assert file.sha256 == hashlib.sha256(AWKWARD).hexdigest()
    assert file.data == AWKWARD


def test_line_numbers_survive_extra_blank_lines_bom_and_crlf() -> None:
    data = b"\xef\xbb\xbf" + words([0]).replace(b"\n", b"\r\n") + b"\r\n\n" + words([0, 1], "s2").rstrip()
    file = read(data)
    assert [s.line for s in file.sentences] == [1, 6]
    assert [s.sent_id for s in file.sentences] == ["s1", "s2"]
    assert file.sentences[0].lines[0] == "# sent_id = s1"
    assert file.sentences[0].lines[1].endswith("\t_")


def test_comments_between_blank_lines_belong_to_no_sentence() -> None:
    file = read(b"# newdoc id = d\n\n" + words([0]) + b"# the end\n")
    assert len(file.sentences) == 1
    assert file.sentences[0].starts_document
    assert file.sentences[0].comments_before == ("# newdoc id = d", "# the end")


def test_comments_are_known_but_for_those_that_repeat_or_translate_the_text() -> None:
    comments = b"# text = a\n# text_en = b\n# text_type = essay\n# textual = c\n"
    assert read(comments + words([0])).sentences[0].tree.comments[:2] == ("text_type=essay", "textual=c")


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_newlines_end_lines(separator: str) -> None:
    data = conllu(f"1 a{separator}b _ X _ _ 0 root _ _".replace(separator, "@")).replace(
        b"@", separator.encode()
    )
    assert read(data).sentences[0].tree.forms == (f"a{separator}b",)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# sent_id = abc", "abc"),
        ("# sent_id ta-s1", "ta-s1"),
        ("# sentid: fr-ud-dev_00001", "fr-ud-dev_00001"),
        ("#ID: 26 @ http://example.org", "26"),
        ("# id = 7", "7"),
        ("# idle words", "1"),
        ("# id card lost", "1"),
        ("# plain text", "1"),
    ],
)
def test_sent_id_in_all_spellings_else_the_ordinal(comment: str, expected: str) -> None:
    (sentence,) = read(comment.encode() + b"\n" + words([0]).split(b"\n", 1)[1]).sentences
    assert sentence.sent_id == expected


ROW = "1 a _ X _ _ 0 root _ _"
ERRORS = {
    "columns": (conllu("1 a _ X _ _ 0 root _"), 1, "9 columns instead of 10"),
    "spaces": (b"1 a _ X _ _ 0 root _ _\n\n", 1, "1 column instead of 10"),
    "id": (conllu("2 a _ X _ _ 0 root _ _"), 1, "ID is '2' instead of 1"),
    "id order": (conllu(f"{ROW}\n3 b _ X _ _ 1 dep _ _"), 2, "ID is '3' instead of 2"),
    "id form": (conllu(f"{ROW}\n02 b _ X _ _ 1 dep _ _"), 2, "ID is '02' instead of 2"),
    "id missing": (conllu("_ a _ X _ _ 0 root _ _"), 1, "ID is '_' instead of 1"),
    "range late": (conllu(f"{ROW}\n1-2 ab _ _ _ _ _ _ _ _"), 2, "range 1-2 is not right before"),
    "range end": (conllu(f"1-2 ab _ _ _ _ _ _ _ _\n{ROW}"), 1, "range ends at 2"),
    "range reversed": (conllu(f"2-1 ab _ _ _ _ _ _ _ _\n{ROW}"), 1, "ID is '2-1'"),
    "range overlap": (
        conllu(f"1-2 ab _ _ _ _ _ _ _ _\n{ROW}\n2-3 bc _ _ _ _ _ _ _ _\n2 b _ X _ _ 1 dep _ _"),
        3,
        "range 2-3",
    ),
    "empty node": (conllu(f"{ROW}\n1.2 b _ X _ _ _ _ 1:dep _"), 2, "the empty node is 1.2 instead of 1.1"),
    "empty node after range": (
        conllu(f"1-1 ab _ _ _ _ _ _ _ _\n0.1 b _ X _ _ _ _ 1:dep _\n{ROW}"),
        2,
        "the empty node is 0.1",
    ),
    "empty node form": (conllu(f"{ROW}\n01.1 b _ X _ _ _ _ 1:dep _"), 2, "ID is '01.1'"),
    "no words": (conllu("# sent_id = s1\n0.1 b _ X _ _ _ _ 1:dep _"), 1, "has no words"),
    "form": (ROW.replace(" ", "\t").replace("a", "", 1).encode() + b"\n\n", 1, "FORM of word 1 is empty"),
    "deprel": (ROW.replace(" ", "\t").replace("root", "").encode() + b"\n\n", 1, "DEPREL of word 1 is empty"),
    "lemma": (conllu(f"{ROW}\n2 b ! X _ _ 1 dep _ _").replace(b"!", b""), 2, "LEMMA of word 2 is empty"),
    "misc of a range": (
        conllu(f"1-2 ab _ _ _ _ _ _ _ !\n{ROW}\n2 b _ X _ _ 1 dep _ _").replace(b"!", b""),
        1,
        "MISC of word 1-2 is empty",
    ),
    "id huge": (conllu(f"{ROW}\n{'9' * 5000} b _ X _ _ 1 dep _ _"), 2, "instead of 2"),
    "range huge": (conllu(f"1-{'9' * 5000} ab _ _ _ _ _ _ _ _\n{ROW}"), 1, "instead of 1"),
    "head zeros": (words([0, "01"]), 3, "HEAD of word 2 is '01'"),
    "head word": (words(["_"]), 2, "HEAD of word 1 is not given"),
    "head sign": (words(["0", "+1"]), 3, "HEAD of word 2 is '+1'"),
    "head digit": (words(["0", "\u0661"]), 3, "HEAD of word 2"),
    "head range": (words([0, 3]), 3, "HEAD of word 2 is '3', but the last word is 2"),
    "head huge": (words([0, "9" * 5000]), 3, "but the last word is 2"),
    "cycle": (words([0, 3, 2]), 3, "cycle through word 2"),
    "own head": (words([0, 2]), 3, "cycle through word 2"),
    "no root": (words([2, 1]), 2, "no root"),
    "roots": (words([0, 0, 1]), 3, "2 roots (words 1, 2)"),
    "utf-8": (words([0]) + b"# caf\xe9\n", 4, "not UTF-8 (byte 0xe9)"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_malformed_input_is_named_in_one_line(kind: str) -> None:
    data, line, message = ERRORS[kind]
    offset = 3  # a sound sentence comes first, so that the line is no accident
    with pytest.raises(InputError) as caught:
        read(words([0], "sound") + data)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"x.conllu:{line + offset}: ")
    assert message in text
    assert re.search(r"; [a-z]", text), "says what to do"
    if kind != "utf-8":
        assert f"sentence {'s1' if b'# sent_id = s1' in data else '2'}: " in text


SOUND = words([0, 1], "sound")
BROKEN = [data for kind, (data, _, _) in ERRORS.items() if kind != "utf-8"]


@given(st.lists(st.sampled_from([SOUND, *BROKEN]), min_size=1, max_size=9))
def test_all_broken_sentences_are_counted_and_the_next_ones_named(blocks: list[bytes]) -> None:
    """Each is what is found if the sentences before it are sound."""
    places = []
    for i, block in enumerate(blocks):
        alone = None
        try:
            read(words([0]) * i + block)
        except InputError as error:
            alone = re.fullmatch(r"x\.conllu:(\d+): (sentence (\S+): .*)", str(error))
            assert alone
        if alone:
            line = int(alone[1]) - i * words([0]).count(b"\n") + sum(b.count(b"\n") for b in blocks[:i])
            places.append((line, alone[3], alone[2]))
    if not places:
        assert len(read(b"".join(blocks))) == len(blocks)
        return
    with pytest.raises(InputError) as caught:
        read(b"".join(blocks))
    (line, _, text), *others = places
    what, advice = text.rsplit("; ", 1)
    more = ""
    if others:
        named = ", ".join(f"{sentence} in line {number}" for number, sentence, _ in others[:4])
        count = "1 more sentence is" if len(others) == 1 else f"{len(others)} more sentences are"
        more = f", and {count} broken ({named}{', ...' if len(others) > 4 else ''})"
    assert str(caught.value) == f"x.conllu:{line}: {what}{more}; {advice}"


def test_missing_file_and_folder_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_conllu(tmp_path / "absent.conllu")
    with pytest.raises(InputError, match="cannot be read"):
        read_conllu(tmp_path)


def test_several_roots_only_when_allowed() -> None:
    assert read(words([0, 0, 1]), multiple_roots=True).sentences[0].tree.heads == (0, 0, 1)


def test_parser_input_may_lack_trees_but_not_have_heads_outside() -> None:
    assert read(words(["_", "_"]), require_trees=False).sentences[0].tree.heads == (0, 0)
    with pytest.raises(InputError, match="last word is 1"):
        read(words([2]), require_trees=False)


def reaches_root(heads: list[int], word: int) -> bool:
    for _ in range(len(heads) + 1):
        if word == 0:
            return True
        word = heads[word - 1]
    return False


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_find_cycle_agrees_with_walking_from_every_word(heads: list[int]) -> None:
    found = find_cycle(heads)
    assert (found == 0) == all(reaches_root(heads, word) for word in range(1, len(heads) + 1))
    if found:
        assert not reaches_root(heads, found)


def test_a_second_sent_id_is_refused_with_its_sentence() -> None:
    text = "# sent_id = a\n# sent_id = b\n1\tx\tx\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(InputError, match="sentence a: a sentence has one sent_id, not a and b; delete one"):
        read_conllu(io.BytesIO(text.encode()), name="x.conllu")
