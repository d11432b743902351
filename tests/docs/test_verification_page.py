"""The page of research/verification has the figures of every check, and none of them found a difference."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_every_file_of_checks_has_its_table_without_differences() -> None:
    page = (REPOSITORY / "research/verification/README.md").read_text()
    tables = dict(re.findall(r"<!-- table (\w+) -->\n(.*?)<!-- end -->", page, re.DOTALL))
    assert set(tables) == {path.stem for path in (REPOSITORY / "tests/verification").glob("test_*.py")}
    for name, table in tables.items():
        lines = [line for line in table.splitlines() if line[:1] == "|"]
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
        assert len(rows) > 3, name
        for what, cases, differences, _ in rows[2:]:
            assert re.fullmatch(r"[1-9][\d,]*", cases), (name, what)
            assert differences == "0", (name, what)


def test_the_table_of_the_page_has_the_sums_of_a_check() -> None:
    tally = runpy.run_path(str(REPOSITORY / "tests/verification/tally.py"))
    rows = [
        tally["Row"](3, "costs", "arc-eager", 10, 0, 1.0),
        tally["Row"](3, "costs", "covington", 5, 1, 2.0),
        tally["Row"](1, "trees", "", 7, 0, 0.0),
    ]
    lines = tally["table"](tally["summed"](rows)).splitlines()
    assert lines[2:] == ["| trees | 7 | 0 | 0 |", "| costs | 15 | 1 | 3 |", "| **sum** | 22 | 1 | 3 |"]
    assert "| costs: covington | 5 | 1 | 2 |" in tally["table"](rows)
