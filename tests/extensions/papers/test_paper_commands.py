"""`compare --tables-2018`: the tables of the 2018 paper on the terminal, in files and in JSON."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

from finished_runs import write_run
from invoking import Call
from small_treebanks import small_treebank

from learnability import compare_runs


def test_tables_on_the_terminal_in_json_and_in_files(call: Call, tmp_path: Path) -> None:
    run, out = write_run(tmp_path / "run"), tmp_path / "new" / "tables"
    done = call("compare", run, "--out", out, "--tables-2018")
    assert (done.code, done.errors) == (0, f"Wrote tables, figures and compare.html to {out}\n")
    assert done.text.startswith("3 treebanks together\n")
    assert "Table 2: how often UD wins" in done.text
    assert "Table 3" in done.text
    as_json = call("compare", run, "--json", "--tables-2018")
    assert (as_json.code, as_json.errors) == (0, "")
    assert json.loads(as_json.text) == json.loads((out / "compare.json").read_text())
    assert json.loads(as_json.text)["table_2"][0]["ud_wins"] == 2
    with open(out / "table_3.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["criterion"] for row in rows][-3:] == ["always_ud", "majority", "noise_ceiling"]
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    assert call("compare", run, "--out", out, "--tables-2018", "--quiet").errors == ""
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_without_the_option_there_are_no_tables(call: Call, tmp_path: Path) -> None:
    found = json.loads(call("compare", write_run(tmp_path / "run"), "--json").text)
    assert "table_2" not in found


def test_frames_in_python(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    folder = compare_runs(tmp_path / "run")
    assert folder.table_2.set_index("construction").loc["total", "pairs"] == 5
    assert folder.table_3.set_index("criterion").loc["noise_ceiling", "pairs"] == 5


def test_two_annotations_without_ud_have_none(call: Call, tmp_path: Path) -> None:
    base = small_treebank(tmp_path / "one", "UD_Small")
    other = Path(shutil.copytree(base, tmp_path / "two" / "UD_Small"))
    for path in other.iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("\tcase\t", "\tmark\t", 20), encoding="utf-8")
    out = tmp_path / "run"
    words = ("--seeds", "1", "--iterations", "1", "--labelled", "--jobs", "1", "--quiet")
    done = call("run", "--test-set", "--treebank", base, "--alternative", other, *words, "--out", out)
    assert done.code == 0, done.errors
    refused = call("compare", out, "--tables-2018")
    assert (refused.code, "leave out --tables-2018" in refused.errors) == (2, True)
