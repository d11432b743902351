"""Contexts, values and forms are counted as plain loops over words count them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from math import log1p, log10
from random import Random

import numpy as np
import pytest
from test_counted_conventions import write_treebank

from learnability.extensions.harmonise.agreeing_forms import (
    CONSISTENT,
    FEWEST_DOCUMENTS,
    FORM_FOREIGN,
    STEPS,
    FormsInContexts,
    SidesOfForms,
)
from learnability.extensions.harmonise.kept_contexts import KeptContexts
from learnability.regularities.contexts import Contexts
from learnability.regularities.word_table import WordTable
from learnability.treebanks.sentence import Sentence

FEWEST, OTHERS = 3, 10

TEMPLATES = (("upos",), ("upos", "feats:Number"), ("lemma",), ("relation", "ending1"), ("upos", "form"))


def disturb(sentences: Sequence[Sentence], seed: int) -> list[Sentence]:
    """Return sentences in which one in five tags is another one."""
    chance = Random(seed)
    tags = ("NOUN", "VERB", "ADJ")
    return [
        replace(
            each,
            tree=replace(
                each.tree,
                upos=tuple(chance.choice(tags) if chance.random() < 0.2 else tag for tag in each.tree.upos),
            ),
        )
        for each in sentences
    ]


@pytest.fixture(scope="module")
def table() -> WordTable:
    """Three treebanks of unlike size with noise."""
    return WordTable(
        [disturb(write_treebank(seed, size), seed) for seed, size in ((1, 40), (2, 25), (3, 60))]
    )


def context_of(table: WordTable, columns: Sequence[str], word: int) -> tuple[str, ...]:
    return tuple(table.value(name, word) for name in columns)


def group_words(table: WordTable, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Return the words of each context."""
    words: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for word in range(len(table)):
        words[context_of(table, columns, word)].append(word)
    return words


def is_comparable(
    table: WordTable, columns: Sequence[str], context: tuple[str, ...], words: list[int]
) -> bool:
    """Return whether any treebank has enough words in a context, and the others, too."""
    if columns[-1] != "upos" and columns[-1] not in ("relation", "form") and context[-1] in ("", "_"):
        return False
    counts = Counter(int(table.treebank[word]) for word in words)
    return any(counts[each] >= FEWEST and len(words) - counts[each] >= OTHERS for each in counts)


