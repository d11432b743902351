"""The tables of the page of numbers that explain columns, made of the program's own table of columns.

    python docs/scripts/column_reference.py

puts them below their headings in `docs/numbers.md`; a test fails when they are not what this program makes.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

PAGE = ROOT / "docs" / "numbers.md"


def page() -> str:
    """The page with these tables; everything else as it stands in the file."""
    from learnability.evidence.columns import TABLE
    from learnability.evidence.panel import PANEL
    from learnability.studies.predict.study import PREDICTIONS

    every = (*TABLE, *PANEL, *PREDICTIONS)
    text = PAGE.read_text(encoding="utf-8")
    for topic in dict.fromkeys(column.topic for column in every):
        columns = [column for column in every if column.topic == topic]
        table = re.compile(
            rf"(?<=\n)(#+ {re.escape(topic)}\n(?:(?!#|\|).*\n)*\| .* \|\n\|---\|---\|\n)(?:\|.*\n)*"
        )
        rows = (
            f"| {', '.join(f'`{column.name}`' for column in own)} | {meaning} |\n"
            for meaning, own in groupby(columns, key=lambda column: column.meaning)
        )
        text, made = table.subn(lambda match, rows=rows: match[1] + "".join(rows), text)
        if made != 1:
            raise SystemExit(f"{PAGE}: no table below {topic!r}")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
