"""Downloading, against a server of our own on 127.0.0.1; no test leaves this machine."""

from __future__ import annotations

import errno
import hashlib
import json
import resource
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ud_server import (
    README,
    SENTENCE,
    Entry,
    UDServer,
    conllu,
    cut,
    redirect,
    release_archive,
    silent,
    status,
    tag_archive,
    tag_entries,
    tag_path,
    tar_gz,
    ud_server,
    whole,
)

from learnability.errors import InputError, RunError
from learnability.treebanks import download, locate, locate_treebank, releases
from learnability.treebanks.fetch import (
    Fetched,
    fetch_release,
    fetch_treebank,
    fetched_treebanks,
    offered_treebanks,
)

NAME = "UD_Test-One"
ARCHIVE = tag_archive()


@pytest.fixture
def server() -> Iterator[UDServer]:
    with ud_server() as running:
        yield running


@pytest.fixture(autouse=True)
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


def get(server: UDServer, name: str = NAME, release: str = "2.16", **more: Any) -> Fetched:
    return fetch_treebank(name, release, base_url=server.url, **more)


def refused(kind: type[Exception], server: UDServer, *words: str, name: str = NAME) -> str:
    """Fetching fails with one line that has these words, and leaves no treebank and nothing half."""
    with pytest.raises(kind) as caught:
        get(server, name)
    message = str(caught.value)
    assert type(caught.value) is kind
    assert "\n" not in message
    assert all(word in message for word in words), message
    home = locate.cache_folder()
    left = [path for path in home.rglob("*") if ".fetched" not in path.parts and path.is_file()]
    assert left == [home / ".releases.json"] * len(left)
    assert not (home / "ud-treebanks-v2.16" / name).exists()
    return message


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# what is downloaded, and where it is found


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


def test_the_default_addresses_are_the_official_ones() -> None:
    assert releases.tag_url("UD_Tamil-TTB", "2.16") == (
        "https://github.com/UniversalDependencies/UD_Tamil-TTB/archive/refs/tags/r2.16.tar.gz"
    )
    assert releases.release_url("1.3") == (
        "https://lindat.mff.cuni.cz/repository/server/api/core/bitstreams/handle/11234/1-1699/ud-treebanks-v1.3.tgz"
    )
    with pytest.raises(InputError, match=r"release 9\.9: .*not known here"):
        releases.release_url("9.9")


def test_the_default_address_is_used_without_a_base_url(
    server: UDServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "GITHUB", server.url + "/official")
    server.has("/official" + tag_path(), ARCHIVE)
    assert fetch_treebank(NAME, "2.16").downloaded


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
    "text", ["", "{", "[]", '{"archives": {"tag": {}}}', '{"archives": {}, "files": []}']
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


# the network and the server


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
    refused(RunError, server, "larger than any archive of UD")
    # refused before anything is received, not after so many bytes
    giant = bytes(download.MOST_BYTES + 50_000)
    server.has(tag_path(), giant)
    monkeypatch.setattr(download, "MOST_BYTES", 40_000)
    seen: list[object] = []
    with pytest.raises(RunError, match="larger than any archive of UD"):
        get(server, progress=lambda *step: seen.append(step))
    assert seen == []
    monkeypatch.setattr(download, "MOST_BYTES", len(ARCHIVE) - 1)
    server.has(tag_path(), cut(ARCHIVE, len(ARCHIVE), how="close"))  # unannounced
    refused(RunError, server, "larger than any archive of UD")


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


# names and releases

