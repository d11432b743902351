"""`learnability fetch`, against a server of our own on 127.0.0.1."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from invoking import PACKAGE, Call
from ud_server import (
    UDServer,
    release_archive,
    silent,
    tag_archive,
    tag_entries,
    tag_path,
    tar_gz,
    ud_server,
    whole,
)

from learnability.treebanks import locate

NAME = "UD_Test-One"


@pytest.fixture
def server() -> Iterator[UDServer]:
    with ud_server() as running:
        running.has(tag_path(), tag_archive())
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # a patch of its own, because `call` undoes those of the fixture
    patch = pytest.MonkeyPatch()
    for variable in ("LEARNABILITY_UD_HOME", "UDBASE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        patch.delenv(variable, raising=False)
    patch.setenv("NO_PROXY", "127.0.0.1")
    patch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    patch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda _: None))
    yield locate.cache_folder()
    patch.undo()


def test_a_treebank_is_fetched_and_found(call: Call, server: UDServer, cache: Path) -> None:
    done = call("fetch", NAME, "--release", "2.16", "--base-url", server.url)
    assert done.code == 0, done.errors
    assert done.errors == ""
    assert all(word in done.text for word in (NAME, "2.16", "downloaded", "CC BY-SA 4.0"))
    assert str(cache / "ud-treebanks-v2.16" / NAME) in done.text
    again = call("fetch", NAME, "--release", "v2.16", "--base-url", server.url)
    assert (again.code, "cached" in again.text, "downloaded" in again.text) == (0, True, False)
    assert server.asked == [tag_path()]
    listed = json.loads(call("list", "treebanks", "--json").text)
    mine = [row for row in listed if row["name"] == NAME]
    assert [(row["release"], row["train"], row["dev"], row["test"]) for row in mine] == [("2.16", 6, 2, 4)]


def test_a_whole_release(call: Call, server: UDServer) -> None:
    server.has("/ud-treebanks-v2.0.tgz", release_archive("2.0", {NAME: "xx_one", "UD_Test-Two": "xx_two"}))
    arguments = ("fetch", "all", "--release", "2.0", "--base-url", server.url, "--json")
    done = call(*arguments)
    assert [row["treebank"] for row in json.loads(done.text)] == [NAME, "UD_Test-Two"]
    assert "the test files of release 2.0 were published apart" in done.errors
    assert call(*arguments, "--quiet").errors == ""


def test_list_shows_what_is_cached_and_what_is_offered(call: Call, server: UDServer) -> None:
    server.has("/releases.json", json.dumps({"releases": {"2.16": {"treebanks": [NAME, "UD_A-B"]}}}).encode())
    server.has(tag_path(release="1.3"), tag_archive(release="1.3"))
    for release in ("2.16", "1.3"):
        call("fetch", NAME, "--release", release, "--base-url", server.url)
    rows = json.loads(call("fetch", "--list", "--release", "2.16", "--base-url", server.url, "--json").text)
    assert [(row["treebank"], row["state"]) for row in rows] == [("UD_A-B", "offered"), (NAME, "cached")]
    done = call("fetch", "--list", "--json")
    assert [row["release"] for row in json.loads(done.text)] == ["1.3", "2.16"]
    assert "releases: 1.0, " in done.errors
    done = call("fetch", "--list", "UD_A-B", "--release", "2.16", "--base-url", server.url)
    assert ("UD_A-B" in done.text, NAME in done.text) == (True, False)
    done = call("fetch", "--list", "UD_No-Such", "--release", "2.16", "--base-url", server.url)
    assert done.code == 0
    assert "UD_No-Such: not cached, and not known to be in release 2.16" in done.errors


def test_list_without_the_list(call: Call, server: UDServer) -> None:
    done = call("fetch", "--list", "--release", "1.3", "--base-url", server.url, "--json")
    assert len(json.loads(done.text)) == 54
    assert "could not get the list of treebanks" in done.errors
    done = call("fetch", "--list", "--release", "2.99", "--base-url", server.url)
    assert done.code == 0
    assert "the list of treebanks of release 2.99 is not known" in done.errors
    done = call("fetch", "--list")
    assert (done.code, done.text) == (0, "")
    assert "no treebank is cached yet" in done.errors


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((NAME,), 2, "no release is named; choose one, for example --release 2.18"),
        (("UD_Irish",), 2, "for example --release 1.3; UD_Irish is called UD_Irish-IDT since release 2.2"),
        (("--release", "2.16"), 2, "no treebank is named"),
        ((NAME, "--release", "newest"), 2, "not a release number"),
        (("Test-One", "--release", "2.16"), 2, "not the name of a UD treebank"),
        (("SUD_X-Y", "--release", "2.16"), 2, "SUD is not in UD's releases: surfacesyntacticud.org/data has"),
        (("SUD_X-Y",), 2, "compare it with `learnability run --treebank UD_X --alternative FOLDER`"),
        (("UD_Test-Won", "--release", "2.16"), 2, "not in release 2.16"),
        ((NAME, "UD_Test-Won", "--release", "2.16"), 2, "not in release 2.16"),
        ((NAME, "../x", "--release", "2.16"), 2, "not the name of a UD treebank"),
        ((NAME, "--release", "2.16", "--base-url", "nowhere"), 2, "not an http or https URL"),
        ((NAME, "--release", "2.16", "--base-url", "http://127.0.0.1:9"), 1, "cannot be reached"),
    ],
)
def test_failures_are_one_line(
    call: Call, server: UDServer, arguments: tuple[str, ...], code: int, words: str
) -> None:
    given = arguments if "--base-url" in arguments else (*arguments, "--base-url", server.url)
    done = call("fetch", *given)
    assert (done.code, done.text) == (code, "")
    assert done.errors.count("\n") == 1
    assert words in done.errors


def start(server: UDServer, *, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    arguments = ["fetch", NAME, "--release", "2.16", "--base-url", server.url]
    return subprocess.Popen(
        [sys.executable, "-m", "learnability", *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "TERM": "xterm", "COLUMNS": "120"},
        # a suite run in the background inherits that interrupts are ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_download_leaves_nothing_that_disturbs(
    call: Call, server: UDServer, cache: Path, how: signal.Signals
) -> None:
    server.has(tag_path(), silent(600, tag_archive(), after=100), whole(tag_archive()))
    process = start(server)
    deadline = time.monotonic() + 60
    while not server.asked and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)  # in the middle of the file
    assert list(cache.glob(".work.*/*"))
    process.send_signal(how)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130}[how]
    assert b"Traceback" not in errors
    assert not (cache / "ud-treebanks-v2.16" / NAME).exists()
    done = call("fetch", NAME, "--release", "2.16", "--base-url", server.url)
    assert (done.code, "downloaded" in done.text) == (0, True)
    home = cache / "ud-treebanks-v2.16"
    assert sorted(path.name for path in home.iterdir()) == [NAME, "fetched.json"]


def test_progress_is_shown_on_a_terminal(server: UDServer) -> None:
    noise = b"".join(hashlib.sha256(bytes([i, j])).digest() for i in range(4) for j in range(256))
    data = tar_gz([*tag_entries(NAME, "2.16", "xx_one"), ("UD_Test-One-r2.16/noise", noise)])
    server.has(tag_path(), silent(1.0, data, after=20_000))
    ours, theirs = pty.openpty()
    process = start(server, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the other side is closed
        pass
    output, _ = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 0
    assert f"{NAME} 2.16: downloading".encode() in shown
    assert f"16/{len(data) / 1000:,.0f} kB".encode() in shown
    assert b"downloading" not in output
