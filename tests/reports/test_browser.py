"""The pages in a real browser: quiet, offline, sortable, fitting every width, accessible."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, browser, missing
from finished_runs import write_run
from small_treebanks import small_treebank

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]

PAGES = ("report", "compare")

WIDTHS = [390, 820, 1300]


WIDER = """
return [...document.querySelectorAll(arguments[0])].filter(one => {
    const box = one.closest('.scroll');
    return box.scrollWidth > box.clientWidth;
}).map(one => one.id || one.closest('figure').id);
"""
"""Which of the elements that fit a selector are wider than the box in which they scroll."""


def command(*arguments: object) -> None:
    """`learnability` with these arguments."""
    words = [sys.executable, "-m", "learnability", *map(str, arguments), "--quiet"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report of a real run with everything in it, and the page of a comparison."""
    folder = tmp_path_factory.mktemp("pages")
    treebank = small_treebank(folder / "ud")
    given = f"--treebank {treebank} --out {folder / 'run'} --transform det --transform case"
    how = "--seeds 2 --iterations 2 --jobs 1 --labelled"
    command("run", "--test-set", *given.split(), *how.split())
    write_run(folder / "other")
    command("compare", folder / "other", "--out", folder / "compare")
    return {"report": folder / "run" / "report.html", "compare": folder / "compare" / "compare.html"}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_and_theme(
    chromium: Browser, pages: dict[str, Path], page: str, theme: str, width: int
) -> None:
    chromium.open(pages[page], width=width, theme=theme)
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    if page == "report":  # what opens the page fits without scrolling sideways
        assert chromium.run(WIDER, ".opening svg[role=img], #answers-table") == []
    if page == "compare":
        drawn = "[...document.querySelectorAll('.figures figure > .scroll')]"
        assert chromium.run(f"return {drawn}.filter(s => s.scrollWidth > s.clientWidth).length") == 0
    chromium.open_details()
    assert chromium.run("return document.documentElement.scrollWidth") <= width
    assert (
        chromium.run(WIDER, ".scroll > table, .figures svg[role=img]" if width > 400 else ".scroll > table")
        == []
    )
    background = chromium.run("return getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if theme == "light" else "rgb(21, 24, 28)")
    assert chromium.complaints() == []
    assert chromium.requests() == [pages[page].as_uri()]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("width", "theme"), [(380, "dark"), (1000, "light")])
def test_accessible(chromium: Browser, pages: dict[str, Path], page: str, theme: str, width: int) -> None:
    chromium.open(pages[page], width=width, theme=theme)
    chromium.open_details()
    assert chromium.violations() == []


def column(chromium: Browser, table: str, number: int) -> list[str]:
    """What the cells of a column are sorted by, from top to bottom, without the rows filtered out."""
    return list(
        chromium.run(
            "return [...document.getElementById(arguments[0]).tBodies[0].rows].filter(r => !r.hidden)"
            ".map(r => r.cells[arguments[1]].dataset.value ?? r.cells[arguments[1]].textContent)",
            table,
            number,
        )
    )


