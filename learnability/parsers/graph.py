"""Use the package's graph-based parser as a parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learnability.parsers.trainer import ParserKind, Setup, TrainedParser
from learnability.parsers.transition import wrap_training
from learnability.parsing.graph import Decoder, encoder, train_graph_parser
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class GraphTrainer:
    """Hold the graph-based parser as a parser; `projective`: it produces projective trees only."""

    setup: Setup
    projective: bool
    threads = 1

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser as :class:`Trainer` defines it; InputError without a sentence, or without tags."""
        setup = self.setup
        encode = encoder(labelled=setup.labelled, tags=setup.tags)
        decoder = Decoder(self.projective, setup.multiple_roots)
        training = train_graph_parser(
            trees, dev, encode, decoder, labelled=setup.labelled, iterations=setup.iterations, seed=seed
        )
        return wrap_training(training, encode)


def _make(setup: Setup, options: Mapping[str, str]) -> GraphTrainer:
    return GraphTrainer(setup, options["decoder"] == "projective")


KINDS = (
    ParserKind(
        name="graph",
        description="First-order graph-based parser (McDonald et al. 2005), an averaged perceptron.",
        make=_make,
        seconds=(0.1, 0.15),
        options={"decoder": ("projective", "nonprojective")},
        compiled=True,
        seed_ratio=SEED_RATIO,
    ),
)
