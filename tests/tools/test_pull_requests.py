"""The script that compares a pull request with its base, on a repository with two commits of a treebank."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import write_conllu

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / ".github" / "compare-with-base"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def treebank(small: Path, tmp_path: Path) -> Path:
    """A repository with the small treebank on `main`, and a branch that is checked out and has no change."""
    folder = tmp_path / "UD_Changed"
    folder.mkdir()
    for path in small.glob("*.conllu"):
        (folder / path.name).write_bytes(path.read_bytes())
    git(folder, "init", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--message=base")
    git(folder, "checkout", "-b", "change")
    return folder


def compare(folder: Path, *options: str) -> str:
    """Run the script with the program of this Python, and return the card."""
    out = folder.parent / "compared"
    programs = folder.parent / "bin"
    programs.mkdir()
    program = programs / "learnability"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m learnability "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
    }
    done = subprocess.run(
        [SCRIPT, "main", out, *options], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return (out / "card.md").read_text(encoding="utf-8")


def test_nothing_is_trained_where_no_annotation_changed(treebank: Path) -> None:
    (treebank / "README.md").write_text("New words.\n")
    git(treebank, "add", ".")
    git(treebank, "commit", "--message=words")
    assert compare(treebank).startswith("No CoNLL-U file differs")
    assert not (treebank.parent / "compared" / "run").exists()


@pytest.mark.slow
def test_the_card_compares_both_commits(treebank: Path) -> None:
    det = get_transformation("det")
    for path in treebank.glob("*.conllu"):
        file = read_conllu(path)
        path.write_bytes(write_conllu(file, [det.apply(sentence.tree) for sentence in file]))
    git(treebank, "commit", "--all", "--message=change")
    for path in treebank.glob("*.conllu"):
        path.write_text("not committed\n")
    card = compare(treebank, "--seeds", "1", "--iterations", "1", "--jobs", "1")
    assert card.index("UD_Changed-before") < card.index("UD_Changed-after")
    assert card.startswith("# What changed\n\nUD_Changed-before and UD_Changed-after have ")
    assert "det: changes places with its head" in card
    assert card.index("det: changes places") < card.index("which annotation is easier to learn?")
    assert "FORM" in card
    assert (treebank.parent / "compared" / "diff" / "diff.html").exists()
    results = pandas.read_csv(treebank.parent / "compared" / "run" / "results.csv")
    assert results["treebank"].tolist() == ["UD_Changed-before"]
