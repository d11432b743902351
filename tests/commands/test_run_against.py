"""`run --against`: what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

QUICK = ("--iterations", "1", "--seeds", "1", "--jobs", "1")


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    return small_treebank(tmp_path / "ud")


def test_a_run_names_the_scheme_everywhere(call: Call, treebank: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = (
        "run",
        "--test-set",
        "--treebank",
        treebank,
        "--against",
        "function-heads",
        "--transform",
        "det",
        "--alternative",
        "all",
    )
    done = call(*words, "--out", out, *QUICK)
    assert (done.code, done.errors) == (0, "")
    done = call("report", out, "--details")
    headings = done.text.splitlines()[1:4]
    assert any(line.split()[:2] == ["construction", "easier"] for line in headings)
    assert "det against function-heads: " in done.text
    said = done.text.replace("UD_Small", "").replace(r"UD\_Small", "")
    for kept in (
        "conversion to UD",
        "onverted back to UD",
        "back to UD",
        "back to\n  UD",
        "to UD\n",
        "to UD (points)",
        "UD's trees",
        "for UD trees",
        "f you need UD trees",
        "f you need\n  UD trees",
        "f you need UD\n  trees",
    ):
        said = said.replace(kept, "")
    assert "UD" not in said
    words = " ".join(said.split())
    assert "construction comparison function-heads" in words
    assert "det against function-heads: it is open which is easier to learn." in words
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "function-heads above the words, det below" in page
    assert "learnability run --test-set --treebank" in page
    assert "--alternative all" in page
    assert "--against function-heads" in page
    assert "where one of the two schemes changes UD and the other does not" in page
    visible = page.partition("<main")[2].partition('aria-labelledby="computed"')[0]
    for kept in ("UD_Small", "UD relation", "converted to UD", "into UD trees", "Converted to UD",
                 "conversion to UD", "users of UD trees", "UD&#39;s trees", "made by rule from UD",
                 "converted\nto UD", "back to UD", "back\N{NO-BREAK SPACE}to UD", r"UD\_Small",
                 "those of UD: a "
                 "word", "schemes changes UD", "alternative to UD", "to UD (points)",
                 "for UD trees", "If you need UD trees"):  # fmt: skip
        visible = visible.replace(kept, "")
    assert "function-heads" in visible
    assert "UD" not in visible
    config = json.loads((out / "config.json").read_text())
    assert config["options"]["against"] == "scheme:function-heads"
    assert config["arguments"]["schemes"]["scheme:function-heads"][0] == "case"
    other = call("run", "--test-set", "--treebank", treebank, "--against", "all", "--transform", "det",
                 "--resume", "--out", out, *QUICK)  # fmt: skip
    assert (other.code, other.output) == (2, b"")


def test_against_ud_is_the_run_without(call: Call, treebank: Path, tmp_path: Path) -> None:
    words = ("run", "--test-set", "--treebank", treebank, "--transform", "det", *QUICK)
    for labels in ((), ("--labelled",)):
        results = []
        for name, more in (("plain", ()), ("ud", ("--against", "ud"))):
            out = tmp_path / "-".join((name, *labels))
            assert call(*words, *labels, *more, "--out", out).code == 0
            page = (out / "report.html").read_bytes().replace(str(out).encode(), b"OUT")
            assert (b" --against ud" in page) == bool(more)  # the command as it was typed
            page = page.replace(b" --against ud", b"").replace(str(out).encode(), b"OUT")
            results.append([(out / "results.csv").read_bytes(), page])
        assert results[0] == results[1]


def test_a_labelled_run_names_the_scheme_beside_las(call: Call, treebank: Path, tmp_path: Path) -> None:
    words = (
        "run",
        "--test-set",
        "--treebank",
        treebank,
        "--against",
        "moscow",
        "--transform",
        "cc",
        "--labelled",
    )
    done = call(*words, "--out", tmp_path, *QUICK)
    assert (done.code, done.errors) == (0, "")
    shown = done.text.splitlines()
    starts = [line.split()[:2] for line in shown]
    assert ["cc", "UAS"] in starts
    assert ["cc", "LAS"] in starts
    assert "With relations (LAS): " in done.text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<th scope="col">moscow</th>' in page
    assert '<th scope="col">UD</th>' not in page
    assert "reference: UD" not in page
    said = " ".join(page.split())
    assert "Converting back uses the relations that the parser predicted" in said
    again = call(*words, "--out", tmp_path, "--json", *QUICK)
    (row,) = json.loads(again.output)
    assert row["sentences_unmixed"] > 0
    assert f"{row['sentences_unmixed']:g} training sentences cannot mix the two schemes" in said


def test_dry_run_and_the_default_pairs(call: Call, treebank: Path) -> None:
    done = call("run", "--test-set", "--treebank", treebank, "--against", "case", "--dry-run")
    assert (done.code, done.errors) == (0, "")
    assert "constructions: cop, cc, det, mark, mwe, name; against case" in done.text
