"""The n-gram model against `nltk.lm`, whose unigram level gets the same repair here."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learnability.errors import InputError
from learnability.metrics import attachment_order, flatten_trees
from learnability.metrics.ngrams import BEGIN, END, UNKNOWN, Events, WittenBell, events_of
from learnability.treebanks.conllu_io import read_conllu


def nltk_model(sentences: Sequence[Sequence[str]], model: WittenBell, uniform: bool = True) -> Any:
    """nltk's interpolated Witten-Bell over the same events, as a function (symbol, context) -> p."""
    from nltk.lm import NgramCounter, Vocabulary
    from nltk.lm.models import InterpolatedLanguageModel
    from nltk.lm.smoothing import WittenBell as NltkWittenBell

    class Repaired(NltkWittenBell):  # type: ignore[misc]
        def unigram_score(self, word: str) -> float:
            if not uniform:
                return float(super().unigram_score(word))
            types = len(self.counts.unigrams)
            return float(
                (self.counts.unigrams[word] + types / model.size) / (self.counts.unigrams.N() + types)
            )

    counter = NgramCounter()
    for sentence in sentences:
        known = [word if word in model.vocabulary else "<unk>" for word in sentence]
        row = ["<s>", "<s>", *known, "</s>"]
        for i in range(2, len(row)):
            counter.update([[(row[i],), (row[i - 1], row[i]), (row[i - 2], row[i - 1], row[i])]])
    nltk = InterpolatedLanguageModel(Repaired, 3, vocabulary=Vocabulary(["x"]), counter=counter)
    return nltk.unmasked_score


def names_of(model: WittenBell) -> dict[int, str]:
    names = {number: symbol for symbol, number in model.vocabulary.items()}
    return names | {BEGIN: "<s>", END: "</s>", UNKNOWN: "<unk>"}


def compared(model: WittenBell, score: Any, events: Events) -> tuple[np.ndarray, np.ndarray]:
    names = names_of(model)
    rows = zip(
        events.symbols.tolist(), events.previous.tolist(), events.before_previous.tolist(), strict=True
    )
    theirs = np.array([score(names[w], (names[u], names[v])) for w, v, u in rows])
    return np.exp2(model.log2_probabilities(events)), theirs


def corpus(seed: int, sentences: int = 60) -> list[list[str]]:
    chance = random.Random(seed)
    return [
        [chance.choice("aaaabbbccdefghij") for _ in range(chance.randint(1, 8))] for _ in range(sentences)
    ]


@pytest.mark.parametrize("unknown_below", [1, 2, 10])
def test_equals_nltk_for_every_trigram(unknown_below: int) -> None:
    sentences = corpus(1)
    model = WittenBell.fit(sentences, unknown_below=unknown_below)
    predictable = [END, UNKNOWN, *model.vocabulary.values()]
    contexts = [BEGIN, UNKNOWN, *model.vocabulary.values()]
    rows = np.array(list(product(predictable, contexts, contexts)))
    ours, theirs = compared(model, nltk_model(sentences, model), Events(*rows.T))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    # Each context's probabilities sum to 1.
    np.testing.assert_allclose(ours.reshape(len(predictable), -1).sum(axis=0), 1, rtol=1e-12)


def test_nltk_without_the_repair_gives_unseen_symbols_nothing() -> None:
    """What the repair is for; if nltk changes this, the model here can go."""
    sentences = [["a", "b"], ["a"]]
    model = WittenBell.fit(sentences)
    assert nltk_model(sentences, model, uniform=False)("<unk>", ("a", "b")) == 0
    assert nltk_model(sentences, model)("<unk>", ("a", "b")) > 0


def test_equals_nltk_on_a_real_treebank(ud_home: Path) -> None:
    folder = ud_home / "universal-dependencies-1.3" / "UD_Tamil"
    rows = []
    for part in ("train", "dev"):
        trees = [s.tree for s in read_conllu(folder / f"ta-ud-{part}.conllu").sentences]
        flat = flatten_trees(trees)
        forms = np.array([form for t in trees for form in t.forms], dtype=object)[attachment_order(flat)]
        rows.append([forms[a:b].tolist() for a, b in zip(flat.offsets, flat.offsets[1:], strict=False)])
    train, dev = rows
    model = WittenBell.fit(train, unknown_below=2)
    events = events_of(dev, model.vocabulary)
    assert len(events.symbols) == sum(map(len, dev)) + len(dev)
    ours, theirs = compared(model, nltk_model(train, model), events)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_events_pad_with_two_begins_and_predict_one_end() -> None:
    events = events_of([["a", "zz"], []], {"a": 3})
    assert events.symbols.tolist() == [3, UNKNOWN, END, END]
    assert events.previous.tolist() == [BEGIN, 3, UNKNOWN, BEGIN]
    assert events.before_previous.tolist() == [BEGIN, BEGIN, 3, BEGIN]


def test_no_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="no sentences"):
        WittenBell.fit([])
