"""The shell completes commands, options, names and files."""

from __future__ import annotations

from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.transforms.restriction import SIDES


def completed(call: Call, *words: str, **environment: str) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("_LEARNABILITY_COMPLETE", "bash_complete")
        patch.setenv("COMP_WORDS", " ".join(("learnability", *words)))
        patch.setenv("COMP_CWORD", str(len(words)))
        for name, value in environment.items():
            patch.setenv(name, value)
        done = call()
    assert (done.code, done.errors) == (0, "")
    return done.text.splitlines()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("ref",), ["plain,references"]),
        (("list", "sy"), ["plain,systems"]),
        (("run", "--splits", ""), ["plain,released", "plain,dev", "plain,cut"]),
        (("run", "--see"), ["plain,--seeds"]),
        (
            ("run", "--transform", "c"),
            ["plain,case", "plain,cop", "plain,cc", "plain,conj", "plain,conjuncts"],
        ),
        (("run", "--transform", "cc:style"), ["plain,cc:style=prague", "plain,cc:style=moscow"]),
        (("run", "--transform", "case:le"), ["plain,case:lemma=", "plain,case:lemma!="]),
        (
            ("run", "--transform", "case:side"),
            [f"plain,case:side{n}={side}" for n in ("", "!") for side in SIDES],
        ),
        (("transform", "--alternative", "sud"), ["plain,sud"]),
        (("transform", "--alternative", "own.to"), ["file,own.to"]),
        (("train", "--system", "arc-e"), ["plain,arc-eager", "plain,arc-eager-root-first"]),
        (("train", "some"), ["file,some"]),
    ],
)
def test_words_that_bash_is_offered(call: Call, words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(call, *words) == offered


def test_treebanks_are_those_on_the_search_path(call: Call, tmp_path: Path) -> None:
    small_treebank(tmp_path / "ud", "UD_One")
    small_treebank(tmp_path / "ud", "UD_Two")
    small_treebank(tmp_path / "ud", "UD_\x1b[31mThree")  # would command the terminal
    home = str(tmp_path / "ud")
    assert completed(call, "run", "--ud-home", home, "--treebank", "UD_O") == ["plain,UD_One"]
    assert completed(call, "run", "--treebank", "UD_", LEARNABILITY_UD_HOME=home) == [
        "plain,UD_One",
        "plain,UD_Two",
    ]
    assert completed(call, "run", "--ud-home", f"{home}/no", "--treebank", "x") == ["dir,x"]
