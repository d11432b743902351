"""What depends on the sentence is learned from the other treebanks, or proposed by form and tag."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from invoking import Call
from test_counted_conventions import changed, in_place, write_treebank
from test_harmonise_counting import write_file

from learnability.extensions.harmonise.sentence_values import HELD_OUT, SentenceReader, most_frequent
from learnability.regularities.word_table import WordTable
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Sentence, Tree

FORMS = ("amas", "imas", "uman", "at", "it", "omen", "emen", "amen")


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


def random_treebank(seed: int) -> list[Sentence]:
    chance, sentences = Random(seed), []
    for number in range(60):
        length = chance.randint(1, 6)
        forms = tuple(
            chance.choice(("x", "y", "z")) * chance.randint(0, 2) + chance.choice(FORMS)
            for _ in range(length)
        )
        upos = tuple(chance.choice(("NOUN", "VERB")) for _ in forms)
        feats = tuple(
            "_" if chance.random() < 0.2 else f"Case={chance.choice((form[-3:-1], 'Nom'))}" for form in forms
        )
        heads = tuple(range(length))
        deprels = ("root", *("dep",) * (length - 1))
        sentences.append(Sentence(Tree(forms, upos, heads, deprels, forms, feats=feats), str(number)))
    return sentences


def test_form_and_tag_have_a_plain_twin() -> None:
    """A plain loop finds the same most frequent values, and the same share of held-out words."""
    table = WordTable([random_treebank(1), random_treebank(2)])
    places = np.flatnonzero(table.treebank == 0)
    found = SentenceReader(table).propose("feats:Case", 0, places)
    taught, held = [], []
    for word in np.flatnonzero(table.treebank == 1).tolist():
        if table.value("feats:Case", word):
            (held if table.sentence[word] % HELD_OUT == 0 else taught).append(word)

    def twin(word: int) -> str:
        tag, form = table.value("upos", word), table.value("form", word)
        for fits in (
            lambda other: table.value("form", other) == form and table.value("upos", other) == tag,
            lambda other: (
                table.value("ending3", other) == table.value("ending3", word)
                and table.value("upos", other) == tag
            ),
            lambda other: table.value("upos", other) == tag,
        ):
            counts = Counter(table.value("feats:Case", other) for other in taught if fits(other))
            if counts:
                return counts.most_common(1)[0][0]
        return ""

    assert [found.by_form[word] for word in places.tolist()] == [twin(word) for word in places.tolist()]
    right = sum(twin(word) == table.value("feats:Case", word) for word in held)
    assert found.share_of_form == right / len(held)
    assert (found.held, found.taught) == (len(held), len(taught))


def test_form_and_tag_are_proposed_where_a_classifier_finds_no_more() -> None:
    """Number follows from the form, so nothing is gained by the sentence."""
    table = WordTable([write_treebank(1), write_treebank(2)])
    nouns = np.flatnonzero(
        (table.treebank == 0) & (table.column("upos").codes == table.column("upos").number_of("NOUN"))
    )
    found = SentenceReader(table).propose("feats:Number", 0, nouns)
    assert found.origin == "form"
    assert found.values == found.by_form
    assert all(found.values[word] == table.value("feats:Number", word) for word in nouns.tolist())


@pytest.mark.parametrize("seed", range(5))
def test_the_most_frequent_value_is_that_of_a_loop(seed: int) -> None:
    """Of equally frequent values it is the first, as a counter has it."""
    chance = Random(seed)
    words = [(chance.randrange(8), chance.randrange(4)) for _ in range(60)]
    counts: dict[int, Counter[int]] = {}
    for context, value in words:
        counts.setdefault(context, Counter())[value] += 1
    contexts, values = (np.array(column, np.int32) for column in zip(*words, strict=True))
    expected = [counts[each].most_common(1)[0][0] if each in counts else -1 for each in range(10)]
    assert most_frequent(contexts, values, 10).tolist() == expected
