"""`run` with schemes that are commands: as rules where both define something, and what only rules define."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from converters import runs, scheme_file
from invoking import Call
from small_treebanks import small_treebank

from learnability.evidence.columns import row_details, row_values
from learnability.evidence.stored_runs import read_run
from learnability.treebanks import locate

QUICK = ("--seeds", "1", "--iterations", "2", "--jobs", "1", "--quiet")
AS_RULE = f"""name = "det-command"
command = ["{sys.executable}", "-m", "learnability", "transform", "--transform", "det", "--quiet"]
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("commands")
    small_treebank(folder)
    scheme_file(folder)
    (folder / "det.toml").write_text(AS_RULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(locate, "cache_folder", lambda: folder / "cache" / "treebanks")
        yield folder


@pytest.fixture(scope="module")
def run(call: Call, work: Path) -> Path:
    names = ("--transform", "det", "--alternative", "det.toml", "--alternative", "chain.toml")
    done = call(
        "run", "--test-set", "--treebank", "UD_Small", *names, "--labelled", "keep", "--out", "run", *QUICK
    )
    assert (done.code, done.errors) == (0, "")
    return work / "run"


def rows(folder: Path) -> list[dict[str, Any]]:
    return [{**row_values(c.row), **row_details(c.row)} for c in read_run(folder).pairs]


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


RULES_ONLY = ("between_phrases_", "converted_back_")
"""How columns begin that no trees without rules define."""
BY_KIND = ("uas_error_split", "las_error_split")
"""Those that tell by kind of change what is told by part of a place where there are rules."""
BY_FACTORS = ("places", "test_places", "trained_on_both_")
"""Those that depend on how a sentence is split into factors: a rule knows more of that than its trees."""


def test_a_command_that_does_what_a_rule_does_has_its_row(run: Path) -> None:
    rule, command, _ = rows(run)
    assert (rule["construction"], command["construction"]) == ("det", "det-command")
    for column, value in rule.items():
        if column.endswith("_restored"):  # a learned way back, where no rule has one
            assert value is None
            assert 90 < float(command[column]) < 100, column
        elif column.startswith(RULES_ONLY):
            assert command[column] is None, column
        elif column.removeprefix("las_").startswith("train_on"):  # needs the rule's way back
            assert command[column] == ("no rule converts parses back to UD" if "reason" in column else "")
        elif not column.startswith(BY_FACTORS) and column not in ("construction", *BY_KIND):
            assert command[column] == value, column
    assert float(rule["converted_back_uas_delta"])
    assert int(command["places"]) > 0


def test_each_command_is_run_once_for_a_file(run: Path, work: Path, call: Call) -> None:
    assert runs(work) == 3
    again = call(
        "run", "--treebank", "UD_Small", "--alternative", "chain.toml", "--dry-run", "--out", "dry", *QUICK
    )
    assert again.code == 0
    assert runs(work) == 3


def test_the_report_tells_what_is_true_of_both(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    for text in (
        "What differs between UD (here) and chain (there)",
        "What differs between UD (here) and det-command (there)",
        "Where a command made the trees, a place is",
        "run --test-set --treebank UD_Small --transform det --alternative det.toml --alternative chain.toml",
        "xx-ud-test.conllu by chain.toml",
        "Where the differences come from",
    ):
        assert text in page, text
    assert "What differs between UD (here) and det (there)" not in page


def test_drawn_sentences_have_its_relations(run: Path) -> None:
    (chain,) = (r for r in records(run) if r["setting"] == "b" and r["subject"] == "scheme:chain.toml")
    assert chain["result"]["examples"]
    for example in chain["result"]["examples"]:
        assert example["heads"] == list(range(len(example["heads"])))
        assert set(example["deprels"]) == {"root", "dep"}


def test_a_failing_program_is_one_line_and_leaves_no_run(work: Path, call: Call) -> None:
    (work / "fails.toml").write_text('command = ["false"]')
    words = ("--treebank", "UD_Small", "--alternative", "fails.toml", "--out", "fails")
    done = call("run", "--test-set", *words, *QUICK)
    assert (done.code, done.output) == (1, b"")
    assert "fails: " in done.errors
    assert "xx-ud-train.conllu: failed with exit code 1; log: " in done.errors
    assert done.errors.count("\n") == 1
    assert not (work / "fails").exists()


def test_one_of_several_treebanks_may_fail(work: Path, call: Call) -> None:
    home = work / "home"
    for name in ("UD_A", "UD_B"):
        shutil.copytree(work / "UD_Small", home / name)
    path = home / "UD_B" / "xx-ud-dev.conllu"
    path.write_text(
        path.read_text(encoding="utf-8").replace("sent_id = ", "sent_id = bad-"), encoding="utf-8"
    )
    (work / "picky.toml").write_text('command = ["sed", "/bad-/,$d"]')
    words = ("--ud-home", "home", "--alternative", "picky.toml", "--transform", "det", "--out", "many")
    done = call("run", "--test-set", "--all", *words, *QUICK)
    assert done.code == 1
    assert "UD_B cannot be used (scheme picky: " in done.errors
    assert "its output is empty: 0 sentences for 15" in done.errors
    assert [row["treebank"] for row in rows(work / "many")] == ["UD_A", "UD_A"]