LIST = json.dumps(
    {
        "releases": {
            "2.15": {"treebanks": ["UD_Test-One", "UD_Test-Old"]},
            "2.16": {"treebanks": ["UD_Test-One", "UD_Tamil-TTB", "UD_Tamil-MWTT", "UD_Irish-IDT"]},
        }
    }
).encode()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("UD_Tamli-TTB", "nearest names: UD_Tamil-TTB"),
        ("UD_Test-Old", "; release 2.15 has it; nearest names: UD_Test-One"),
        ("UD_Quenya-Elves", "does not exist)"),
        ("UD_Test-One", "the server is at fault"),
    ],
)
def test_an_unknown_treebank_is_answered_with_what_there_is(server: UDServer, name: str, words: str) -> None:
    server.has("/releases.json", LIST)
    message = refused(InputError, server, words, f"treebank '{name}': not in release 2.16", name=name)
    assert ("nearest" in message) == ("nearest" in words)
    assert len(server.asked) == 2


def test_nearest_names_without_a_list_are_those_known_here(server: UDServer) -> None:
    refused(InputError, server, "nearest names: UD_Tamil-TTB", name="UD_Tamil-TBT")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"releases": 1}',
        b'{"releases": {"2.16": {}}}',
        b'{"releases": {"2.16": {"treebanks": []}}}',
        b"\xff",
        b"[" * 10**5,
    ],
)
def test_a_list_that_is_none_is_not_believed(server: UDServer, data: bytes) -> None:
    server.has("/releases.json", data)
    told: list[str] = []
    assert set(offered_treebanks(server.url, note=told.append)) == {"1.3", "2.13"}
    assert len(told) == 1


def test_the_last_list_is_kept(server: UDServer, cache: Path) -> None:
    server.has("/releases.json", whole(LIST), status(500))
    first = offered_treebanks(server.url)
    told: list[str] = []
    assert offered_treebanks(server.url, note=told.append) == first
    assert first["2.15"] == ("UD_Test-One", "UD_Test-Old")
    assert "500" in told[0]
    assert len(server.asked) == 2


def test_names_in_a_list_cannot_smuggle(server: UDServer) -> None:
    server.has("/releases.json", LIST.replace(b"UD_Irish-IDT", b"../UD_Irish-IDT"))
    assert offered_treebanks(server.url)["2.16"] == ("UD_Test-One", "UD_Tamil-TTB", "UD_Tamil-MWTT")


@pytest.mark.parametrize(
    "name", ["../UD_X", "UD_X/../../y", "UD_", "", "French-GSD", "UD_X\n", "UD_X?y", "all/"]
)
def test_what_is_no_name_is_refused_before_anything_is_asked(server: UDServer, name: str) -> None:
    with pytest.raises(InputError, match="is no name of a UD treebank") as caught:
        get(server, name)
    assert server.asked == []
    assert ("UD_French-GSD" in str(caught.value)) == (name == "French-GSD")


@pytest.mark.parametrize("release", ["", "2", "2.16.1", "../2.16", "latest", "2.x", "2.16\n2.15", "²·16"])
def test_what_is_no_release_is_refused(server: UDServer, release: str) -> None:
    with pytest.raises(InputError, match="is no release number"):
        get(server, release=release)


@pytest.mark.parametrize(
    "url", ["", "ud.example", "ftp://ud.example", "file:///etc", "http://", "http://x:y/", "http://a?b"]
)
def test_what_is_no_base_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="is no http or https URL"):
        fetch_treebank(NAME, "2.16", base_url=url)


def test_the_bundled_table_has_every_release_once_and_the_papers_treebanks() -> None:
    known = releases.known_releases()
    assert list(known) == [*(f"1.{i}" for i in range(5)), *(f"2.{i}" for i in range(19))]
    assert len({one.handle for one in known.values()}) == len(known)
    assert len(known["1.3"].treebanks) == 54
    assert len(known["2.13"].treebanks) == 259
    names = [name for one in known.values() for name in one.treebanks]
    assert all(releases.NAME.fullmatch(name) for name in names)


# whole releases

CODES = {"UD_Test-One": "xx_one", "UD_Test-Two": "xx_two"}


