"""Use the neural graph-based parser in comparisons: biaffine scores of arcs and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from learnability.extensions.biaffine.iterations import usual_iterations
from learnability.parsers.trainer import ParserKind, Setup, TrainedParser
from learnability.parsers.transition import wrap_training
from learnability.parsing.encoding import encode_tokens
from learnability.parsing.graph import Decoder
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class BiaffineTrainer:
    """Hold the neural parser as a parser.

    Attributes:
        setup: the settings that all parsers of a run share.
        projective: whether it produces projective trees only.
        vectors: the file of word vectors; empty without one.
    """

    setup: Setup
    projective: bool
    vectors: str = ""
    threads = 1

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser as :class:`Trainer` defines it.

        Raises:
            InputError: there is no training sentence, no word has a tag, or the vectors have a mistake.
        """
        from learnability.extensions.biaffine.parser import train_biaffine_parser
        from learnability.extensions.biaffine.rows import COLUMNS
        from learnability.extensions.biaffine.word_vectors import read_vectors

        setup = self.setup
        encode = partial(encode_tokens, tags=setup.tags, columns=COLUMNS)
        decoder = Decoder(self.projective, setup.multiple_roots)
        training = train_biaffine_parser(
            trees,
            dev,
            encode,
            decoder,
            labelled=setup.labelled,
            iterations=setup.iterations,
            seed=seed,
            vectors=read_vectors(self.vectors) if self.vectors else None,
        )
        return wrap_training(training, encode)


BYTES_PER_PAIR = 400
"""Memory that a training takes for each pair of positions of its longest row; measured with 900 words."""


def memory_needed(longest: int) -> int:
    """Return about how many bytes a training takes, by the number of words of its longest sentence."""
    return BYTES_PER_PAIR * (1 << longest.bit_length()) ** 2  # a row is a power of two wide


def _make(setup: Setup, options: Mapping[str, str]) -> BiaffineTrainer:
    return BiaffineTrainer(setup, options["decoder"] == "projective", options["vectors"])


def _digest(path: str) -> str:
    from learnability.extensions.biaffine.word_vectors import vectors_digest

    return vectors_digest(path)


def _coverage(options: Mapping[str, str], forms: Sequence[str]) -> str:
    """Return how many tokens have a word vector, in words; empty without a file of vectors.

    Raises:
        InputError: the file or a vector of these forms has a mistake.
    """
    if not options["vectors"]:
        return ""
    from learnability.extensions.biaffine.word_vectors import form_number, read_vectors

    vectors = read_vectors(options["vectors"])
    counts = Counter(forms)
    numbers = np.array([form_number(form) for form in counts], np.uint64)
    vectors.of(numbers)  # a mistake in a vector ends the run before its first training
    covered = int(vectors.covers(numbers) @ np.array(list(counts.values())))
    return (
        f"{Path(vectors.path).name} holds {count_noun(vectors.words, 'word vector')} of "
        f"{count_noun(vectors.dimensions, 'dimension')}; they cover {100 * covered / max(len(forms), 1):.1f} "
        "% of the tokens"
    )


BIAFFINE = ParserKind(
    name="biaffine",
    description="Graph-based neural parser (Dozat & Manning 2017): LSTM layers and biaffine scores.",
    make=_make,
    seconds=(3.0, 3.3),
    usual_iterations=usual_iterations,
    options={"decoder": ("projective", "nonprojective")},
    modules=("jax", "optax"),
    extra="neural",
    compiled=True,
    seed_ratio=2.0,  # research/kinds_of_parsers: 2.2, standard error 1.4
    memory=memory_needed,
    files={"vectors": _digest},
    remark=_coverage,
)
