"""The iterations of a training: their order of sentences, and when they stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.encoding import Corpus
from learnability.parsing.jit import Ints

MAX_ITERATIONS = 15
PATIENCE = 3
"""Training stops when dev UAS has not improved for so many iterations (docs/rules.md, Training regimes)."""

Learned = TypeVar("Learned")
"""What is learned: a parser, or its weights."""


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


@dataclass(frozen=True)
class Iterated(Generic[Learned]):
    """Finished iterations; `parsing.parser.Training` says what the fields are."""

    kept: Learned
    iterations: int
    best_iteration: int
    dev_uas: list[float]
    seconds: float


def iterate(
    train_once: Callable[[int, NDArray[np.int64]], None],
    learned: Callable[[], Learned],
    heads_of: Callable[[Learned, Corpus], Ints],
    corpus: Corpus,
    dev: tuple[Corpus, Ints] | None,
    iterations: int | None,
    seed: int,
    progress: Progress | None = None,
) -> Iterated[Learned]:
    """Train for `iterations`; with None until dev says to stop (docs/rules.md, Training regimes).

    Sentences are shuffled before every iteration by a generator seeded with `seed`.

    Args:
        train_once: trains with the sentences in an order; its first argument is the iteration, from 1.
        learned: what has been learned so far.
        heads_of: the predicted heads of a corpus, int32[rows].
        corpus: the training sentences.
        dev: sentences and their heads.
    """
    generator = np.random.default_rng(seed)
    most = iterations or MAX_ITERATIONS
    scores: list[float] = []
    kept: Learned | None = None
    best, seconds = 0, 0.0
    for iteration in range(1, most + 1):
        began = time.perf_counter()
        train_once(iteration, generator.permutation(len(corpus.length)).astype(np.int64))
        elapsed = time.perf_counter() - began
        seconds += elapsed
        now: Learned | None = None
        if dev or iteration == most:
            now = learned()
            if dev:
                tokens = dev[0].rows_of_tokens()
                right = (dev[1][tokens] == heads_of(now, dev[0])[tokens]).sum()
                scores.append(100.0 * float(right) / max(len(tokens), 1))
        if progress is not None:
            speed = corpus.tokens() / max(elapsed, 1e-9)
            progress(Iteration(iteration, most, elapsed, speed, scores[-1] if scores else None))
        if not dev or not best or scores[-1] > scores[best - 1]:
            best, kept = iteration, now
        if dev and iterations is None and iteration - best >= PATIENCE:
            break
    assert kept is not None
    return Iterated(kept, iteration, best, scores, seconds)
