"""The site builds without a warning, and without network it is all there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import browsing
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

pytest.importorskip("mkdocs", reason="mkdocs is not installed; pip install '.[docs]'")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed; pip install '.[docs]'")
pytest.importorskip("material", reason="mkdocs-material is not installed; pip install '.[docs]'")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. With `--quiet` mkdocs counts no warnings, so `--strict` would have no effect."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_built(site: Path) -> None:
    sources = [path.relative_to(REPOSITORY / "docs") for path in (REPOSITORY / "docs").rglob("*.md")]
    assert len(sources) > 20
    assert [path for path in sources if not (site / path.with_suffix(".html")).exists()] == []
    assert not (site / "scripts").exists()


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loads = re.compile(
        r"""<(?:script|img|iframe|source)[^>]*\ssrc="?https?:[^>]*>|<link[^>]*href="?https?:[^>]*>"""
    )
    pages = list(site.rglob("*.html"))
    found = [tag for page in pages for tag in loads.findall(page.read_text(encoding="utf-8"))]
    assert [tag for tag in found if 'rel="canonical"' not in tag] == []
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert styles
    assert [style for style in styles if re.search(r"url\(['\"]?https?:|@import", style)] == []


def test_names_of_the_package_are_documented(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    for name in ("load_treebank", "Oracle", "run_experiment"):
        assert f'id="learnability.{name}"' in page
    assert ":func:" not in page


def test_options_are_documented(site: Path) -> None:
    for name in ("commands", "extensions/doubts"):
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        assert "<td><code>--seeds</code> N</td>" in page, name


def test_pages_from_outside_docs_are_reached(site: Path) -> None:
    assert 'href="contributing.html"' in (site / "extending.html").read_text(encoding="utf-8")
    assert (site / "changelog.html").exists()


def test_studies_are_reached_and_are_not_part_of_the_manual(site: Path) -> None:
    """Their pages can be opened from the manual, which names them in neither navigation nor search."""
    assert 'href="../research/settling/index.html"' in (site / "howto" / "how-far.html").read_text(
        encoding="utf-8"
    )
    study = (site / "research" / "settling" / "index.html").read_text(encoding="utf-8")
    assert "How often does settling answer?" in study
    reproduction = site / "research" / "reproduction"
    assert 'src="heatmap.svg"' in (reproduction / "index.html").read_text(encoding="utf-8")
    assert (reproduction / "heatmap.svg").exists()
    navigation = re.search(r"<nav[^>]*md-nav--primary.*", study, re.DOTALL)
    assert navigation
    assert 'href="../../rules.html"' in navigation[0].partition("<article")[0]
    assert "research/" not in navigation[0].partition("<article")[0]
    found = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert '"location":"rules.html' in found
    assert '"location":"research/' not in found


def test_data_of_studies_are_in_the_site_and_linked(site: Path) -> None:
    survey, transfer = (site / "research" / name for name in ("ud-2.16", "transfer"))
    for page, names in {
        survey: ("answers.csv", "cldf/CITATION.cff"),
        survey / "cldf": ("values.csv", "StructureDataset-metadata.json", "CITATION.cff", "sources.bib"),
        transfer: ("means.csv", "targets.csv"),
    }.items():
        text = (page / "index.html").read_text(encoding="utf-8")
        for name in names:
            assert f'href="{name}"' in text, (page, name)
            assert (page / name).is_file(), (page, name)


@pytest.mark.slow
def test_search_and_pages_work_as_files_without_network(site: Path, tmp_path: Path) -> None:
    reason = browsing.missing()
    if reason:
        pytest.skip(reason)
    with browsing.browser(tmp_path) as page:
        page.open(site / "tutorial.html")
        page.run(
            "document.querySelector('label[for=__search]').click();"
            "const field = document.querySelector('.md-search__input');"
            "field.focus(); field.value = 'oracle';"
            "field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));"
        )
        found = "return (document.querySelector('.md-search-result__meta') || {innerText: ''}).innerText;"
        end = time.monotonic() + 30
        while "matching" not in (said := page.run(found)) and time.monotonic() < end:
            time.sleep(0.2)
        assert re.search(r"\d+ matching documents", said)
        assert page.complaints() == []
        assert [url for url in page.requests() if url.startswith("http")] == []
