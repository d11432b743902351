"""Treebanks in the cache: what is fetched, once and for all, and what failures leave."""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import socket
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest
from ud_server import (
    README,
    SENTENCE,
    Entry,
    UDServer,
    conllu,
    cut,
    release_archive,
    silent,
    status,
    tag_archive,
    tag_entries,
    tag_path,
    tar_gz,
    whole,
)

from learnability.errors import InputError, RunError
from learnability.treebanks.fetch import Fetched, fetch_release, fetch_treebank, fetched_treebanks
from learnability.treebanks.locate import locate_treebank

pytestmark = pytest.mark.usefixtures("cache")

NAME = "UD_Test-One"
ARCHIVE = tag_archive()
WHOLE = "/ud-treebanks-v2.16.tgz"
CODES = {"UD_Test-One": "xx_one", "UD_Test-Two": "xx_two"}


def get(server: UDServer, name: str = NAME, release: str = "2.16", **more: Any) -> Fetched:
    return fetch_treebank(name, release, base_url=server.url, **more)


def refused(server: UDServer, cache: Path, *words: str) -> str:
    """Fetching fails with one line that has these words, and leaves nothing but the lock and the record."""
    with pytest.raises(RunError) as caught:
        get(server)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message
    assert {path.name for path in cache.rglob("*") if path.is_file()} <= {".lock", "fetched.json"}
    return message


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def relabelled(entries: list[Entry]) -> bytes:
    """The same archive with another label in every tree."""
    return tar_gz([(name, data.replace(b"NOUN", b"VERB")) for name, data in entries])


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
    assert [one.treebank for one in fetched_treebanks()] == [NAME]


