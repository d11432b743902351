"""What differs from nearly all words of a context is found, and the counts in its reason are true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from test_word_table import random_sentence

from learnability.regularities.exceptions import (
    FEW,
    FEWEST_AGREEING,
    FUNCTION,
    LEAST_OF_FORM,
    LEAST_SHARE,
    SLIPS,
    Exceptional,
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

BESIDE = [("before", "form"), ("form", "after"), ("form", "below")]
ELSE = [("form", "relation", "head tag"), ("below",), ("relation", "below")]
TAGGED = [("form",), ("ending3",), ("ending4",), ("relation", "below")]
EXPLAINING = {
    "upos": [*BESIDE, *ELSE, *TAGGED],
    "lemma": [*BESIDE, ("upos", "form"), ("upos", "form", "feats"), ("upos", "form", "relation")],
    "relation": [
        *BESIDE, ("upos", "form"), ("form", "head tag", "below"), ("upos", "head tag", "side"),
        ("upos", "below"), ("upos", "after"),
    ],
}  # fmt: skip
EXPLAINING_OTHERS = [*BESIDE, *ELSE, *(("upos", *names) for names in TAGGED)]


def values_of(tree: Tree, word: int) -> Values:
    """The values of a word by a plain reading."""
    place = word - 1
    form, head = tree.forms[place].lower(), tree.heads[place]
    dependents = [
        deprel.partition(":")[0]
        for deprel, above in zip(tree.deprels, tree.heads, strict=True)
        if above == word
    ]
    feats = [item.partition("=") for item in tree.feats[place].split("|") if "=" in item]
    return {
        "form": tree.forms[place].lower(),
        "lemma": tree.lemmas[place],
        "upos": tree.upos[place],
        "xpos": tree.xpos[place],
        "relation": tree.deprels[place].partition(":")[0],
        "feats": tree.feats[place],
        "before": tree.forms[place - 1].lower() if place else "",
        "after": tree.forms[place + 1].lower() if word < len(tree) else "",
        "below": " ".join(sorted({below for below in dependents if below != "punct"})),
        "head tag": tree.upos[head - 1] if head else "root",
        "side": "root" if head == 0 else "before" if head < word else "after",
        **{f"ending{size}": form[-size:] if len(form) > size else "" for size in (3, 4)},
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
                share = (counts[own] - 0.5) / len(alike)
                if best is None or share < best[0] * (1 - 1e-9):
                    best = share, (*place, column, own, value, names, agreeing, len(alike))
            if best:
                yield (*best[1], best[0])


def share_of(words: Sequence[Values], own: Values, found: Exceptional, named: float, alike: int) -> float:
    """How usual a value is by the others, context by context; `alike`: exceptions with the same value."""
    column = found.column

    def is_like(other: Values) -> bool:
        value = other.get(column, "")
        return value == found.value or (found.usual == "" and value != "")

    shares = [named]
    for names in EXPLAINING.get(column, EXPLAINING_OTHERS):
        if len(names) == 1 and own[names[0]] == "":
            continue  # that all lack it makes words not alike
        near = [other for other in words if all(other[n] == own[n] for n in names)]
        shares.append((sum(map(is_like, near)) - 1 + named) / len(near))
    with_value = sum(other.get(column, "") == found.value for other in words)
    shares.append((alike - 1) / (with_value - 1 + FEW))
    return max(shares)


def found_in(sentences: Sequence[Sentence], *columns: str, least: float = 0.0) -> list[Exceptional]:
    found = Exceptional.find_in(sentences, least=least)
    return [each for each in found if not columns or each.column in columns]


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
    found = found_in(mixed, least=least)
    every = list(expected(mixed, least))
    plain = {each[:-1] for each in every}
    said = {
        (e.sentence, e.position, e.column, e.value, e.usual, tuple(pair.column for pair in e.context),
         e.agreeing, e.words)
        for e in found
    }  # fmt: skip
    assert said == plain
    assert len(plain) == len(found) > 10
    assert [e.share for e in found] == sorted(e.share for e in found)
    named = {each[:3]: float(str(each[-1])) for each in every}
    alike = Counter((e.column, e.value) for e in found)
    words = [values_of(s.tree, word) for s in mixed for word in range(1, len(s) + 1)]
    for e in found[:: 1 + len(found) // 40]:
        own = values_of(mixed[e.sentence].tree, e.position)
        share = named[e.sentence, e.position, e.column]
        assert e.share == pytest.approx(share_of(words, own, e, share, alike[e.column, e.value]))


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
    (found,) = found_in(sentences, "feats:Number")
    assert (found.sentence, found.position, found.value) == (2, 1, "Plur")
    assert found.reason == "23 of 24 VERB have Number=Sing"
    assert found.share == pytest.approx(0.5 / 24)
    assert found.score == pytest.approx(SLIPS / (SLIPS + found.share))
    assert found_in(sentences, "upos", "xpos", "lemma", "relation") == []
    assert found_in([]) == []


def test_a_form_that_regularly_is_the_exception_counts_less() -> None:
    forms = ("sang",) * 60 + ("were",) * 4 + ("went",)
    moods = ("Mood=Ind",) * 60 + ("Mood=Ind", "Mood=Ind", "Mood=Sub", "Mood=Sub", "Mood=Imp")
    sentences = [
        Sentence(Tree((form,), ("VERB",), (0,), ("root",), (form,), ("PAST",), (mood,)), sent_id=str(number))
        for number, (form, mood) in enumerate(zip(forms, moods, strict=True))
    ]
    found = {e.value: e for e in found_in(sentences, "feats:Mood")}
    assert found.keys() == {"Sub", "Imp"}
    assert found["Sub"].share > 0.25 > 0.05 > found["Imp"].share
    assert found["Imp"].score > 10 * found["Sub"].score


def test_a_strange_lemma_is_no_rare_one() -> None:
    """A lemma of another word, or one that begins as its form, is."""
    scores = []
    for lemma in ("#NAME?", "yuz", "ev"):
        lemmas = (lemma, *["yüz"] * 12, "ev", "ev")
        tree = Tree(("Yüz",) * 13 + ("ev",) * 2, ("NUM",) * 15, (0,) * 15, ("root",) * 15, lemmas)
        (found,) = found_in([Sentence(tree)], "lemma")
        assert (found.agreeing, found.words) == (12, 13)
        scores.append(found.score)
    assert scores == pytest.approx([SLIPS / (SLIPS + 0.5 / 13 / 15), *[SLIPS / (SLIPS + 0.5 / 13)] * 2])


def test_words_are_not_alike_because_they_lack_an_ending_or_a_dependent() -> None:
    stops = Tree((".",) * 40, ("PUNCT",) * 40, (0, *[1] * 39), ("root", *["punct"] * 39))
    nouns = Tree(("ox", "elk") * 20, ("NOUN",) * 40, (0, *[1] * 39), ("root", *["conj"] * 39))
    planted = replace(stops, upos=("PUNCT", "NOUN", *["PUNCT"] * 38))
    (found,) = found_in([Sentence(each) for each in (stops, stops, planted, nouns)], "upos")
    assert found.reason == "119 of 120 words with the form . have the tag PUNCT"
    assert found.score > 0.3
