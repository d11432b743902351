"""`run` beyond its table: back-conversion, error split, scheme files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from invoking import DEMO, Call


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Options for a small treebank: the first sentences of the demo's parts."""
    options = []
    for part, count in (("train", 120), ("dev", 30), ("test", 40)):
        (source,) = DEMO.glob(f"*-ud-{part}.conllu")
        blocks = source.read_text(encoding="utf-8").split("\n\n")[:count]
        path = tmp_path / f"en_small-ud-{part}.conllu"
        path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
        options += [f"--{part}", str(path)]
    return [*options, "--seeds", "1", "--iterations", "2", "--jobs", "1", "--out", str(tmp_path / "run")]


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open() as file:
        return list(csv.DictReader(file))


def scores_of(folder: Path) -> dict[str, dict[str, str]]:
    """The values of scores.csv by construction and name."""
    scores: dict[str, dict[str, str]] = {}
    with (folder / "scores.csv").open() as file:
        for line in csv.DictReader(file):
            name = "_".join(filter(None, (line["comparison"], line["score"], line["statistic"])))
            scores.setdefault(line["construction"], {})[name] = line["value"]
    return scores


def test_back_conversion_and_breakdown_of_errors(call: Call, small: list[str], tmp_path: Path) -> None:
    done = call("run", "--test-set", *small, "--transform", "case", "--transform", "cc")
    assert done.code == 0, done.errors
    for row in scores_of(tmp_path / "run").values():
        assert 50 < float(row["converted_back_uas_alternative"]) < float(row["converted_back_uas_ceiling"])
        assert 90 < float(row["converted_back_uas_ceiling"]) <= 100
        assert 90 < float(row["converted_back_uas_ceiling_gold_places"]) <= 100
    text = (tmp_path / "run" / "records.jsonl").read_text()
    records = [json.loads(line) for line in text.splitlines()]
    first, second = (next(r for r in records if r.get("setting") == setting) for setting in "ab")
    a, b = (record["result"]["scores"]["uas"] for record in (first, second))
    assert a["error_split"].keys() == {"case", "cc"}
    (split,) = b["error_split"].values()
    assert sum(total for _, total in split.values()) == sum(second["result"]["tokens"])
    assert sum(right for right, _ in split.values()) == sum(b["correct"])
    assert sum(right for right, _ in a["relations"].values()) == sum(a["correct"])


def test_a_scheme_file_is_a_pair_under_its_own_name(call: Call, small: list[str], tmp_path: Path) -> None:
    path = tmp_path / "only.toml"
    path.write_text('name = "only-in"\nlanguage = "en"\n[[transform]]\nname = "case"\nform = "in"\n')
    done = call("run", "--test-set", *small, "--alternative", str(path))
    assert done.code == 0, done.errors
    (row,) = rows_of(tmp_path / "run")
    assert (row["construction"], row["variant"]) == ("only-in", "")
    text = (tmp_path / "en_small-ud-train.conllu").read_text()
    cells = [
        line.split("\t")
        for line in text.splitlines()
        if line[:1].isdigit() and "-" not in line.split("\t")[0]
    ]
    assert int(row["places"]) == sum(c[1].lower() == "in" and c[7] == "case" for c in cells) > 0
