"""The atlas in a real browser: every width, with the keyboard, without scripts, on paper; and its size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browser, browser, missing
from finished_runs import hand_run, pair

from learnability.evidence.survey import combine_runs
from learnability.reports.atlas.site import atlas_files

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]

PAGES = ("index.html", "constructions/det.html")
WIDTHS = (390, 820, 1300)

ROWS = (
    pair("UD_Irish", "det", 3.0, 0.0001),
    pair("UD_Greek", "det", -3.0, 0.0001),
    pair("UD_Irish", "case", 0.4, 0.5),
    pair("UD_Greek", "case", -0.3, 0.6),
    pair("UD_Welsh", "case", 1.0, 0.3),
    *(pair("UD_Welsh", name, 1.0, 0.3) for name in ("cop", "cc", "mark", "mwe", "aux", "conj", "punct")),
    pair("UD_Welsh", "name", 0.1, 0.9, uas_delta_se=0.05, uas_p_equal=0.001),
)
"""One side clearly ahead in two treebanks, and open answers; ten constructions, and empty cells."""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An atlas of three treebanks."""
    folder = tmp_path_factory.mktemp("atlas")
    run = hand_run(Path("run"), rows=ROWS)
    for name, data in atlas_files(combine_runs([run]), [run]).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def rows_shown(chromium: Browser) -> list[str]:
    """The treebanks that the table of all answers shows."""
    script = (
        "return [...document.querySelectorAll('#atlas .treebanks tr')].filter(r => r.checkVisibility())"
        ".map(r => r.cells[0].firstChild.textContent)"
    )
    return list(chromium.run(script))


@pytest.mark.parametrize("page", PAGES)
def test_every_width_fits_and_is_accessible(chromium: Browser, atlas: Path, page: str) -> None:
    for width, theme in zip(WIDTHS, ("light", "dark", "light"), strict=True):
        chromium.open(atlas / page, width=width, theme=theme)
        assert chromium.run("return document.documentElement.scrollWidth") <= width
        chromium.open_details()
        assert chromium.run("return document.documentElement.scrollWidth") <= width
        wider = "return [...document.querySelectorAll('table')].map(t => t.id).filter(clipped)"
        clipped = "const clipped = (id, i) => { const t = document.querySelectorAll('table')[i];"
        clipped += " return t.offsetWidth > t.parentElement.clientWidth + 1; };"
        assert chromium.run(clipped + wider) == []
        assert chromium.violations() == []
        assert chromium.complaints() == []
        assert {Path(url).suffix for url in chromium.requests()} <= {".html", ".css", ".js", ".svg"}


def test_filters_and_their_addresses(chromium: Browser, atlas: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(atlas / "index.html")
    everything = ["UD_Greek 1.3", "UD_Irish 1.3", "UD_Welsh 1.3"]
    assert rows_shown(chromium) == everything
    field = chromium.driver.find_element("id", "filter-name")
    field.send_keys("irish")
    chromium.wait_for(lambda: rows_shown(chromium) == ["UD_Irish 1.3"])
    assert chromium.run("return location.hash") == "#name=irish"
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.DELETE)
    chromium.wait_for(lambda: rows_shown(chromium) == everything)
    for hash_, shown in (
        ("#family=Celtic", ["UD_Irish 1.3", "UD_Welsh 1.3"]),
        ("#outcome=clear", everything),
        ("#outcome=equal", ["UD_Welsh 1.3"]),
        ("#outcome=alternative", ["UD_Greek 1.3"]),
        ("#family=Celtic&outcome=base", ["UD_Irish 1.3"]),
        ("#name=nowhere", []),
        ("#name=celtic", []),  # a family has its own filter
        ("#name=gree", ["UD_Greek 1.3"]),
        ("#answers", everything),
    ):
        chromium.run("location.hash = arguments[0]", hash_)
        chromium.wait_for(lambda shown=shown: rows_shown(chromium) == shown)
    visible = (
        "return [...document.querySelectorAll('#atlas thead th')].filter(c => c.checkVisibility()).length"
    )
    chromium.run("location.hash = '#construction=det'")
    chromium.wait_for(lambda: chromium.run(visible) == 2)
    heading = "return document.querySelector('#atlas thead th:not([hidden]) a').textContent"
    assert chromium.run(heading) == "det"
    chromium.run("location.hash = '#construction=unknown'")
    chromium.wait_for(lambda: chromium.run(visible) == 11)


def test_choices_of_lists_are_kept_in_the_address(chromium: Browser, atlas: Path) -> None:
    from selenium.webdriver.support.ui import Select

    chromium.open(atlas / "index.html")
    Select(chromium.driver.find_element("id", "filter-outcome")).select_by_value("alternative")
    chromium.wait_for(lambda: rows_shown(chromium) == ["UD_Greek 1.3"])
    Select(chromium.driver.find_element("id", "filter-construction")).select_by_value("det")
    chromium.wait_for(lambda: chromium.run("return location.hash") == "#outcome=alternative&construction=det")
    assert rows_shown(chromium) == ["UD_Greek 1.3"]


def test_from_a_cell_to_its_evidence_by_keyboard(chromium: Browser, atlas: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(atlas / "index.html")
    body = chromium.driver.find_element("tag name", "body")
    body.send_keys(Keys.TAB)
    assert chromium.run("return document.activeElement.className") == "skip"
    for _ in range(60):
        chromium.driver.switch_to.active_element.send_keys(Keys.TAB)
        if chromium.run("return document.activeElement.closest('td[data-outcome=base]') !== null"):
            break
    chromium.driver.switch_to.active_element.send_keys(Keys.ENTER)
    chromium.wait_for(lambda: chromium.driver.current_url.endswith("constructions/det.html#UD_Irish-1.3"))
    top = "return document.getElementById('UD_Irish-1.3').getBoundingClientRect().top"
    chromium.wait_for(lambda: -5 <= chromium.run(top) < 700)


def test_without_scripts(chromium: Browser, atlas: Path) -> None:
    chromium.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        chromium.driver.get((atlas / "index.html").as_uri())
        form = chromium.driver.find_element("id", "filters")
        assert not form.is_displayed()
        cells = chromium.driver.find_elements("css selector", "#atlas td a.answer")
        assert len(cells) == len(ROWS) + 10  # and the means
        cells[-1].click()
        assert "constructions/" in chromium.driver.current_url
    finally:
        chromium.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_wider_than_the_paper(chromium: Browser, atlas: Path, page: str) -> None:
    printed = 717  # A4 at 96 dots per inch, less the margins of a browser: 1 cm on each side
    chromium.open(atlas / page, width=printed)
    chromium.put_on_paper()
    assert chromium.run("return document.documentElement.scrollWidth") <= printed
    wider = (
        "return [...document.querySelectorAll('table')].filter(one => "
        "one.checkVisibility() && one.getBoundingClientRect().right > arguments[0]).length"
    )
    assert chromium.run(wider, printed) == 0
    folded = "return [...document.querySelectorAll('details')].filter(e => e.checkVisibility()).length"
    assert chromium.run(folded) == 0
