"""The page shows what an extension may import."""

import re

import interface
from running_pages import text_of

from learnability import extending


def test_the_page_shows_every_name_with_its_meaning() -> None:
    text = text_of("docs/extending.md")
    assert interface.page() == text, "out of date: python docs/scripts/interface.py"
    shown = re.findall(r"^\| `(\w+)` \| \S.* \|$", text, re.MULTILINE)
    assert set(extending.__all__) <= set(shown)


def test_every_name_is_where_the_interface_says() -> None:
    for name in extending.__all__:
        assert getattr(extending, name) is not None
