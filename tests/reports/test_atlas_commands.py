"""`compare --atlas`: what it writes, and what it leaves alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from finished_runs import write_run
from invoking import Call

from learnability.treebanks.families import entry_of


def test_an_atlas_is_replaced(call: Call, tmp_path: Path) -> None:
    run, atlas = write_run(tmp_path / "run"), tmp_path / "new" / "atlas"
    expected = call("compare", run)
    done = call("compare", run, "--atlas", atlas)
    assert (done.code, done.output) == (0, expected.output)
    assert done.errors.splitlines()[0] == f"Wrote the atlas to {atlas}: open {atlas}/index.html"

    def contents() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in atlas.rglob("*") if path.is_file()}

    before = contents()
    (atlas / "constructions" / "old.html").write_text("of an earlier atlas")
    assert call("compare", run, "--atlas", atlas, "--quiet").errors == ""
    assert contents() == before


def test_an_error_leaves_no_empty_folder(call: Call, tmp_path: Path) -> None:
    done = call("compare", tmp_path / "nowhere", "--atlas", tmp_path / "new" / "folder")
    assert done.code == 2
    assert "there is no such folder" in done.errors
    assert list(tmp_path.iterdir()) == []


def test_outputs_need_separate_folders(call: Call, tmp_path: Path) -> None:
    run, place = write_run(tmp_path / "run"), tmp_path / "place"
    for out in (place, place / "tables"):
        done = call("compare", run, "--out", out, "--atlas", place)
        assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
        assert "need separate folders; choose another --" in done.errors


def test_runs_of_several_parsers_have_no_atlas(call: Call, tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_run(tmp_path / name)
    config = tmp_path / "other" / "config.json"
    records = tmp_path / "other" / "records.jsonl"
    config.write_text(config.read_text().replace('"arc-eager"', '"graph"'))
    records.write_text(records.read_text().replace("arc-eager", "graph"))
    done = call("compare", tmp_path, "--atlas", tmp_path / "atlas")
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert "those of arc-eager, graph; name runs of one parser" in done.errors
    assert not (tmp_path / "atlas").exists()


def test_folders_with_other_files_are_left_alone(call: Call, tmp_path: Path) -> None:
    run, folder = write_run(tmp_path / "run"), tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.tex").write_text("precious")
    done = call("compare", run, "--atlas", folder)
    assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
    assert "holds other files (thesis.tex)" in done.errors
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]
    early = call("compare", tmp_path / "nowhere", "--atlas", folder)  # before any run is read
    assert early.errors == done.errors
    (tmp_path / "file").write_bytes(b"")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        done = call("compare", run, "--atlas", place)
        assert (done.code, done.output, done.errors.count("\n")) == (2, b"", 1)
        assert "cannot be written" in done.errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "mine", "run"]


HEADINGS = (
    "treebank,release,construction,tested_on,places,test_places,easier,train_on,uas_base,uas_delta,"
    "uas_delta_low,uas_delta_high"
)


def test_a_file_of_answers_has_an_atlas_without_training(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "survey"
    folder.mkdir()
    lines = [f"UD_{name},2.16,case,test set,80,80,{easier},open,77.98,{delta}" for name, easier, delta in (
        ("Irish-IDT", "UD", "2.0,0.5,3.5"), ("Tamil-TTB", "open", "-0.4,-1.4,0.6"),
    )]  # fmt: skip
    (folder / "answers.csv").write_text("\n".join([HEADINGS, *lines, ""]))
    done = call("compare", folder, "--atlas", tmp_path / "atlas")
    assert done.code == 0, done.errors
    page = (tmp_path / "atlas" / "constructions" / "case.html").read_text(encoding="utf-8")
    assert "UD +2.0 (0.5 to 3.5)" in page
    assert "alt. +0.4 (−0.6 to 1.4)" in page
    assert "not computed" not in page
    points = re.findall(
        r'<a href="[^"]*" class="(\w+)"><title>([^<]*)</title><circle cx="([\d.]+)" cy="([\d.]+)"', page
    )
    assert [(outcome, title) for outcome, title, *_ in points] == [
        ("open", "Tamil (UD_Tamil-TTB 2.16): open, alt. +0.4 (−0.6 to 1.4)"),
        ("base", "Irish (UD_Irish-IDT 2.16): UD, UD +2.0 (0.5 to 3.5)"),
    ]
    for (_, _, x, y), language in zip(points, ("Tamil", "Irish"), strict=True):
        entry = entry_of(language)
        assert (float(x) - 180, 84 - float(y)) == pytest.approx((entry.longitude, entry.latitude), abs=0.06)
    assert "Each treebank alone: UD is easier in UD_Irish-IDT; open in UD_Tamil-TTB." in page
    header = (tmp_path / "atlas" / "atlas.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert {"easier", "uas_delta", "language", "page"} <= {*header}
    assert not [name for name in header if name.startswith(("las_", "between_phrases"))]
    assert "A mean needs" not in page
    for words, problem in (
        ((folder,), "has answers, not records; add --atlas DIR"),
        ((folder, "--atlas", tmp_path / "b", "--json"), "has no scores for"),
    ):
        refused = call("compare", *words)
        assert (refused.code, problem in refused.errors) == (2, True), refused.errors


def test_marks_of_one_language_are_around_its_place(call: Call, tmp_path: Path) -> None:
    names = ("Irish-IDT", "Irish-TwittIrish", "Old_East_Slavic-RNC")
    lines = [f"UD_{name},2.16,case,test set,80,80,UD,open,77.98,2.0,0.5,3.5" for name in names]
    (tmp_path / "answers.csv").write_text("\n".join([HEADINGS, *lines, ""]))
    done = call("compare", tmp_path, "--atlas", tmp_path / "atlas")
    assert done.code == 0, done.errors
    page = (tmp_path / "atlas" / "constructions" / "case.html").read_text(encoding="utf-8")
    places = [float(x) - 180 for x in re.findall(r'</title><circle cx="([\d.]+)"', page)]
    assert len(places) == 2
    assert places[0] != places[1]
    assert sum(places) / 2 == pytest.approx(entry_of("Irish").longitude, abs=0.1)
    assert "Without coordinates: Old East Slavic (UD)." in page


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("treebank,release\nUD_X,1\n", "answers.csv:1: the column 'construction' is missing"),
        (
            f"{HEADINGS}\nUD_X,2.16,case,test set,8,8,maybe,open,77,1,0,2\n",
            "answers.csv:2: there is no answer",
        ),
        (f"{HEADINGS}\nUD_X,2.16,nothing,test set,8,8,UD,open,77,1,0,2\n", "answers.csv:2: "),
        (f"{HEADINGS}\nUD_X,2.16,case,test set,many,8,UD,open,77,1,0,2\n", "answers.csv:2: "),
    ],
)
def test_a_wrong_file_of_answers_gets_one_line(call: Call, tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "answers.csv").write_text(text)
    refused = call("compare", tmp_path, "--atlas", tmp_path / "atlas")
    assert (refused.code, problem in refused.errors) == (2, True), refused.errors
    assert not (tmp_path / "atlas").exists()
