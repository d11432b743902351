"""The page of changes of tags and relations has all of them, as the program writes them."""

from __future__ import annotations

import re

import label_pages
from running_pages import text_of

from learnability.schemes.relabellings import built_in


def test_every_change_stands_in_the_table() -> None:
    text = text_of("docs/labels/index.md")
    assert label_pages.page() == text, "out of date: python docs/scripts/label_pages.py"
    assert set(re.findall(r"^\| `([a-z-]+)` \| .+: `", text, re.MULTILINE)) == set(built_in())


def test_the_reasons_stand_in_the_table() -> None:
    assert "docs/issues/275" in label_pages.row("aux-verb")
    assert "`deprel:aux:pass\\|auxpass=aux`" in label_pages.row("aux-pass")
