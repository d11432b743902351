"""`history` on the command line: which versions it finds, what it says of others, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing.options import TreebankSelection
from learnability.extensions.history.declaration import HistoryOptions
from learnability.extensions.history.selecting import missing_releases, successive_versions
from learnability.treebanks import commits

QUICK = ("--iterations", "1", "--seeds", "1", "--jobs", "1", "--cross-validate", "3")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two folders of releases: 1.4 (with another name), 2.4 and 2.8; 2.9 (without a training set)."""
    for place, release in (("one", "2.4"), ("one", "2.8"), ("two", "2.9")):
        small_treebank(tmp_path / place / f"ud-treebanks-v{release}", "UD_Irish-IDT", train=30)
    small_treebank(tmp_path / "one" / "ud-treebanks-v1.4", "UD_Irish", train=20)
    (tmp_path / "two" / "ud-treebanks-v2.9" / "UD_Irish-IDT" / "xx-ud-train.conllu").unlink()
    return tmp_path


def folders(home: Path) -> str:
    return f"{home / 'one'}:{home / 'two'}"


def test_releases_of_several_folders(call: Call, home: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("--treebank", "UD_Irish-IDT", "--ud-home", folders(home), *QUICK, "--out", out)
    done = call("history", *words, "--releases", "1.4..2.10", "--quiet")
    assert (done.code, done.errors) == (0, "")
    text = " ".join(done.text.split())
    assert "2.4 → 2.8: nothing changed that these parsers see." in text
    # the release without a training set has 40 of the 70 sentences
    assert "sentences added or deleted" in text
    assert "Left out, because no folder has UD_Irish-IDT in them: 2.2, 2.3, 2.5, 2.6, 2.7, 2.10." in text
    assert "Left out: 1.4, 2.0, 2.1. UD_Irish-IDT is called UD_Irish in release 1.4." in text
    assert call("report", out).text == done.text
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert [known["label"] for known in config["treebanks"]] == ["UD_Irish-IDT@2.4", "UD_Irish-IDT@2.8"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<h1>UD_Irish-IDT: which versions made it easier to learn?</h1>" in page
    assert "Easy to learn does not mean right" in page
    refused = call("run", "--resume", "--out", out)
    assert refused.code == 2
    assert "holds a run of 'history', which has no stages; repeat that command" in refused.errors


def test_releases_are_in_the_order_of_their_numbers(home: Path) -> None:
    small_treebank(home / "two" / "ud-treebanks-v2.12", "UD_Irish-IDT", train=20)
    named = TreebankSelection(treebank="UD_Irish-IDT", ud_home=folders(home))
    found = successive_versions(named, HistoryOptions(releases="2.4..2.12"))
    steps = [(selection.release, selection.later_release) for selection in found]
    assert steps == [("2.4", "2.8"), ("2.8", "2.9"), ("2.9", "2.12")]


def test_the_search_path_may_hold_several_folders(
    call: Call, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEARNABILITY_UD_HOME", folders(home))
    done = call("history", "--treebank", "UD_Irish-IDT", "--releases", "2.8,2.9", "--dry-run", "--quiet")
    assert (done.code, done.errors) == (0, "")
    assert "That is the most" in done.text


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("--releases", "2.8..2.4"),
            "2.8..2.4 is not a range of releases; name the older release first",
        ),
        (("--releases", "2.4..2.4"), "is not a range of releases"),
        (("--releases", "2.x..2.7"), "release '2.x' is not a release number"),
        (("--releases", "2.4..2.7"), "needs two releases"),
        (("--releases", "2.4"), "names only one version; name at least two"),
        (("--releases", "2.4,2.4"), "names the same version twice"),
        (("--releases", "1.4,2.4"), "called UD_Irish in release 1.4"),
        (("--releases", "2.4..2.8", "--commits", "a..b"), "history needs either --releases"),
    ],
)
def test_wrong_versions_are_refused_in_a_line(
    call: Call, home: Path, tmp_path: Path, words: tuple[str, ...], problem: str
) -> None:
    out = tmp_path / "run"
    given = ("--treebank", "UD_Irish-IDT", "--ud-home", folders(home), "--out", out, "--quiet")
    done = call("history", *given, *words)
    assert done.code == 2
    assert problem in done.errors
    assert done.errors.count("\n") == 1
    assert not out.exists()


