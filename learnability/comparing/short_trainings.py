"""Short trainings: two annotations of a small sample of the training part, tested on other sentences of it.

They cost a hundredth of a run and are paired: both parsers see the same sentences in the same order and are
tested on the same sentences. Nothing of dev and test is looked at, so that a run can still be judged by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnability.comparing.annotation import Annotation, Condition
from learnability.comparing.fold import Fold
from learnability.comparing.results import Pair
from learnability.comparing.trainings import work_of
from learnability.metrics.flat import BoolArray, flatten_trees, sentence_sums
from learnability.parsing.encoding import Corpus, encode_heads
from learnability.parsing.parser import Parser, Training, train_parser
from learnability.treebanks.sentence import Tree

POOL = 1000
"""The most sentences that a sample is drawn of."""

ITERATIONS = 8
"""How long a short training takes: dev, which says when to stop, is larger than most samples."""


@dataclass(frozen=True)
class Sample:
    """Ascending indices of training sentences: those that are trained on, and those that are tested on."""

    train: tuple[int, ...]
    test: tuple[int, ...]


def sample(sentences: int, share: float, seed: int) -> Sample:
    """At most `POOL` of so many sentences in an order drawn by `seed`: the first `share` of them (at least
    one) to train on, and the rest to test on. Of one seed the smaller sample is within the larger."""
    order = np.random.default_rng(seed).permutation(sentences)[:POOL]
    trained = max(1, round(share * len(order)))
    return Sample(*(tuple(sorted(part.tolist())) for part in (order[:trained], order[trained:])))


@dataclass(frozen=True, eq=False)
class _Side:
    """A parser trained on a sample in one annotation, the trees trained and tested on, and bool[tokens]:
    which tokens it has right."""

    training: Training[Parser]
    trees: Sequence[Tree]
    gold: Sequence[Tree]
    right: BoolArray


def train_pair(fold: Fold, condition: Condition, share: float, seed: int) -> Pair | None:
    """Train on a sample in both annotations, and test each parser on its own; None where the sample has no
    sentence to test on."""
    chosen = sample(len(fold.ud.train), share, seed)
    if not chosen.test:
        return None
    key = ("short", condition.original, share, seed)
    a = fold.once(key, lambda: _train(fold, condition.original, chosen, seed))
    b = _train(fold, condition.transformed, chosen, seed, a)
    lengths = [len(tree) for tree in a.gold]
    offsets = np.cumsum([0, *lengths])
    return Pair(
        **work_of(b.training, sum(len(fold.ud.train[i]) for i in chosen.train)),
        tokens=lengths,
        original=sentence_sums(a.right, offsets).tolist(),
        transformed=sentence_sums(b.right, offsets).tolist(),
        changed=int((flatten_trees(a.gold).heads != flatten_trees(b.gold).heads).sum()),
        test_tokens=sum(map(len, fold.ud.test)),
    )


def _changed(fold: Fold, annotation: Annotation, sentences: Sequence[int]) -> list[Tree]:
    """These training sentences in the annotation. Samples share sentences, so those of one other than UD are
    kept until another's turn."""
    if annotation.is_ud:
        return [fold.ud.train[i] for i in sentences]
    kept: dict[Annotation, dict[int, Tree]] = fold.once("changed trees", dict)
    if annotation not in kept:
        kept.clear()
    change, known = fold.change(annotation), kept.setdefault(annotation, {})
    return [known.setdefault(i, known.get(i) or change(fold.ud.train[i])) for i in sentences]


def _train(
    fold: Fold, annotation: Annotation, chosen: Sample, seed: int, other: _Side | None = None
) -> _Side:
    """The parser of an annotation: that of the `other`, if all trees are the same."""
    options = replace(fold.parser, iterations=ITERATIONS, seed=seed)
    train, test = (_changed(fold, annotation, part) for part in (chosen.train, chosen.test))
    if other is not None and _heads((*train, *test)) == _heads((*other.trees, *other.gold)):
        return other

    def encoded(sentences: tuple[int, ...], trees: Sequence[Tree]) -> Corpus:
        return fold.once(("words", sentences), lambda: options.encode(trees))

    training = train_parser(train, options, encode=partial(encoded, chosen.train))
    corpus = encoded(chosen.test, test)
    heads, gold = training.parser.parse_corpus(corpus)[0], encode_heads(corpus, [t.heads for t in test])
    return _Side(training, train, test, (heads == gold)[corpus.rows_of_tokens()])


def _heads(trees: Sequence[Tree]) -> list[tuple[int, ...]]:
    return [tree.heads for tree in trees]
