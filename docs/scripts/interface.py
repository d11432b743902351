"""Make the tables of what an extension may import, for the site of the manual (`hooks.py`).

They are made from the comments in `learnability/extending.pyi`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

NAMES = Path(__file__).parents[2] / "learnability" / "extending.pyi"

PLACE = "<!-- names of learnability.extending -->\n"
"""Where the tables stand."""

LINE = re.compile(r"# (?P<heading>## .*)|# (?P<meaning>.*)\nfrom \.\S+ import (?P<name>\w+) as \w+")


def tables(text: str) -> Iterator[str]:
    """Yield the lines of a table for each heading in the interface, with a line for each name."""
    for found in LINE.finditer(text):
        if found["heading"]:
            yield f"\n#{found['heading']}\n\n| name | meaning |\n|---|---|\n"
        else:
            yield f"| `{found['name']}` | {found['meaning']} |\n"


def in_site(markdown: str) -> str:
    """Return a page with the tables."""
    made = "".join(tables(NAMES.read_text(encoding="utf-8")))
    return markdown.replace(PLACE, made)
