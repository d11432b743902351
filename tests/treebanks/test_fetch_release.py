"""Whole releases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fetching import ARCHIVE, NAME, get, tree
from ud_server import (
    README,
    Entry,
    UDServer,
    conllu,
    release_archive,
    tag_entries,
    tag_path,
    tar_gz,
)

from learnability.errors import InputError, RunError
from learnability.treebanks.fetch import (
    fetch_release,
)
from learnability.treebanks.locate import locate_treebank

pytestmark = pytest.mark.usefixtures("cache")


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
