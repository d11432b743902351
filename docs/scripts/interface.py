"""Write the table of what an extension may import.

    python docs/scripts/interface.py

writes it into `docs/extending.md`, from the comments in `learnability/extending.pyi`. Tests fail when it is
out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

PAGE = ROOT / "docs" / "extending.md"

NAMES = ROOT / "learnability" / "extending.pyi"

MARKS = "<!-- begin names of learnability.extending -->\n", "<!-- end names of learnability.extending -->"

TABLE = re.compile(f"(?<={MARKS[0]}).*(?={MARKS[1]})", re.DOTALL)

LINE = re.compile(r"# (?P<heading>## .*)|# (?P<meaning>.*)\nfrom \.\S+ import (?P<name>\w+) as \w+")


def tables(text: str) -> Iterator[str]:
    """Yield the lines of a table for each heading in the interface, with a line for each name."""
    for found in LINE.finditer(text):
        if found["heading"]:
            yield f"\n#{found['heading']}\n\n| name | meaning |\n|---|---|\n"
        else:
            yield f"| `{found['name']}` | {found['meaning']} |\n"


def page() -> str:
    """Return the page with the tables; everything else stays as it is in the file."""
    made = "".join(tables(NAMES.read_text(encoding="utf-8"))) + "\n"
    text, replaced = TABLE.subn(lambda _: made, PAGE.read_text(encoding="utf-8"))
    if replaced != 1:
        raise SystemExit(f"{PAGE}: no table of names")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
