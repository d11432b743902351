"""`measure` and `list` print what the package computes."""

from __future__ import annotations

import json
from pathlib import Path

from invoking import Call
from small_treebanks import demo_treebank, small_treebank

from learnability.commands.list import metrics
from learnability.commands.measure import MeasuredCorpus, measures
from learnability.evidence.columns import LONG, SHOWN
from learnability.metrics import (
    FlatTrees,
    derivation_perplexity,
    predictability,
    projective_sentences,
    tree_shape,
)
from learnability.support.progress import ProgressSteps
from learnability.transforms.registry import get_transformation
from learnability.treebanks.sentence import Conventions, Tree


def trees_of(sentences):  # type: ignore[no-untyped-def]
    return [sentence.tree for sentence in sentences]


def test_a_treebank_as_it_stands(call: Call) -> None:
    [row] = json.loads(call("measure", "--treebank", "demo", "--json").text)
    found = row["measures"]
    treebank = demo_treebank()
    train, dev = trees_of(treebank.train), trees_of(treebank.dev)
    assert found["predictability"] == predictability(train)
    assert found["perplexity"] == derivation_perplexity(train, dev)
    kept = [tree for tree, ok in zip(train, projective_sentences(FlatTrees.of(train)), strict=True) if ok]
    assert found["projective_sentences"] == len(kept) < len(train)
    assert found["mean_dependency_length"] == tree_shape(train).mean_dependency_length


def test_ud_and_alternative(call: Call) -> None:
    options = ("--treebank", "demo", "--transform", "case", "--transform", "cop:reattach=clause", "--json")
    case, cop = json.loads(call("measure", *options).text)
    assert (case["construction"], case["variant"]) == ("case", "")
    assert (cop["construction"], cop["variant"]) == ("cop", "reattach=clause")
    treebank = demo_treebank()
    transformation = get_transformation("case", treebank.conventions)
    train = trees_of(treebank.train)
    assert case["base"]["predictability"] == predictability(train)
    assert case["alternative"]["predictability"] == predictability([transformation.apply(t) for t in train])
    assert case["base"].keys() == case["alternative"].keys()


def test_only_sentences_projective_in_both_count() -> None:
    """A transformation that makes every second tree non-projective, and one of the sources is so."""

    class Crossing:
        calls = 0

        def apply(self, tree: Tree) -> Tree:
            self.calls += 1
            return tree.with_heads((3, 4, 0, 3)) if self.calls % 2 else tree

    def tree(*heads: int) -> Tree:
        return Tree(tuple("abcd"), ("A", "B", "C", "D"), heads, ("x",) * 4)

    flat, chain, crossing = tree(2, 0, 2, 3), tree(0, 1, 2, 3), tree(3, 4, 0, 3)
    trees = (flat, chain, chain, crossing, flat, chain)
    corpus = MeasuredCorpus("x", "", Conventions(), trees, trees)
    original, transformed = measures(corpus, Crossing().apply, ProgressSteps())  # type: ignore[arg-type]
    assert original["projective_sentences"] == transformed["projective_sentences"] == 2
    assert original["perplexity"] == derivation_perplexity([chain] * 2, [chain] * 2)


def test_one_sentence_has_no_perplexity(call: Call, tmp_path: Path) -> None:
    (tmp_path / "one.conllu").write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    [row] = json.loads(call("measure", "--json", tmp_path / "one.conllu").text)
    assert row["measures"]["perplexity"] is None
    assert row["measures"]["predictability"] == 0
    assert "perplexity: no projective sentence to train on" in row["measures"]["undefined"]
    assert row["measures"]["tokens"] == 1


def test_a_missing_split_is_refused_with_the_choices(call: Call, tmp_path: Path) -> None:
    treebank = small_treebank(tmp_path)
    (treebank / "xx-ud-train.conllu").unlink()
    options = ("measure", "--treebank", treebank)
    done = call(*options)
    assert done.code == 2
    assert "use --cross-validate 10, --splits dev or cut, or" in done.errors
    done = call(*options, "--splits", "cut")
    assert done.code == 0
    assert "80:10:10" in done.errors


def test_the_list_of_columns_has_every_statistic_as_plain_text(call: Call) -> None:
    rows = json.loads(call("list", "columns", "--json").text)
    statistics = {row["name"] for row in rows if row["file"] == "scores.csv"}
    assert statistics >= {column.statistic for column in LONG}
    assert {row["name"] for row in rows if row["file"] == "results.csv"} == {*SHOWN}
    assert not any("](" in row["description"] or "**" in row["description"] for row in rows)
    entry = call("list", "columns", "ceiling_base").text
    assert "What conversion can reach" in entry
    assert "for the gold trees of (a)" in entry


def test_the_list_of_treebanks_names_a_missing_set(call: Call, tmp_path: Path) -> None:
    (small_treebank(tmp_path, "UD_A") / "xx-ud-train.conllu").unlink()
    table = call("list", "treebanks", "--ud-home", tmp_path).text
    [line] = [line for line in table.splitlines() if "UD_A" in line]
    assert line.split()[1] == "none"
    rows = json.loads(call("list", "treebanks", "--ud-home", tmp_path, "--json").text)
    assert [row["train"] for row in rows if row["name"] == "UD_A"] == [None]


def test_systems_that_share_a_file_say_how_they_differ(call: Call) -> None:
    rows = {row["name"]: row["description"] for row in json.loads(call("list", "systems", "--json").text)}
    assert rows["arc-eager"].endswith("oracles. ROOT last.")
    assert rows["arc-eager-root-first"].endswith("oracles. ROOT first.")
    assert "ROOT" not in rows["arc-hybrid"]


def test_list_metrics_names_all_that_measure_prints(call: Call) -> None:
    [row] = json.loads(call("measure", "--treebank", "demo", "--json").text)
    assert [*row["measures"]] == [row["name"] for row in metrics() if row["command"] == "measure"]
