"""`combinations` on the command line: what it says, before and after, and what it refuses."""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from invoking import Call, Result
from small_treebanks import cut, small_treebank

WORDS = "--transform case --transform cop --transform det --seeds 1 --iterations 1 --quiet"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small treebank, one without training and dev part, and one with few sentences."""
    base = tmp_path_factory.mktemp("search")
    whole = small_treebank(base / "ud")
    for name, train in (("UD_Test", 0), ("UD_Few", 7)):
        shutil.copytree(whole, other := base / "ud" / name)
        for split in ("train", "dev"):
            path = other / f"xx-ud-{split}.conllu"
            if train:
                cut(path, path, 0, train)
            else:
                path.unlink()
    return base


def searched(
    call: Call, place: Path, *more: str, treebank: str = "ud/UD_Small", folder: str = "run"
) -> Result:
    with chdir(place):
        return call("combinations", "--treebank", treebank, *WORDS.split(), "--out", folder, *more)


def test_what_it_says(call: Call, place: Path) -> None:
    done = searched(call, place, "--jobs", "1")
    assert (done.code, done.errors) == (0, "")
    lines = done.text.splitlines()
    assert lines[1] == "The easiest combination"
    assert lines[2].startswith("- No scheme is clearly easier") or " is easier to learn than UD" in lines[2]
    assert "Finalists" in lines
    best = "best.toml, " if (place / "run" / "best.toml").exists() else ""
    assert (
        lines[-2]
        == f"Wrote results.csv, scores.csv, combinations.json, {best}report.html and records.jsonl to run"
    )
    page = (place / "run" / "report.html").read_text(encoding="utf-8")
    assert "--transform case --transform cop --transform det" in page

    values = json.loads(searched(call, place, "--jobs", "1", "--json").text)
    assert values.keys() == {"rows", "combinations"}
    assert values["combinations"] == json.loads((place / "run" / "combinations.json").read_text())

    with chdir(place):
        compared = call("compare", "run")
    assert compared.code == 0, compared.errors


def test_what_it_can_cost_is_known_before(call: Call, place: Path) -> None:
    done = searched(call, place, "--dry-run", folder="planned")
    assert (done.code, done.errors) == (0, "")
    assert done.text.splitlines()[-2:] == [
        "at most 8 combinations of 3 variants of 3 constructions",
        "at most 32 short trainings, 6 trainings in full",
    ]
    assert not (place / "planned").exists()


def test_what_has_few_places_is_left_out(call: Call, place: Path) -> None:
    done = searched(call, place, "--transform", "mwe", folder="rare")
    assert done.code == 0, done.errors
    left_out = json.loads((place / "rare" / "combinations.json").read_text())["left_out"]
    assert left_out == [{"construction": "mwe", "reason": "fewer than 10 places: 6"}]


def test_too_few_sentences_to_search(call: Call, place: Path) -> None:
    done = searched(call, place, treebank="ud/UD_Few", folder="few")
    assert (done.code, done.text) == (2, "")
    assert not (place / "few").exists()
    assert done.errors.count("\n") == 1
    assert "UD_Few has 7 training sentences, too few for samples to train and test on; choose" in done.errors


def test_there_are_no_folds(call: Call, place: Path) -> None:
    done = searched(call, place, "--splits", "dev", treebank="ud/UD_Test", folder="other")
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert "combinations does not work with cross-validation" in done.errors
