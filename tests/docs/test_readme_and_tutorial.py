"""README and tutorial: their commands are run."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pages
import pytest
from explained import brought_by_missing
from running_pages import check_outputs, done, need_irish
from small_treebanks import DEMO, cut, small_treebank

pytestmark = pytest.mark.slow


def stand_ins(folder: Path) -> Path:
    """Small treebanks under the names of those that README speaks of."""
    home = folder / "ud"
    small_treebank(home, "UD_Irish", first=10)
    small_treebank(folder / "mine", "UD_Irish", first=10)
    place = home / "UD_French-Sequoia"
    place.mkdir()
    for split, count in (("train", 40), ("dev", 10), ("test", 20)):
        cut(DEMO / f"demo-ud-{split}.conllu", place / f"fr_sequoia-ud-{split}.conllu", 0, count)
    for release in ("2.4", "2.16"):
        small_treebank(home / f"ud-treebanks-v{release}", "UD_Irish-IDT", first=10)
    return home


def quicker(command: pages.Command) -> str:
    """The command with few transformations and iterations and one seed: README shows no numbers."""
    if brought_by_missing() & set(command.text.split()):
        return "true"
    text = command.text.replace('["case", "det"])', '["case", "det"], seeds=1, iterations=2)')
    if ".venv/bin/pip install" in text:  # the test run sets up an environment of its own, and runs the tests
        _, _, text = text.rpartition("&& .venv/bin/")
        text = text.partition("python -m pytest")[0] or "true"
    if "--parser" in text:  # others are slow, and need not be installed
        absent = "spacy" in text and find_spec("spacy") is None
        text = "true" if absent else text.replace("--treebank demo", "--treebank UD_Irish --transform case")
    if "--transform" not in text and "--alternative" not in text:
        asked = r"(run|combinations) --treebank \w+"
        text = re.sub(asked, r"\g<0> --transform case --transform det", text, count=1)
    few = {
        "run": "2 --seeds 1 --folds 3 --most-seeds 2",
        "combinations": "2 --seeds 1",
        "history": "2 --seeds 1",
        "doubts": "2",
        "train": "2",
    }
    name = text.partition("learnability ")[2].partition(" ")[0]
    if name not in few or "--iterations" in text:
        return text
    return text.replace(f"learnability {name}", f"learnability {name} --iterations {few[name]}", 1)


def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    ran = done("README.md", tmp_path, quicker, stand_ins(tmp_path))
    assert len(ran) > 12
    assert [(one.command.text, one.output) for one in ran if one.code] == []


def test_the_tutorial_shows_what_its_commands_print(tmp_path: Path) -> None:
    need_irish()
    check_outputs("docs/tutorial.md", tmp_path)
