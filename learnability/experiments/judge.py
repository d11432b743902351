"""Who judges annotations: a parser, trained on trees and then given sentences to parse.

A judge knows nothing of conditions: it gets training and development trees of one annotation, and later
sentences whose heads and deprels it does not look at. Whatever it answers is scored as trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from learnability.parsing.encoding import Corpus
from learnability.parsing.parser import Parser, ParserOptions, train_parser
from learnability.treebanks.sentence import Tree

Encode = Callable[[Sequence[Tree]], Corpus]
"""Gives sentences as the kernels read them."""


@dataclass(frozen=True)
class TrainedParser:
    """A parser that has learned one annotation, and how its training went.

    Attributes:
        parse: the sentences with predicted trees; their own heads and deprels are not looked at.
        iterations: how many were run.
        seconds: wall time of the training.
        best_iteration: the one that is used; 0 where unknown.
        dev_uas: percent, per iteration; empty where unknown.
        features: features with weights; None where unknown.
    """

    parse: Callable[[Sequence[Tree]], Sequence[Tree]]
    iterations: int
    seconds: float
    best_iteration: int = 0
    dev_uas: list[float] = field(default_factory=list)
    features: int | None = None


class Judge(Protocol):
    """A kind of parser with its options."""

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """A parser trained on `trees`; `dev` tells when to stop."""


@dataclass(frozen=True)
class TransitionJudge:
    """Our own parsers as a judge; the seed of `options` is replaced by that of each training."""

    options: ParserOptions
    encode: Encode

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """See :class:`Judge`; the trees are projective where the system asks for it.

        Raises:
            InputError: as `parsing.parser.train_parser`.
        """
        training = train_parser(trees, replace(self.options, seed=seed), dev, encode=self.encode)
        return TrainedParser(
            partial(parse_encoded, training.parser, self.encode),
            training.iterations,
            training.seconds,
            training.best_iteration,
            training.dev_uas,
            training.features,
        )


def parse_encoded(parser: Parser, encode: Encode, sentences: Sequence[Tree]) -> Sequence[Tree]:
    """`Parser.parse`, by an encoding that knows sentences which come again."""
    corpus = encode(sentences)
    return parser.trees_of(sentences, corpus, *parser.parse_corpus(corpus))
