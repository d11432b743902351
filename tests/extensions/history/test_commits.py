"""Versions of a treebank in a git repository that the test makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from small_treebanks import small_treebank

from learnability.errors import InputError
from learnability.treebanks import commits
from learnability.treebanks.commits import Checkout
from learnability.treebanks.releases import plain_release
from learnability.treebanks.splits import read_treebank

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed; install git")


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *author, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of four commits, of which the second and the fourth change CoNLL-U files."""
    monkeypatch.setattr(commits, "cache_folder", lambda: tmp_path / "cache" / "treebanks")
    folder = small_treebank(tmp_path / "repositories", "UD_Small", train=30)
    git(folder, "init", "-q", "-b", "master")
    for number in range(4):
        if number % 2:
            path = folder / "xx-ud-train.conllu"
            text = path.read_text(encoding="utf-8").replace("amod", f"amod:{number}")
            path.write_text(text, encoding="utf-8")
        else:
            (folder / "README.md").write_text(f"Version {number}.\n", encoding="utf-8")
            (folder / "not-to-release").mkdir(exist_ok=True)
            (folder / "not-to-release" / "xx-ud-train.conllu").write_text(f"{number}\n", encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"Commit {number}")
        git(folder, "tag", f"t{number}")
    return folder


def test_commits_that_change_the_treebank(checkout: Path) -> None:
    hashes = {number: Checkout(checkout).find_commit(f"t{number}") for number in range(4)}
    assert Checkout(checkout).commits_between("t0", "t3") == [hashes[0], hashes[1], hashes[3]]
    assert Checkout(checkout).commits_between("t1", "HEAD") == [hashes[1], hashes[3]]
    assert Checkout(checkout).commits_between(hashes[0][:12], "t2") == [hashes[0], hashes[1]]


def test_two_names_of_one_commit(checkout: Path) -> None:
    git(checkout, "tag", "r2.11", "t1")
    git(checkout, "tag", "r2.13", "t1")
    with pytest.raises(InputError, match=r"r2\.11 and r2\.13 are the same commit; name two different ones"):
        Checkout(checkout).commits_between("r2.11", "r2.13")


def test_versions_have_the_names_that_were_typed(checkout: Path) -> None:
    whole = Checkout(checkout).find_commit("t1")
    shown = {"t1": "t1", "release": "release", whole[:12]: whole[:10], "": whole[:10], "t1^{}": whole[:10]}
    for name, expected in shown.items():
        assert Checkout(checkout).files_at(whole, name).release == expected
        assert plain_release(expected) == expected
    assert (plain_release("r2.16"), plain_release("v2.16")) == ("2.16", "2.16")


def test_files_are_those_of_the_commit_and_the_checkout_stays(checkout: Path) -> None:
    before = (checkout / "xx-ud-train.conllu").read_bytes()
    found = [Checkout(checkout).files_at(commit) for commit in Checkout(checkout).commits_between("t0", "t3")]
    assert [files.name for files in found] == ["UD_Small"] * 3
    assert [files.release for files in found] == [
        Checkout(checkout).find_commit(f"t{n}")[:10] for n in (0, 1, 3)
    ]
    relations = [{d for s in read_treebank(files).train for d in s.tree.deprels} for files in found]
    assert [sorted(d for d in names if d.startswith("amod")) for names in relations] == [
        ["amod"],
        ["amod:1"],
        ["amod:3:1"],
    ]
    assert (checkout / "xx-ud-train.conllu").read_bytes() == before
    assert git(checkout, "status", "--porcelain") == ""
    assert [len(list(files.paths())) for files in found] == [3] * 3  # what is not to be released stays out


def test_files_that_a_later_commit_renames_are_found(checkout: Path) -> None:
    for path in checkout.glob("*.conllu"):
        git(checkout, "mv", path.name, path.name.replace("xx", "yy"))
    git(checkout, "commit", "-q", "-m", "Other names")
    for name, code in (("t3", "xx"), ("HEAD", "yy")):
        files = Checkout(checkout).files_at(Checkout(checkout).find_commit(name))
        assert sorted(path.name for path in files.paths()) == [
            f"{code}-ud-{split}.conllu" for split in ("dev", "test", "train")
        ]


def test_what_git_cannot_read_is_an_error_in_a_line(checkout: Path) -> None:
    with pytest.raises(InputError, match=r"^git cannot read .*UD_Small \(.+\); check the repository$"):
        Checkout(checkout).files_at("0" * 40)


def test_a_treebank_in_a_folder_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "cache_folder", lambda: tmp_path / "cache" / "treebanks")
    inner = small_treebank(tmp_path / "all" / "data", "UD_Small", train=20)
    top = tmp_path / "all"
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "One")
    files = Checkout(inner).files_at(Checkout(inner).find_commit("HEAD"))
    assert len(read_treebank(files).train) == 20
    with pytest.raises(InputError, match=r"no commit|are the same commit"):
        Checkout(inner).commits_between("HEAD", "HEAD")


def test_files_that_are_not_named_as_sets(checkout: Path) -> None:
    for path in checkout.glob("*.conllu"):
        git(checkout, "mv", path.name, path.name.replace("xx-ud-", "document-"))
    git(checkout, "commit", "-q", "-m", "Documents")
    files = Checkout(checkout).files_at(Checkout(checkout).find_commit("HEAD"))
    assert files.pooled
    assert [path.name for path in files.paths()] == [
        f"document-{split}.conllu" for split in ("dev", "test", "train")
    ]
    before = read_treebank(Checkout(checkout).files_at(Checkout(checkout).find_commit("t3")))
    assert len(read_treebank(files).test) == sum(len(part) for _, part in before.splits())


@pytest.mark.parametrize(
    ("first", "last", "problem"),
    [
        ("t3", "t0", "t3 does not come before t0; name the earlier commit first"),
        ("t1", "t1", "t1 and t1 are the same commit"),
        ("t1", "t2", "no commit changes a .conllu file"),
        ("t9", "t2", "has no commit 't9'; use a hash, a tag or a branch"),
        ("", "t2", "has no commit ''"),
        ("--help", "t2", "has no commit '--help'"),
    ],
)
def test_wrong_ranges(checkout: Path, first: str, last: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        Checkout(checkout).commits_between(first, last)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_without_repository_or_files(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not in a git repository; set `treebank` to the folder"):
        Checkout(tmp_path).find_commit("HEAD")
    with pytest.raises(InputError, match="is not in a git repository"):
        Checkout(tmp_path / "nowhere").find_commit("HEAD")
    for path in checkout.glob("*.conllu"):
        path.unlink()
    git(checkout, "commit", "-q", "-a", "-m", "Without files")
    with pytest.raises(InputError, match=r"has no \.conllu file in commit [0-9a-f]{10};"):
        Checkout(checkout).files_at(Checkout(checkout).find_commit("HEAD"))
