"""Treebanks in the cache: what is fetched, once and for all, and what interruptions leave."""

from __future__ import annotations

import errno
import hashlib
import json
import resource
import shutil
import threading
from pathlib import Path

import pytest
from fetching import ARCHIVE, NAME, get, refused, tree
from ud_server import (
    README,
    SENTENCE,
    UDServer,
    conllu,
    cut,
    silent,
    tag_archive,
    tag_entries,
    tag_path,
    tar_gz,
    whole,
)

from learnability.errors import InputError, RunError
from learnability.treebanks.fetch import (
    Fetched,
    fetched_treebanks,
)
from learnability.treebanks.locate import locate_treebank

pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize(
    ("release", "folder"), [("2.16", "ud-treebanks-v2.16"), ("1.3", "universal-dependencies-1.3")]
)
def test_a_fetched_treebank_is_found_by_name_and_release(
    server: UDServer, cache: Path, release: str, folder: str
) -> None:
    server.has(tag_path(release=release), tag_archive(release=release))
    fetched = get(server, release=f"r{release}")
    assert fetched.folder == cache / folder / NAME
    assert tree(fetched.folder) == conllu("xx_one")
    assert (fetched.release, fetched.licence, fetched.downloaded) == (release, "CC BY-SA 4.0", True)
    found = locate_treebank(NAME, release=release)
    assert (found.name, found.release, found.folder) == (NAME, release, fetched.folder)
    assert [len(paths) for _, paths in found.splits()] == [1, 1, 1]
    assert [one.treebank for one in fetched_treebanks()] == [NAME]


