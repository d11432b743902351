"""`doubts` as a user meets it: treebanks that lack columns."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

from learnability.treebanks.conllu_io import read_conllu

SHORT = ("--cross-validate", "3", "--iterations", "2", "--jobs", "1", "--parser", "arc-eager")

UPOS, XPOS, FORM, LEMMA = 3, 4, 1, 2


def without(columns: tuple[int, ...], folder: Path, name: str) -> Path:
    """A small treebank with ``_`` in these columns."""
    place = small_treebank(folder, name, train=32)
    for path in place.glob("*.conllu"):
        lines = path.read_text(encoding="utf-8").split("\n")
        for i, line in enumerate(lines):
            cells = line.split("\t")
            if len(cells) == 10:
                for column in columns:
                    cells[column] = "_"
                lines[i] = "\t".join(cells)
        path.write_text("\n".join(lines), encoding="utf-8")
    return place


def rows(out: Path, name: str = "doubts.csv") -> list[dict[str, str]]:
    """The lines of a table."""
    return list(csv.DictReader(io.StringIO((out / name).read_text(encoding="utf-8"))))


def test_the_advice_without_upos_works(call: Call, tmp_path: Path) -> None:
    place = without((UPOS, XPOS), tmp_path, "UD_NoTags")
    refused = call("doubts", "--treebank", place, *SHORT, "--out", tmp_path / "refused")
    assert refused.code
    advice = re.search(r"--tags \w+", refused.errors)
    assert advice, refused.errors
    out = tmp_path / "out"
    result = call("doubts", "--treebank", place, *SHORT, *advice[0].split(), "--all", "--out", out)
    assert result.code == 0, result.errors
    found = rows(out)
    assert found
    assert "punct" not in {row["deprel"] for row in found}  # known by its relation
    assert not any(re.match(r"[A-Z]+:|_", row["pattern"]) for row in found)  # no tag takes part
    probabilities = [float(row["probability"]) for row in found if row["column"] == "head"]
    assert sum(probabilities) / len(probabilities) < 0.06


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small treebank with all its columns."""
    return small_treebank(tmp_path_factory.mktemp("tagged"), "UD_Tagged", train=20)


def margins(out: Path) -> dict[str, list[float]]:
    """The margins of the arcs by each parser, by the key of its record."""
    lines = (out / "records.jsonl").read_text(encoding="utf-8").splitlines()
    records = map(json.loads, lines)
    return {
        record["key"]: record["result"]["arc_margins"]
        for record in records
        if record["setting"] in ("votes", "margins")
    }


@pytest.fixture(scope="module")
def with_gold_tags(
    call: Call, tagged: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[float]]:
    """What parsers see with gold UPOS."""
    out = tmp_path_factory.mktemp("gold")
    assert call("doubts", "--treebank", tagged, *SHORT, "--out", out).code == 0
    return margins(out)


def test_what_it_prints_ends_with_the_page_to_work_on(call: Call, tagged: Path, tmp_path: Path) -> None:
    result = call("doubts", "--treebank", tagged, *SHORT, "--out", tmp_path)
    assert result.text.endswith(f"Open {tmp_path / 'doubts.html'}\n")


@pytest.mark.parametrize("tags", ["xpos", "none", "predicted"])
def test_all_parsers_see_the_tags_that_are_asked_for(
    call: Call, tagged: Path, with_gold_tags: dict[str, list[float]], tmp_path: Path, tags: str
) -> None:
    result = call("doubts", "--treebank", tagged, *SHORT, "--tags", tags, "--out", tmp_path)
    assert result.code == 0, result.errors
    found = margins(tmp_path)
    assert found.keys() == with_gold_tags.keys()
    assert len(found) == 9  # a parser and two readings of the graph-based parser, in each of three folds
    assert all(found[key] != with_gold_tags[key] for key in found)


@pytest.mark.parametrize("columns", [(), (FORM,), (FORM, LEMMA), (LEMMA,), (UPOS, XPOS)])
def test_what_the_page_says_of_the_probabilities_is_true(
    call: Call, tmp_path: Path, columns: tuple[int, ...]
) -> None:
    place = without(columns, tmp_path, "UD_Lacks")
    tags = ("--tags", "none") if UPOS in columns else ()
    out = tmp_path / "out"
    result = call("doubts", "--treebank", place, *SHORT, *tags, "--all", "--out", out)
    assert result.code == 0, result.errors
    check_promise(result.text, out)


def check_promise(printed: str, out: Path) -> None:
    """Where the mean is near the share that is assumed, as here, nothing is said of it."""
    probabilities = [float(row["probability"]) for row in rows(out) if row["column"] == "head"]
    assert 0.015 < sum(probabilities) / len(probabilities) < 0.06
    said = "Start at the top: the higher the number, the likelier an error."
    assert said in printed
    assert "The numbers are for ranking only, not a count of errors." in printed


@pytest.mark.slow
def test_what_the_page_says_of_the_probabilities_is_true_in_tamil(
    call: Call, ud_home: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = call(
        "doubts", "--treebank", "UD_Tamil-TTB", "--release", "2.16", "--ud-home", ud_home, *SHORT, "--all",
        "--out", out,
    )  # fmt: skip
    assert result.code == 0, result.errors
    check_promise(result.text, out)


def test_doubts_need_a_place(call: Call, tmp_path: Path) -> None:
    folder = small_treebank(tmp_path / "ud", "UD_Mine", first=30)
    for path in folder.iterdir():
        sentences = read_conllu(path).sentences
        lines = ["# global.columns = ID FORM UPOS HEAD DEPREL"]
        for sentence in sentences:
            rows = (sentence.lines[row].split("\t") for row in sentence.rows)
            lines += ["\t".join(cells[column] for column in (0, 1, 3, 6, 7)) for cells in rows]
            lines.append("")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = call("doubts", "--treebank", folder, "--iterations", "1", "--out", tmp_path / "doubts")
    assert (done.code, done.output) == (2, b"")
    assert "`# global.columns` names no MISC, which has to be written; add this column" in done.errors
    assert not (tmp_path / "doubts").exists()
