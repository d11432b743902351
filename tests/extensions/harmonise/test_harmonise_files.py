"""What `harmonise --train` prints and writes: costs of lines, and scores."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.convention_lines import describe_cost
from learnability.extensions.harmonise.conventions import InventoryDifference, Kind, ParserCost
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, DividedTreebanks
from learnability.extensions.harmonise.line_costs import ParsedColumns, TrainedTreebanks
from learnability.extensions.harmonise.report import (
    contents_of_trainings,
    describe_copies,
    sections_of,
    values_of,
)
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.reports.text import json_text
from learnability.treebanks.sentence import Tree

FILES = [Version.find_files("demo")] * 2
"""Those that the command on a page names."""


@pytest.fixture(scope="module")
def trained(planted: TreebankComparison) -> TrainedTreebanks:
    return TrainedTreebanks.of(planted)


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def test_the_answer_comes_first_and_the_next_step_last(trained: TrainedTreebanks) -> None:
    sections = sections_of(trained)
    assert sections[0].heading == "Conventions of UD_A"
    first, answer, *_ = sections[0].sentences
    assert first.startswith("Change first what costs parsers of the others most: ")
    assert answer.startswith("UD_A differs from UD_B in ")
    assert [section.heading for section in sections[1:]] == ["Scores across treebanks", "Next"]
    assert any("UD_B annotates cop as the alternative does" in each for each in sections[1].sentences)
    assert any("points of LAS" in line for line in sections[0].lines)
    page, rewrite = sections[-1].sentences
    assert "conventions.html" in page
    assert "transform --treebank NAME --transform cop" in rewrite


def test_the_first_sentence_names_the_costliest_lines(trained: TrainedTreebanks) -> None:
    """In the order of their costs, and only those that clearly cost anything; labels without lines, too."""
    (found,) = trained.found
    details = list({id(line): line for each in found.inventories for line in each.details}.values())
    costs = {f"line {n}": line.cost for n, line in enumerate([*details, *found.conventions], 1)}
    costs |= {f"{each.column} {each.value}": each.cost for each in found.inventories if not each.details}
    clear = {name: cost for name, cost in costs.items() if cost is not None and cost.low > 0}
    assert {"line 1", "relation cop"} <= set(clear)
    told = re.findall(
        r"([a-z]+ \w+) \((\d+\.\d\d) points of (LAS|UPOS)\)", sections_of(trained)[0].sentences[0]
    )
    assert len(told) == min(3, len(clear))
    for name, points, measure in told:
        cost = clear.pop(name)
        assert (f"{cost.points:.2f}", cost.measure) == (points, measure)
        assert all(cost.points >= each.points for each in clear.values())


def test_the_page_says_what_a_line_costs(trained: TrainedTreebanks) -> None:
    page = contents_of_trainings(trained, FILES)["conventions.html"].decode()
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    titles = [cause["title"] for cause in json.loads(found[1])["causes"]]
    lines = [line for found in trained.found for each in found.inventories for line in each.details]
    costly = [line for line in lines if line.cost is not None]
    assert costly
    for line in costly:
        told = describe_cost(line.cost)
        assert "points of" in told
        assert any(title.endswith(told) for title in titles)


def value_in(tree: Tree, word: int, column: str) -> str:
    """What a word (from 1) of a tree has in a column."""
    head = tree.heads[word - 1]
    match column:
        case "upos":
            return tree.upos[word - 1]
        case "relation":
            return tree.deprels[word - 1].partition(":")[0]
        case "side":
            return "root" if not head else "before" if head < word else "after"
    return tree.upos[head - 1] if head else "root"


@pytest.mark.parametrize("column", ["upos", "relation", "side", "head_upos"])
@pytest.mark.parametrize("kind", ["own", "missing"])
def test_costs_are_those_of_a_loop(trained: TrainedTreebanks, column: str, kind: Kind) -> None:
    """Words where the foreign parser errs as the others annotate, without those where its own parser does."""
    comparison = trained.comparison
    trees = comparison.treebanks[0].trees
    words = [(tree, number, word) for number, tree in enumerate(trees) for word in range(1, len(tree) + 1)]
    value = {"upos": "VERB", "relation": "cop", "side": "after", "head_upos": "NOUN"}[column]
    places = [place for place, (tree, _, word) in enumerate(words)
              if (value_in(tree, word, column) == value) == (kind == "own")]  # fmt: skip
    parses = comparison.tagged if column == "upos" else comparison.parses
    more = 0
    for tree, number, word in (words[place] for place in places):
        for source, sign in ((1, 1), (0, -1)):
            (parsed,) = parses.parses[0, source]
            seen = parsed[number] if column == "upos" else replace(parsed[number], upos=tree.upos)
            found = value_in(seen, word, column)
            is_others = found != value if kind == "own" else found == value
            more += sign * (is_others and found != value_in(tree, word, column))
    cost = ParsedColumns(comparison).cost_of(0, column, value, kind, np.array(places))
    assert cost is not None
    assert cost.words == pytest.approx(more)
    assert cost.points == pytest.approx(100 * more / len(words))
    assert cost.low < cost.points < cost.high
    assert more or column == "upos"


def test_a_label_that_the_others_lack_costs_points(trained: TrainedTreebanks) -> None:
    """No parser of the second part finds the relation, which its trees lack; nearly all of its own do."""
    (found,) = trained.found
    (label,) = (each for each in found.inventories if each.value == "cop")
    assert label.cost is not None
    assert 0.9 * len(label.places) < label.cost.words <= len(label.places)


def test_what_parsers_do_not_see_has_no_cost(trained: TrainedTreebanks) -> None:
    parsed = ParsedColumns(trained.comparison)
    for column in ("lemma", "feats:Number", "xpos", "subtype", "deprel"):
        assert parsed.cost_of(0, column, "x", "own", np.arange(5)) is None
    assert isinstance(parsed.cost_of(0, "relation", "nsubj", "own", np.arange(5)), ParserCost)


def test_files_and_json_have_lines_with_costs(trained: TrainedTreebanks) -> None:
    values = json.loads(json_text(values_of(trained)))
    (found,) = values["found"]
    every = rows_of(contents_of_trainings(trained, FILES)["conventions.csv"])
    rows = [row for row in every if row["number"]]
    labels = [(row["columns"], row["value"], float(row["points"] or 0)) for row in every if not row["number"]]
    assert labels == [
        (
            each["column"],
            each["value"],
            pytest.approx(each["cost"]["points"] if each["cost"] else 0, abs=1e-4),
        )
        for each in found["inventories"]
    ]
    assert len(rows) == len(found["conventions"])
    for row, each in zip(rows, found["conventions"], strict=True):
        assert row["number"] == str(each["number"])
        cost = each["cost"]
        assert (row["measure"], bool(row["points"])) == (cost["measure"] if cost else "", cost is not None)
        if cost:
            assert float(row["points"]) == pytest.approx(cost["points"], abs=1e-4)
            assert f"{cost['points']:.2f} points of {cost['measure']}" in each["line"]
    assert any(each["cost"] for each in found["conventions"])
    scores = rows_of(contents_of_trainings(trained, FILES)["scores.csv"])
    assert [float(row["las"]) for row in scores] == pytest.approx(
        [each["las"] for each in values["scores"]], abs=1e-4
    )


def test_the_same_comparison_gives_the_same_bytes(planted: TreebankComparison) -> None:
    first, second = (contents_of_trainings(TrainedTreebanks.of(planted), FILES) for _ in range(2))
    assert first == second


def test_labels_have_costs(trained: TrainedTreebanks) -> None:
    differences: list[InventoryDifference] = [each for found in trained.found for each in found.inventories]
    assert all((each.cost is not None) == (each.column in ("upos", "relation")) for each in differences)


def test_near_copies_in_other_parts_are_said(trained: TrainedTreebanks) -> None:
    """Of a chain of near copies, some are learned from where others are parsed."""
    planted = trained.comparison
    first, second = planted.treebanks
    trees = list(first.trees)
    for number in range(100):
        last = f"b{'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}"
        forms = tuple(f"please click on the button to open {last} now".split())
        trees[number] = Tree(forms, ("X",) * 9, (0, *range(1, 9)), ("root", *["dep"] * 8))
    changed = ComparedTreebank(Version.of_sentences(trees, "UD_A"))
    divided = DividedTreebanks.of((changed, second), 3)
    said = list(describe_copies(planted.names, divided))
    assert said[-1] == (
        "100 sentences have near copies that may be in another part, because near copies stay together only "
        "up to 5 % of all words."
    )
    assert not any("near copies" in line for line in describe_copies(planted.names, planted.divided))
