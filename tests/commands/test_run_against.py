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
    words = " ".join(done.text.split())
    assert "construction comparison function-heads" in words
    assert "det against function-heads: it is open which is easier to learn." in words
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "function-heads above the words, det below" in page
    assert "learnability run --test-set --treebank" in page
    assert "--alternative all" in page
    assert "--against function-heads" in page
    assert "where one of the two schemes changes UD and the other does not" in page
    config = json.loads((out / "config.json").read_text())
    assert config["options"]["against"] == "scheme:function-heads"
    assert config["arguments"]["schemes"]["scheme:function-heads"][0] == "case"
    other = call("run", "--test-set", "--treebank", treebank, "--against", "all", "--transform", "det",
                 "--resume", "--out", out, *QUICK)  # fmt: skip
    assert (other.code, other.output) == (2, b"")


def test_against_ud_is_the_run_without(call: Call, treebank: Path, tmp_path: Path) -> None:
    words = ("run", "--test-set", "--treebank", treebank, "--transform", "det", *QUICK)
    results = []
    for name, more in (("plain", ()), ("ud", ("--against", "ud"))):
        out = tmp_path / name
        assert call(*words, *more, "--out", out).code == 0
        page = (out / "report.html").read_bytes().replace(str(out).encode(), b"OUT")
        assert (b" --against ud" in page) == bool(more)  # the command as it was typed
        results.append([(out / "results.csv").read_bytes(), page.replace(b" --against ud", b"")])
    assert results[0] == results[1]


def test_dry_run_and_the_default_pairs(call: Call, treebank: Path) -> None:
    done = call("run", "--test-set", "--treebank", treebank, "--against", "case", "--dry-run")
    assert (done.code, done.errors) == (0, "")
    assert "constructions: cop, cc, det, mark, mwe, name; against case" in done.text
