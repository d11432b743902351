"""Sentences with the same words that are annotated in different ways are found, in every column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_treebanks import demo_treebank

from learnability.extensions.doubts.duplicates import find_duplicates
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Sentence, Tree

SENTENCES = demo_treebank().test[:30]


def changed(sentence: Sentence, **columns: dict[int, object]) -> Sentence:
    """The sentence with other values of some words, and an id of its own."""
    tree: Tree = sentence.tree
    for column, values in columns.items():
        said = list(getattr(tree, column))
        for word, value in values.items():
            said[word - 1] = value
        tree = replace(tree, **{column: tuple(said)})
    return replace(sentence, tree=tree, sent_id=f"{sentence.sent_id}-again")


def test_each_column_of_each_word() -> None:
    first, second = SENTENCES[0], SENTENCES[1]
    copies = [
        changed(first, deprels={1: "dep"}, upos={2: "X"}),
        replace(changed(first, feats={2: "Case=Abl"}, lemmas={3: "other"}), sent_id="other"),
        changed(second),
    ]
    found = find_duplicates([*SENTENCES, *copies])
    assert [(one.word, one.column, one.values[1]) for one in found] == [
        (1, "deprel", "dep"),
        (2, "upos", "X"),
        (2, "feats", "Case=Abl"),
        (3, "lemma", "other"),
    ]
    assert {len(names) for one in found for names in one.sentences} == {1, 2}
    assert [one.sentences[1] for one in found] == [(len(SENTENCES) + number,) for number in (0, 0, 1, 1)]


def test_the_frequent_value_comes_first() -> None:
    first = SENTENCES[0]
    copies = [replace(changed(first, deprels={1: "dep"}), sent_id=str(number)) for number in range(2)]
    (found,) = find_duplicates([first, *copies])
    assert found.values == ("dep", first.tree.deprels[0])
    assert found.sentences == ((1, 2), (0,))


def test_what_is_no_duplicate() -> None:
    """The same annotation, one word alone, withheld words, and a column that one of them lacks."""
    first = SENTENCES[0]
    one_word = Sentence(Tree(("Yes",), (0,), ("root",), ("INTJ",)), "a")
    other_word = replace(one_word, tree=replace(one_word.tree, upos=("NOUN",)), sent_id="b")
    lacking = replace(first, tree=replace(first.tree, feats=()), sent_id="c")
    withheld = [
        Sentence(Tree(("_", "_"), (2, 0), (label, "root"), ("X", "X")), label) for label in ("dep", "obj")
    ]
    assert (
        find_duplicates([first, replace(first, sent_id="d"), lacking, one_word, other_word, *withheld]) == []
    )


def test_files_and_lines(tmp_path: Path) -> None:
    rows = "1\tno\t_\tX\t_\t_\t2\t{}\t_\t_\n2\tway\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    path = tmp_path / "x.conllu"
    path.write_text(
        "# sent_id = a\n" + rows.format("det") + "# sent_id = b\n# note\n" + rows.format("advmod")
    )
    found = find_duplicates(read_conllu(path).sentences)
    (one,) = found
    assert one.places == ("x.conllu:2", "x.conllu:7")
