"""Write the folder of a comparison: a page, tables, the changelog, and CoNLL-U with differences marked."""

from __future__ import annotations

import os

from learnability.differences.agreement import Agreement
from learnability.differences.comparison import AnnotationDiff
from learnability.reports.differences.changelog import changelog
from learnability.reports.differences.marked import marked_conllu
from learnability.reports.differences.page import page_of
from learnability.reports.differences.tables import csv_files
from learnability.support.files import folder_atomically

TABLES = ("groups.csv", "features.csv", "agreement.csv", "agreement_by_part.csv", "sentences.csv")
FILES = ("diff.html", "changelog.md", *TABLES, "marked.conllu")
"""The files of a folder."""


def write_files(comparison: AnnotationDiff, agreement: Agreement, folder: str | os.PathLike[str]) -> None:
    """Write the files of a comparison into a new folder, or in place of such a folder.

    Raises:
        InputError: the folder cannot be written, or holds other files.
    """
    contents = {
        "diff.html": page_of(comparison, agreement),
        "changelog.md": f"{changelog(comparison)}\n".encode(),
        **csv_files(comparison, agreement),
        "marked.conllu": marked_conllu(comparison),
    }
    with folder_atomically(folder, FILES) as place:
        for name in FILES:
            (place / name).write_bytes(contents[name])
