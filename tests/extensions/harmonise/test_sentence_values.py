"""What depends on the sentence is learned from the other treebanks."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
from invoking import Call
from test_counted_conventions import changed, in_place, write_treebank
from test_harmonise_counting import write_file

from learnability.extensions.harmonise.sentence_values import HELD_OUT, SentenceReader
from learnability.regularities.word_table import WordTable
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Tree


def with_case(tree: Tree) -> Tree:
    """Nouns have a case, which their relation says, while their forms are drawn."""
    feats = (
        f"Case={'Nom' if deprel in ('nsubj', 'conj') else 'Acc'}|{cell}" if tag == "NOUN" else cell
        for tag, deprel, cell in zip(tree.upos, tree.deprels, tree.feats, strict=True)
    )
    return replace(tree, feats=tuple(feats))


def test_what_depends_on_the_sentence_is_learned_and_can_be_applied(tmp_path: Path, call: Call) -> None:
    """The others have a case that the relation says: every word gets the right one."""
    plain = changed(write_treebank(1), in_place("_", "Case=Nom", "feats"))  # so it has the feature elsewhere
    away = changed(changed(write_treebank(2), in_place("_", "Case=Nom", "feats")), with_case)
    files = [write_file(tmp_path, "first", plain), write_file(tmp_path, "second", away)]
    done = call("harmonise", *files, "--out", tmp_path / "out")
    assert done.code == 0, done.errors
    assert "Trained 1 classifier for values that depend on the sentence, on up to 800 words" in done.text
    page = (tmp_path / "out" / "conventions.html").read_text(encoding="utf-8")
    assert "Case: by a classifier. It finds 100.0 % of 200 held-out words of the others" in page
    words = tmp_path / "out" / "first-words.csv"
    rows = [row for row in csv.DictReader(words.open(encoding="utf-8")) if row["column"] == "feats:Case"]
    assert {row["origin"] for row in rows} == {"classifier"}
    assert len(rows) == 1000
    out = tmp_path / "corrected"
    applied = call("doubts", "--test", files[0], "--apply", words, "--fix", rows[0]["pattern"], "--out", out)
    assert applied.code == 0, applied.errors
    corrected = [sentence.tree for sentence in read_conllu(out / "first.conllu")]
    assert [tree.feats for tree in corrected] == [with_case(each.tree).feats for each in plain]


def test_the_share_is_that_of_held_out_words_with_the_tags_in_question() -> None:
    """Nouns of every fifth sentence of the others, whose Number follows from their form."""
    table = WordTable([write_treebank(1), write_treebank(2)])
    nouns = np.flatnonzero(
        (table.treebank == 0) & (table.column("upos").codes == table.column("upos").number_of("NOUN"))
    )
    found = SentenceReader(table).propose("feats:Number", 0, nouns)
    held = [
        word
        for word in np.flatnonzero(table.treebank == 1).tolist()
        if table.sentence[word] % HELD_OUT == 0 and table.value("upos", word) == "NOUN"
    ]
    assert (found.held, found.share) == (len(held), 1.0)
    assert found.taught == 4 * len(held)
    assert all(found.values[word] == table.value("feats:Number", word) for word in nouns.tolist())


def test_values_that_nothing_tells_are_found_as_often_as_chance_does() -> None:
    """Half of the held-out words have one of two values that are drawn."""
    chance = Random(3)
    drawn = [
        changed([each], in_place("Number=Sing|Person=3", f"Mood={chance.choice(('Ind', 'Sub'))}", "feats"))[0]
        for each in write_treebank(2)
    ]
    table = WordTable([write_treebank(1), drawn])
    verbs = np.flatnonzero(
        (table.treebank == 0) & (table.column("upos").codes == table.column("upos").number_of("VERB"))
    )
    found = SentenceReader(table).propose("feats:Mood", 0, verbs)
    assert found.held == 50
    assert 0.3 < found.share < 0.7
