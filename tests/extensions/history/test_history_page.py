"""The page of the extension says what it brings, and explains all columns."""

import hooks
from explained import extension_page, in_first_cells

from learnability.extensions.history.files import COLUMNS


def test_every_column_is_explained() -> None:
    page = hooks.with_reference("extensions/history.md", extension_page("history"))
    section = page.partition("\n## history.csv")[2].partition("\n## ")[0]
    assert in_first_cells(section) == {column.name for column in COLUMNS}
