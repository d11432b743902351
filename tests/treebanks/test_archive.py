"""Archives that are damaged, incomplete or malicious."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from pathlib import Path

import pytest
from ud_server import SENTENCE, Entry, conllu, release_archive, tag_archive, tag_entries, tar_gz

from learnability.errors import RunError
from learnability.treebanks import archive

TOP = "UD_Test-One-r2.16"
GOOD = tag_archive()
FILES = conllu("xx_one")


@pytest.fixture
def space(tmp_path: Path) -> Path:
    """A folder to unpack into, inside another one that must not change."""
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    return folder


NAME = "UD_Test-One"


def take(data: bytes, space: Path, *, whole_release: bool = False) -> list[Path]:
    packed = space.parent.parent / "archive.tar.gz"
    packed.write_bytes(data)
    return archive.unpack(packed, space, None if whole_release else NAME)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def special(name: str, kind: bytes, link: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, size
    return info


def test_only_the_wanted_files_are_taken(space: Path) -> None:
    result = take(GOOD, space)
    assert contents(space / NAME) == FILES
    assert result == [space / NAME] == list(space.iterdir())


def test_the_treebanks_of_a_whole_release(space: Path) -> None:
    codes = {"UD_Test-One": "xx_one", "UD_Test": "xx", "tools": "no"}
    result = take(release_archive("2.16", codes), space, whole_release=True)
    assert contents(space) == {
        f"{name}/{file}": data
        for name, code in codes.items()
        if name != "tools"
        for file, data in conllu(code).items()
    }
    assert result == [space / "UD_Test", space / "UD_Test-One"]


def test_paths_that_begin_with_a_dot_are_as_others(space: Path) -> None:
    take(tar_gz([(f"./{TOP}/{file}", data) for file, data in FILES.items()]), space)
    assert contents(space / NAME) == FILES


MALICIOUS: dict[str, list[Entry]] = {
    "climbing": [(f"{TOP}/../../evil.conllu", SENTENCE)],
    "climbing, unwanted name": [(f"{TOP}/../../../evil", b"x")],
    "dots only": [("..", b"x")],
    "absolute": [("/tmp/evil.conllu", SENTENCE)],
    "absolute, unwanted name": [("/etc/evil", b"x")],
    "backslashes": [(f"{TOP}\\..\\evil.conllu", SENTENCE)],
    "drive": [("C:/evil.conllu", SENTENCE)],
    "symbolic link as data": [(special(f"{TOP}/a-ud-train.conllu", tarfile.SYMTYPE, "b-ud-dev.conllu"), b"")],
    "symbolic link out": [(special(f"{TOP}/docs", tarfile.SYMTYPE, "../../outer"), b"")],
    "symbolic link to a file of the system": [(special(f"{TOP}/x", tarfile.SYMTYPE, "/etc/passwd"), b"")],
    "symbolic link down and out": [(special(f"{TOP}/a/x", tarfile.SYMTYPE, "b/../../../y"), b"")],
    "symbolic link at the top": [(special("x", tarfile.SYMTYPE, "../y"), b"")],
    "hard link as data": [(special(f"{TOP}/a-ud-train.conllu", tarfile.LNKTYPE, f"{TOP}/README.md"), b"")],
    "hard link out": [(special(f"{TOP}/x", tarfile.LNKTYPE, "../../y"), b"")],
    "hard link to a file of the system": [(special(f"{TOP}/x", tarfile.LNKTYPE, "/etc/passwd"), b"")],
    "through a link": [
        (special(f"{TOP}/out", tarfile.SYMTYPE, "../.."), b""),
        (f"{TOP}/out/evil.conllu", SENTENCE),
    ],
    "character device": [(special(f"{TOP}/a-ud-train.conllu", tarfile.CHRTYPE), b"")],
    "block device": [(special(f"{TOP}/x", tarfile.BLKTYPE), b"")],
    "pipe": [(special(f"{TOP}/a-ud-train.conllu", tarfile.FIFOTYPE), b"")],
    "sparse file": [(special(f"{TOP}/a-ud-train.conllu", tarfile.GNUTYPE_SPARSE), b"")],
    "unknown kind": [(special(f"{TOP}/x", b"Z"), b"")],
    "twice": [(f"{TOP}/README.md", b"x"), (f"{TOP}/xx_one-ud-test.conllu", b"y")],
    "twice but for case": [(f"{TOP}/XX_one-ud-test.conllu", b"y")],
}


@pytest.mark.parametrize("where", ["first", "last"])
@pytest.mark.parametrize("kind", MALICIOUS)
def test_malicious_archives_are_refused(space: Path, kind: str, where: str) -> None:
    good = tag_entries("UD_Test-One", "2.16", "xx_one")
    bad = MALICIOUS[kind]
    before = contents(space.parent)
    with pytest.raises(RunError, match="untrustworthy archive"):
        take(tar_gz(bad + good if where == "first" else good + bad), space)
    written = contents(space / NAME)
    assert set(space.iterdir()) <= {space / NAME}
    assert set(written) <= {*FILES, "XX_one-ud-test.conllu"}
    assert {k: v for k, v in contents(space.parent).items() if not k.startswith("inner/")} == before
    assert not any(path.is_symlink() for path in space.rglob("*"))


def test_links_that_stay_inside_are_left_out(space: Path) -> None:
    links: list[Entry] = [
        (special(f"{TOP}/LICENSE", tarfile.SYMTYPE, "LICENSE.txt"), b""),
        (special(f"{TOP}/a/b/x", tarfile.SYMTYPE, "../../y"), b""),
        (special(f"{TOP}/z", tarfile.LNKTYPE, f"{TOP}/README.md"), b""),
    ]
    take(tar_gz(tag_entries("UD_Test-One", "2.16", "xx_one") + links), space)
    assert contents(space / NAME) == FILES


def test_a_second_folder_is_no_treebank_of_ours(space: Path) -> None:
    with pytest.raises(RunError, match="several folders"):
        take(tar_gz([(f"{TOP}/a-ud-dev.conllu", b"x"), ("UD_Other/b-ud-dev.conllu", b"x")]), space)


# bombs


@pytest.mark.parametrize("name", ["a-ud-train.conllu", "zeros.bin", "deep/er/zeros.bin"])
def test_a_bomb_is_refused_before_it_goes_off(space: Path, name: str) -> None:
    size = 64 << 20
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        tar.addfile(special(f"{TOP}/{name}", tarfile.REGTYPE, size=size), io.BytesIO(bytes(size)))
    data = gzip.compress(plain.getvalue())
    assert len(data) * 900 < size
    with pytest.raises(RunError, match="far more than an archive of its size"):
        take(data, space)
    assert sum(map(len, contents(space).values())) <= max(
        archive.HARMLESS_BYTES, len(data) * archive.MOST_RATIO
    )


def test_a_bomb_behind_the_end_of_the_archive(space: Path) -> None:
    with pytest.raises(RunError, match="far more than an archive of its size"):
        take(GOOD + gzip.compress(bytes(16 << 20)), space)


def test_too_many_entries(space: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tar_gz([(f"{TOP}/{i}", b"") for i in range(11)])
    monkeypatch.setattr(archive, "MOST_ENTRIES", 11)
    take(data, space)
    monkeypatch.setattr(archive, "MOST_ENTRIES", 10)
    with pytest.raises(RunError, match="more than 10 entries"):
        take(data, space)


def test_too_much_in_all(space: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(RunError, match="far more"):
        take(GOOD, space)


def test_an_oversized_description_of_an_entry_is_not_read_into_memory(space: Path) -> None:
    import random

    noise = random.Random(1).randbytes(1 << 20).hex()  # does not compress, so that the ratio is harmless
    info = tarfile.TarInfo(f"{TOP}/a-ud-train.conllu")
    info.pax_headers = {"comment": noise}
    with pytest.raises(RunError, match="oversized description"):
        take(tar_gz([(info, b"")]), space)


# damage


def test_every_truncation_is_noticed(space: Path) -> None:
    for size in range(0, len(GOOD), max(1, len(GOOD) // 60)):
        shutil.rmtree(space / NAME, ignore_errors=True)
        with pytest.raises(RunError, match="damaged or incomplete"):
            take(GOOD[:size], space)
    shutil.rmtree(space / NAME, ignore_errors=True)
    with pytest.raises(RunError, match="damaged or incomplete"):
        take(GOOD[:-1], space)


def test_every_flipped_byte_is_noticed_or_harmless(space: Path) -> None:
    noticed = 0
    positions = range(0, len(GOOD), 3)
    for position in positions:
        shutil.rmtree(space / NAME, ignore_errors=True)
        data = bytearray(GOOD)
        data[position] ^= 0x41
        try:
            take(bytes(data), space)
        except RunError:
            noticed += 1
        else:
            assert contents(space / NAME) == FILES
    assert noticed > 0.95 * len(positions)


def test_an_unreadable_entry_in_the_middle_is_not_the_end(space: Path) -> None:
    plain = bytearray(gzip.decompress(GOOD))
    at = plain.index(f"{TOP}/xx_one-ud-test.conllu".encode())
    plain[at : at + 512] = bytes([7]) * 512
    with pytest.raises(RunError, match="no readable entry"):
        take(gzip.compress(bytes(plain)), space)


def test_zeros_in_the_middle_are_not_the_end(space: Path) -> None:
    plain = bytearray(gzip.decompress(GOOD))
    at = plain.index(f"{TOP}/xx_one-ud-test.conllu".encode())
    plain[at : at + 1024] = bytes(1024)
    with pytest.raises(RunError, match="no readable entry"):
        take(gzip.compress(bytes(plain)), space)


# with ids: gzip writes the time, and all workers must collect the same tests
@pytest.mark.parametrize(
    "data",
    [b"", b"<html>not found</html>", gzip.compress(b"no tar"), gzip.compress(b""), b"PK\x03\x04zip"],
    ids=["empty", "page", "gzip without tar", "empty gzip", "zip"],
)
def test_what_is_no_archive(space: Path, data: bytes) -> None:
    with pytest.raises(RunError, match="damaged or incomplete archive"):
        take(data, space)
