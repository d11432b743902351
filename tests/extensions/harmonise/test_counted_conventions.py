"""Counting names the conventions that were planted, counts them rightly, and names nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import comb, log10
from random import Random
from typing import Literal

import numpy as np
import pytest

from learnability.extensions.harmonise.agreeing_forms import sureness_of
from learnability.extensions.harmonise.convention_lines import (
    describe_convention,
    describe_inventory,
    draw_sentences,
    name_value,
)
from learnability.extensions.harmonise.convention_page import draw_examples
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.extensions.harmonise.conventions import Convention, ParserCost, TreebankConventions
from learnability.extensions.harmonise.counting import CountedTreebanks, tell_conventions
from learnability.regularities.contexts import ColumnValue, Context
from learnability.regularities.lemma_edits import describe_edit
from learnability.regularities.word_table import WordTable
from learnability.treebanks.sentence import Sentence, Tree

NOUNS = tuple(f"{first}{last}" for first in ("cat", "dog", "bird", "fish", "horse") for last in ("", "s"))
COST = ParserCost(words=3.0, points=1.25, low=0.5, high=2.0, measure="LAS")

VERBS = ("sees", "hears", "knows", "finds", "likes")


def write_sentence(chance: Random, number: int, *, verbs: Sequence[str] = VERBS) -> Sentence:
    """`the cats and birds see dogs in house`, with words drawn."""
    nouns = [chance.choice(NOUNS) for _ in range(4)]
    coordinator = chance.choice(("and", "or"))
    forms = ("the", nouns[0], coordinator, nouns[1], chance.choice(verbs), nouns[2], "in", nouns[3])
    upos = ("DET", "NOUN", "CCONJ", "NOUN", "VERB", "NOUN", "ADP", "NOUN")
    heads = (2, 5, 4, 2, 0, 5, 8, 5)
    deprels = ("det", "nsubj", "cc", "conj", "root", "obj", "case", "obl:mod")
    lemmas = tuple(form.rstrip("s") if tag == "NOUN" else form for form, tag in zip(forms, upos, strict=True))
    feats = tuple(
        ("Number=Plur" if form.endswith("s") else "Number=Sing") if tag == "NOUN"
        else "Number=Sing|Person=3" if tag == "VERB" else "_"
        for form, tag in zip(forms, upos, strict=True)
    )  # fmt: skip
    return Sentence(Tree(forms, upos, heads, deprels, lemmas, feats=feats), str(number))


def write_treebank(seed: int, sentences: int = 250) -> list[Sentence]:
    chance = Random(seed)
    return [write_sentence(chance, number) for number in range(sentences)]


def changed(sentences: Sequence[Sentence], change: Callable[[Tree], Tree]) -> list[Sentence]:
    return [replace(each, tree=change(each.tree)) for each in sentences]


def compare(*treebanks: Sequence[Sentence], columns: Sequence[str] = ()) -> TreebankConventions:
    return ConventionSearch(WordTable(treebanks), 0).find(columns)


def told(found: TreebankConventions) -> list[str]:
    """All lines in short."""
    lines = [f"{each.column} {each.value}" for each in found.inventories]
    for line in found.conventions:
        contexts = "; ".join(map(Context.describe, line.contexts))
        lines.append(f"{'+'.join(line.columns)} {line.value} > {line.instead}: {contexts}")
    return lines


def without_number(tag: str) -> Callable[[Tree], Tree]:
    def change(tree: Tree) -> Tree:
        feats = (
            cell.partition("|")[2] or "_" if given == tag and "Number" in cell else cell
            for given, cell in zip(tree.upos, tree.feats, strict=True)
        )
        return replace(tree, feats=tuple(feats))

    return change


def turned(tree: Tree) -> Tree:
    return tree.with_heads((2, 5, 2, 2, 0, 5, 8, 5))


def in_place(old: str, new: str, *columns: str) -> Callable[[Tree], Tree]:
    """What puts one cell in the place of another in these columns."""

    def change(tree: Tree) -> Tree:
        cells = {
            name: tuple(new if cell == old else cell for cell in getattr(tree, name)) for name in columns
        }
        return replace(tree, **cells)

    return change


def keep_plural(tree: Tree) -> Tree:
    lemmas = tuple(
        form if form.endswith("s") and tag == "NOUN" else lemma
        for form, tag, lemma in zip(tree.forms, tree.upos, tree.lemmas, strict=True)
    )
    return replace(tree, lemmas=lemmas)


def test_nothing_is_named_where_nothing_differs() -> None:
    assert told(compare(write_treebank(1), write_treebank(2))) == []
    assert told(compare(write_treebank(1), write_treebank(2), write_treebank(3, 900))) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without_number("NOUN"), ["feats:Number not there > there: NOUN"]),
        (in_place("Number=Plur", "Number=Ptan", "feats"), ["feats:Number Plur", "feats:Number Ptan"]),
        (in_place("obl:mod", "obl", "deprels"), ["deprel obl:mod"]),
        (in_place("DET", "ADJ", "upos"), ["upos ADJ", "upos DET"]),
        (in_place("CCONJ", "ADP", "upos"), ["upos CCONJ"]),
        (turned, ["side before > after: cc"]),
        (keep_plural, ["lemma = form > -s > -: NOUN with Number=Plur"]),
        (in_place("obj", "nsubj", "deprels"), ["relation obj"]),
    ],
)  # fmt: skip
def test_a_planted_convention_is_named_alone(change: Callable[[Tree], Tree], expected: list[str]) -> None:
    home, away = write_treebank(1), write_treebank(2)
    assert sorted(told(compare(changed(home, change), away))) == expected


def test_the_other_side_is_named_in_the_same_words() -> None:
    home, away = write_treebank(1), write_treebank(2)
    found = compare(home, changed(away, without_number("NOUN")))
    assert told(found) == ["feats:Number there > not there: NOUN"]


def test_words_are_counted_as_a_loop_counts_them() -> None:
    home, away = changed(write_treebank(1), without_number("NOUN")), write_treebank(2)
    (line,) = compare(home, away).conventions
    nouns = [
        [cell for each in sentences for tag, cell in zip(each.tree.upos, each.tree.feats, strict=True)
         if tag == "NOUN"]
        for sentences in (home, away)
    ]  # fmt: skip
    assert line.counts == tuple((sum("Number" not in cell for cell in cells), len(cells)) for cells in nouns)
    assert line.instead_counts == tuple(sum("Number" in cell for cell in cells) for cells in nouns)
    assert line.contexts == ((ColumnValue("upos", "NOUN"),),)
    table = WordTable([home, away])
    assert all(table.value("upos", word) == "NOUN" and table.treebank[word] == 0 for word in line.places)
    assert len(line.places) == line.counts[0][0]


def test_features_that_go_together_are_one_line() -> None:
    home, away = write_treebank(1), write_treebank(2)
    found = compare(changed(home, in_place("Number=Sing|Person=3", "_", "feats")), away)
    lines = [each.value for each in found.inventories]
    assert lines == ["Person"]
    assert told(found)[1:] == ["feats:Number not there > there: VERB"]


def test_slips_are_no_conventions() -> None:
    """Where a treebank mostly does what the other does, its other words are slips."""
    home, away = write_treebank(1), write_treebank(2)
    some = changed(home[:100], without_number("NOUN")) + home[100:]
    assert told(compare(some, away)) == []
    most = changed(home[:150], without_number("NOUN")) + home[150:]
    assert told(compare(most, away)) == ["feats:Number not there > there: NOUN"]


def test_other_texts_are_no_conventions() -> None:
    """Forms that only one side has are compared with nothing."""
    chance = Random(7)
    home = [write_sentence(chance, number, verbs=("sleep", "run", "talk")) for number in range(250)]
    home = changed(home, in_place("Number=Sing|Person=3", "Number=Plur", "feats"))
    found = compare(home, write_treebank(2))
    assert [line for line in found.conventions if "VERB" in line.contexts[0].describe()] == []


def test_a_large_treebank_does_not_outvote_another() -> None:
    """The others differ among themselves, so that there is no convention of all of them."""
    home = changed(write_treebank(1), without_number("NOUN"))
    alike = changed(write_treebank(2, 60), without_number("NOUN"))
    assert told(compare(home, alike, write_treebank(3, 1000))) == []
    assert told(compare(home, write_treebank(2, 60), write_treebank(3, 1000))) != []


def test_few_words_are_not_sure() -> None:
    home = changed(write_treebank(1, 1), without_number("NOUN"))
    assert told(compare(home, write_treebank(2))) == []


def test_only_the_columns_that_are_asked_for_are_named() -> None:
    home = changed(changed(write_treebank(1), without_number("NOUN")), turned)
    assert told(compare(home, write_treebank(2), columns=("feats",))) == [
        "feats:Number not there > there: NOUN"
    ]
    assert told(compare(home, write_treebank(2), columns=("head",))) == ["side before > after: cc"]
    assert told(compare(home, write_treebank(2), columns=("lemma",))) == []


def exact_tail(first: int, first_with: int, second: int, second_with: int) -> float:
    """The probability that as many words with a value are on the first side, by counting draws."""
    total, those = first + second, first_with + second_with
    ways = sum(
        comb(those, many) * comb(total - those, first - many)
        for many in range(first_with, min(first, those) + 1)
    )
    return ways / comb(total, first)


def test_sureness_is_a_bound_of_the_exact_probability() -> None:
    tight = 0
    for first, second in product((1, 3, 8, 20), (1, 5, 40)):
        for first_with in range(first + 1):
            for second_with in {0, second // 4, second}:
                sides = tuple(np.array([float(each)]) for each in (first, first_with, second, second_with))
                found = float(sureness_of(np.zeros(1, np.int32), 1, sides)[0])  # type: ignore[arg-type]
                exact = -log10(exact_tail(first, first_with, second, second_with))
                assert found <= exact + 1e-9
                tight += found > exact / 3
    assert tight > 20


def test_forms_add_up_and_are_compared_by_themselves() -> None:
    def sureness(*forms: tuple[float, float, float, float]) -> float:
        sides = tuple(np.array(column) for column in zip(*forms, strict=True))
        return float(sureness_of(np.zeros(len(forms), np.int32), 1, sides)[0])  # type: ignore[arg-type]

    one = sureness((5, 5, 20, 0))
    assert sureness((5, 5, 20, 0), (5, 5, 20, 0)) > 1.5 * one
    assert sureness((5, 5, 20, 0), (7, 7, 0, 0)) == one
    assert sureness((50, 50, 1, 1), (1, 0, 50, 0)) == 0


def test_joined_lines_keep_their_words() -> None:
    """Contexts of the same value are one line; each word counts once."""
    home = changed(write_treebank(1), in_place("sees", "see", "lemmas"))
    home = changed(home, in_place("knows", "know", "lemmas"))
    found = compare(home, write_treebank(2))
    lines: list[Convention] = [*found.conventions]
    places = np.concatenate([line.places for line in lines])
    assert len(places) == len(set(places.tolist()))
    table = WordTable([home, write_treebank(2)])
    assert {table.value("form", word) for word in places} == {"sees", "knows"}


def test_exceptions_are_among_the_words_that_are_counted() -> None:
    """Of a line about a value of Number, nouns without Number are no exceptions."""
    home = changed(write_treebank(1), in_place("Number=Sing", "Number=Dual", "feats"))
    home[:10] = changed(home[:10], without_number("NOUN"))
    table = WordTable([home, write_treebank(2)])
    found = ConventionSearch(table, 0).find(["feats"])
    every = [*found.conventions, *(line for each in found.inventories for line in each.details)]
    values = [line for line in every if not line.is_presence and line.columns == ("feats:Number",)]
    assert values
    for line in values:
        for word in draw_sentences(table, line, 0, 1)[2]:
            assert table.value("feats:Number", word)


@pytest.mark.parametrize(("kind", "sides"), [("own", [True, False]), ("missing", [False, True])])
def test_a_query_stands_beside_the_words_that_it_finds(
    kind: Literal["own", "missing"], sides: list[bool]
) -> None:
    """Where the treebank lacks a value, the query with the value finds words of the others."""
    home = changed(write_treebank(1), in_place("det", "amod", "deprels"))
    table = WordTable([home, write_treebank(2)])
    found = ConventionSearch(table, 0).find(["relation"])
    every = [*found.conventions, *(line for each in found.inventories for line in each.details)]
    line = next(line for line in every if line.value == "amod")
    if kind == "missing":  # the same words, told the other way round
        line = replace(line, kind=kind, value=line.instead, instead=line.value)
    examples = list(draw_examples(table, line, 0, ["first", "second"]))
    assert [bool(each.query) for each in examples] == sides


@pytest.mark.parametrize(
    ("form", "lemma", "told"),
    [
        ("cities", "city", "lemma with -y for -ies"),
        ("cats", "cat", "lemma without -s"),
        ("de", "de_1", "lemma with -_1 added"),
        ("Run", "run", "lemma like the form"),
        ("Paris", "Paris", "lemma like the form as written"),
        ("went", "go", "lemma go"),
        ("Deus", "Dei", "lemma with -i for -us, capital kept"),
    ],
)
def test_the_lemma_of_a_form_is_told_in_words(form: str, lemma: str, told: str) -> None:
    assert name_value("lemma", describe_edit(form, lemma)) == told


def test_a_line_says_what_it_costs() -> None:
    found = compare(changed(write_treebank(1), in_place("DET", "ADJ", "upos")), write_treebank(2))
    line = replace(compare(changed(write_treebank(1), turned), write_treebank(2)).conventions[0], cost=COST)
    told = "; it costs parsers of the others 1.25 points of LAS (+0.50 to +2.00)"
    assert describe_convention(line, ("A", "B"), 0).endswith(told)
    assert "costs" not in describe_convention(replace(line, cost=None), ("A", "B"), 0)
    label = replace(found.inventories[0], cost=COST)
    assert describe_inventory(label, ("A", "B"), 0).endswith(told)


def test_lines_about_one_value_stand_together_under_its_name() -> None:
    """Nouns have XPOS N on one side, and one of their own for three lemmas on the other."""

    def with_xpos(tree: Tree, *, apart: bool) -> Tree:
        pairs = zip(tree.upos, tree.lemmas, strict=True)
        has_own = ("cat", "dog", "bird") if apart else ()
        return replace(tree, xpos=tuple(f"N{lemma}" if lemma in has_own else tag[:1] for tag, lemma in pairs))

    home, away = (
        [replace(each, tree=with_xpos(each.tree, apart=seed == 2)) for each in write_treebank(seed)]
        for seed in (1, 2)
    )
    home = changed(home, in_place("sees", "see", "lemmas"))  # a line of another column between them in weight
    counted = CountedTreebanks(("a", "b"), WordTable([home, away]))
    lines = list(tell_conventions(counted, counted.found[0]))
    first = lines.index("      XPOS N, in 3 lines:")
    assert all(re.match(r" +[0-9]+   NOUN with the lemma", line) for line in lines[first + 1 : first + 4])
    assert sum("XPOS N in" in line for line in lines) == 3
