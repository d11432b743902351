"""The four Latin treebanks before and after they were harmonised by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from learnability.annotation_diffs.version import Version
from learnability.treebanks.splits import read_treebank

BEFORE, AFTER = "ud-2.10", "harmonised"
NAMES = ("ITTB", "LLCT", "PROIEL", "UDante")


@dataclass(frozen=True)
class Gold:
    """A treebank before and after a hand harmonised it."""

    before: Version
    after: Version


def read_version(folder: Path, name: str) -> Version:
    files = Version.find_files(str(folder / f"UD_Latin-{name}"))
    return Version.of_treebank(read_treebank(files, multiple_roots=True), name)


def read_gold(folder: Path, name: str) -> Gold:
    return Gold(*(read_version(folder / part, name) for part in (BEFORE, AFTER)))
