"""Use the package's log-linear parser as a parser: its training has one optimum, whatever the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from learnability.errors import InputError
from learnability.parsers.trainer import Margins, ParserKind, Probabilities, Setup, TrainedParser
from learnability.parsers.transition import parse_encoded
from learnability.parsing.arc_parts import ArcFeatures, arc_features
from learnability.parsing.encoding import Corpus, Encode, encode_labels, encode_trees, tags_seen
from learnability.parsing.graph import Decoder, GraphParser, encoder
from learnability.parsing.graph_marginals import arc_margins
from learnability.parsing.iterations import Training
from learnability.parsing.loglinear import LoglinearOptions, train_loglinear_parsers
from learnability.parsing.loglinear_probabilities import arc_probabilities, label_probabilities
from learnability.treebanks.sentence import Tree


@dataclass
class KeptFeatures:
    """Keep the features of the latest sentences, which annotations share.

    Attributes:
        words: forms and tags of the sentences.
        corpus: the sentences, encoded.
        features: those of their arcs.
    """

    words: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    corpus: Corpus | None = None
    features: ArcFeatures | None = None

    def of(self, trees: Sequence[Tree], encode: Encode, tags: str) -> tuple[Corpus, ArcFeatures]:
        """Return the encoded sentences and the features of their arcs."""
        words = tuple((tree.forms, tags_seen(tree, tags)) for tree in trees)
        if self.corpus is None or self.features is None or words != self.words:
            self.words, self.corpus = words, encode(trees)
            self.features = arc_features(self.corpus)
        return self.corpus, self.features


@dataclass(frozen=True)
class LoglinearTrainer:
    """Hold the log-linear parser as a parser; `projective`: it produces projective trees only."""

    setup: Setup
    projective: bool
    kept: KeptFeatures = field(default_factory=KeptFeatures, compare=False)
    threads = 1

    @property
    def encode(self) -> Encode:
        """Return what encodes sentences."""
        return encoder(labelled=self.setup.labelled, tags=self.setup.tags)

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser as :class:`Trainer` defines it; it needs no development trees.

        Raises:
            InputError: there is no training sentence, or no word has a tag.
        """
        return self.train_together([trees], seed)[0]

    def train_together(self, annotations: Sequence[Sequence[Tree]], seed: int) -> list[TrainedParser]:
        """Train a parser for each annotation of the same sentences, all in the same passes.

        Each is the parser that :meth:`train` returns.

        Raises:
            InputError: there is no training sentence, or no word has a tag.
        """
        setup = self.setup
        if not annotations[0]:
            raise InputError("there are no training sentences; pass at least one")
        corpus, features = self.kept.of(annotations[0], self.encode, setup.tags)
        decoder = Decoder(self.projective, setup.multiple_roots)
        options = LoglinearOptions(decoder, setup.labelled, setup.iterations, seed)
        trainings = train_loglinear_parsers(annotations, corpus, features, options)
        return [wrap_loglinear(training, self.encode) for training in trainings]


def wrap_loglinear(training: Training[GraphParser], encode: Encode) -> TrainedParser:
    """Convert a training to a parser's, with its margins and probabilities."""
    parser = training.parser
    trained = TrainedParser(
        partial(parse_encoded, parser, encode),
        training.iterations,
        training.seconds,
        training.best_iteration,
        features=training.features,
    )
    if parser.label_weights is None:
        return trained
    return replace(
        trained,
        margins=partial(margins_of, parser, encode),
        probabilities=partial(probabilities_of, parser, encode),
    )


def margins_of(parser: GraphParser, encode: Encode, trees: Sequence[Tree]) -> Margins:
    """Return by how much the parser prefers the arcs and relations of trees to all others."""
    corpus, heads = encode_trees(trees, encode)
    labels = encode_labels(corpus, [tree.deprels for tree in trees], parser.labels)[corpus.rows_of_tokens()]
    arcs = arc_margins(parser, corpus, heads).margin
    return Margins(arcs, parser.label_margins(corpus, heads, labels).margin)


def probabilities_of(parser: GraphParser, encode: Encode, trees: Sequence[Tree]) -> Probabilities:
    """Return how probable the heads of trees are, and their relations given the heads."""
    corpus, heads = encode_trees(trees, encode)
    labels = encode_labels(corpus, [tree.deprels for tree in trees], parser.labels)[corpus.rows_of_tokens()]
    return Probabilities(
        arc_probabilities(parser, corpus, heads), label_probabilities(parser, corpus, heads, labels)
    )


BYTES_PER_PAIR = 1200
"""Memory that a training takes for each pair of words of its longest sentence; measured with 700 and 1,200
words and 17 tags."""


def memory_needed(longest: int) -> int:
    """Return about how many bytes a training takes whose longest sentence has this many words."""
    return BYTES_PER_PAIR * longest**2


def _make(setup: Setup, options: Mapping[str, str]) -> LoglinearTrainer:
    return LoglinearTrainer(setup, options["decoder"] == "projective")


KINDS = (
    ParserKind(
        name="loglinear",
        description="Log-linear model of heads with first-order features; its training has one optimum.",
        make=_make,
        seconds=(0.4, 2.5),
        options={"decoder": ("projective", "nonprojective")},
        compiled=True,
        memory=memory_needed,
        seed_ratio=0.0,
    ),
)
