"""The sentences about differences between two annotations: no two groups read alike, none is named twice."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import learnability
from learnability.annotation_diffs.difference_kinds import PLACES, DifferenceKind
from learnability.reports.annotation_diffs.changelog import changelog
from learnability.treebanks.labels import ROOT_LABEL


def test_no_two_moves_read_alike() -> None:
    texts: dict[str, DifferenceKind] = {}
    for new, old, before, after in product(PLACES, PLACES, ("obl", ROOT_LABEL), ("obl", ROOT_LABEL)):
        if (old == "root") != (before == ROOT_LABEL) or (new == "root") != (after == ROOT_LABEL):
            continue
        kind = DifferenceKind("HEAD", f"{new}, {old}", "", before, after, punctuation=False)
        assert texts.setdefault(kind.describe(), kind) == kind
    assert len(texts) == len(PLACES) ** 2


def test_a_changelog_names_nothing_twice(demo_dev: Path, tmp_path: Path) -> None:
    """An attribute of MISC vanishes from punctuation and from other words, which are two groups."""
    text = demo_dev.read_text(encoding="utf-8")
    files = tmp_path / "marked.conllu", tmp_path / "plain.conllu"
    marked = re.sub(r"^(\d+\t.*\t)[^\t\n]+$", r"\1Seen=Yes", text, flags=re.MULTILINE)
    plain = re.sub(r"^(\d+\t.*\t)[^\t\n]+$", r"\1_", text, flags=re.MULTILINE)
    marked = re.sub(r"^(1\t.*\t)Seen=Yes$", r"\1Other=Yes", marked, flags=re.MULTILINE)
    for file, content in zip(files, (marked, plain), strict=True):
        file.write_text(content, encoding="utf-8")
    found = learnability.diff(*files)
    groups = [group for group in found.groups if group.kind.detail == "Seen"]
    assert {group.kind.punctuation for group in groups} == {True, False}
    paragraph = " ".join(changelog(found).split())
    words = sum(group.words for group in groups)
    assert f"most often Seen removed ({words:,}); Other removed (" in paragraph
    assert paragraph.count("Seen removed") == 1
