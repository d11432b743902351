"""Whoever cites docs/rules.md cites a heading that is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = [path for part in ("learnability", "tests", "benchmarks") for path in ROOT.glob(f"{part}/**/*.py")]


def test_every_heading_that_code_cites_is_there() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    wrong = {
        f"{path.relative_to(ROOT)}: {cited}"
        for path in SOURCES
        for cited in re.findall(r"docs/rules\.md,\s+([^);:.]+)", path.read_text(encoding="utf-8"))
        if " ".join(cited.split()) not in headings
    }
    assert not wrong