def test_a_whole_release(server: UDServer, cache: Path) -> None:
    server.has("/ud-treebanks-v2.16.tgz", release_archive("2.16", CODES))
    fetched = fetch_release("2.16", base_url=server.url)
    assert [one.treebank for one in fetched] == list(CODES)
    assert all(one.downloaded for one in fetched)
    for name, code in CODES.items():
        assert tree(cache / "ud-treebanks-v2.16" / name) == conllu(code)
        assert locate_treebank(name).release == "2.16"
    again = fetch_release("2.16", base_url=server.url)
    assert [(one.treebank, one.downloaded) for one in again] == [(name, False) for name in CODES]
    assert not get(server, "UD_Test-Two").downloaded
    assert server.asked == ["/ud-treebanks-v2.16.tgz"]


def test_a_folder_without_data_is_left_out_and_told(server: UDServer, cache: Path) -> None:
    entries: list[Entry] = [("ud-treebanks-v2.16/UD_Empty-One/README.md", README)]
    entries += [(f"ud-treebanks-v2.16/{NAME}/{file}", data) for file, data in conllu("xx_one").items()]
    server.has("/ud-treebanks-v2.16.tgz", tar_gz(entries))
    told: list[str] = []
    assert [one.treebank for one in fetch_release("2.16", base_url=server.url, note=told.append)] == [NAME]
    assert told == ["UD_Empty-One 2.16: left out, because the archive has no CoNLL-U files of it"]
    assert not (cache / "ud-treebanks-v2.16" / "UD_Empty-One").exists()


def test_a_whole_release_keeps_what_is_there_and_completes_it(server: UDServer, cache: Path) -> None:
    server.has(tag_path(), ARCHIVE)
    server.has("/ud-treebanks-v2.16.tgz", release_archive("2.16", CODES))
    get(server)
    assert [one.downloaded for one in fetch_release("2.16", base_url=server.url)] == [False, True]
    shutil.rmtree(cache / "ud-treebanks-v2.16" / "UD_Test-Two")
    assert [one.downloaded for one in fetch_release("2.16", base_url=server.url)] == [False, True]


def test_a_changed_whole_release_is_refused(server: UDServer, cache: Path) -> None:
    server.has("/ud-treebanks-v2.16.tgz", release_archive("2.16", CODES))
    fetch_release("2.16", base_url=server.url)
    shutil.rmtree(cache / "ud-treebanks-v2.16" / "UD_Test-Two")
    server.has("/ud-treebanks-v2.16.tgz", release_archive("2.16", CODES | {"UD_Test-Three": "xx_three"}))
    with pytest.raises(RunError, match="not the archive that was downloaded"):
        fetch_release("2.16", base_url=server.url)
    assert not (cache / "ud-treebanks-v2.16" / "UD_Test-Three").exists()
    (cache / "ud-treebanks-v2.16" / ".fetched" / "all.json").unlink()
    with pytest.raises(RunError, match=r"not the archive that was downloaded.*UD_Test-Two\.json"):
        fetch_release("2.16", base_url=server.url)


def test_both_official_places_must_have_the_same(server: UDServer, cache: Path) -> None:
    server.has("/ud-treebanks-v2.16.tgz", release_archive("2.16", CODES))
    fetch_release("2.16", base_url=server.url)
    folder = cache / "ud-treebanks-v2.16" / NAME
    shutil.rmtree(folder)
    entries = [(n, d.replace(b"NOUN", b"VERB")) for n, d in tag_entries(NAME, "2.16", "xx_one")]
    server.has(tag_path(), tar_gz(entries))
    refused_files = r"xx_one-ud-dev\.conllu is not as it was when first downloaded"
    with pytest.raises(RunError, match=refused_files):
        get(server)
    assert not folder.exists()
    server.has(tag_path(), ARCHIVE)
    assert get(server).downloaded


def test_a_whole_release_that_is_none(server: UDServer) -> None:
    with pytest.raises(InputError, match="does not exist; give another --release"):
        fetch_release("2.16", base_url=server.url)
    server.has("/ud-treebanks-v2.16.tgz", ARCHIVE)
    with pytest.raises(RunError, match=r"holds no RELEASE/UD_\*"):
        fetch_release("2.16", base_url=server.url)
