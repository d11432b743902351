"""What the tests of `fetch` share: the treebank they download, and how fetching it succeeds or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ud_server import UDServer, tag_archive

from learnability.treebanks import locate
from learnability.treebanks.fetch import Fetched, fetch_treebank

NAME = "UD_Test-One"
ARCHIVE = tag_archive()


def get(server: UDServer, name: str = NAME, release: str = "2.16", **more: Any) -> Fetched:
    return fetch_treebank(name, release, base_url=server.url, **more)


def refused(kind: type[Exception], server: UDServer, *words: str, name: str = NAME) -> str:
    """Fetching fails with one line that has these words, and leaves no treebank, nothing half and no lock."""
    with pytest.raises(kind) as caught:
        get(server, name)
    message = str(caught.value)
    assert type(caught.value) is kind
    assert "\n" not in message
    assert all(word in message for word in words), message
    home = locate.cache_folder()
    left = [path for path in home.rglob("*") if path.is_file() or not any(path.iterdir())]
    assert all(path.suffix == ".json" for path in left), left
    assert left or not home.exists()
    assert not (home / "ud-treebanks-v2.16" / name).exists()
    return message


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
