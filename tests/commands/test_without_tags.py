"""A treebank without tags is compared without them: nothing is trained before that is asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.cli import command_names

UPOS, XPOS = 3, 4
QUICK = ("--iterations", "1", "--seeds", "2", "--jobs", "1")


def blanked(file: Path, *columns: int) -> None:
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        lines.append("\t".join("_" if place in columns else field for place, field in enumerate(fields)))
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")


@pytest.fixture(scope="module")
def untagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("untagged")
    for release in ("ud-2.1", "ud-2.2"):
        treebank = small_treebank(home / release, "UD_Bare")
        for file in treebank.iterdir():
            blanked(file, UPOS, XPOS)
    changed = home / "ud-2.2" / "UD_Bare" / "xx-ud-train.conllu"
    changed.write_text(
        changed.read_text(encoding="utf-8").replace("\tnsubj\t", "\tobj\t", 5), encoding="utf-8"
    )
    return home


COMMANDS = [
    ("run", "--test-set", "--transform", "case", *QUICK),
    ("run", "--quick", "--transform", "case", "--jobs", "1"),
    ("combinations", "--transform", "case", "--transform", "det", *QUICK),
    ("history", "--releases", "2.1,2.2", "--cross-validate", "3", *QUICK),
]


INSTALLED = [words for words in COMMANDS if words[0] in command_names()]
"""Those that are there: some come with extensions."""


@pytest.mark.parametrize("words", INSTALLED, ids=[" ".join(words[:2]) for words in INSTALLED])
def test_missing_tags_are_seen_before_any_training_and_the_advice_works(
    call: Call, untagged: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out = tmp_path / "run"
    asked = (*words, "--ud-home", untagged, "--treebank", "UD_Bare", "--out", out)
    refused = call(*asked)
    assert (refused.code, refused.output) == (2, b"")
    version = "2.1" if words[0] == "history" else "2.2"
    assert (
        f"UD_Bare {version}: no word of the training set has UPOS, which parsers read; use --tags none\n"
        in refused.errors
    )
    assert not out.exists()
    done = call(*asked, "--tags", "none")
    assert (done.code, "not computed" in done.text) == (0, False), done.errors


@pytest.fixture(scope="module")
def run(call: Call, untagged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    words = (
        "run",
        "--test-set",
        "--ud-home",
        untagged,
        "--treebank",
        "UD_Bare",
        "--transform",
        "case",
        "--transform",
        "det",
    )
    done = call(*words, *QUICK, "--tags", "none", "--out", out)
    assert done.code == 0, done.errors
    return out


def test_a_run_without_tags_has_answers(run: Path) -> None:
    with (run / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["uas_base"]) > 0 and bool(row["easier"]) for row in rows] == [True, True]


def test_a_run_without_tags_is_settled(call: Call, run: Path) -> None:
    done = call("run", "--resume", "--out", run, "--most-seeds", "2", "--folds", "3")
    assert done.code == 0, done.errors


def test_compare_and_report_of_a_run_without_tags(call: Call, run: Path, tmp_path: Path) -> None:
    done = call("report", run, "--details", "--explain")
    assert done.code == 0
    lines = [line for line in done.text.splitlines() if " % / " in line]
    assert [line.split()[0] for line in lines] == ["case", "det"]
    assert call("compare", run, "--out", tmp_path / "tables").code == 0


@pytest.mark.parametrize(
    ("split", "columns", "tags", "said"),
    [
        (
            "test",
            (UPOS, XPOS),
            "gold",
            "no word of the test set has UPOS, which parsers read; use --tags none",
        ),
        ("train", (UPOS, XPOS), "predicted", "no word of the training set has UPOS, which parsers read"),
        (
            "dev",
            (XPOS,),
            "xpos",
            "no word of the development set has XPOS, which parsers read; use --tags gold",
        ),
    ],
)
def test_one_set_without_tags(
    call: Call, tmp_path: Path, split: str, columns: tuple[int, ...], tags: str, said: str
) -> None:
    treebank = small_treebank(tmp_path)
    blanked(treebank / f"xx-ud-{split}.conllu", *columns)
    words = ("run", "--test-set", "--treebank", treebank, "--transform", "case", "--dry-run")
    done = call(*words, "--tags", tags)
    assert done.code == 2
    assert said in done.errors
    assert call(*words, "--tags", done.errors.split()[-1]).code == 0


def test_measures_of_tags_and_of_withheld_words(call: Call, untagged: Path, tmp_path: Path) -> None:
    [row] = json.loads(call("measure", untagged / "ud-2.1" / "UD_Bare" / "xx-ud-train.conllu", "--json").text)
    values = row["measures"]
    assert [values[name] for name in ("predictability", "direction_entropy")] == [None] * 2
    assert values["undefined"] == "predictability, direction_entropy: no token has a UPOS tag"
    assert values["perplexity"] > 1
    treebank = small_treebank(tmp_path)
    withheld = treebank / "xx-ud-train.conllu"
    blanked(withheld, 1)
    [row] = json.loads(call("measure", withheld, "--json").text)
    assert row["measures"]["perplexity"] is None
    assert "every form of train is _ (text not included)" in row["measures"]["undefined"]


def test_if_no_treebank_can_be_used_nothing_is_written(call: Call, untagged: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("UD_A", "UD_B"):
        for file in small_treebank(home, name).iterdir():
            blanked(file, UPOS)
    done = call("run", "--all", "--ud-home", home, "--out", tmp_path / "run")
    assert (done.code, done.output) == (2, b"")
    assert "none of the 2 treebanks can be used, the first for this reason:\n" in done.errors
    assert "learnability: UD_A: no word of the training set has UPOS" in done.errors
    assert not (tmp_path / "run").exists()
