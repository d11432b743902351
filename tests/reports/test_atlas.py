"""The atlas: the numbers of `compare`, links that lead somewhere, and one page whatever things are called."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from finished_runs import hand_run, pair

from learnability.evidence.questions import Answer, Question
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredRun
from learnability.evidence.survey import Evidence, combine_runs
from learnability.metrics.scores import Score
from learnability.reports.atlas.page_parts import MARKS, STRIP_WIDTH, CellOutcome, strip
from learnability.reports.atlas.site import CSV, INDEX, atlas_files, link_names
from learnability.reports.comparison_files import as_json


class Page(HTMLParser):
    """The links, the ids and the answers of a page."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.cells: list[str] = []
        self._cell: list[str] | None = None
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [str(values[name]) for name in ("href", "src") if values.get(name)]
        self.ids += [str(values["id"])] if values.get("id") else []
        if tag == "td":
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "td" and self._cell is not None:
            self.cells.append(" ".join("".join(self._cell).split()))
            self._cell = None


def combine(*runs: StoredRun) -> Evidence:
    return combine_runs(list(runs))


def site_of(*runs: StoredRun) -> dict[str, bytes]:
    return atlas_files(combine(*runs), runs)


@pytest.fixture(scope="module")
def run() -> StoredRun:
    return hand_run(Path("run"))


@pytest.fixture(scope="module")
def site(run: StoredRun) -> dict[str, bytes]:
    return site_of(run)


def lines_of(site: dict[str, bytes]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(site[CSV].decode())))


def test_numbers_are_those_of_the_comparison(run: StoredRun, site: dict[str, bytes]) -> None:
    compared = json.loads(as_json(combine(run)))
    lines = {(line["treebank"], line["construction"]): line for line in lines_of(site)}
    assert len(lines) == 6
    for expected in compared["differences"]:
        line = lines.pop((expected["treebank"], expected["construction"]))
        for name, value in expected.items():
            if isinstance(value, float):
                assert float(line[name]) == pytest.approx(value, abs=6e-5), name
            elif isinstance(value, str):
                assert line[name] == value, name
    assert [line["easier"] for line in lines.values()] == ["too few examples"]
    names = [c["construction"] for c in compared["constructions"]]
    shown = Page(site[INDEX]).cells
    assert shown[: len(names)] == ["– too few treebanks"] * 2
    answers = {(c["treebank"], c["construction"]): c["easier"] for c in compared["differences"]}
    cells = iter(shown[len(names) :])
    for treebank in ("UD_X", "UD_Y", "UD_Z"):
        for construction in names:
            answer = answers.get((treebank, construction), str(Answer.TOO_FEW_EXAMPLES))
            assert f" {answer}" in next(cells)


def test_every_cell_says_its_answer_by_word_colour_and_mark(run: StoredRun, site: dict[str, bytes]) -> None:
    assert len(set(MARKS.values())) == len(CellOutcome)
    evidence = combine(run)
    pairs = [pair for c in evidence.constructions for pair in (*c.pairs, *c.untested)]
    outcomes = {(c.treebank, c.row.name): CellOutcome.of(c.row, Score.UAS) for c in pairs}
    page = site[INDEX].decode()
    for outcome in CellOutcome:
        count = sum(found is outcome for found in outcomes.values())
        assert page.count(f'data-outcome="{outcome}"') == count
    assert CellOutcome.BASE in outcomes.values()
    assert CellOutcome.ALTERNATIVE in outcomes.values()
    assert outcomes["UD_Z@1.3", "det"] is CellOutcome.FEW


def test_the_side_of_a_cell_is_the_one_with_the_higher_score(run: StoredRun) -> None:
    signs = {CellOutcome.BASE: 1, CellOutcome.ALTERNATIVE: -1}
    checked = []
    for row in (c.row for c in combine(run).pairs):
        difference, outcome = row.difference(Score.UAS), CellOutcome.of(row, Score.UAS)
        if difference is not None and outcome in signs:
            assert difference.delta * signs[outcome] > 0
            checked.append(outcome)
    assert set(checked) == set(signs)


def test_drawn_intervals_have_ud_at_the_right() -> None:
    drawing = strip(Difference(None, None, 1.0, low=-0.5, high=2.0), CellOutcome.OPEN, 2.0)
    at = {name: float(re.search(pattern, drawing)[1]) for name, pattern in PLACES.items()}  # type: ignore[index]
    assert at["low"] < STRIP_WIDTH / 2 < at["delta"] < at["high"] == STRIP_WIDTH - 5
    assert strip(Difference(None, None, 1.0), CellOutcome.FEW, 2.0) == ""


PLACES = {"delta": r'cx="(\d+)"', "low": r'd="M(\d+) \d+H', "high": r"H(\d+)"}
"""Where a drawing of an interval has its parts."""


