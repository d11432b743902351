"""Citations of docs/rules.md name a heading of that page, and its constants are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from learnability.metrics.scores import FEWEST
from learnability.statistics.spread import SEED_DEGREES, SEED_RATIO

ROOT = Path(__file__).parents[2]
SOURCES = [path for part in ("learnability", "tests", "research") for path in ROOT.glob(f"{part}/**/*.py")]


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


def test_the_numbers_of_the_model_are_those_of_the_code() -> None:
    page = " ".join((ROOT / "docs" / "rules.md").read_text(encoding="utf-8").split())
    for said in (
        f"{SEED_RATIO} times the residual's share, which counts for {SEED_DEGREES} degrees of freedom",
        f"fewer than {FEWEST.places} places in the test set, or fewer than {FEWEST.sentences} test sentences",
    ):
        assert said in page
