"""Define the base class of trained parsers, the iterations of a training, and when they stop."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus, Labels
from learnability.parsing.jit import Ints
from learnability.treebanks.sentence import Tree

MAX_ITERATIONS = 15
PATIENCE = 3
"""Training stops when UAS on the development set has not improved for this many iterations (docs/rules.md,
Training regimes)."""


class CorpusParser(ABC):
    """Represent a trained parser."""

    labels: tuple[str, ...]
    root_labels: tuple[str, ...]

    @abstractmethod
    def parse_corpus(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Return the head (0: the root) and label number + 1 (0: none) of every row, int32[rows] each.

        Where root words have several labels, a root word has one of them.

        Args:
            corpus: encoded sentences.
        """

    def parse_encoded(self, sentences: Sequence[Tree], corpus: Corpus) -> list[Tree]:
        """Parse sentences that `corpus` holds in encoded form.

        Root words have a label of root words; in UD this is `root`, which no other word has. The deprel `dep`
        replaces a predicted `root` elsewhere, and a missing label.

        Args:
            sentences: the sentences; their heads and deprels are ignored.
            corpus: the same sentences, encoded.

        Returns:
            The sentences with predicted heads and deprels.
        """
        heads, labels = self.parse_corpus(corpus)
        named = Labels(self.labels, self.root_labels)
        parsed = []
        for tree, start, n in zip(sentences, corpus.start, corpus.length, strict=True):
            rows = slice(start + 1, start + 1 + n)
            found = heads[rows].tolist()
            parsed.append(tree.with_heads(found, named.deprels(found, labels[rows].tolist())))
        return parsed


def _uas(parser: CorpusParser, corpus: Corpus, gold: Ints) -> float:
    tokens = corpus.rows_of_tokens()
    predicted, _ = parser.parse_corpus(corpus)
    right = (gold[tokens] == predicted[tokens]).sum()
    return 100.0 * float(right) / max(len(tokens), 1)


P = TypeVar("P", bound=CorpusParser)


@dataclass(frozen=True)
class Iteration:
    """Describe one finished iteration of a training, as a progress callback receives it.

    Attributes:
        number: from 1.
        most: the largest number of iterations that the training may make.
        seconds: wall time in the kernels.
        tokens_per_second: speed of training.
        dev_uas: percent; None without a development set.
    """

    number: int
    most: int
    seconds: float
    tokens_per_second: float
    dev_uas: float | None = None


Progress = Callable[[Iteration], None]


@dataclass
class Training(Generic[P]):
    """Represent a finished training.

    Attributes:
        parser: the parser with the averaged weights of the best iteration on the development set, or of the
            last iteration without such a set.
        iterations: the number of iterations that were run.
        best_iteration: the iteration whose weights were kept, from 1.
        dev_uas: UAS on the development set in percent, per iteration; empty without one.
        seconds: wall time spent in the kernels.
        features: the number of features with weights.
    """

    parser: P
    iterations: int
    best_iteration: int
    dev_uas: list[float] = field(default_factory=list)
    seconds: float = 0.0
    features: int = 0


def iterate(
    train_once: Callable[[int, NDArray[np.int64]], None],
    learned: Callable[[], P],
    corpus: Corpus,
    dev: tuple[Corpus, Ints] | None,
    iterations: int | None,
    seed: int,
    progress: Progress | None = None,
) -> Training[P]:
    """Train for `iterations`; with None, at most `MAX_ITERATIONS`, until the development set says to stop.

    See docs/rules.md, Training regimes. A generator seeded with `seed` shuffles the sentences before every
    iteration. `train_once` trains on the sentences in the given order (int64); its first argument is the
    iteration, from 1. `dev`: encoded sentences, and their gold heads (int32[rows]).
    """
    generator = np.random.default_rng(seed)
    most = iterations or MAX_ITERATIONS
    scores: list[float] = []
    kept: P | None = None
    best, seconds = 0, 0.0
    for iteration in range(1, most + 1):
        began = time.perf_counter()
        train_once(iteration, generator.permutation(len(corpus.length)).astype(np.int64))
        elapsed = time.perf_counter() - began
        seconds += elapsed
        current: P | None = None
        if dev or iteration == most:
            current = learned()
            if dev:
                scores.append(_uas(current, *dev))
        if progress is not None:
            speed = corpus.tokens() / max(elapsed, 1e-9)
            progress(Iteration(iteration, most, elapsed, speed, scores[-1] if scores else None))
        if not dev or not best or scores[-1] > scores[best - 1]:
            best, kept = iteration, current
        if dev and iterations is None and iteration - best >= PATIENCE:
            break
    assert kept is not None
    return Training(kept, iteration, best, scores, seconds)
