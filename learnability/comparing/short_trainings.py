"""Train two annotations briefly on a small sample of the training set, and test on other sentences of it.

They cost a hundredth of a run and are paired: both parsers see the same sentences in the same order and are
tested on the same sentences. They never read the development and test sets, so a run can still be tested on
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import Sets, TreeMemory, columns_of_words
from learnability.comparing.pair import Pair
from learnability.comparing.scoring import work_of
from learnability.metrics.flat import BoolArray, sentence_sums
from learnability.parsing.encoding import Corpus
from learnability.parsing.jit import Ints
from learnability.parsing.parser import Parser, Training, train_parser
from learnability.running.records import Work
from learnability.treebanks.copies import number_groups
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


def sample(groups: Sequence[int], share: float, seed: int) -> Sample:
    """Draw a sample of at most `POOL` sentences, in an order that depends on `seed` only.

    The first `share` of them (at least one) is for training, the rest for testing, but for copies of what is
    trained on. With the same seed, a smaller training sample is part of a larger one.
    """
    order = np.random.default_rng(seed).permutation(len(groups))[:POOL].tolist()
    trained = max(1, round(share * len(order)))
    train = tuple(sorted(order[:trained]))
    seen = {groups[i] for i in train}
    return Sample(train, tuple(sorted(i for i in order[trained:] if groups[i] not in seen)))


@dataclass(frozen=True, eq=False)
class _TrainedSide:
    """A parser trained on a sample in one annotation, and the trees trained and tested on.

    Of the tokens tested on, int32[tokens]: the heads that the parser predicts, and those of the annotation.
    """

    training: Training[Parser]
    train: Sequence[Tree]
    test: Sequence[Tree]
    predicted: Ints
    gold: Ints

    @property
    def right(self) -> BoolArray:
        """Return bool[tokens]: which tokens it has right."""
        right: BoolArray = self.predicted == self.gold
        return right


class ShortResult(Work, frozen=True, kw_only=True):
    """Represent a short training of both annotations, tested on other sentences of the training set.

    Attributes:
        tokens: of each sentence.
        base, alternative: the tokens that each parser has right by its own annotation.
        changed: the tokens with another head in the other annotation.
        test_tokens: the tokens of the treebank's test set.
    """

    tokens: list[int]
    base: list[int]
    alternative: list[int]
    changed: int
    test_tokens: int


def train_short(fold: Fold, pair: Pair[Annotation], share: float, seed: int) -> ShortResult | None:
    """Train on a sample in both annotations, and test each parser on its own; None if the sample has no
    sentence to test on."""
    chosen = sample(number_groups(fold.ud.train), share, seed)
    if not chosen.test:
        return None
    short = fold.make_once(ShortTrainings)
    a = short.base(pair.base, chosen, seed)
    b = short.train_side(pair.alternative, chosen, seed, a)
    lengths = [len(tree) for tree in a.test]
    offsets = np.cumsum([0, *lengths])
    return ShortResult(
        **work_of(b.training, sum(len(fold.ud.train[i]) for i in chosen.train)),
        tokens=lengths,
        base=sentence_sums(a.right, offsets).tolist(),
        alternative=sentence_sums(b.right, offsets).tolist(),
        changed=int((a.gold != b.gold).sum()),
        test_tokens=sum(map(len, fold.ud.test)),
    )


class ShortTrainings:
    """Hold the short trainings of a fold, and what they share: parsers of the original annotation, encoded
    sentences, and the trees of the annotation whose turn it is, because samples share sentences."""

    def __init__(self, fold: Fold) -> None:
        self.fold = fold
        self._base: dict[tuple[Annotation, Sample, int], _TrainedSide] = {}
        self._corpora: dict[tuple[int, ...], Corpus] = {}
        self._encoded = TreeMemory()
        self._turn: Annotation | None = None
        self._trees: dict[int, Tree] = {}

    def base(self, annotation: Annotation, chosen: Sample, seed: int) -> _TrainedSide:
        """Return the parser of an annotation that others are compared with; it is trained once."""
        key = annotation, chosen, seed
        if key not in self._base:
            self._base[key] = self.train_side(annotation, chosen, seed)
        return self._base[key]

    def train_side(
        self, annotation: Annotation, chosen: Sample, seed: int, other: _TrainedSide | None = None
    ) -> _TrainedSide:
        """Return the parser of an annotation: that of the `other`, if both read and learn the same."""
        annotated = (self._annotate_sentences(annotation, part) for part in (chosen.train, chosen.test))
        train, test = self.fold.make_ready(next(annotated)), next(annotated)
        gold = np.array([head for tree in test for head in tree.heads], np.int32)
        if other is not None and _learn_the_same((train, test), (other.train, other.test)):
            return _TrainedSide(other.training, train, test, other.predicted, gold)
        inputs = self.fold.inputs(Sets(train, (), tuple(test)), seed)
        options = replace(self.fold.parser_options, iterations=ITERATIONS, seed=seed)
        training = train_parser(inputs.train, options, encode=partial(self._encode_sentences, chosen.train))
        corpus = self._encode_sentences(chosen.test, inputs.test)
        predicted = training.parser.parse_corpus(corpus)[0][corpus.rows_of_tokens()]
        return _TrainedSide(training, train, test, predicted, gold)

    def _annotate_sentences(self, annotation: Annotation, sentences: Sequence[int]) -> list[Tree]:
        ud, change = self.fold.ud.train, self.fold.change(annotation)
        if annotation.is_ud:
            return [ud[i] for i in sentences]
        if annotation != self._turn:
            self._turn, self._trees = annotation, {}
        for i in sentences:
            if i not in self._trees:
                self._trees[i] = change(ud[i])
        return [self._trees[i] for i in sentences]

    def _encode_sentences(self, sentences: tuple[int, ...], trees: Sequence[Tree]) -> Corpus:
        ud = [self.fold.ud.train[i] for i in sentences]
        if not _have_same_words(trees, ud):
            return self.fold.parser_options.encode(trees)
        if sentences not in self._corpora:  # samples share most sentences
            self._corpora[sentences] = self.fold.encode_once(ud, self._encoded)
        return self._corpora[sentences]


TrainedAndTested = tuple[Sequence[Tree], Sequence[Tree]]


def _learn_the_same(first: TrainedAndTested, second: TrainedAndTested) -> bool:
    """Return whether parsers learn and predict the same: only relations or tested heads may differ."""
    heads = ([tree.heads for tree in train] for train, _ in (first, second))
    return next(heads) == next(heads) and all(map(_have_same_words, first, second))


def _have_same_words(first: Sequence[Tree], second: Sequence[Tree]) -> bool:
    return all(
        a is b or columns_of_words(a) == columns_of_words(b) for a, b in zip(first, second, strict=True)
    )
