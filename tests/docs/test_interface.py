"""The page shows what an extension may import."""

import re

import hooks
from running_pages import text_of

from learnability import extending


def test_the_page_shows_every_name_with_its_meaning() -> None:
    page = hooks.with_reference("extending.md", text_of("docs/extending.md"))
    shown = re.findall(r"^\| `(\w+)` \| \S.* \|$", page, re.MULTILINE)
    assert set(extending.__all__) <= set(shown)


def test_every_name_is_where_the_interface_says() -> None:
    for name in extending.__all__:
        assert getattr(extending, name) is not None
