"""Doing what a page says, for the tests that look at the outcome."""

from __future__ import annotations

from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import pages
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def text_of(page: str) -> str:
    """A page by its path in the repository."""
    return (REPOSITORY / page).read_text(encoding="utf-8")


def done(
    page: str,
    folder: Path,
    change: Callable[[pages.Command], str] = lambda command: command.text,
    home: Path | None = None,
) -> list[pages.Ran]:
    with pages.reader() as environment:
        if home:
            environment |= {"LEARNABILITY_UD_HOME": str(home), "UD": str(home)}
        return list(pages.run_page(text_of(page), folder, environment, change))


def check_outputs(page: str, folder: Path) -> None:
    for one in done(page, folder):
        shown = one.command.output
        if shown is not None:
            both = (pages.steady(text).splitlines() for text in (shown, one.output))
            changes = [*unified_diff(*both, "shown", "printed", lineterm="", n=0)]
            assert not changes, "\n".join([f"python docs/scripts/pages.py {page}", *changes])
        # a page may show what a mistake looks like
        assert one.code == 0 or (shown or "").startswith("learnability: "), one


def need_treebanks(*names: str) -> None:
    for name, release in pages.MIRRORED:
        if name in names and not pages.folder_of(name, release).is_dir():
            pytest.skip(f"no {name} {release} below {pages.UD}; set LEARNABILITY_UD_HOME")