def kept_by_loop(table: WordTable, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    return {
        context: words
        for context, words in group_words(table, columns).items()
        if is_comparable(table, columns, context, words)
    }


def words_by_context(table: WordTable, kept: KeptContexts) -> dict[tuple[str, ...], list[int]]:
    """Return what is kept: the words of each context."""
    return {
        context_of(table, kept.columns, int(first)): kept.words_of(np.array([number])).tolist()
        for number, first in enumerate(kept.first_word)
    }


@pytest.mark.parametrize("columns", TEMPLATES)
def test_contexts_are_kept_as_a_loop_keeps_them(table: WordTable, columns: tuple[str, ...]) -> None:
    found = KeptContexts.comparable(table, columns, FEWEST, OTHERS)
    expected = kept_by_loop(table, columns)
    assert words_by_context(table, found) == expected
    assert expected
    assert len(columns) == 1 or len(expected) < len(group_words(table, columns))
    for number, words in enumerate(words_by_context(table, found).values()):
        assert found.first_word[number] == min(words)
        assert all(found.number[word] == number for word in words)
    outside = set(range(len(table))) - {word for words in expected.values() for word in words}
    assert all(found.number[word] == found.size for word in outside)


def test_words_of_several_contexts_stand_context_by_context(table: WordTable) -> None:
    kept = KeptContexts.comparable(table, ("upos", "form"), FEWEST, OTHERS)
    chosen = np.array([kept.size - 1, 0, 2])
    places, which = kept.places_of(chosen)
    for number, context in enumerate(chosen.tolist()):
        inside = [word for word in range(len(table)) if kept.number[word] == context]
        assert kept.words[places[which == number]].tolist() == inside


@pytest.mark.parametrize("name", ["feats", "form", "upos"])
@pytest.mark.parametrize("columns", TEMPLATES)
@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_values_are_counted_as_a_loop_counts_them(
    table: WordTable, columns: tuple[str, ...], name: str, share: float
) -> None:
    """With few words there are more combinations than words, which are then sorted."""
    chance = Random(5)
    chosen = [word for word in range(len(table)) if chance.random() < share]
    kept = KeptContexts.comparable(table, columns, FEWEST, OTHERS)
    codes = table.column(name).codes
    counts = kept.count_values(np.array(chosen, np.int64), codes[np.array(chosen, np.int64)])
    expected: Counter[tuple[int, int, int]] = Counter()
    totals: Counter[tuple[int, int]] = Counter()
    for word in chosen:
        context, treebank = int(kept.number[word]), int(table.treebank[word])
        if context < kept.size:
            expected[context, int(codes[word]), treebank] += 1
            totals[context, treebank] += 1
    found = {
        (int(context), int(value), treebank): int(count)
        for context, value, row in zip(counts.contexts, counts.values, counts.words, strict=True)
        for treebank, count in enumerate(row)
        if count
    }
    assert found == expected
    assert {
        (context, treebank): int(count)
        for context, row in enumerate(counts.totals)
        for treebank, count in enumerate(row)
        if count
    } == totals
    each = kept.count(np.array(chosen, np.int64))
    assert (each == counts.totals).all()


@pytest.mark.parametrize("columns", TEMPLATES)
def test_a_form_counts_once_for_each_document(table: WordTable, columns: tuple[str, ...]) -> None:
    kept = KeptContexts.comparable(table, columns, FEWEST, OTHERS)
    form = table.column("form").codes
    together = Contexts.number_together(form, table.document, words=len(table))
    forms = FormsInContexts.of(table, kept, together)
    seen = Counter(
        (int(kept.number[word]), int(form[word]), int(table.document[word])) for word in kept.words.tolist()
    )
    for place, word in enumerate(kept.words.tolist()):
        key = int(kept.number[word]), int(form[word]), int(table.document[word])
        assert forms.weight[place] == pytest.approx(1 / seen[key])
        assert forms.form[place] == (0 if columns[-1] == "form" else form[word])
    assert max(seen.values()) > 1


class Drawn:
    """Hold words of pairs that are drawn, and what loops say of them."""

    def __init__(self, seed: int, words: int = 400, pairs: int = 12) -> None:
        chance = Random(seed)
        self.pairs = pairs
        self.pair = [chance.randrange(pairs) for _ in range(words)]
        self.form = [chance.randrange(6) for _ in range(words)]
        self.is_home = [chance.random() < 0.5 for _ in range(words)]
        shares = [chance.choice((0.0, 0.1, 0.9)) for _ in range(pairs)]
        self.has = [
            chance.random() < (0.95 if home else shares[pair])
            for pair, home in zip(self.pair, self.is_home, strict=True)
        ]
        self.document = [chance.randrange(2 + pair % 3) for pair in self.pair]
        self.weight = [chance.choice((1.0, 0.5, 0.25)) for _ in range(words)]

    def sides(self) -> SidesOfForms:
        return SidesOfForms.of(
            np.array(self.pair, np.int64),
            np.array(self.form, np.int32),
            np.array(self.has),
            np.array(self.is_home),
        )

    def words_of(self, pair: int) -> Iterator[tuple[int, int]]:
        """Yield the words of a pair with their forms."""
        yield from ((word, self.form[word]) for word in range(len(self.pair)) if self.pair[word] == pair)

    def agrees(self, pair: int, fewest: int) -> bool:
        agreeing = tested = agreed = 0
        for form in {form for _, form in self.words_of(pair)}:
            words = [word for word, other in self.words_of(pair) if other == form]
            home_with = sum(self.is_home[word] and self.has[word] for word in words)
            away = [word for word in words if not self.is_home[word]]
            if not away or not home_with:
                continue
            tested += home_with
            if sum(self.has[word] for word in away) <= FORM_FOREIGN * len(away):
                agreeing += 1
                agreed += home_with
        return agreeing >= fewest and tested > 0 and agreed >= CONSISTENT * tested

    def is_documented(self, pair: int) -> bool:
        seen: dict[Hashable, set[int]] = {True: set(), False: set()}
        for word, _ in self.words_of(pair):
            if self.is_home[word] == self.has[word]:
                seen[self.is_home[word]].add(self.document[word])
        return all(len(documents) >= FEWEST_DOCUMENTS for documents in seen.values())

    def sureness(self, pair: int) -> float:
        """Return Chernoff's bound on either side, the best of the exponents that are tried."""
        sums: dict[int, list[float]] = defaultdict(lambda: [0.0] * 4)
        for word, form in self.words_of(pair):
            first = 0 if self.is_home[word] else 2
            sums[form][first] += self.weight[word]
            sums[form][first + 1] += self.weight[word] * self.has[word]
        bounds = [0.0, 0.0]
        compared = [each for each in sums.values() if each[0] > 0 and each[2] > 0]
        for step in STEPS.tolist():
            logs = [0.0, 0.0]
            for first, first_with, second, second_with in compared:
                rate = (first_with + second_with) / (first + second)
                grows = float(np.expm1(step))
                logs[0] += step * first_with - first * log1p(rate * grows)
                logs[1] += step * (second - second_with) - second * log1p((1 - rate) * grows)
            bounds = [max(bound, each) for bound, each in zip(bounds, logs, strict=True)]
        return max(max(bounds) / float(np.log(10)) - log10(2), 0.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fewest", [1, 3])
def test_forms_agree_as_a_loop_says(seed: int, fewest: int) -> None:
    drawn = Drawn(seed)
    sides, pairs = drawn.sides(), range(drawn.pairs)
    agree = [drawn.agrees(pair, fewest) for pair in pairs]
    assert sides.find_agreeing(drawn.pairs, fewest).tolist() == agree
    documented = [drawn.is_documented(pair) for pair in pairs]
    assert sides.find_documented(np.array(drawn.document, np.int32), drawn.pairs).tolist() == documented
    found = sides.find_sureness(np.array(drawn.weight), drawn.pairs)
    assert found == pytest.approx([drawn.sureness(pair) for pair in pairs])
    if fewest == 1:
        assert {*agree} == {True, False}
