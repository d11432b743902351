"""`learnability diff --rules`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from invoking import Call


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, demo_dev: Path) -> tuple[Path, Path]:
    text = demo_dev.read_text(encoding="utf-8")
    folder = tmp_path_factory.mktemp("both")
    first, second = folder / "first.conllu", folder / "second.conllu"
    first.write_text(text, encoding="utf-8")
    changed = (
        re.sub(r"Tense=[A-Za-z]+\|", "", text).replace("\tnmod\t", "\tobl\t").replace("\tthe\t", "\ta\t")
    )
    second.write_text(changed, encoding="utf-8")
    return first, second


def test_the_table_has_a_rule_per_group(call: Call, both: tuple[Path, Path]) -> None:
    done = call("diff", *both, "--rules", "--quiet")
    assert (done.code, done.errors) == (0, "")
    assert max(map(len, done.text.splitlines()[1:])) <= 80
    text = " ".join(done.text.split())
    assert "DEPREL nmod → obl deprel:nmod=obl 100 % 100 %" in text
    assert "feats:Tense=*=_ 100 % 100 %" in text
    assert "none: rules do not change" in text
    assert re.search(r"Learned from \d+ sentences, tested on the \d+ others \(seed 1\)\.", text)
    assert call("diff", *both, "--rules", "--quiet").text == done.text
    assert call("diff", *both, "--rules", "--quiet", "--seed", "2").text != done.text
    one = call("diff", *both, "--rules", "--quiet", "--max", "1").text
    assert len(re.findall(r"%\n", one)) <= 1


def test_a_rule_becomes_a_scheme_that_transform_applies(
    call: Call, both: tuple[Path, Path], tmp_path: Path
) -> None:
    groups = json.loads(call("diff", *both, "--json").text)["groups"]
    (number,) = (group["group"] for group in groups if group["column"] == "DEPREL")
    scheme = tmp_path / "mine.toml"
    scheme.write_text(call("diff", *both, "--rules", "--group", number, "--quiet").text, encoding="utf-8")
    made = tmp_path / "made.conllu"
    done = call("transform", "--alternative", scheme, both[0], "-o", made)
    assert done.code == 0, done.errors
    left = json.loads(call("diff", made, both[1], "--json").text)["groups"]
    tried = call(
        "run",
        "--treebank",
        "demo",
        "--alternative",
        scheme,
        "--labelled",
        "--dry-run",
        "--out",
        tmp_path / "run",
    )
    assert tried.code == 0, tried.errors
    assert not [group for group in left if group["column"] == "DEPREL"]


def test_json_and_files_have_the_rules(call: Call, both: tuple[Path, Path], tmp_path: Path) -> None:
    assert "rules" not in json.loads(call("diff", *both, "--json").text)
    rules = json.loads(call("diff", *both, "--rules", "--json").text)["rules"]
    out = tmp_path / "changes"
    assert call("diff", *both, "--rules", "--out", out).code == 0
    with (out / "rules.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["group"]) for row in rows] == [rule["group"] for rule in rules]
    assert [row["rule"] for row in rows] == [rule["rule"] for rule in rules]
    found = {rule["group"] for rule in rules if rule["rule"]}
    assert len(found) >= 2
    assert {path.name for path in out.glob("rule[0-9]*")} == {f"rule{number}.toml" for number in found}
    page = (out / "diff.html").read_text(encoding="utf-8")
    assert "feats:Tense=*=_" in page
    assert call("diff", *both, "--out", out).code == 0  # the same folder, without rules
    assert not list(out.glob("rule*"))


def test_a_group_without_a_rule_is_one_line(call: Call, both: tuple[Path, Path]) -> None:
    groups = json.loads(call("diff", *both, "--json").text)["groups"]
    number = next(group["group"] for group in groups if group["column"] == "LEMMA")
    done = call("diff", *both, "--rules", "--group", number, "--quiet")
    assert done.code == 2
    assert done.errors.strip() == (
        f"learnability: no rule for group {number}: rules do not change LEMMA; see the others with --rules"
    )


def test_nothing_to_learn(call: Call, demo_dev: Path) -> None:
    done = call("diff", demo_dev, demo_dev, "--rules", "--quiet")
    assert (done.code, done.text.splitlines()[1]) == (0, "There is no difference to learn a rule from.")
