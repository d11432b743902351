"""`learnability show`: UD and the alternative of one's own sentences, side by side."""

from __future__ import annotations

from pathlib import Path

from invoking import Call


def test_the_first_sentences_that_change_are_drawn(call: Call, demo_dev: Path) -> None:
    shown = call("show", "--transform", "case", "--max", "2", demo_dev).output.decode()
    blocks = shown.split("\n\n")
    assert len(blocks) == 2
    assert all("*" in block and "▶ case" in block and "comp:case" in block for block in blocks)


def test_a_sentence_of_its_own_choice(call: Call, demo_dev: Path) -> None:
    text = demo_dev.read_text(encoding="utf-8")
    names = [line.split(" = ")[1] for line in text.splitlines() if line.startswith("# sent_id")]
    shown = call("show", "--alternative", "all", "--sent-id", names[-1], demo_dev).output.decode()
    assert shown.startswith(names[-1])


PHRASE = "1\tin\tin\tADP\t_\t_\t2\tcase\t_\t_\n2\tit\tit\tPRON\t_\t_\t0\troot\t_\t_\n\n"
"""A sentence in which `case` has a place."""


def in_two_sets(folder: Path, text: str) -> Path:
    place = folder / "UD_Two"
    place.mkdir()
    for split in ("train", "test"):
        (place / f"xx-ud-{split}.conllu").write_text(text, encoding="utf-8")
    return place


def titles(call: Call, treebank: Path, *words: object) -> list[str]:
    shown = call("show", "--transform", "case", "--treebank", treebank, *words)
    assert shown.code == 0, shown.errors
    return [block.splitlines()[0] for block in shown.output.decode().split("\n\n")]


def test_a_sent_id_of_two_sentences_names_their_places(call: Call, tmp_path: Path) -> None:
    treebank = in_two_sets(tmp_path, f"# sent_id = b\n{PHRASE}# sent_id = a b\n{PHRASE}")
    both = ["a b (xx-ud-train.conllu:5)", "a b (xx-ud-test.conllu:5)"]
    assert titles(call, treebank, "--sent-id", "a b") == both
    assert [titles(call, treebank, "--sent-id", title) for title in both] == [[title] for title in both]
    picture = call(
        "show", "--transform", "case", "--treebank", treebank, "--sent-id", "a b", "--out", tmp_path / "x.svg"
    )
    assert picture.code == 2
    assert f"names 2 sentences ({', '.join(both)})" in picture.errors


def test_sentences_without_ids_are_called_by_file_and_line(call: Call, tmp_path: Path) -> None:
    treebank = in_two_sets(tmp_path, f"# a comment\n{PHRASE}{PHRASE}")
    places = [f"xx-ud-{split}.conllu:{line}" for split in ("train", "test") for line in (1, 5)]
    assert titles(call, treebank, "--max", "4") == places
    for place in places:
        assert titles(call, treebank, "--sent-id", place) == [place]
    assert titles(call, treebank, "--sent-id", "2") == places[1::2]  # the second ones of both files
    for line in (5, 6):  # any line of a sentence, as doubts.csv names that of the word
        assert titles(call, treebank, "--sent-id", f"xx-ud-train.conllu:{line}") == [places[1]]
    for elsewhere in ("xx-ud-train.conllu:4", "xx-ud-train.conllu:8", "xx-ud-dev.conllu:1", "5", "0"):
        refused = call("show", "--transform", "case", "--treebank", treebank, "--sent-id", elsewhere)
        assert (refused.code, refused.output) == (2, b"")


def test_a_page_and_a_picture(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    for name, start in (("pairs.html", b"<!DOCTYPE html>"), ("pair.svg", b"<?xml")):
        out = tmp_path / name
        call("show", "--transform", "case", demo_dev, "--out", out)
        first = out.read_bytes()
        assert first.startswith(start)
        call("show", "--transform", "case", demo_dev, "--out", out)
        assert out.read_bytes() == first


def test_without_an_alternative_ud_is_drawn_alone(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    shown = call("show", "--max", "2", demo_dev)
    assert (shown.code, shown.errors) == (0, "")
    blocks = shown.text.split("\n\n")
    assert len(blocks) == 2
    assert all(line.startswith("  ") for block in blocks for line in block.splitlines()[1:])
    picture = tmp_path / "x.svg"
    assert call("show", demo_dev, "--out", picture).code == 0
    drawn = picture.read_text(encoding="utf-8")
    assert 'class="same base"' in drawn
    assert 'alternative"' not in drawn.partition("</style>")[2]
    page = tmp_path / "x.html"
    assert call("show", demo_dev, "--out", page).code == 0
    assert "<h1>UD</h1>" in page.read_text(encoding="utf-8")
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    refused = call("show", empty)
    assert (refused.code, "has no sentences; use a file or a treebank" in refused.errors) == (2, True)