def test_the_hashes_are_those_of_the_bytes(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    fetched = get(server)
    assert fetched.sha256 == hashlib.sha256(ARCHIVE).hexdigest()
    assert fetched.files == {
        file: hashlib.sha256(data).hexdigest() for file, data in conllu("xx_one").items()
    }
    record = json.loads((cache / "ud-treebanks-v2.16" / ".fetched" / f"{NAME}.json").read_text())
    assert record["archives"]["tag"]["sha256"] == fetched.sha256
    assert record["archives"]["tag"]["size"] == len(ARCHIVE)
    assert record["files"] == fetched.files


def test_what_is_cached_is_checked_and_not_asked_for_again(server: UDServer) -> None:
    server.has(tag_path(), ARCHIVE)
    first = get(server)
    again = get(server)
    assert server.asked == [tag_path()]
    assert not again.downloaded
    assert (again.files, again.sha256, again.url) == (first.files, first.sha256, first.url)


@pytest.mark.parametrize(
    ("readme", "licence"),
    [
        (README, "CC BY-SA 4.0"),
        (b"nothing", "Attribution-ShareAlike 4.0"),
        (None, "Attribution-ShareAlike 4.0"),
    ],
)
def test_the_licence_is_the_readmes_else_the_licence_files(
    server: UDServer, readme: bytes | None, licence: str
) -> None:
    entries = [(name, data) for name, data in tag_entries(NAME, "2.16", "xx") if "README" not in str(name)]
    if readme is not None:
        entries.append(("UD_Test-One-r2.16/README.txt", readme))
    server.has(tag_path(), tar_gz(entries))
    assert get(server).licence == licence


def test_a_treebank_without_text_is_announced(server: UDServer) -> None:
    entries = tag_entries(NAME, "2.16", "xx")
    textless = README.replace(b"Includes text: yes", b"Includes text: no")
    server.has(tag_path(), tar_gz([(n, textless if str(n).endswith("README.md") else d) for n, d in entries]))
    told: list[str] = []
    get(server, note=told.append)
    assert len(told) == 1
    assert "without its text" in told[0]


# once downloaded, always the same


@pytest.mark.parametrize("change", ["edit", "remove", "add"])
def test_a_changed_cache_is_refused(server: UDServer, change: str) -> None:
    server.has(tag_path(), ARCHIVE)
    folder = get(server).folder
    path = folder / "xx_one-ud-train.conllu"
    if change == "edit":
        path.write_bytes(path.read_bytes().replace(b"NOUN", b"VERB", 1))
    elif change == "remove":
        path.unlink()
    else:
        path = folder / "xx_one-ud-train-more.conllu"
        path.write_bytes(SENTENCE)
    with pytest.raises(RunError, match=r"not as it was downloaded; remove the folder") as caught:
        get(server)
    assert str(path) in str(caught.value)
    shutil.rmtree(folder)
    assert get(server).downloaded


def test_a_changed_archive_of_the_same_tag_is_refused(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    first = get(server)
    shutil.rmtree(first.folder)
    entries = [(n, d.replace(b"NOUN", b"VERB")) for n, d in tag_entries(NAME, "2.16", "xx_one")]
    changed = tar_gz(entries)
    server.has(tag_path(), changed)
    digests = (first.sha256, hashlib.sha256(changed).hexdigest())
    message = refused(RunError, server, "not the archive that was downloaded on 20", *digests)
    (cache / "ud-treebanks-v2.16" / ".fetched" / f"{NAME}.json").unlink()
    assert str(cache / "ud-treebanks-v2.16" / ".fetched" / f"{NAME}.json") in message
    assert get(server).sha256 == digests[1]


def test_the_same_archive_after_removal_is_accepted(server: UDServer) -> None:
    server.has(tag_path(), ARCHIVE)
    first = get(server)
    shutil.rmtree(first.folder)
    assert get(server).files == first.files
    assert len(server.asked) == 2


def test_a_folder_that_was_not_fetched_is_left_alone(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    own = cache / "ud-treebanks-v2.16" / NAME / "mine.conllu"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    with pytest.raises(InputError, match="is there, but was not fetched"):
        get(server)
    assert own.read_text() == "mine"


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", '{"archives": {"tag": {}}}', '{"archives": {}, "files": []}', "[" * 100_000),
        *(
            '{"archives": {}}',
            f'{{"archives": {{}}, "treebank": "{NAME}", "release": "2.16", "origin": "tag"}}',
        ),
        f'{{"archives": {{}}, "x": {"[" * 100_000}',
    ],
)
def test_a_damaged_record_is_refused(server: UDServer, cache: Path, text: str) -> None:
    server.has(tag_path(), ARCHIVE)
    get(server)
    (cache / "ud-treebanks-v2.16" / ".fetched" / f"{NAME}.json").write_text(text)
    with pytest.raises(RunError, match="damaged record of a download"):
        get(server)


# interruptions


@pytest.mark.parametrize("how", ["length", "chunked"])
def test_a_cut_connection_is_tried_again(server: UDServer, how: str) -> None:
    half = cut(ARCHIVE, len(ARCHIVE) // 2, how=how)
    server.has(tag_path(), half, half, whole(ARCHIVE))
    assert get(server).sha256 == hashlib.sha256(ARCHIVE).hexdigest()
    assert len(server.asked) == 3


@pytest.mark.parametrize("how", ["length", "chunked"])
def test_a_connection_that_is_always_cut_leaves_nothing_and_can_be_resumed(
    server: UDServer, how: str
) -> None:
    server.has(tag_path(), cut(ARCHIVE, 100, how=how))
    refused(RunError, server, "the connection broke after 100 bytes (3 attempts failed)")
    assert len(server.asked) == 3
    server.has(tag_path(), ARCHIVE)
    assert tree(get(server).folder) == conllu("xx_one")


def test_a_cut_that_http_cannot_notice_is_noticed_in_the_archive(server: UDServer) -> None:
    server.has(tag_path(), cut(ARCHIVE, len(ARCHIVE) - 1, how="close"))
    refused(RunError, server, "damaged or incomplete archive")


def test_what_a_killed_process_left_is_removed(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    home = cache / "ud-treebanks-v2.16"
    mine, others = home / f".work.{NAME}.abc", home / f".work.{NAME}Two.abc"
    for folder in (mine, others):
        folder.mkdir(parents=True)
        (folder / "half.conllu").write_text("half")
    get(server)
    assert (mine.exists(), others.exists()) == (False, True)


def test_two_at_once_download_once(server: UDServer) -> None:
    server.has(tag_path(), silent(0.4, ARCHIVE, after=50))
    told: list[str] = []
    results: list[Fetched] = []
    threads = [
        threading.Thread(target=lambda: results.append(get(server, note=told.append))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.downloaded for one in results) == [False, True]
    assert server.asked == [tag_path()]
    assert len(told) == 1
    assert "waiting for another process" in told[0]


def test_a_full_disk_is_one_line_and_leaves_nothing(server: UDServer) -> None:
    noise = b"".join(hashlib.sha256(bytes([i, j])).digest() for i in range(64) for j in range(64))
    server.has(tag_path(), tar_gz([*tag_entries(NAME, "2.16", "xx"), ("UD_Test-One-r2.16/noise", noise)]))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        refused(RunError, server, "no room for the download (file too large)", "XDG_CACHE_HOME")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert get(server).downloaded


def test_a_disk_that_is_full_while_unpacking(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    server.has(tag_path(), ARCHIVE)
    with monkeypatch.context() as patch:
        patch.setattr("tarfile.copyfileobj", full)
        refused(RunError, server, "no room for the download (no space left on device)")
    assert get(server).downloaded


def test_a_python_without_safe_unpacking_is_refused_before_anything_is_asked(
    server: UDServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("tarfile.data_filter")
    refused(RunError, server, "cannot unpack archives safely; fetch with Python 3.11.4 or newer")
    assert server.asked == []
