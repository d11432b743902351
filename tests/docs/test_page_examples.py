"""Examples on the pages: interactive Python, and the notebook."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
_FENCE = re.compile(r"^```pycon\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)

WITH_EXAMPLES = sorted(
    str(path.relative_to(DOCS))
    for path in DOCS.rglob("*.md")
    if _FENCE.search(path.read_text(encoding="utf-8"))
)


OF_ORACLES = ("howto/oracle.md",)
"""Oracles of every system are asked about single sentences."""


def test_pages_with_examples_are_found() -> None:
    assert {"api.md", "howto/oracle.md", "howto/own-parser.md", "howto/libraries.md"} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_the_examples_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """All of a page in one session, as a reader types them."""
    if page in OF_ORACLES:
        request.getfixturevalue("interpreted")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    code = "".join(match["code"] for match in _FENCE.finditer(text))
    test = doctest.DocTestParser().get_doctest(code, {}, page, page, 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert (found.failed, found.attempted > 3) == (0, True), "".join(said)


def test_no_interactive_example_is_outside() -> None:
    for path in DOCS.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n>>> ") == sum(m["code"].count(">>> ") for m in _FENCE.finditer(text)), path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["notebook", "lesson"])
def test_a_notebook_has_the_outputs_that_its_cells_give(name: str, tmp_path: Path) -> None:
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    from notebook import execute, texts

    path = DOCS / f"{name}.ipynb"
    kept = json.loads(path.read_text(encoding="utf-8"))["cells"]
    cells = [
        (before, now)
        for before, now in zip(kept, execute(path, tmp_path).cells, strict=True)
        if now.cell_type == "code"
    ]
    assert sum(bool(now.outputs) for _, now in cells) >= 9
    for before, now in cells:
        assert texts(before) == texts(now), "python docs/scripts/notebook.py"
