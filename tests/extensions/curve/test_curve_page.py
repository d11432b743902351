"""The page of the extension says what it brings, and explains its file and its part of the report."""

import json
from pathlib import Path

import pytest
from explained import NUMBERS, extension_page, names_in, names_in_code, parts_of_report
from invoking import Call
from small_treebanks import small_treebank

RULES = ("--transform", "case", "--transform", "det", "--seeds", "1", "--iterations", "1")


@pytest.mark.parametrize("labels", [(), ("--labelled",)])
def test_fields_and_parts_of_the_report_are_explained(
    call: Call, tmp_path: Path, labels: tuple[str, ...]
) -> None:
    treebank, out = small_treebank(tmp_path / "ud"), tmp_path / "run"
    words = ("run", "--test-set", "--curve", *labels)
    done = call(*words, "--treebank", treebank, *RULES, "--out", out, "--jobs", "1", "--quiet")
    assert done.code == 0, done.errors
    page = extension_page("curve")
    found = set(names_in(json.loads((out / "learning_curve.json").read_text(encoding="utf-8"))))
    assert len(found) > 10
    assert sorted(found - names_in_code(page) - names_in_code(NUMBERS)) == []
    report = NUMBERS.partition("## The report")[2].partition("\n## ")[0] + page
    parts = parts_of_report((out / "report.html").read_text(encoding="utf-8"))
    assert [part for part in parts if part not in report.replace("*", "")] == []
    assert any(part not in NUMBERS for part in parts)
