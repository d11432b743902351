"""Scheme files that name a command: every command that takes a scheme takes them, or says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from converters import runs, scheme_file
from invoking import Call
from small_treebanks import cut, small_treebank

from learnability.treebanks import locate
from learnability.treebanks.conllu_io import read_conllu


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(locate, "cache_folder", lambda: tmp_path / "cache" / "treebanks")
    small_treebank(tmp_path)
    scheme_file(tmp_path)
    return tmp_path


def heads(path: Path) -> list[tuple[int, ...]]:
    return [sentence.tree.heads for sentence in read_conllu(path)]


def test_transform(call: Call, folder: Path) -> None:
    source = folder / "UD_Small" / "xx-ud-test.conllu"
    done = call("transform", "--alternative", "chain.toml", source, "-o", "chain.conllu")
    made = read_conllu(folder / "chain.conllu")
    pairs = zip(heads(source), heads(folder / "chain.conllu"), strict=True)
    changed = sum(a != b for own, other in pairs for a, b in zip(own, other, strict=True))
    assert (done.code, done.errors.partition("\n")[0]) == (
        0,
        f"{changed} heads changed in 25 of 25 sentences",
    )
    assert [s.tree.heads for s in made] == [tuple(range(len(s))) for s in read_conllu(source)]
    assert {sentence.transformed for sentence in made} == {"chain"}


def test_transform_a_treebank(call: Call, folder: Path) -> None:
    for _ in range(2):
        done = call(
            "transform", "--alternative", "chain.toml", "--treebank", "UD_Small", "--out", "made", "--quiet"
        )
        assert (done.code, done.text, done.errors) == (0, "made/UD_Small@chain\n", "")
    assert runs(folder) == 3
    for path in (folder / "UD_Small").iterdir():
        assert heads(folder / "made" / "UD_Small@chain" / path.name) == [
            tuple(range(len(sentence))) for sentence in read_conllu(path)
        ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            "transform --places",
            2,
            "scheme chain is a command, which assigns only heads and relations; leave out --places",
        ),
        ("transform --invert", 2, "chain.toml has no conversion back to UD; keep the original files"),
        ("transform --labels external", 2, "and relations; leave out --labels"),
        ("train --labelled --labels keep -m x.model", 2, "and relations; leave out --labels"),
        ("train --multiref chain.toml -m x.model", 2, "chain.toml is a scheme, not a construction"),
    ],
)
def test_what_only_rules_can_do_is_refused(
    words: str, code: int, message: str, call: Call, folder: Path
) -> None:
    command, *options = words.split()
    scheme = [] if "--multiref" in options else ["--alternative", "chain.toml"]
    done = call(command, *scheme, *options, "UD_Small/xx-ud-dev.conllu")
    assert (done.code, done.output) == (code, b"")
    assert message in done.errors
    assert done.errors.count("\n") == 1
    assert runs(folder) == 0


def test_show(call: Call, folder: Path) -> None:
    source = folder / "UD_Small" / "xx-ud-train.conllu"
    one = call("show", "--alternative", "chain.toml", source).text
    assert one == call("show", "--alternative", "chain.toml", "--treebank", "UD_Small").text
    assert one.count("chain.toml") == 3
    assert all(line.startswith("*") for line in one.split("\n\n")[0].splitlines()[-3:])
    chosen = call("show", "--alternative", "chain.toml", "--sent-id", read_conllu(source)[7].sent_id, source)
    assert chosen.text.startswith(read_conllu(source)[7].sent_id)


def test_train(call: Call, folder: Path) -> None:
    words = ("--dev", "UD_Small/xx-ud-dev.conllu", "--iterations", "5", "-m", "chain.model", "--labelled")
    done = call("train", "UD_Small/xx-ud-train.conllu", "--alternative", "chain.toml", *words)
    assert "chain.model: chain, which has no conversion back to UD; " in done.errors
    assert "dev UAS 100.00" in done.errors
    assert runs(folder) == 2
    parsed = call("parse", "-m", "chain.model", "UD_Small/xx-ud-test.conllu", "-o", "parsed.conllu")
    assert parsed.code == 0
    assert heads(folder / "parsed.conllu")[0][:3] == (0, 1, 2)
    back = call("parse", "-m", "chain.model", "--to-ud", "UD_Small/xx-ud-test.conllu")
    assert (
        "has no conversion back to UD, because it was trained on unmodified trees or on those of a command"
        in back.errors
    )


def test_references_are_mixtures_of_both(call: Call, folder: Path) -> None:
    source = folder / "UD_Small" / "xx-ud-few.conllu"
    cut(folder / "UD_Small" / "xx-ud-dev.conllu", source, 0, 6)
    counted = json.loads(call("references", "--alternative", "chain.toml", "--json", source).output)
    assert counted["summary"]["sentences_with_places"] == 6
    done = call(
        "references", "--alternative", "chain.toml", "--enumerate", "9999", source, "-o", "mixtures.conllu"
    )
    assert done.code == 0
    mixtures = read_conllu(folder / "mixtures.conllu").sentences  # every one of them is a tree
    assert len(mixtures) == sum(sentence["references"] for sentence in counted["sentences"])
    own = {sentence.sent_id: sentence.tree for sentence in read_conllu(source)}
    for sentence in mixtures:
        both = zip(own[sentence.sent_id.rpartition("-")[0]].heads, range(len(sentence)), strict=True)
        assert all(head in pair for head, pair in zip(sentence.tree.heads, both, strict=True))
    last = {sentence.sent_id.rpartition("-")[0]: sentence.tree for sentence in mixtures}
    assert all(tree.heads == tuple(range(len(tree))) for tree in last.values())
    assert {name for tree in last.values() for name in tree.deprels} == {"root", "dep"}


def test_list(call: Call, folder: Path) -> None:
    (folder / "wrong.toml").write_text("# a remark\ncommand = 3\n")
    (folder / "pyproject.toml").write_text('[tool]\ncommand = "x"\n')
    rows = {row["name"]: row for row in json.loads(call("list", "schemes", "--json").output)}
    assert rows["chain.toml"]["description"] == "defined in chain.toml"
    assert rows["chain.toml"]["transformations"].startswith("by python")
    assert rows["wrong.toml"]["description"].startswith("unusable: wrong.toml:2: command is a number")
    assert "pyproject.toml" not in rows
