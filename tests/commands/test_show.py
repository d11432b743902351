"""`learnability show`: UD and the alternative of one's own sentences, side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call


def test_the_first_sentences_that_change_are_drawn(call: Call, demo_dev: Path) -> None:
    shown = call("show", "--transform", "case", "--max", "2", demo_dev).output.decode()
    blocks = shown.split("\n\n")
    assert len(blocks) == 2
    assert all("*" in block and "▶ case" in block and "comp:case" in block for block in blocks)


def test_a_sentence_of_its_own_choice(call: Call, demo_dev: Path) -> None:
    text = demo_dev.read_text(encoding="utf-8")
    names = [line.split(" = ")[1] for line in text.splitlines() if line.startswith("# sent_id")]
    shown = call("show", "--scheme", "all", "--sent-id", names[-1], demo_dev).output.decode()
    assert shown.startswith(names[-1])


def test_a_sentence_that_does_not_change_says_so(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "one.conllu"
    file.write_text("# sent_id = a\n1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    shown = call("show", "--transform", "case", "--sent-id", "a", file).output.decode()
    assert shown.splitlines()[-1] == "case changes nothing in this sentence."


def test_a_sent_id_of_two_sentences_names_their_sets(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "UD_Two"
    folder.mkdir()
    text = "# sent_id = a\n1\tin\tin\tADP\t_\t_\t2\tcase\t_\t_\n2\tit\tit\tPRON\t_\t_\t0\troot\t_\t_\n\n"
    for split in ("train", "test"):
        (folder / f"xx-ud-{split}.conllu").write_text(text, encoding="utf-8")
    shown = call("show", "--transform", "case", "--sent-id", "a", "--treebank", folder).output.decode()
    assert [line for line in shown.splitlines() if line.startswith("a ")] == [
        "a (training set)",
        "a (test set)",
    ]


def test_labels_are_kept_on_request(call: Call, demo_dev: Path) -> None:
    shown = call("show", "--transform", "case", "--labels", "keep", demo_dev).output.decode()
    assert "*" in shown
    assert "comp:case" not in shown


def test_a_transformation_that_applies_nowhere(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "one.conllu"
    file.write_text("1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    answer = call("show", "--transform", "case", file)
    assert (answer.code, answer.output) == (2, b"")
    assert "has no sentence that case changes" in answer.errors


def test_a_page_and_a_picture(call: Call, demo_dev: Path, tmp_path: Path) -> None:
    for name, start in (("pairs.html", b"<!DOCTYPE html>"), ("pair.svg", b"<?xml")):
        out = tmp_path / name
        call("show", "--transform", "case", demo_dev, "--out", out)
        first = out.read_bytes()
        assert first.startswith(start)
        call("show", "--transform", "case", demo_dev, "--out", out)
        assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--transform", "case"], "use either --treebank T or FILE"),
        (
            ["--transform", "case", "--treebank", "demo", "--sent-id", "none"],
            "no sentence with the sent_id 'none'",
        ),
        (["--transform", "case", "--treebank", "demo", "--out", "x.png"], "ends in .html or .svg"),
        (["--treebank", "demo"], "--transform NAME (repeatable) or --scheme"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(call: Call, words: list[str], said: str) -> None:
    answer = call("show", *words)
    assert (answer.code, answer.output) == (2, b"")
    assert said in answer.errors
    assert answer.errors.count("\n") == 1
