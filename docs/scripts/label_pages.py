"""Write the table of the changes of tags and relations that come with the package.

    python docs/scripts/label_pages.py

writes it into `docs/labels/index.md`, from `learnability/schemes/builtin/NAME.toml`: the description, what
the name stands for, and the comment at the beginning of the file. Tests fail when it is out of date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

PAGE = ROOT / "docs" / "labels" / "index.md"

TABLE = re.compile(r"(?<=\n)(\| name \| change \| why \|\n\|---\|---\|---\|\n)(?:\|.*\n)*")


def row(name: str) -> str:
    """Return the line of a change in the table."""
    from learnability.schemes.relabellings import built_in, description_of, relabelling_named

    comments = [line.removeprefix("# ") for line in built_in()[name].splitlines() if line.startswith("#")]
    specs = " and ".join(f"`{spec}`" for spec in relabelling_named(name).specs).replace("|", "\\|")
    return f"| `{name}` | {description_of(name)}: {specs} | {' '.join(comments)} |\n"


def page() -> str:
    """Return the page with the table; everything else stays as it is in the file."""
    from learnability.schemes.relabellings import built_in

    rows = "".join(map(row, built_in()))
    text, replaced = TABLE.subn(lambda match: match[1] + rows, PAGE.read_text(encoding="utf-8"))
    if replaced != 1:
        raise SystemExit(f"{PAGE}: no table of changes")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