def check_links(site: dict[str, bytes]) -> None:
    """Every link leads to a file and a part of it; no id stands twice."""
    pages = {name: Page(data) for name, data in site.items() if name.endswith(".html")}
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        for link in page.links:
            parts = urlsplit(urljoin(f"file:///{name}", link))
            if parts.scheme != "file":
                assert parts.netloc == "doi.org"
                continue
            target = unquote(parts.path.removeprefix("/"))
            assert target in site, (name, link)
            if parts.fragment:
                assert unquote(parts.fragment) in pages[target].ids, (name, link)


def test_all_links_resolve(site: dict[str, bytes]) -> None:
    check_links(site)
    for line in lines_of(site):
        page, _, fragment = line["page"].partition("#")
        assert fragment in Page(site[page]).ids


def test_odd_names(run: StoredRun) -> None:
    names = ("UD_Ünï <b>&amp;", "UD_A@1.3", "ud_a-1.3", "../up", "UD_" + "x" * 90)
    rows = [
        pair(name, construction, 1.0, 0.3, release="")
        for name in names
        for construction in ("case:lemma=of|to", "sch\"eme's")
    ]
    odd = hand_run(Path("run"), rows=rows, release="")
    treebanks = [replace(treebank, label=treebank.name) for treebank in odd.config.treebanks]
    odd = replace(odd, config=replace(odd.config, treebanks=treebanks))
    site = site_of(odd)
    check_links(site)
    assert len({line["page"] for line in lines_of(site)}) == len(rows)
    assert all(name.count("/") <= 1 and len(name) < 120 for name in site)
    assert b"<b>&" not in site[INDEX]


def test_link_names_do_not_depend_on_other_names() -> None:
    plain = ["UD_Irish@1.3", "case", "cop:reattach=clause"]
    assert list(link_names(plain).values()) == ["UD_Irish-1.3", "case", "cop-reattach-clause"]
    odd = "case:lemma=of|to"
    alone, among = link_names([odd])[odd], link_names([*plain, odd, "case:lemma=of/to"])[odd]
    assert alone == among
    assert alone.startswith("case-lemma-of-to-")
    folded = link_names(["UD_A", "ud_a"])
    assert len({link.casefold() for link in folded.values()}) == 2


def test_two_releases_stand_side_by_side() -> None:
    new, old = hand_run(Path("new"), release="2.10"), hand_run(Path("old"), release="2.9")
    site = site_of(new, old)
    check_links(site)
    ids = Page(site["constructions/case.html"]).ids
    assert [name for name in ids if name.startswith("UD_X")] == ["UD_X-2.9", "UD_X-2.10"]


def test_what_is_compared_in_one_treebank_only(run: StoredRun) -> None:
    rows = [
        pair("UD_X", "case", 1.0, 0.9),
        pair("UD_X", "det", 0.5, 0.8),
        pair("UD_Y", "case", 1.0, 0.7),
    ]
    site = site_of(hand_run(Path("run"), rows=rows))
    assert Page(site[INDEX]).cells[-1] == "– not compared"
    assert Answer.OPEN in Page(site[INDEX]).cells[2]
    check_links(site)


def test_families_of_languages_stand_together_the_largest_first() -> None:
    names = ("Greek", "Irish", "Welsh", "Breton", "Manx", "Ancient_Greek")
    rows = [pair(f"UD_{name}", "det", 1.0, 0.3) for name in names]
    site = site_of(hand_run(Path("run"), rows=rows))
    page = site["constructions/det.html"].decode()
    assert re.findall(r'scope="rowgroup"[^>]*>([^<]+)</th>', page) == ["Celtic", "Hellenic"]


def test_one_treebank() -> None:
    site = site_of(hand_run(Path("run"), only=["UD_X"]))
    check_links(site)
    assert sorted(name for name in site if "/" in name) == [
        "constructions/case.html",
        "constructions/det.html",
    ]


def test_the_first_page_answers_both_questions(run: StoredRun) -> None:
    pairs = []
    for c in run.pairs:
        answers = {**c.row.answers, (Score.UAS, Question.TRAIN_ON): c.row.easier(Score.UAS)}
        pairs.append(replace(c, row=replace(c.row, answers=answers)))
    site = site_of(replace(run, pairs=tuple(pairs)))
    page = site[INDEX].decode()
    lines = {(line["treebank"], line["construction"]): line["train_on"] for line in lines_of(site)}
    assert {"UD", "alternative"} <= set(lines.values())
    for name in ("UD", "alternative"):
        count = sum(answer == name for answer in lines.values())
        assert page.count(f'data-train="{name}"') == count
        assert f"<option>{name}</option>" in page
