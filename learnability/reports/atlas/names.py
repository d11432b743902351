"""Give files and fragments names that stay the same, so that links are permanent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

LONGEST = 80
"""Characters of a file's name, before its ending."""


def link_names(names: Iterable[str]) -> dict[str, str]:
    """Return for each name one that may stand in files, addresses and fragments, all different.

    ``UD_Irish@1.3`` becomes ``UD_Irish-1.3``. A name that cannot be told from its short form has a digest at
    its end, so its link does not depend on which other names there are.
    """
    short = {name: _link_name(name) for name in names}
    folded: dict[str, int] = {}
    for link in short.values():
        folded[link.casefold()] = folded.get(link.casefold(), 0) + 1
    return {
        name: link if folded[link.casefold()] == 1 else f"{link}-{digest_of(name)}"
        for name, link in short.items()
    }


def _link_name(name: str) -> str:
    link = re.sub(r"[^\w.-]+", "-", name.replace("@", "-")).strip("-.")[:LONGEST]
    plain = re.fullmatch(r"[\w.-]+(@[\w.-]+)?|[\w.-]+:[\w.-]+=[\w.-]+", name)
    return link if plain and link and len(name) <= LONGEST else f"{link}-{digest_of(name)}".strip("-")


def digest_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


class Links:
    """Say where the pages of the atlas are, from the page of a folder below the first.

    Attributes:
        treebanks, constructions: the names of files, by treebank and construction.
    """

    def __init__(self, treebanks: Iterable[str], constructions: Iterable[str]) -> None:
        self.treebanks: Mapping[str, str] = link_names(treebanks)
        self.constructions: Mapping[str, str] = link_names(constructions)

    def treebank(self, label: str) -> str:
        """Return the address of the page of a treebank, from the first page."""
        return quote(f"treebanks/{self.treebanks[label]}.html")

    def construction(self, name: str) -> str:
        """Return the address of the page of a construction, from the first page."""
        return quote(f"constructions/{self.constructions[name]}.html")

    def fragment(self, name: str) -> str:
        return self.constructions[name]

    def cell(self, label: str, name: str) -> str:
        """Return the address of a cell, from the first page."""
        return f"{self.treebank(label)}#{quote(self.fragment(name))}"
