"""One file over HTTP: what servers and networks do to it."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fetching import ARCHIVE, NAME, get, refused, tree
from ud_server import (
    UDServer,
    cut,
    dripping,
    redirect,
    silent,
    status,
    tag_path,
    whole,
)

from learnability.errors import InputError, RunError
from learnability.treebanks import download, fetch
from learnability.treebanks.fetch import (
    fetch_release,
    fetch_treebank,
)

pytestmark = pytest.mark.usefixtures("cache")


def test_redirects_are_followed(server: UDServer) -> None:
    server.has(tag_path(), redirect("/elsewhere/x.tar.gz"))
    server.has("/elsewhere/x.tar.gz", ARCHIVE)
    assert get(server).downloaded


def test_endless_redirects(server: UDServer) -> None:
    server.has(tag_path(), redirect(tag_path()))
    refused(RunError, server, "redirects without end")


def test_a_redirect_to_an_unencrypted_address_is_refused() -> None:
    answer: Any = SimpleNamespace(
        history=[SimpleNamespace(url="https://a/x")], url="http://b/x", status_code=200, reason="OK"
    )
    with pytest.raises(RunError, match="leads to the unencrypted http://b/x"):
        download._check_answer("https://a/x", answer)


@pytest.mark.parametrize("code", [500, 503, 429])
def test_a_failing_server_is_tried_again(server: UDServer, code: int) -> None:
    server.has(tag_path(), status(code), status(code), whole(ARCHIVE))
    assert get(server).downloaded


@pytest.mark.parametrize(("code", "attempts"), [(500, 3), (503, 3), (403, 1), (401, 1), (204, 1)])
def test_a_server_that_always_fails(server: UDServer, code: int, attempts: int) -> None:
    server.has(tag_path(), status(code))
    refused(RunError, server, f"the server answers {code}")
    assert len(server.asked) == attempts


@pytest.mark.parametrize("after", [None, 60])
def test_a_silent_server(server: UDServer, monkeypatch: pytest.MonkeyPatch, after: int | None) -> None:
    monkeypatch.setattr(download, "SILENCE_SECONDS", 0.2)
    server.has(tag_path(), silent(1.0, ARCHIVE, after))
    refused(RunError, server, "no answer for 0.2 seconds (3 attempts failed)")


def test_a_slow_server_is_waited_for(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "SILENCE_SECONDS", 5.0)
    server.has(tag_path(), silent(0.5, ARCHIVE, after=60))
    assert get(server).downloaded


@pytest.mark.parametrize(
    "before",
    [
        b"HTTP/1.1 200 OK\r\nX-Long: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
    ids=["header", "body", "chunk", "no end"],
)
def test_a_server_that_drips_is_given_up(
    server: UDServer, monkeypatch: pytest.MonkeyPatch, before: bytes
) -> None:
    monkeypatch.setattr(download, "PATIENCE_SECONDS", 0.2)
    server.has(tag_path(), dripping(before))
    refused(RunError, server, "too slow (", "in 0 seconds); nothing was kept", "try again later")
    monkeypatch.setattr(download, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(download, "MOST_SECONDS", 0.2)
    refused(RunError, server, "too slow (")


@pytest.mark.parametrize("length", ["9" * 5000, "0" * 5000, "1" + "0" * 30])
def test_an_announced_length_of_many_digits(server: UDServer, length: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n".encode()

    def answer(request: Any) -> None:
        request.wfile.write(head)
        request.close_connection = True

    server.has(tag_path(), answer)
    refused(RunError, server, "damaged or incomplete" if length[0] == "0" else "larger than any such file")


@pytest.mark.parametrize("address", ["http://[::1", "http://[bad]/x", "http://a:99999/", "http://", "x:"])
def test_a_redirect_to_what_is_no_address(server: UDServer, address: str) -> None:
    server.has(tag_path(), redirect(address))
    refused(RunError, server, "; ")


def test_a_proxy_that_is_no_address(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://[::1")
    monkeypatch.setenv("NO_PROXY", "")
    refused(RunError, server, "; check")


def test_a_list_of_treebanks_has_a_limit(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "LIST_BYTES", 1000)
    server.has("/releases.json", b'{"releases": {"2.16": {"treebanks": ["UD_Made-Up"]}}}' + b" " * 1000)
    told: list[str] = []
    assert "UD_Made-Up" not in str(fetch.offered_treebanks(server.url, note=told.append))
    assert "larger than any such file of UD (1.0 kB)" in told[0]


def test_offline(server: UDServer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        refused(RunError, server, "127.0.0.1 cannot be reached", "network connection", "--base-url")


def test_a_proxy_from_the_environment(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    server.has(f"http://ud.example{tag_path()}", ARCHIVE)
    assert fetch_treebank(NAME, "2.16", base_url="http://ud.example").downloaded


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(RunError, match="the proxy refuses or cannot be reached; check HTTPS_PROXY"):
            fetch_treebank(NAME, "2.16", base_url="http://ud.example")


def test_the_bytes_do_not_depend_on_a_misleading_content_encoding(server: UDServer) -> None:
    server.has(tag_path(), whole(ARCHIVE, Content_Encoding="gzip"))
    assert get(server).sha256 == hashlib.sha256(ARCHIVE).hexdigest()


def test_an_announced_giant_is_not_downloaded(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MOST_BYTES", len(ARCHIVE) - 1)
    server.has(tag_path(), ARCHIVE)
    refused(RunError, server, "larger than any such file of UD")
    # refused before anything is received, not after so many bytes
    giant = bytes(download.MOST_BYTES + 50_000)
    server.has(tag_path(), giant)
    monkeypatch.setattr(download, "MOST_BYTES", 40_000)
    seen: list[object] = []
    with pytest.raises(RunError, match="larger than any such file of UD"):
        get(server, progress=lambda *step: seen.append(step))
    assert seen == []
    monkeypatch.setattr(download, "MOST_BYTES", len(ARCHIVE) - 1)
    server.has(tag_path(), cut(ARCHIVE, len(ARCHIVE), how="close"))  # unannounced
    refused(RunError, server, "larger than any such file of UD")


def test_progress_counts_the_bytes(server: UDServer) -> None:
    server.has(tag_path(), ARCHIVE)
    seen: list[tuple[str, int, int | None]] = []
    get(server, progress=lambda *step: seen.append(step))
    size = len(ARCHIVE)
    assert [step for step in seen if step[0] == "downloading"][-1] == ("downloading", size, size)
    assert seen[-1] == ("unpacking", size, size)


def test_passwords_are_neither_shown_nor_recorded(server: UDServer, cache: Path) -> None:
    base = server.url.replace("//", "//me:secret@")
    with pytest.raises(InputError) as caught:
        fetch_treebank(NAME, "2.16", base_url=base)
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError) as caught:
        fetch_treebank(NAME, "2.16", base_url=base + "?x")
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError) as caught:
        fetch_release("2.16", base_url=base)
    assert "secret" not in str(caught.value)
    server.has(tag_path(), ARCHIVE)
    assert fetch_treebank(NAME, "2.16", base_url=base).url == server.url + tag_path()
    assert all(b"secret" not in data for data in tree(cache).values())
