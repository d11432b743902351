"""Who judges annotations: a parser, trained on trees and then given sentences to parse.

A judge knows nothing of conditions: it gets training and development trees of one annotation, and later
sentences whose heads and deprels it does not look at. Whatever it answers is scored as trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from learnability.parsing.encoding import Corpus
from learnability.parsing.parser import ParserOptions, Training, train_parser
from learnability.treebanks.sentence import Tree


class TrainedParser(Protocol):
    """A parser that has learned one annotation, and how its training went."""

    @property
    def training(self) -> Training:
        """How it went; see `parsing.parser.Training`."""

    def parse(self, sentences: Sequence[Tree]) -> Sequence[Tree]:
        """The sentences with predicted trees; their own heads and deprels are not looked at."""


class Judge(Protocol):
    """A kind of parser with its options."""

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """A parser trained on `trees`; `dev` tells when to stop."""


@dataclass(frozen=True)
class TransitionParser:
    """One of our own parsers, trained; `encode` gives the sentences as the kernels read them."""

    training: Training
    encode: Callable[[Sequence[Tree]], Corpus]

    def parse(self, sentences: Sequence[Tree]) -> Sequence[Tree]:
        """See :class:`TrainedParser`."""
        corpus, parser = self.encode(sentences), self.training.parser
        return parser.trees_of(sentences, corpus, *parser.parse_corpus(corpus))


@dataclass(frozen=True)
class TransitionJudge:
    """Our own parsers as a judge; the seed of `options` is replaced by that of each training."""

    options: ParserOptions
    encode: Callable[[Sequence[Tree]], Corpus]

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TransitionParser:
        """See :class:`Judge`; the trees are projective where the system asks for it."""
        options = replace(self.options, seed=seed)
        training = train_parser(trees, options, dev, encode=self.encode)
        return TransitionParser(training, self.encode)
