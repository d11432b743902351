"""The n-gram model against its textbook definition, written out over the list of all events."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnability.errors import InputError
from learnability.metrics.ngrams import BEGIN, END, UNKNOWN, WittenBellTrigrams

Sentences = Sequence[Sequence[str]]
Probability = Callable[[str, tuple[str, ...]], Fraction]


def known_symbols(train: Sentences, unknown_below: int) -> set[str]:
    counts = Counter(symbol for sentence in train for symbol in sentence)
    return {symbol for symbol in counts if counts[symbol] >= unknown_below}


def events(sentences: Sentences, known: set[str]) -> list[tuple[str, str, str]]:
    """Every symbol and one end per sentence, each after the two before it."""
    found = []
    for sentence in sentences:
        row = ["begin", "begin", *(w if w in known else "unknown" for w in sentence), "end"]
        found += [(row[i - 2], row[i - 1], row[i]) for i in range(2, len(row))]
    return found


def textbook(train: Sentences, unknown_below: int) -> Probability:
    """p(symbol | context) of interpolated Witten-Bell, exactly (Chen & Goodman 1999, section 2.6)."""
    known = known_symbols(train, unknown_below)
    followers: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for u, v, w in events(train, known):
        for context in ((), (v,), (u, v)):
            followers[context].append(w)

    def p(symbol: str, context: tuple[str, ...]) -> Fraction:
        lower = p(symbol, context[1:]) if context else Fraction(1, len(known) + 2)
        after = followers.get(context, [])
        types = len(set(after))
        return (after.count(symbol) + types * lower) / (len(after) + types) if after else lower

    return p


def perplexity(train: Sentences, dev: Sentences, unknown_below: int) -> float:
    p = textbook(train, unknown_below)
    asked = events(dev, known_symbols(train, unknown_below))
    return float(2 ** -(sum(log2(p(w, (u, v))) for u, v, w in asked) / len(asked)))


def corpus(seed: int, sentences: int = 60) -> list[list[str]]:
    chance = random.Random(seed)
    return [
        [chance.choice("aaaabbbccdefghij") for _ in range(chance.randint(1, 8))] for _ in range(sentences)
    ]


@pytest.mark.parametrize("unknown_below", [1, 2, 10, 70])
def test_every_trigram_has_its_textbook_probability(unknown_below: int) -> None:
    sentences = corpus(1)
    model = WittenBellTrigrams(sentences, unknown_below=unknown_below)
    number = {"begin": BEGIN, "end": END, "unknown": UNKNOWN, **model.numbers}
    assert model.numbers.keys() == known_symbols(sentences, unknown_below)
    p = textbook(sentences, unknown_below)
    predictable = [symbol for symbol in number if symbol != "begin"]
    assert model.size == len(predictable)
    for context in product([symbol for symbol in number if symbol != "end"], repeat=2):
        asked = [[*(number[symbol] for symbol in context), number[symbol]] for symbol in predictable]
        ours = model.probabilities(np.array(asked)).tolist()
        assert ours == pytest.approx([float(p(symbol, context)) for symbol in predictable], rel=1e-12)
        assert sum(ours) == pytest.approx(1, rel=1e-12)


words = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=8)


@given(words, words, st.integers(1, 4))
def test_perplexity_of_random_corpora(train: Sentences, dev: Sentences, unknown_below: int) -> None:
    model = WittenBellTrigrams(train, unknown_below=unknown_below)
    expected = perplexity(train, dev, unknown_below)
    assert model.perplexity(dev) == pytest.approx(expected, rel=1e-9)


def test_events_pad_with_two_begins_and_predict_one_end() -> None:
    model = WittenBellTrigrams([["a"]])
    a = model.numbers["a"]
    assert model.events([["a", "zz"], []]).tolist() == [
        [BEGIN, BEGIN, a],
        [BEGIN, a, UNKNOWN],
        [a, UNKNOWN, END],
        [BEGIN, BEGIN, END],
    ]


@pytest.mark.parametrize("form", ["<UNK>", "end", ""])
def test_no_form_is_taken_for_a_special_symbol(form: str) -> None:
    train, dev = corpus(2), [*corpus(3), ["never", "seen"]]
    plain = WittenBellTrigrams(train)
    expected = plain.perplexity(dev)
    train, dev = ([[form if w == "a" else w for w in sentence] for sentence in part] for part in (train, dev))
    model = WittenBellTrigrams(train)
    assert model.size == plain.size
    assert model.perplexity(dev) == pytest.approx(expected, rel=1e-12)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="no sentences"):
        WittenBellTrigrams([])
    with pytest.raises(InputError, match="`unknown_below=0` is not accepted; use at least 1"):
        WittenBellTrigrams([["a"]], unknown_below=0)
