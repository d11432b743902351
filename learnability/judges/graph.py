"""Our own graph-based parser as a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from learnability.judges.judge import JudgeKind, Setup, TrainedParser
from learnability.metrics.significance import SEED_RATIO
from learnability.parsing.encoding import Corpus, encode_heads, encode_tokens
from learnability.parsing.graph import Decoder, GraphParser, train_graph_parser
from learnability.parsing.perceptron import features_of
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class GraphJudge:
    """The graph-based parser as a judge; `projective`: it finds projective trees only."""

    setup: Setup
    projective: bool
    threads = 1

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """See :class:`Judge`.

        Raises:
            InputError: no training sentences, or none of their words has tags.
        """
        corpus, encoded_dev = self._encode(trees), self._encode(dev)
        run = train_graph_parser(
            trees,
            corpus,
            Decoder(self.projective, self.setup.multiple_roots),
            (encoded_dev, encode_heads(encoded_dev, [tree.heads for tree in dev])) if dev else None,
            labelled=self.setup.labelled,
            iterations=self.setup.iterations,
            seed=seed,
        )
        return TrainedParser(
            partial(self._parse, run.kept),
            run.iterations,
            run.seconds,
            run.best_iteration,
            run.dev_uas,
            features_of(run.kept.weights),
        )

    def _parse(self, parser: GraphParser, sentences: Sequence[Tree]) -> Sequence[Tree]:
        return parser.parse(sentences, self._encode(sentences))

    def _encode(self, trees: Sequence[Tree]) -> Corpus:
        return encode_tokens(trees, tags=self.setup.tags)


def _make(setup: Setup, options: Mapping[str, str]) -> GraphJudge:
    return GraphJudge(setup, options["decoder"] == "projective")


KIND = JudgeKind(
    name="graph",
    description="First-order graph-based parser (McDonald et al. 2005), an averaged perceptron.",
    make=_make,
    seconds=(0.1, 0.15),
    options={"decoder": ("projective", "nonprojective")},
    compiled=True,
    seed_ratio=SEED_RATIO,
)