def test_tables_sort_by_click_and_Records(chromium: Browser, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(pages["report"])
    buttons = chromium.driver.find_elements("css selector", "#answers-table thead button")
    headings = chromium.driver.find_elements("css selector", "#answers-table thead th")
    titles = [button.text.split(" ↕")[0].replace("\n", " ") for button in buttons]
    assert titles[:2] == ["construction", "easier"]
    assert titles[2].startswith("by how many points")
    before = column(chromium, "answers-table", 2)
    buttons[2].click()
    chromium.wait_for(lambda: headings[2].get_attribute("aria-sort") == "ascending")
    ascending = column(chromium, "answers-table", 2)
    assert len(ascending) == 6  # two constructions, three scores
    assert [float(v) for v in ascending] == sorted(float(v) for v in before)
    buttons[2].send_keys(Keys.ENTER)
    chromium.wait_for(lambda: headings[2].get_attribute("aria-sort") == "descending")
    assert column(chromium, "answers-table", 2) == ascending[::-1]
    buttons[0].send_keys(Keys.SPACE)
    chromium.wait_for(lambda: headings[0].get_attribute("aria-sort") == "ascending")
    assert [h.get_attribute("aria-sort") for h in headings] == ["ascending", *["none"] * 3]
    names = [name.partition(" (")[0] for name in column(chromium, "answers-table", 0)]
    assert names == [f"{pair} {score}" for pair in ("case", "det") for score in ("CLAS", "LAS", "UAS")]


def test_signed_numbers_sort_as_numbers(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["compare"])
    chromium.run("document.querySelectorAll('#pairs-table thead button')[4].click()")
    values = [float(value) for value in column(chromium, "pairs-table", 4)]
    assert len(values) == 5  # five pairs; the mean needs five treebanks
    assert values == sorted(values)
    assert values[0] < 0 < values[-1]


def test_what_is_empty_stays_last(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["compare"])
    chromium.run("""const cell = document.querySelector('#pairs-table tbody').rows[1].cells[4];
        cell.removeAttribute('data-value'); cell.textContent = '';""")
    for _ in range(2):
        chromium.run("document.querySelectorAll('#pairs-table thead button')[4].click()")
        values = column(chromium, "pairs-table", 4)
        assert [value == "" for value in values] == [False] * 4 + [True]


def test_tables_filter(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["report"])
    chromium.open_details()
    field = chromium.driver.find_element("id", "common-table-filter")
    status = chromium.driver.find_element("css selector", ".filter[data-for=common-table] [role=status]")
    names = column(chromium, "common-table", 0)
    of_det = sum(name.startswith("det") for name in names)
    assert 0 < of_det < len(names)
    assert status.text == f"{len(names)} of {len(names)} rows"
    field.send_keys("DET")
    chromium.wait_for(lambda: status.text == f"{of_det} of {len(names)} rows")
    assert len(column(chromium, "common-table", 0)) == of_det
    field.send_keys(" nowhere")
    chromium.wait_for(lambda: status.text == f"0 of {len(names)} rows")
    field.clear()
    field.send_keys(" ")
    chromium.wait_for(lambda: status.text == f"{len(names)} of {len(names)} rows")


def test_details_open_by_key_and_by_a_link_into_them(chromium: Browser, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(pages["report"])
    is_open = "return document.getElementById(arguments[0]).open"
    assert not chromium.run(is_open, "common")
    chromium.driver.find_element("css selector", "#common > summary").send_keys(Keys.ENTER)
    chromium.wait_for(lambda: chromium.run(is_open, "common"))
    assert not chromium.run(is_open, "parts")
    chromium.run("location.hash = 'parts-table'")
    chromium.wait_for(lambda: chromium.run(is_open, "parts"))


def test_the_answer_is_on_the_first_screen(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["report"], width=1200)
    bottoms = chromium.run(
        "return ['#answers-table', '#figure-differences svg'].map("
        "one => document.querySelector(one).getBoundingClientRect().bottom)"
    )
    assert max(bottoms) < 900
    folded = "return [...document.querySelectorAll('main > section:last-of-type > *')].map(e => e.tagName)"
    assert set(chromium.run(folded)) == {"H2", "DETAILS"}


def test_the_skip_link_is_the_first_stop(chromium: Browser, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(pages["report"])
    chromium.driver.find_element("tag name", "body").send_keys(Keys.TAB)
    assert chromium.run("return document.activeElement.className") == "skip"
    assert chromium.run("return document.activeElement.getBoundingClientRect().left") >= 0


def test_rows_that_do_not_fit_have_their_values_behind_headings(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    value = (
        "const cell = document.querySelector('#common-table tbody tr:last-child td:nth-child(3)');"
        "return [getComputedStyle(cell, '::before').content, cell.closest('table').className]"
    )
    chromium.open(pages["report"], width=390)
    chromium.open_details()
    chromium.wait_for(lambda: chromium.run(value)[1] == "stacked")
    heading = chromium.run("return document.querySelector('#common-table th:nth-child(3)').textContent")
    assert chromium.run(value)[0].strip('"') == heading.replace("\n", " ")
    button = chromium.driver.find_element("css selector", "#common-table thead button")
    assert button.is_displayed()  # it sorts still
    chromium.open(pages["report"], width=1300)
    chromium.open_details()
    chromium.wait_for(lambda: chromium.run(value) == ["none", ""])


def test_commands_are_copied(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["report"])
    chromium.open_details()
    chromium.run(
        "Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => { window.copied = text; } }, configurable: true })"
    )
    button = chromium.driver.find_element("css selector", "#computed pre .copy")
    button.click()
    chromium.wait_for(lambda: button.text == "Copied")
    command = chromium.run("return document.querySelector('#computed pre code').textContent")
    assert command.startswith("learnability run ")
    assert chromium.run("return window.copied") == command
    chromium.run("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    button.click()
    chromium.wait_for(lambda: button.text == "Press Ctrl+C")
    assert chromium.run("return getSelection().toString()").strip() == command


@pytest.mark.parametrize("width", WIDTHS)
def test_boxes_of_commands_wrap(chromium: Browser, pages: dict[str, Path], width: int) -> None:
    chromium.open(pages["report"], width=width)
    chromium.open_details()
    wider = "return [...document.querySelectorAll('pre')].map(p => p.scrollWidth > p.clientWidth)"
    assert set(chromium.run(wider)) == {False}


def test_only_answers_and_sentences_are_on_paper(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["report"])
    assert 2 <= chromium.count_printed_pages() <= 4
    chromium.put_on_paper()
    shown = "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length"
    assert chromium.run(shown, "details, nav, .copy, #details") == 0
    assert chromium.run(shown, "#answers-table") == 1
    assert chromium.run(shown, ".construction .sentence svg") == 2  # one for each construction
    chromium.open(pages["report"])
    chromium.run("document.getElementById('common').open = true")  # what a reader opens is printed
    chromium.put_on_paper()
    assert chromium.run(shown, "#common-table") == 1
    assert chromium.run(shown, "#preferred-table") == 0


def test_a_comparison_of_many_treebanks_prints_its_answers(chromium: Browser, tmp_path: Path) -> None:
    languages = ("Italian", "Spanish", "French", "Greek", "Irish", "Tamil", "Turkish", "Kazakh", "Chinese")
    rules = ("case", "cc", "det", "mark", "cop", "mwe", "name")
    deltas = {
        (f"UD_{name}", rule): (float((i + j) % 3), (i + j) % 3 + 1.0)
        for i, name in enumerate(languages)
        for j, rule in enumerate(rules)
    }
    write_run(tmp_path / "runs" / "run", seed_deltas=deltas)
    command("compare", tmp_path / "runs", "--out", tmp_path / "tables")
    chromium.open(tmp_path / "tables" / "compare.html")
    assert chromium.count_printed_pages() <= 4
    chromium.put_on_paper()
    shown = "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length"
    assert chromium.run(shown, "#answers-table, .verdicts") == 2
    assert chromium.run(shown, "#pairs-table, .figures, details, nav") == 0


ROWS = """
window.rows = [...document.querySelectorAll('table:not(.stacked)')].filter(t => t.checkVisibility())
    .flatMap(t => [...t.querySelectorAll('tbody tr')].filter(r => r.checkVisibility()).slice(0, 4));
return window.rows.length;
"""
CELLS = """
const row = window.rows[arguments[0]];
if (row.closest('.stacked')) return []; // since it was found
row.scrollIntoView({block: 'center'});
const box = (row.closest('.scroll') || row).getBoundingClientRect();
return [...row.children].map(cell => cell.getBoundingClientRect())
    .map(r => [Math.max(r.left, box.left) + 2, Math.min(r.right, box.right), r.bottom])
    .filter(([left, right, bottom]) => right - left > 4 && bottom <= box.bottom);
"""


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_lines_below_rows_are_whole(chromium: Browser, pages: dict[str, Path], page: str, width: int) -> None:
    """The line below a row goes below each of its cells, also below one that stays in view."""
    chromium.open(pages[page], width=width)
    chromium.open_details()
    lines = 0
    for number in range(chromium.run(ROWS)):
        places = chromium.run(CELLS, number)
        picture = chromium.picture().convert("L")
        drawn = [_has_line(picture, left, bottom) for left, _, bottom in places if bottom < 890]
        lines += len(drawn)
        assert len(set(drawn)) <= 1, (number, drawn)
    assert lines > 3


def _has_line(picture: Any, left: float, bottom: float) -> bool:
    """Return whether a line is drawn around this height of a picture in shades of grey."""
    shades = [picture.getpixel((int(left), round(bottom) + dy)) for dy in (-3, -2, -1, 0, 1)]
    return max(shades) - min(shades) > 20


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_than_the_paper(chromium: Browser, pages: dict[str, Path], page: str) -> None:
    printed = 717  # A4 at 96 dots per inch, less the margins of a browser: 1 cm on each side
    chromium.open(pages[page], width=printed)
    chromium.put_on_paper()
    assert chromium.run("return document.documentElement.scrollWidth") <= printed


def test_figures_and_trees_are_drawn(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["report"])
    chromium.open_details()
    boxes = chromium.run(
        "return [...document.querySelectorAll('figure svg[role=img]')]"
        ".map(s => [s.getAttribute('aria-labelledby').split(' ')[0], s.getBBox().width, s.getBBox().height])"
    )
    names = [name.removesuffix("-title") for name, *_ in boxes]
    figures = {"differences", "las_differences"}
    trees = {f"tree-{name}-{number}" for name in ("det", "case") for number in (1, 2)}
    assert set(names) == figures | trees
    assert all(width > 100 and height > 80 for _, width, height in boxes)
    outside = chromium.run(
        "return [...document.querySelectorAll('svg.tree[role=img]')].filter(s => {"
        " const b = s.getBBox(), v = s.viewBox.baseVal;"
        " return b.x < 0 || b.y < 0 || b.x + b.width > v.width || b.y + b.height > v.height; }).length"
    )
    assert outside == 0
    overprinted = chromium.run(
        "return [...document.querySelectorAll('svg.tree[role=img]')].flatMap(s => {"
        " const texts = [...s.querySelectorAll('text')].map(t => [t.textContent, t.getBBox()]);"
        " return texts.flatMap(([a, p], i) => texts.slice(i + 1).filter(([b, q]) =>"
        "  p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height"
        " ).map(([b]) => [a, b])); })"
    )
    assert overprinted == []


def test_the_page_of_a_comparison_links_the_reports(chromium: Browser, pages: dict[str, Path]) -> None:
    run = pages["report"].parent
    out = run.parent / "tables" / "here"
    command("compare", run, "--out", out)
    chromium.open(out / "compare.html")
    (link,) = chromium.driver.find_elements("css selector", "section[aria-labelledby=runs] a")
    link.click()
    assert chromium.driver.current_url == pages["report"].as_uri()
    assert json.loads((run / "config.json").read_text())["options"]["trees"] is True
