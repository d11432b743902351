"""Write the folder of a comparison: a page, tables, and the changelog."""

from __future__ import annotations

import os

from learnability.annotation_diffs.annotation_diff import AnnotationDiff
from learnability.reports.annotation_diffs.changelog import changelog
from learnability.reports.annotation_diffs.page import page_of
from learnability.reports.annotation_diffs.rules import RULE_FILE, RULES, LearnedRules, rule_files
from learnability.reports.annotation_diffs.tables import csv_files
from learnability.support.files import folder_atomically

TABLES = (
    "groups.csv",
    "features.csv",
    "agreement.csv",
    "agreement_by_part.csv",
    "sentences.csv",
    "beside_words.csv",
)
FILES = ("diff.html", "changelog.md", *TABLES)
"""The files of a folder, without rules."""


def replaceable_in(folder: str | os.PathLike[str]) -> list[str]:
    """Return the names of files that a new comparison in this folder may replace."""
    there = os.listdir(folder) if os.path.isdir(folder) else []
    return [*FILES, RULES, *filter(RULE_FILE.fullmatch, there)]


def write_files(
    comparison: AnnotationDiff, folder: str | os.PathLike[str], rules: LearnedRules | None = None
) -> list[str]:
    """Write the files of a comparison, in place of older ones; return their names. InputError: it cannot."""
    contents = {
        "diff.html": page_of(comparison, rules),
        "changelog.md": f"{changelog(comparison)}\n".encode(),
        **csv_files(comparison),
    }
    if rules is not None:
        contents |= rule_files(rules.rules)
    with folder_atomically(folder, replaceable_in(folder)) as work:
        for name, content in contents.items():
            (work / name).write_bytes(content)
    return list(contents)
