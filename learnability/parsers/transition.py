"""Use the package's transition-based parsers as parsers: any system with any of its oracles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from learnability.parsers.trainer import EncodingTrainer, ParserKind, Setup, TrainedParser
from learnability.parsing.encoding import Encode, encode_labels, encode_trees
from learnability.parsing.iterations import CorpusParser, P, Training
from learnability.parsing.parser import Parser, train_parser
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.systems import SYSTEMS
from learnability.parsing.templates import FEATURE_SETS, OF_EXPERIMENTS
from learnability.parsing.transition_margins import TransitionMargins, has_margins, transition_margins
from learnability.parsing.transitions import TransitionSystem
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class TransitionTrainer(EncodingTrainer):
    """Represent a transition-based parser of this package as a parser."""

    threads = 1

    @property
    def projective(self) -> bool:
        return self.options.transition_system.projective

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser as :class:`Trainer` defines it; errors are those of `train_parser`."""
        options = replace(self.options, seed=seed)
        training = train_parser(trees, options, dev, encode=self.encode)
        parser = wrap_training(training, self.encode)
        if options.labelled and has_margins(options.transition_system):
            parser = replace(parser, margins=partial(margins_of, training.parser, self.encode))
        return parser


def wrap_training(training: Training[P], encode: Encode) -> TrainedParser:
    """Convert a training of this package's parsers to a parser's, which encodes sentences by `encode`."""
    return TrainedParser(
        partial(parse_encoded, training.parser, encode),
        training.iterations,
        training.seconds,
        training.best_iteration,
        training.dev_uas,
        training.features,
    )


def margins_of(parser: Parser, encode: Encode, trees: Sequence[Tree]) -> TransitionMargins:
    """Return how a parser sees trees, using an encoder that may keep sentences that it has encoded."""
    corpus, heads = encode_trees(trees, encode)
    labels = encode_labels(corpus, [tree.deprels for tree in trees], parser.labels)
    return transition_margins(parser, corpus, heads, labels)


def parse_encoded(parser: CorpusParser, encode: Encode, sentences: Sequence[Tree]) -> Sequence[Tree]:
    return parser.parse_encoded(sentences, encode(sentences))


def _make(system: str, setup: Setup, options: Mapping[str, str]) -> TransitionTrainer:
    parser = ParserOptions(
        system=system,
        oracle=options["oracle"],
        iterations=setup.iterations,
        labelled=setup.labelled,
        features=options["features"],
        tags=setup.tags,
        multiple_roots=setup.multiple_roots,
    )
    return TransitionTrainer(parser, parser.encode)


THOUSAND_TOKENS_PER_SECOND = {"covington": 140, "easy-first": 130}
"""How fast the systems train that are slower than the others, for estimates of time."""


def _kind(system: TransitionSystem) -> ParserKind:
    oracles = (system.default_regime, *(() if system.unknown_costs else ("explore", "ambiguity", "static")))
    # 1,000 tokens for twelve iterations
    seconds = 12 / THOUSAND_TOKENS_PER_SECOND.get(system.name, 450)
    return ParserKind(
        name=system.name,
        description=system.summary,
        make=partial(_make, system.name),
        seconds=(seconds, 2.5 * seconds),
        options={"oracle": oracles, "features": tuple(dict.fromkeys((OF_EXPERIMENTS, *FEATURE_SETS)))},
        compiled=True,
        seed_ratio=SEED_RATIO,
    )


KINDS = tuple(map(_kind, SYSTEMS.values()))
"""A kind of parser for each transition system."""
