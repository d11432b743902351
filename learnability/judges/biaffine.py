"""The neural graph-based parser as a judge: biaffine scores of arcs and labels (`judges.neural`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from learnability.judges.judge import JudgeKind, Setup, TrainedParser
from learnability.judges.transition import trained
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.graph import Decoder
from learnability.statistics.significance import SEED_RATIO
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class BiaffineJudge:
    """The neural parser as a judge; `projective`: it produces projective trees only."""

    setup: Setup
    projective: bool
    vectors: str = ""
    threads = 1

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser as :class:`Judge` defines it.

        Raises:
            InputError: there is no training sentence, no word has a tag, or the file of vectors has a mistake.
        """
        from learnability.judges.neural.parser import train_biaffine_parser
        from learnability.judges.neural.rows import COLUMNS

        setup = self.setup
        encode = partial(encode_tokens, tags=setup.tags, columns=COLUMNS)
        decoder = Decoder(self.projective, setup.multiple_roots)
        training = train_biaffine_parser(
            trees, dev, encode, decoder, labelled=setup.labelled, iterations=setup.iterations, seed=seed
        )
        return trained(training, encode)


def memory_needed(longest: int) -> int:
    """Return about how many bytes a training takes whose longest sentence has so many words."""
    return BYTES_PER_PAIR * longest**2


BYTES_PER_PAIR = 60


def _make(setup: Setup, options: Mapping[str, str]) -> BiaffineJudge:
    return BiaffineJudge(setup, options["decoder"] == "projective")


KINDS = (
    JudgeKind(
        name="biaffine",
        description="Graph-based neural parser (Dozat & Manning 2017): LSTM layers and biaffine scores.",
        make=_make,
        seconds=(4.0, 5.0),
        options={"decoder": ("projective", "nonprojective")},
        modules=("jax", "optax"),
        extra="neural",
        compiled=True,
        memory=memory_needed,
        seed_ratio=SEED_RATIO,
    ),
)
