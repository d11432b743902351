"""Sentences whose heads are not given: commands refuse them, or leave them out, count and name them."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import DEMO, Call

HINT = "the HEAD of word 2 is not given"
LEFT_OUT = "1 of 40 sentences left out, because heads are not given (demo-dev-001)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "UD_Partial"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        lines = (DEMO / f"demo-ud-{split}.conllu").read_text(encoding="utf-8").split("\n")
        number = next(number for number, line in enumerate(lines) if line.startswith("2\t"))
        cells = lines[number].split("\t")
        lines[number] = "\t".join([*cells[:6], "_", *cells[7:]])
        (folder / f"xx-ud-{split}.conllu").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("transform", "--transform", "case", "--treebank", "{folder}", "--out", "out"),
        ("transform", "--transform", "case", "{folder}/xx-ud-dev.conllu", "-o", "out.conllu"),
        ("show", "--treebank", "{folder}"),
        ("references", "--transform", "case", "{folder}/xx-ud-dev.conllu"),
        ("run", "--treebank", "{folder}", "--dry-run"),
        ("doubts", "--treebank", "{folder}", "--dry-run"),
        ("train", "{folder}/xx-ud-dev.conllu", "-m", "m.model", "--iterations", "1"),
    ],
)
def test_commands_leave_them_out_when_told(
    call: Call, folder: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    typed = [word.format(folder=folder) for word in words]
    refused = call(*typed)
    assert refused.code == 2
    assert HINT in refused.errors
    assert refused.errors.rstrip().endswith("or leave such sentences out with --skip-incomplete")
    done = call(*typed, "--skip-incomplete")
    assert done.code == 0
    assert LEFT_OUT in done.errors or "--dry-run" in words  # which prints no remarks


def test_sentences_that_were_left_out_stay_in_the_file(call: Call, folder: Path) -> None:
    source = folder / "xx-ud-dev.conllu"
    done = call("transform", "--transform", "case", source, "--skip-incomplete")
    first = source.read_text(encoding="utf-8").split("\n\n")[0]
    assert done.text.split("\n\n")[0] == first
