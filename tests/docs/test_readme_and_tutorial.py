"""README and tutorial: their commands are run."""

from __future__ import annotations

from pathlib import Path

import pages
import pytest
from running_pages import check_outputs, done, need_treebanks
from small_treebanks import small_treebank

pytestmark = pytest.mark.slow


def stand_ins(folder: Path) -> Path:
    """Small treebanks under the names of those that README speaks of."""
    home = folder / "ud"
    for number, name in enumerate(("UD_Turkish-IMST", "UD_Turkish-BOUN")):
        small_treebank(home, name, first=10 + 40 * number)
    return home


def quicker(command: pages.Command) -> str:
    """The command with few constructions and iterations and one seed: README shows no numbers of these."""
    text = command.text
    if ".venv/bin/pip install" in text:  # the test run sets up an environment of its own, and runs the tests
        _, _, text = text.rpartition("&& .venv/bin/")
        text = text.partition("python -m pytest")[0] or "true"
    few = "--iterations 2 --seeds 1 --folds 3 --most-seeds 2"
    return text.replace("learnability run --treebank demo", f"learnability run --treebank demo {few}")


def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    ran = done("README.md", tmp_path, quicker, stand_ins(tmp_path))
    assert len(ran) == 4
    assert [(one.command.text, one.output) for one in ran if one.code] == []


def test_the_tutorial_shows_what_its_commands_print(tmp_path: Path) -> None:
    need_treebanks("UD_Turkish-IMST", "UD_Turkish-BOUN")
    check_outputs("docs/tutorial.md", tmp_path)
