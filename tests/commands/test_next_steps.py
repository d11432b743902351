"""The commands after *Next* are the same on the terminal, the page and the card, and they work."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir
from html import unescape
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

QUICK = ("--jobs", "1", "--quiet")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("next")
    small_treebank(folder / "ud", train=230, test=200)
    with chdir(folder):
        yield folder


def on_terminal(text: str) -> list[str]:
    """The commands that are printed after *Next*."""
    return re.findall(r"^  (learnability .*)$", text, re.MULTILINE)


def on_page(run: Path) -> list[str]:
    """The commands that the page shows below a line that begins with *Next*."""
    page = (run / "report.html").read_text(encoding="utf-8")
    steps = re.findall(r"<b>Next .*:</b></p>\n<pre tabindex=\"0\"><code>(.*)</code></pre>", page)
    return [unescape(step) for step in steps]


def on_card(card: Path) -> list[str]:
    _, command = json.loads(card.with_suffix(".json").read_text())["next_step"]
    assert f": `{command}`" in card.read_text(encoding="utf-8")
    return [command]


WORDS = ("run", "--test-set", "--treebank", "ud/UD_Small", "--transform", "case", "--transform", "cc",
         "--transform", "mark", "--seeds", "3", "--iterations", "1", "--tags", "none")  # fmt: skip


@pytest.fixture(scope="module")
def ran(call: Call, place: Path) -> list[str]:
    done = call(*WORDS, "--out", "runs/my run", *QUICK)
    assert done.code == 0, done.errors
    return on_terminal(done.text)


def test_everywhere_the_same_command_without_folders_of_this_machine(
    call: Call, place: Path, ran: list[str]
) -> None:
    assert ran == ["learnability run --resume --out 'runs/my run'"]
    run = place / "runs" / "my run"
    assert on_page(run) == ran
    assert call("report", "runs/my run", "--card", "card.md").code == 0
    assert on_card(place / "card.md") == ran
    page = (run / "report.html").read_bytes()
    card = (place / "card.md").read_bytes()
    assert str(place).encode() not in page + card
    with chdir(run):
        assert call("report", ".", "--card", "../../card.md").code == 0
    assert call("report", run, "--card", place / "card.md").code == 0
    assert ((run / "report.html").read_bytes(), (place / "card.md").read_bytes()) == (page, card)


def test_the_command_works_when_it_is_typed(call: Call, place: Path, ran: list[str], tmp_path: Path) -> None:
    (settle,) = (shlex.split(command)[1:] for command in ran)
    shutil.copytree(place, tmp_path / "copy")
    with chdir(tmp_path / "copy"):
        assert call(*settle, "--most-seeds", "2", "--folds", "3", *QUICK).code == 0


def test_a_run_that_was_renamed_is_called_by_its_name(call: Call, place: Path, ran: list[str]) -> None:
    shutil.copytree(place / "runs" / "my run", place / "other")
    assert call("report", place / "other").code == 0
    assert on_page(place / "other") == ["learnability run --resume --out other"]


def test_a_treebank_that_was_typed_with_its_folder_is_found_again(
    call: Call, place: Path, tmp_path: Path
) -> None:
    words = [*WORDS, "--out", tmp_path / "run", *QUICK]
    words[3] = place / "ud" / "UD_Small"
    done = call(*words)
    steps = on_terminal(done.text)
    assert on_page(tmp_path / "run") == steps
    with chdir(tmp_path):
        planned = call(*shlex.split(steps[-1])[1:], "--dry-run")
    assert planned.code == 0, planned.errors