def test_what_names_no_treebank_is_refused(call: Call, home: Path) -> None:
    nothing = call("history", "--releases", "2.4..2.8")
    assert (nothing.code, "no treebank is named" in nothing.errors) == (2, True)
    unknown = call("history", "--releases", "2.4..2.8", "--treebank", "UD_Iris", "--ud-home", folders(home))
    assert (unknown.code, "was not found in" in unknown.errors) == (2, True)
    path = home / "one" / "ud-treebanks-v2.4" / "UD_Irish-IDT"
    by_path = call("history", "--releases", "2.4..2.8", "--treebank", path)
    assert (by_path.code, "is a path, and --releases finds treebanks by name" in by_path.errors) == (2, True)
    missing = call("history", "--releases", "2.4..2.8", "--treebank", "X", "--ud-home", f"{home}:{home}/no")
    assert (missing.code, "/no does not exist" in missing.errors) == (2, True)


def test_a_folder_that_tells_no_release_is_not_several(call: Call, tmp_path: Path) -> None:
    small_treebank(tmp_path / "treebanks", "UD_Irish-IDT", train=20)
    words = ("--treebank", "UD_Irish-IDT", "--ud-home", tmp_path, "--releases", "2.4,2.8")
    done = call("history", *words)
    assert done.code == 2
    assert "names no release, so it cannot stand for several" in done.errors


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed; install git")
def test_commits_of_a_checkout(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "cache_folder", lambda: tmp_path / "cache" / "treebanks")
    checkout = small_treebank(tmp_path / "git", "UD_Mine", train=40)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(checkout), *author, *words], check=True, capture_output=True)
        return done.stdout.decode().strip()

    git("init", "-q")
    path = checkout / "xx-ud-train.conllu"
    hashes = []
    for tag in ("NOUN", "VERB", "ADJ"):
        path.write_text(path.read_text(encoding="utf-8").replace("\tNOUN\t", f"\t{tag}\t"), encoding="utf-8")
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", tag)
        hashes.append(git("rev-parse", "HEAD"))
    out = tmp_path / "run"
    words = ("--treebank", checkout, "--commits", f"{hashes[0]}..HEAD", *QUICK, "--out", out, "--quiet")
    done = call("history", *words)
    assert (done.code, done.errors) == (0, "")
    assert f"{hashes[0][:10]} → {hashes[1][:10]}" in done.text
    assert "changed tags" in done.text
    assert hashes[2][:10] not in done.text  # nothing changed there
    again = call("history", *words, "--resume")
    assert (again.code, again.output) == (0, done.output)
    backwards = call("history", "--treebank", checkout, "--commits", f"HEAD..{hashes[0]}")
    assert (backwards.code, "does not come before" in backwards.errors) == (2, True)


def test_what_is_missing_of_a_range() -> None:
    assert missing_releases("UD_X", "2.14..2.16", ["2.14", "2.15", "2.16"]) == []
    assert missing_releases("UD_X", "2.14,2.16", ["2.14", "2.16"]) == []
    (line,) = missing_releases("UD_X", "2.13..2.16", ["2.14", "2.16"])
    assert line == "Left out, because no folder has UD_X in them: 2.13, 2.15."


@pytest.mark.parametrize(
    ("reworded", "said"),
    [
        (2, "2 sentences have other words or tokens and were left out; of the others, nothing changed"),
    ],
)
def test_sentences_that_were_left_out_are_no_nothing(
    call: Call, tmp_path: Path, reworded: int, said: str
) -> None:
    for release in ("ud-2.1", "ud-2.2"):
        small_treebank(tmp_path / release, "UD_Small")
    train = tmp_path / "ud-2.2" / "UD_Small" / "xx-ud-train.conllu"
    sentences = train.read_text(encoding="utf-8").split("\n\n")
    for number in range(reworded):
        sentences[number] = re.sub(r"^1\t\S+", "1\tother", sentences[number], count=1, flags=re.MULTILINE)
    train.write_text("\n\n".join(sentences), encoding="utf-8")
    words = ("history", "--ud-home", tmp_path, "--treebank", "UD_Small", "--releases", "2.1,2.2")
    done = call(*words, *QUICK, "--out", tmp_path / "run", "--quiet")
    assert (done.code, done.errors) == (0, "")
    assert f"2.1 → 2.2: {said} that these parsers see." in " ".join(done.text.split())
    names = re.findall(r"^# sent_id = (.*)$", "\n\n".join(sentences[:reworded]), re.MULTILINE)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert f"with other words or tokens. {', '.join(sorted(names))}</li>" in page
