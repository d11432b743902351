"""Paths on pages, which do not depend on where folders are."""

from __future__ import annotations

import pytest

from learnability.reports.paths import without_folders


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/me/ud", "ud"),
        ("/home/me/ud:/home/me/history", "ud:history"),
        ("/home/me/ud:history", "ud:history"),
        ("ud/mine", "ud/mine"),
        ("deprel:acl:relcl=acl", "deprel:acl:relcl=acl"),
    ],
)
def test_every_folder_of_a_list_is_named(text: str, shown: str) -> None:
    assert without_folders(text) == shown
