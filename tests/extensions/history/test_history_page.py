"""The page of the extension says what it brings, and explains all columns."""

import column_reference
from explained import extension_page, in_first_cells

from learnability.extensions.history.files import COLUMNS, GROUP_COLUMNS


def test_every_column_is_explained() -> None:
    page = extension_page("history")
    assert column_reference.page("extensions/history.md") == page, "python docs/scripts/column_reference.py"
    section = page.partition("\n## history.csv")[2].partition("\n## ")[0]
    assert in_first_cells(section) == {column.name for column in (*COLUMNS, *GROUP_COLUMNS)}
