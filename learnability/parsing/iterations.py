"""What our trained parsers share, and the iterations of their training: their order, and when they stop."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus
from learnability.parsing.jit import Ints
from learnability.treebanks.sentence import Tree

MAX_ITERATIONS = 15
PATIENCE = 3
"""Training stops when dev UAS has not improved for so many iterations (docs/rules.md, Training regimes)."""


class CorpusParser(ABC):
    """A trained parser; `labels` are the names of its labels, none if it is unlabelled."""

    labels: tuple[str, ...]

    @abstractmethod
    def parse_corpus(self, corpus: Corpus) -> tuple[Ints, Ints]:
        """Heads (0 is the root) and label numbers + 1 (0: none) of every row, int32[rows]."""

    def parse_encoded(self, sentences: Sequence[Tree], corpus: Corpus) -> list[Tree]:
        """The sentences, encoded as `corpus`, with predicted trees.

        `root` is the label of the arcs from the root and of no others, as the official validator wants it;
        `dep` stands in for it, and for none.
        """
        heads, labels = self.parse_corpus(corpus)
        names = ("dep", *("dep" if name == "root" else name for name in self.labels))
        parsed = []
        for tree, start, n in zip(sentences, corpus.start, corpus.length, strict=True):
            own = slice(start + 1, start + 1 + n)
            arcs = list(zip(heads[own].tolist(), labels[own].tolist(), strict=True))
            deprels = [names[label] if head else "root" for head, label in arcs]
            parsed.append(tree.with_heads([head for head, _ in arcs], deprels))
        return parsed


P = TypeVar("P", bound=CorpusParser)


@dataclass(frozen=True)
class Iteration:
    """One finished iteration of a training, for whoever wants to know how far it is.

    Attributes:
        number: from 1.
        most: how many there will be at most.
        seconds: wall time in the kernels.
        tokens_per_second: speed of training.
        dev_uas: percent; None without dev.
    """

    number: int
    most: int
    seconds: float
    tokens_per_second: float
    dev_uas: float | None = None


Progress = Callable[[Iteration], None]


@dataclass
class Training(Generic[P]):
    """A finished training.

    Attributes:
        parser: with the averaged weights of the best iteration on dev (without dev: of the last).
        iterations: how many were run.
        best_iteration: the one whose weights were kept, from 1.
        dev_uas: percent, per iteration; empty without dev.
        seconds: wall time spent in the kernels.
        features: features with weights.
        forced: configurations that easy-first left without a correct prediction.
    """

    parser: P
    iterations: int
    best_iteration: int
    dev_uas: list[float] = field(default_factory=list)
    seconds: float = 0.0
    features: int = 0
    forced: int = 0


def iterate(
    train_once: Callable[[int, NDArray[np.int64]], None],
    learned: Callable[[], P],
    corpus: Corpus,
    dev: tuple[Corpus, Ints] | None,
    iterations: int | None,
    seed: int,
    progress: Progress | None = None,
) -> Training[P]:
    """Train for `iterations`; with None until dev says to stop (docs/rules.md, Training regimes).

    Sentences are shuffled before every iteration by a generator seeded with `seed`.

    Args:
        train_once: trains with the sentences in an order; its first argument is the iteration, from 1.
        learned: what has been learned so far.
        corpus: the training sentences.
        dev: sentences and their heads.
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
        now: P | None = None
        if dev or iteration == most:
            now = learned()
            if dev:
                tokens = dev[0].rows_of_tokens()
                right = (dev[1][tokens] == now.parse_corpus(dev[0])[0][tokens]).sum()
                scores.append(100.0 * float(right) / max(len(tokens), 1))
        if progress is not None:
            speed = corpus.tokens() / max(elapsed, 1e-9)
            progress(Iteration(iteration, most, elapsed, speed, scores[-1] if scores else None))
        if not dev or not best or scores[-1] > scores[best - 1]:
            best, kept = iteration, now
        if dev and iterations is None and iteration - best >= PATIENCE:
            break
    assert kept is not None
    return Training(kept, iteration, best, scores, seconds)
