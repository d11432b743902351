"""A terminal shows constructions where there are many treebanks, and the way to the page."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from finished_runs import config, write_run
from invoking import Call

from learnability.comparing.plan import RunPlan
from learnability.reports.caveats import list_caveats
from learnability.reports.story import MOST_ROWS
from learnability.running.config import TreebankDesign

LANGUAGES = ("Irish", "Greek", "Tamil", "Kazakh", "Turkish", "English", "French")
CONSTRUCTIONS = ("case", "cop", "cc", "det", "mark", "mwe", "name")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A run of five treebanks, which are listed, and one of seven, which are not."""
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for count in (5, 7):
        names = [f"UD_{language}" for language in LANGUAGES[:count]]
        deltas = dict.fromkeys(product(names, CONSTRUCTIONS), (1.0, 2.0))
        found[count] = write_run(folder / str(count), seed_deltas=deltas)
    return found


@pytest.mark.parametrize("command", ["compare", "report"])
def test_single_treebanks_are_listed_while_they_are_few(
    command: str, folders: dict[int, Path], call: Call
) -> None:
    assert 5 * len(CONSTRUCTIONS) <= MOST_ROWS < 7 * len(CONSTRUCTIONS)
    few, many = (call(command, str(folders[count])).text for count in (5, 7))
    assert sum(line.count("UD_Greek") for line in few.splitlines()) == len(CONSTRUCTIONS)
    assert "UD_Greek" not in many
    assert "--details lists the 49 comparisons of single treebanks." in many
    assert len(many.splitlines()) < 45
    assert all(f"\n{name}" in many for name in CONSTRUCTIONS)


@pytest.mark.parametrize("command", ["compare", "report"])
def test_details_list_every_treebank(command: str, folders: dict[int, Path], call: Call) -> None:
    said = call(command, str(folders[7]), "--details").text
    assert sum(line.count("UD_Greek") for line in said.splitlines()) >= len(CONSTRUCTIONS)
    assert "--details lists" not in said


def test_a_page_of_few_treebanks_defines_each_construction_and_says_why_it_is_open(
    folders: dict[int, Path], call: Call
) -> None:
    assert call("report", str(folders[5])).code == 0
    page = (folders[5] / "report.html").read_text(encoding="utf-8")
    assert "<h1>5 treebanks: which annotation is easier to learn?</h1>" in page
    assert "7 constructions in 5 treebanks" in page
    assert "too few treebanks" not in page
    for name in CONSTRUCTIONS:
        (section,) = re.findall(rf"<h3 [^>]*>{name}: (.*?)</section>", page, re.DOTALL)
        assert section.startswith("open in 5 treebanks</h3>")
        assert "The alternative to UD (Universal Dependencies): " in section
        for language in LANGUAGES[:5]:
            assert f"<li>UD_{language}: it is open which is easier to learn. UD is at most " in section
    assert page.count("<b>Next (") <= 1
    (together,) = re.findall(r'<h2 id="together">(.*?)</section>', page, re.DOTALL)
    assert together.startswith("5 treebanks together</h2>")
    assert re.search(r'<th scope="row">case</th><td[^>]*>open</td><td[^>]*>UD \+', together)
    assert "<code>learnability compare " in together


def test_a_line_on_a_treebank_names_it_where_there_are_several() -> None:
    one, other = (TreebankDesign(f"UD_{name}", f"UD_{name}", left_out=("cut",)) for name in "AB")
    for treebanks, said in (((one, other), ["UD_A: cut", "UD_B: cut"]), ((one,), ["cut"])):
        design = replace(config(), treebanks=treebanks)
        assert list_caveats(RunPlan.of_config(design), design, [], [], []).remarks == said


def test_the_page_of_many_treebanks_begins_with_what_they_say_together(
    folders: dict[int, Path], call: Call
) -> None:
    assert call("report", str(folders[7])).code == 0
    page = (folders[7] / "report.html").read_text(encoding="utf-8")
    assert "<h1>UD and its alternatives over 7 treebanks</h1>" in page
