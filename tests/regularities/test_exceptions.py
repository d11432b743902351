"""What differs from nearly all words of a context is found, and the counts in its reason are true."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from test_word_table import random_sentence

from learnability.regularities.exceptions import (
    EXPLAINED,
    FEWEST_AGREEING,
    FUNCTION,
    LEAST_OF_FORM,
    LEAST_SHARE,
    Exceptional,
    find_exceptions,
)
from learnability.treebanks.sentence import Sentence, Tree

Values = dict[str, str]

CONTEXTS = {
    "upos": [("xpos",), ("form",)],
    "xpos": [("upos",), ("upos", "form")],
    "lemma": [("upos", "form")],
    "relation": [("upos", "lemma"), ("upos", "form")],
}
OF_FEATURES = [("upos",), ("upos", "xpos"), ("upos", "lemma"), ("upos", "form")]


def values_of(tree: Tree, word: int) -> Values:
    """The values of a word by a plain reading."""
    place = word - 1
    feats = [item.partition("=") for item in tree.feats[place].split("|") if "=" in item]
    return {
        "form": tree.forms[place].lower(),
        "lemma": tree.lemmas[place],
        "upos": tree.upos[place],
        "xpos": tree.xpos[place],
        "relation": tree.deprels[place].partition(":")[0],
        **{f"feats:{name}": value for name, _, value in feats},
    }


def expected(sentences: Sequence[Sentence], least: float) -> Iterator[tuple[object, ...]]:
    """What is an exception, word by word, context by context: slow, and plainly so."""
    words = {
        (number, word): values_of(sentence.tree, word)
        for number, sentence in enumerate(sentences)
        for word in range(1, len(sentence) + 1)
    }
    features = sorted({name for values in words.values() for name in values if name.startswith("feats:")})
    for column in (*CONTEXTS, *features):
        is_feature = column in features
        for place, values in words.items():
            own = values.get(column, "")
            if values["upos"] == "PUNCT" or (not is_feature and own in ("", "_")):
                continue
            best: tuple[float, tuple[object, ...]] | None = None
            for names in CONTEXTS.get(column, OF_FEATURES):
                if any(values[name] in ("", "_") for name in names):
                    continue
                alike = [other for other in words.values() if all(other[n] == values[n] for n in names)]
                counts = Counter(other.get(column, "") for other in alike)
                agreeing = max(counts.values())
                usual = {value for value, count in counts.items() if count == agreeing}
                share = least or (LEAST_OF_FORM if "form" in names else LEAST_SHARE)
                if agreeing < (2 if least else FEWEST_AGREEING) or agreeing < share * len(alike):
                    continue
                if own in usual or len(usual) > 1:
                    continue
                (value,) = usual
                if column == "relation" and value not in FUNCTION:
                    continue
                if is_feature and value == "" and not {"form", "xpos"} & set(names):
                    continue
                if not is_feature and value in ("", "_"):
                    continue
                same = [other for other in alike if other["form"] == values["form"]]
                like = sum(other.get(column, "") == own for other in same)
                if "form" not in names and like > 1 and like >= EXPLAINED * len(same):
                    continue
                surprise = -math.log((counts[own] - 0.5) / len(alike))
                if best is None or surprise > best[0] + 1e-9:
                    best = surprise, (*place, column, own, value, names, agreeing, len(alike))
            if best:
                yield best[1]


def found_in(sentences: Sequence[Sentence], least: float) -> list[Exceptional]:
    return find_exceptions(sentences, least=least)


@pytest.mark.parametrize("least", [0.0, 0.6])
def test_exceptions_are_those_of_a_plain_count(least: float) -> None:
    sentences = [random_sentence(seed) for seed in range(80)]
    # without chance, so that something is usual
    alike = [
        replace(
            s,
            tree=replace(
                s.tree,
                xpos=tuple("VB" if t == "VERB" else "NN" for t in s.tree.upos),
                feats=("Number=Plur",) * len(s),
            ),
        )
        for s in sentences
    ]
    mixed = [*alike, *sentences[:6]]
    found = found_in(mixed, least)
    plain = set(expected(mixed, least))
    assert {
        (
            e.sentence,
            e.position,
            e.column,
            e.value,
            e.usual,
            tuple(pair.column for pair in e.context),
            e.agreeing,
            e.words,
        )
        for e in found
    } == plain
    assert len(plain) == len(found) > 10
    assert [e.surprise for e in found] == sorted((e.surprise for e in found), reverse=True)


def test_reasons_are_in_words() -> None:
    tree = Tree(
        ("Sings",) * 8,
        ("VERB",) * 8,
        (0, *[1] * 7),
        ("root", *["conj"] * 7),
        ("sing",) * 8,
        ("VBZ",) * 8,
        ("Number=Sing",) * 8,
    )
    odd = replace(tree, forms=("goes",) * 8, feats=("Number=Plur", *("Number=Sing",) * 7), lemmas=("go",) * 8)
    sentences = [Sentence(each, sent_id=str(number)) for number, each in enumerate((tree, tree, odd))]
    (found,) = find_exceptions(sentences, ["feats:Number"])
    assert (found.sentence, found.position, found.value) == (2, 1, "Plur")
    assert found.reason == "23 of 24 VERB have Number=Sing"
    assert 0.95 < found.score < 1
    assert find_exceptions(sentences, ["upos", "xpos", "lemma", "relation"]) == []
    assert find_exceptions([]) == []
