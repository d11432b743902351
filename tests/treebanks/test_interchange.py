"""Real treebanks in the classes of networkx, NLTK and pandas, and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx
import pandas
import pytest
from conllu_examples import AWKWARD, read
from nltk.parse import DependencyGraph
from small_treebanks import cut

from learnability.errors import InputError
from learnability.treebanks.interchange import (
    FIELDS,
    build_treebank,
    from_conllu,
    from_frame,
    from_networkx,
    from_nltk,
    to_conllu,
    to_frame,
    to_networkx,
    to_nltk,
)
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import load_treebank

WAYS = {
    "networkx": (to_networkx, from_networkx),
    "nltk": (to_nltk, from_nltk),
    "pandas": (to_frame, from_frame),
}
TREEBANKS = ("universal-dependencies-1.3/UD_Irish", "ud-treebanks-v2.16/UD_Tamil-TTB")
TREE = Tree(("a", "b", "c"), ("X", "Y", "Z"), (2, 0, 2), ("dep", "root", "dep:x"))


@pytest.fixture(scope="module", params=TREEBANKS)
def bank(
    request: pytest.FixtureRequest, ud_home: Path, thorough: bool, tmp_path_factory: pytest.TempPathFactory
) -> Treebank:
    """The first sentences of UD_Irish 1.3, and of UD_Tamil 2.16, which has multiword tokens and enhanced
    dependencies."""
    whole = ud_home / request.param
    folder = tmp_path_factory.mktemp("cut") / whole.name
    folder.mkdir()
    for path in whole.glob("*.conllu"):
        cut(path, folder / path.name, 0, 1 << 20 if thorough else 100)
    return load_treebank(str(folder))


def cells(sentence: Sentence) -> list[list[str]]:
    """The ten columns of each word."""
    return [sentence.lines[row].split("\t") for row in sentence.rows]


def comments(sentence: Sentence) -> list[str]:
    return [line for line in sentence.lines if line.startswith("#")]


def test_conllu_gives_back_every_line(bank: Treebank) -> None:
    for _, sentences in bank.splits():
        again = from_conllu(to_conllu(sentences))
        assert [sentence.lines for sentence in again] == [sentence.lines for sentence in sentences]


def test_conllu_keeps_what_its_dictionaries_cannot() -> None:
    tokens = to_conllu(awkward())
    assert tokens[1]["misc"] == "Gloss=a=b|Gloss=c|ref="
    words = [line for line in awkward().lines if not line.startswith("#")]
    assert [line for line in from_conllu(tokens).lines if not line.startswith("#")] == words


@pytest.mark.parametrize("way", ["networkx", "pandas"])
def test_graphs_and_frames_lose_comments_ranges_and_deps_only(bank: Treebank, way: str) -> None:
    there, back = WAYS[way]
    for before, after in zip(bank.test, back(there(bank.test)), strict=True):
        assert cells(after) == [[*row[:8], "_", row[9]] for row in cells(before)]
        assert after.lines == (f"# sent_id = {before.sent_id}", *map("\t".join, cells(after)))


def test_nltk_loses_misc_and_the_id_too(bank: Treebank) -> None:
    for number, (before, after) in enumerate(zip(bank.test, from_nltk(to_nltk(bank.test)), strict=True), 1):
        assert cells(after) == [[*row[:8], "_", "_"] for row in cells(before)]
        assert (after.sent_id, comments(after)) == (str(number), [])


def test_nltk_has_what_its_parser_reads(bank: Treebank) -> None:
    for sentence, graph in zip(bank.test, to_nltk(bank.test), strict=True):
        text = "\n".join("\t".join(row) for row in cells(sentence))
        theirs = DependencyGraph(text, cell_separator="\t", top_relation_label="root")
        assert graph.nodes == theirs.nodes
        assert graph.root is graph.nodes[theirs.root["address"]]
        assert graph.to_conll(10) == theirs.to_conll(10)


def test_graphs_are_trees_below_node_0(bank: Treebank) -> None:
    for sentence, graph in zip(bank.test, to_networkx(bank.test), strict=True):
        assert networkx.is_arborescence(graph)
        assert graph.in_degree(0) == 0
        assert {(head, word) for word, head in enumerate(sentence.tree.heads, 1)} == set(graph.edges)


def test_a_frame_has_the_columns_of_the_file(bank: Treebank) -> None:
    frame = to_frame(bank)
    assert frame["split"].unique().tolist() == ["train", "dev", "test"]
    test = frame[frame["split"] == "test"]
    rows = [row for sentence in bank.test for row in cells(sentence)]
    for field in ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc"):
        assert test[field].tolist() == [row[FIELDS.index(field)] for row in rows]
    for field, column in (("token", "id"), ("head", "head")):
        assert test[field].tolist() == [int(row[FIELDS.index(column)]) for row in rows]
    assert test.groupby("sentence").size().tolist() == [len(sentence) for sentence in bank.test]


@pytest.mark.parametrize("way", WAYS)
def test_a_treebank_comes_back(bank: Treebank, way: str) -> None:
    there, back = WAYS[way]
    if way == "pandas":
        splits = {split: from_frame(rows) for split, rows in to_frame(bank).groupby("split")}
    else:
        splits = {split: back(there(part)) for split, part in bank.splits()}
    again = build_treebank(bank.name, splits, release=bank.release)
    assert repr(again) == repr(bank)
    assert replace(again.conventions, language=bank.conventions.language) == bank.conventions
    # The labels tell the version where no release does.
    assert build_treebank("UD", splits).conventions.version == bank.conventions.version
    for (_, before), (_, after) in zip(bank.splits(), again.splits(), strict=True):
        assert [sentence.tree for sentence in after] == [sentence.tree for sentence in before]


def awkward() -> Sentence:
    """A sentence with an empty node, a range, enhanced dependencies and repeated keys."""
    return read(AWKWARD)[0]


@pytest.mark.parametrize("way", ["networkx", "nltk", "pandas"])
def test_the_others_carry_the_basic_tree_of_an_awkward_sentence(way: str) -> None:
    there, back = WAYS[way]
    (again,) = back(there([awkward()]))
    assert again.tree == awkward().tree
    assert len(again.lines) - len(comments(again)) == 4


@pytest.mark.parametrize("way", ["networkx", "nltk"])
def test_one_gives_one_and_several_a_list(way: str) -> None:
    there, back = WAYS[way]
    assert back(there(TREE)).tree.heads == TREE.heads
    assert [sentence.tree.heads for sentence in back(iter(there(iter([TREE, TREE]))))] == [TREE.heads] * 2
    assert there([]) == back([]) == []


def test_what_the_libraries_read_is_taken() -> None:
    malt = DependencyGraph("Mice\tN\t2\tSUB\nsleep\tV\t0\tROOT\n")
    assert from_nltk(malt).tree == Tree(
        ("Mice", "sleep"), ("N", "V"), (2, 0), ("SUB", "ROOT"), ("Mice", "sleep"), ("N", "V"), ("_", "_")
    )
    graph: Any = networkx.DiGraph([(0, 2, {"deprel": "root"}), (2, 1, {"deprel": "nsubj"})])
    networkx.set_node_attributes(graph, {1: "Mice", 2: "sleep"}, "form")
    assert from_networkx(graph).tree.upos == ("_", "_")
    bare = to_frame([TREE])[["sentence", "form", "upos", "head", "deprel"]]
    assert from_frame(bare)[0].tree.heads == TREE.heads


def without(tree: Tree, **changes: Any) -> networkx.DiGraph[int]:
    """The graph of a tree in which nodes and edges have been changed."""
    graph = to_networkx(tree)
    for kind, value in changes.items():
        getattr(graph, kind)(*value)
    return graph


def nltk_with(address: int, **values: Any) -> DependencyGraph:
    graph = to_nltk(TREE)
    graph.nodes[address].update(values)
    return graph


@pytest.mark.parametrize(
    ("back", "source", "message"),
    [
        (from_networkx, lambda: without(TREE, remove_edge=(2, 1)), "graph 1: word 1 has 0 heads"),
        (from_networkx, lambda: without(TREE, add_edge=(3, 1)), "graph 1: word 1 has 2 heads"),
        (from_networkx, lambda: without(TREE, remove_node=(0,)), "the nodes of graph 1 are not 0 to 2"),
        (from_networkx, lambda: networkx.DiGraph(), "graph 1 has no words"),
        (from_networkx, lambda: networkx.DiGraph([(0, 1)]), "word 1 has no form and no deprel"),
        (from_nltk, lambda: nltk_with(2, head=1), "sentence 1: the sentence has no root"),
        (from_nltk, lambda: [to_nltk(TREE), nltk_with(3, head=None)], "graph 2: word 3 has no head"),
        (from_nltk, lambda: nltk_with(3, rel=None), "graph 1: word 3 has no deprel"),
        (from_nltk, lambda: nltk_with(3, word="a\tb"), "11 columns"),
        (from_nltk, lambda: nltk_with(3, word="a\n\n1"), "graph 1 has a line break in"),
    ],
)
def test_what_is_no_tree_is_refused(back: Any, source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        back(source())


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("head", [2, 0, 4], "HEAD of word 3 is '4'"),
        ("head", [2, 1, 1], "sentence 1: the sentence has no root"),
        ("head", [0, 3, 2], "sentence 1: the heads form a cycle through word 2"),
        ("head", [2, 0, None], "a cell of the column head is empty in sentence 1"),
        ("lemma", ["a", None, "c"], "column lemma is empty in sentence .* keep_default_na=False"),
        ("form", None, "no column form; use sentence, form"),
    ],
)
def test_frames_that_hold_no_trees(column: str, values: list[Any] | None, message: str) -> None:
    frame = to_frame([TREE])
    frame = frame.drop(columns=column) if values is None else frame.assign(**{column: values})
    with pytest.raises(InputError, match=message):
        from_frame(frame)


def test_two_roots_are_read_where_they_are_allowed() -> None:
    tree = TREE.with_heads((0, 0, 2))
    for there, back in WAYS.values():
        source = there([tree])
        with pytest.raises(InputError, match="2 roots"):
            back(source)
        assert back(source, multiple_roots=True)[0].tree.heads == tree.heads


def test_a_split_has_a_known_name() -> None:
    with pytest.raises(InputError, match="the split training is none of train, dev, test"):
        build_treebank("UD_X", {"training": []})


def test_a_csv_file_in_between_changes_no_word(tmp_path: Path) -> None:
    tree = replace(TREE, forms=("NA", "null", '"'))
    to_frame([tree]).to_csv(tmp_path / "words.csv", index=False)
    (again,) = from_frame(pandas.read_csv(tmp_path / "words.csv", keep_default_na=False))
    assert again.tree.forms == tree.forms