def test_the_record_has_the_hashes_of_the_bytes(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    fetched = get(server)
    assert fetched.sha256 == hashlib.sha256(ARCHIVE).hexdigest()
    files = {file: hashlib.sha256(data).hexdigest() for file, data in conllu("xx_one").items()}
    assert fetched.files == files
    record = json.loads((cache / "ud-treebanks-v2.16" / "fetched.json").read_text())
    assert record[NAME]["sha256"] == fetched.sha256
    assert record[NAME]["files"] == files


def test_a_cached_treebank_is_checked_and_not_downloaded_again(server: UDServer) -> None:
    server.has(tag_path(), ARCHIVE)
    first, again = get(server), get(server)
    assert server.asked == [tag_path()]
    assert (first.downloaded, again.downloaded) == (True, False)
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
    notes: list[str] = []
    get(server, note=notes.append)
    assert [note for note in notes if "all forms are _" in note] == notes != []


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
    with pytest.raises(RunError, match=r"has changed since the download; remove the folder") as caught:
        get(server)
    assert str(path) in str(caught.value)
    shutil.rmtree(folder)
    assert get(server).downloaded


def test_an_archive_with_another_hash_is_refused(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    shutil.rmtree(get(server).folder)
    server.has(tag_path(), relabelled(tag_entries(NAME, "2.16", "xx_one")))
    refused(server, cache, "not the archive that was first downloaded", "remove the folder of this release")
    server.has(tag_path(), ARCHIVE)
    assert get(server).downloaded


def test_both_official_places_must_have_the_same_files(server: UDServer, cache: Path) -> None:
    server.has(WHOLE, release_archive("2.16", CODES))
    fetch_release("2.16", base_url=server.url)
    home = cache / "ud-treebanks-v2.16"
    shutil.rmtree(home / NAME)
    server.has(tag_path(), relabelled(tag_entries(NAME, "2.16", "xx_one")))
    with pytest.raises(RunError, match=r"xx_one-ud-dev\.conllu is not as it was when first downloaded"):
        get(server)
    assert not (home / NAME).exists()
    server.has(tag_path(), ARCHIVE)
    assert get(server).downloaded


def test_a_folder_that_was_not_fetched_is_left_alone(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    mine = cache / "ud-treebanks-v2.16" / NAME / "mine.conllu"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(InputError, match="exists, but `fetch` did not create it"):
        get(server)
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("text", ["", "[]", f'{{"{NAME}": {{}}}}', "[" * 100_000, '{"../x": {}}', "renamed"])
def test_a_damaged_record_is_refused(server: UDServer, cache: Path, text: str) -> None:
    server.has(tag_path(), ARCHIVE)
    get(server)
    record = cache / "ud-treebanks-v2.16" / "fetched.json"
    record.write_text(record.read_text().replace(NAME, "../UD_X") if text == "renamed" else text)
    with pytest.raises(RunError, match="is damaged; remove the folder"):
        get(server)


# a whole release


def test_a_whole_release(server: UDServer, cache: Path) -> None:
    server.has(WHOLE, release_archive("2.16", {**CODES, "tools": "no"}))
    fetched = fetch_release("2.16", base_url=server.url)
    assert [(one.treebank, one.downloaded) for one in fetched] == [(name, True) for name in CODES]
    for name, code in CODES.items():
        assert tree(cache / "ud-treebanks-v2.16" / name) == conllu(code)
        assert locate_treebank(name).release == "2.16"
    again = fetch_release("2.16", base_url=server.url)
    assert [(one.treebank, one.downloaded) for one in again] == [(name, False) for name in CODES]
    assert not get(server, "UD_Test-Two").downloaded
    assert server.asked == [WHOLE]


def test_a_whole_release_keeps_what_is_there_and_completes_it(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    server.has(WHOLE, release_archive("2.16", CODES))
    get(server)
    assert [one.downloaded for one in fetch_release("2.16", base_url=server.url)] == [False, True]
    shutil.rmtree(cache / "ud-treebanks-v2.16" / "UD_Test-Two")
    assert [one.downloaded for one in fetch_release("2.16", base_url=server.url)] == [False, True]


def test_a_release_that_does_not_exist(server: UDServer) -> None:
    with pytest.raises(InputError, match=r"is not at .*; choose another release"):
        fetch_release("2.16", base_url=server.url)
    server.has(WHOLE, ARCHIVE)
    with pytest.raises(RunError, match="holds no CoNLL-U files of a treebank"):
        fetch_release("2.16", base_url=server.url)


# networks and servers


@pytest.mark.parametrize("failing", [cut(ARCHIVE, len(ARCHIVE) // 2), status(503)])
def test_a_failed_download_is_tried_again(server: UDServer, failing: Any) -> None:
    server.has(tag_path(), failing, failing, whole(ARCHIVE))
    assert tree(get(server).folder) == conllu("xx_one")
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "words"),
    [(cut(ARCHIVE, 100), "the connection broke"), (status(503), "the server answers 503")],
)
def test_a_download_that_always_fails_leaves_nothing(
    server: UDServer, cache: Path, answer: Any, words: str
) -> None:
    server.has(tag_path(), answer)
    refused(server, cache, words, "try again")
    assert len(server.asked) == 3
    server.has(tag_path(), ARCHIVE)
    assert get(server).downloaded


def test_the_bytes_do_not_depend_on_a_misleading_content_encoding(server: UDServer) -> None:
    server.has(tag_path(), whole(ARCHIVE, Content_Encoding="gzip"))
    assert get(server).sha256 == hashlib.sha256(ARCHIVE).hexdigest()


def test_offline(server: UDServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        server.url = nobody
        refused(server, cache, "127.0.0.1 cannot be reached", "network connection", "mirror")
        monkeypatch.setenv("HTTP_PROXY", nobody)
        server.url = "http://ud.example"
        refused(server, cache, "the proxy cannot be reached; check HTTPS_PROXY")


def test_a_proxy_from_the_environment(server: UDServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    server.has(f"http://ud.example{tag_path()}", ARCHIVE)
    assert fetch_treebank(NAME, "2.16", base_url="http://ud.example").downloaded


def test_passwords_are_neither_shown_nor_recorded(server: UDServer, cache: Path) -> None:
    base = server.url.replace("//", "//me:secret@")
    for fetch in (
        lambda: fetch_treebank(NAME, "2.16", base_url=base),
        lambda: fetch_release("2.16", base_url=base),
    ):
        with pytest.raises(InputError) as caught:
            fetch()
        assert "secret" not in str(caught.value)
    server.has(tag_path(), ARCHIVE)
    assert fetch_treebank(NAME, "2.16", base_url=base).url == server.url + tag_path()
    assert all(b"secret" not in data for data in tree(cache).values())


def test_two_at_once_download_once(server: UDServer) -> None:
    server.has(tag_path(), silent(0.4, ARCHIVE, after=50))
    notes: list[str] = []
    results: list[Fetched] = []
    threads = [
        threading.Thread(target=lambda: results.append(get(server, note=notes.append))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.downloaded for one in results) == [False, True]
    assert server.asked == [tag_path()]
    assert notes == ["waiting for another process that is fetching treebanks"]


def test_a_killed_process_leaves_nothing_for_long(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    left = cache / ".work.abc"
    left.mkdir(parents=True)
    get(server)
    assert not left.exists()


def test_a_full_disk_is_one_line_and_leaves_nothing(server: UDServer, cache: Path) -> None:
    noise = b"".join(hashlib.sha256(bytes([i, j])).digest() for i in range(64) for j in range(64))
    server.has(tag_path(), tar_gz([*tag_entries(NAME, "2.16", "xx"), ("UD_Test-One-r2.16/noise", noise)]))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        refused(server, cache, "cannot be written (file too large)", "XDG_CACHE_HOME")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert get(server).downloaded


# archives


def special(name: str, kind: bytes, link: str = "") -> Entry:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return (info, b"")


TOP = "UD_Test-One-r2.16"


@pytest.mark.parametrize(
    "entry",
    [
        (f"{TOP}/../../evil.conllu", SENTENCE),
        special(f"{TOP}/docs", tarfile.SYMTYPE, "../../../outer"),
        special(f"{TOP}/a-ud-train.conllu", tarfile.SYMTYPE, "/etc/passwd"),
        special(f"{TOP}/x", tarfile.LNKTYPE, "../../y"),
        special(f"{TOP}/a-ud-train.conllu", tarfile.CHRTYPE),
        special(f"{TOP}/a-ud-train.conllu", tarfile.FIFOTYPE),
    ],
    ids=["path", "link out", "link to a file of the system", "hard link", "device", "pipe"],
)
def test_malicious_archives_are_refused(server: UDServer, cache: Path, entry: Entry) -> None:
    server.has(tag_path(), tar_gz([*tag_entries(NAME, "2.16", "xx_one"), entry]))
    refused(server, cache, "untrustworthy archive")


def test_links_and_absolute_paths_never_leave_the_folder(server: UDServer, cache: Path) -> None:
    entries = [
        *tag_entries(NAME, "2.16", "xx_one"),
        special(f"{TOP}/LICENSE", tarfile.SYMTYPE, "LICENSE.txt"),
        special(f"{TOP}/more.conllu", tarfile.LNKTYPE, f"{TOP}/README.md"),
        ("/tmp/learnability-evil/evil.conllu", SENTENCE),
    ]
    server.has(tag_path(), tar_gz(entries))
    assert tree(get(server).folder) == conllu("xx_one")
    assert not Path("/tmp/learnability-evil").exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"<html>not found</html>", ARCHIVE[:-1], ARCHIVE[:-20], ARCHIVE[:300] + b"\0" + ARCHIVE[301:]],
    ids=["empty", "page", "short by one byte", "short", "another byte"],
)
def test_damaged_archives_are_refused(server: UDServer, cache: Path, data: bytes) -> None:
    server.has(tag_path(), data)
    refused(server, cache, "damaged or untrustworthy archive")
