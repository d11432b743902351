"""What the official validator finds, too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from doubt_tables import read_table
from invoking import Call
from small_treebanks import small_treebank

from learnability.errors import InputError
from learnability.extensions.doubts.results import ValidatorResult
from learnability.support.programs import find_program
from learnability.treebanks import validator
from learnability.treebanks.sentence_checks import SentenceChecker
from learnability.treebanks.validator import read_messages, validate_files

SHORT = ("--cross-validate", "3", "--iterations", "1", "--jobs", "1", "--parser", "arc-eager", "--all")


def is_installed() -> bool:
    try:
        find_program("the test", (validator.PROGRAM,), Path())
    except InputError:
        return False
    return True


needs_validator = pytest.mark.skipif(not is_installed(), reason="the official validator (udtools) is missing")

MESSAGES = """\
[Line 7 Sent a]: [L3 SYNTAX leaf-det] 'det' not expected to have children (1:a:det --> 2:b:obj)
[File b c.conllu Line 70 Sent x]y]: [L3 SYNTAX rel-upos-det] 'det' should be 'DET' or 'PRON' but it is 'X'
[File b c.conllu Line 70 Sent x]y]: [L2 SYNTAX rel-upos-case] a
[File b c.conllu Line 70 Sent x]y]: [L2 SYNTAX rel-upos-case] a second time
See [Line 8 Sent a]: [L3 SYNTAX leaf-det] which is no line of its own
SYNTAX errors: 3
"""


def test_messages_are_read_and_broken_ones_are_none() -> None:
    found = read_messages(f"{MESSAGES}*** FAILED *** with 3 errors\n", "a.conllu")
    assert found == [
        ("a.conllu", 7, "leaf-det"),
        ("b c.conllu", 70, "rel-upos-case"),
        ("b c.conllu", 70, "rel-upos-det"),
    ]
    assert ValidatorResult(incidents=found).errors_by_line() == {
        ("a.conllu", 7): "leaf-det",
        ("b c.conllu", 70): "rel-upos-case; rel-upos-det",
    }
    assert read_messages(MESSAGES, "a.conllu") is None  # it broke off
    assert read_messages("*** PASSED ***\n", "a.conllu") == []


def test_without_the_validator_nothing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(validator, "PROGRAM", "no-such-validator")
    assert validate_files([tmp_path / "x.conllu"]) is None


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[tuple[str, int]]]:
    """A treebank with determiners that are tagged as verbs, and where these are."""
    place = small_treebank(tmp_path_factory.mktemp("wrong"), "UD_Wrong", train=20)
    places = set()
    for path in place.glob("*.conllu"):
        lines = path.read_text(encoding="utf-8").split("\n")
        for i, line in enumerate(lines):
            cells = line.split("\t")
            if len(cells) == 10 and cells[7] == "det" and i % 3 == 0:
                cells[3] = "VERB"
                lines[i] = "\t".join(cells)
                places.add((path.name, i + 1))
        path.write_text("\n".join(lines), encoding="utf-8")
    assert len(places) > 5
    return place, places


@needs_validator
def test_list_page_and_terminal_mark_its_errors(
    call: Call, wrong: tuple[Path, set[tuple[str, int]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    treebank, places = wrong
    monkeypatch.setattr(SentenceChecker, "VALIDATED", 10)
    parser = ("--parser", "easy-first", "--column", "head")
    done = call("doubts", "--treebank", treebank, *SHORT, *parser, "--out", tmp_path)
    assert done.code == 0, done.errors
    rows = read_table(tmp_path)
    found = {(row["file"], int(row["line"])): row["validator"] for row in rows if row["validator"]}
    assert found.keys() >= places
    assert {found[place] for place in places} == {"rel-upos-det"}
    assert len(found) < len(rows) / 2
    said = " ".join(done.text.split())
    assert f"The official validator marks {len(found)} of them." in said
    html = (tmp_path / "doubts.html").read_text(encoding="utf-8")
    embedded = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert embedded
    data = json.loads(embedded[1])
    column = data["fields"].index("validator")
    assert sorted(filter(None, (row[column] for row in data["rows"]))) == sorted(found.values())
