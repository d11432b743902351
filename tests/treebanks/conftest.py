"""A server and a cache for the tests of `fetch`; no test leaves this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from ud_server import UDServer, ud_server

from learnability.treebanks import locate


@pytest.fixture
def server() -> Iterator[UDServer]:
    with ud_server() as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, no other places, no proxy, and no waiting between attempts."""
    for variable in ("LEARNABILITY_UD_HOME", "UDBASE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "cache"
    monkeypatch.setattr(locate, "cache_folder", lambda: folder)
    pause = time.sleep
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda _: pause(0)))
    return folder
