"""Names and addresses of treebanks and releases, right and wrong."""

from __future__ import annotations

import json

import pytest
from ud_server import UDServer, tag_archive, tag_path

from learnability.errors import InputError
from learnability.treebanks import releases
from learnability.treebanks.fetch import fetch_treebank, offered_treebanks
from learnability.treebanks.releases import Release

pytestmark = pytest.mark.usefixtures("cache")

NAME = "UD_Test-One"


def not_offered(server: UDServer, name: str, release: str = "2.16") -> str:
    """The message about a treebank that a release does not have."""
    with pytest.raises(InputError, match=f"treebank '{name}' is not in release {release}") as caught:
        fetch_treebank(name, release, base_url=server.url)
    return str(caught.value)


def test_the_default_addresses_are_the_official_ones() -> None:
    assert releases.tag_url("UD_Tamil-TTB", "2.16") == (
        "https://github.com/UniversalDependencies/UD_Tamil-TTB/archive/refs/tags/r2.16.tar.gz"
    )
    assert releases.release_url("1.3") == (
        "https://lindat.mff.cuni.cz/repository/server/api/core/bitstreams/handle/11234/1-1699/ud-treebanks-v1.3.tgz"
    )
    with pytest.raises(InputError, match=r"release 9\.9 cannot be found: .*not known here"):
        releases.release_url("9.9")


def test_the_default_address_is_used_without_a_base_url(
    server: UDServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "GITHUB", server.url + "/official")
    server.has("/official" + tag_path(), tag_archive())
    assert fetch_treebank(NAME, "2.16").downloaded


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
    message = not_offered(server, name)
    assert words in message
    assert ("nearest" in message) == ("nearest" in words)
    assert len(server.asked) == 2


def test_nearest_names_without_a_list_are_those_known_here(server: UDServer) -> None:
    assert "nearest names: UD_Tamil-TTB" in not_offered(server, "UD_Tamil-TBT")


@pytest.mark.parametrize(
    ("name", "release", "words"),
    [
        ("UD_Irish", "2.16", "is called UD_Irish-IDT since release 2.2"),
        ("UD_Irish-IDT", "1.3", "is called UD_Irish in release 1.3"),
    ],
)
def test_a_treebank_that_was_renamed_is_told(server: UDServer, name: str, release: str, words: str) -> None:
    assert words in not_offered(server, name, release)


def test_the_table_of_new_names_agrees_with_the_lists_of_releases() -> None:
    listed = releases.bundled_treebanks()
    for name in listed["1.3"]:
        later = Release.other_name(name, "2.13").removeprefix("is called ").removesuffix(" since release 2.2")
        assert (
            not later or (later in listed["2.13"] and later not in listed["1.3"]) or later == "UD_Polish-SZ"
        )
        assert bool(later) or "-" in name or name == "UD_Norwegian"  # which became two
        assert not later or Release.other_name(later, "1.3") == f"is called {name} in release 1.3"
        assert Release.other_name(name, "1.3") == ""


@pytest.mark.parametrize(
    ("names", "release"),
    [
        (["UD_Irish"], "1.3"),
        (["UD_Irish", "UD_Greek"], "1.3"),
        (["UD_Irish-IDT"], "2.18"),
        (["UD_New"], "2.18"),
    ],
)
def test_the_suggested_release_is_one_in_which_the_name_can_be(names: list[str], release: str) -> None:
    assert releases.release_for(names) == release


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


def test_names_in_a_list_cannot_smuggle(server: UDServer) -> None:
    server.has("/releases.json", LIST.replace(b"UD_Irish-IDT", b"../UD_Irish-IDT"))
    assert offered_treebanks(server.url)["2.16"] == ("UD_Test-One", "UD_Tamil-TTB", "UD_Tamil-MWTT")


@pytest.mark.parametrize(
    "name", ["../UD_X", "UD_X/../../y", "UD_", "", "French-GSD", "UD_X\n", "UD_X?y", "all/"]
)
def test_what_is_no_name_is_refused_before_anything_is_asked(server: UDServer, name: str) -> None:
    with pytest.raises(InputError, match="not the name of a UD treebank") as caught:
        fetch_treebank(name, "2.16", base_url=server.url)
    assert server.asked == []
    assert ("UD_French-GSD" in str(caught.value)) == (name == "French-GSD")


@pytest.mark.parametrize("release", ["", "2", "2.16.1", "../2.16", "latest", "2.x", "2.16\n2.15", "²·16"])
def test_what_is_no_release_is_refused(server: UDServer, release: str) -> None:
    with pytest.raises(InputError, match="not a release number"):
        fetch_treebank(NAME, release, base_url=server.url)


@pytest.mark.parametrize(
    "url", ["", "ud.example", "ftp://ud.example", "file:///etc", "http://", "http://x:y/", "http://a?b"]
)
def test_what_is_no_base_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not an http or https URL"):
        fetch_treebank(NAME, "2.16", base_url=url)


def test_the_bundled_table_has_every_release_once_and_the_papers_treebanks() -> None:
    known = Release.known()
    assert list(known) == [*(f"1.{i}" for i in range(5)), *(f"2.{i}" for i in range(19))]
    assert len({one.handle for one in known.values()}) == len(known)
    assert len(known["1.3"].treebanks) == 54
    assert len(known["2.13"].treebanks) == 259
    names = [name for one in known.values() for name in one.treebanks]
    assert all(releases.NAME.fullmatch(name) for name in names)
