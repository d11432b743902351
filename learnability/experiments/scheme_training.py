"""One parser trained and tested under one scheme, on all or some of the training sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.data import Fold
from learnability.metrics import find_nuclei, nucleus_scores
from learnability.parsing.encoding import UNLABELLED, encode_heads
from learnability.parsing.parser import ParserOptions, correct_heads, train_on_arrays
from learnability.transforms import Transformation
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True, eq=False)
class SchemeTraining:
    """The scores of a parser trained on a scheme's trees, against the scheme's own test trees.

    Attributes:
        correct, tokens: int64[test sentences], tokens with the right head, and all; punctuation included.
        nuclei_correct, nuclei: int64[test sentences], against the nuclei of UD (meaningless with `cc`).
        predicted: int32[rows of the test corpus], the heads.
        train_tokens: the tokens trained on.
        iterations, seconds: how long it was trained (kernels only).
    """

    correct: NDArray[np.int64]
    tokens: NDArray[np.int64]
    nuclei_correct: NDArray[np.int64]
    nuclei: NDArray[np.int64]
    predicted: NDArray[np.int32]
    train_tokens: int
    iterations: int
    seconds: float

    @property
    def uas(self) -> float:
        """Own-reference UAS in percent."""
        return 100.0 * int(self.correct.sum()) / int(self.tokens.sum())

    @property
    def nucleus_uas(self) -> float:
        """Nucleus UAS in percent."""
        return 100.0 * int(self.nuclei_correct.sum()) / int(self.nuclei.sum())

    def record(self) -> dict[str, Any]:
        """What records.jsonl keeps, under the names that it has for settings (a) and (b)."""
        return {
            "iterations": self.iterations,
            "correct": self.correct.tolist(),
            "tokens": self.tokens.tolist(),
            "nucleus_correct": int(self.nuclei_correct.sum()),
            "nuclei": int(self.nuclei.sum()),
            "kernel_seconds": round(self.seconds, 4),
            "trained_tokens": self.train_tokens * self.iterations,
        }


def train_scheme(
    fold: Fold,
    transformation: Transformation | None,
    options: ParserOptions,
    seed: int,
    sentences: Sequence[int] | None = None,
) -> SchemeTraining:
    """Train on the fold's trees with every site transformed (None: as they are), test likewise.

    `options`: the parser's; its seed is replaced. `sentences`: indices of the training sentences to use,
    all where None.
    """
    heads_of = _heads_of(transformation)
    trees = fold.train_ready if sentences is None else tuple(fold.train_ready[i] for i in sentences)
    chosen = replace(options, seed=seed)
    corpus = fold.train_corpus if sentences is None else chosen.encode(trees)
    trained = train_on_arrays(
        corpus,
        encode_heads(corpus, [heads_of(tree) for tree in trees]),
        UNLABELLED,
        [],
        chosen,
        (fold.dev_corpus, encode_heads(fold.dev_corpus, [heads_of(tree) for tree in fold.dev])),
    )
    predicted, _ = trained.parser.parse_corpus(fold.test_corpus)
    gold = encode_heads(fold.test_corpus, [heads_of(tree) for tree in fold.test])
    nuclei = nucleus_scores(find_nuclei(fold.test), predicted[fold.test_corpus.rows_of_tokens()])
    return SchemeTraining(
        correct=correct_heads(fold.test_corpus, gold, predicted),
        tokens=fold.test_corpus.length.astype(np.int64),
        nuclei_correct=nuclei.correct,
        nuclei=nuclei.total,
        predicted=predicted,
        train_tokens=corpus.tokens(),
        iterations=trained.iterations,
        seconds=trained.seconds,
    )


def uas(record: Mapping[str, Any]) -> float:
    """Own-reference UAS of a training's record, in percent."""
    return 100.0 * int(sum(record["correct"])) / int(sum(record["tokens"]))


def mean_uas(records: Sequence[Mapping[str, Any]]) -> float:
    """Mean over seeds of :func:`uas`."""
    return sum(map(uas, records)) / len(records)


def mean_nucleus_uas(records: Sequence[Mapping[str, Any]]) -> float:
    """Mean over seeds of nucleus UAS, in percent."""
    scores = [100.0 * int(record["nucleus_correct"]) / int(record["nuclei"]) for record in records]
    return sum(scores) / len(scores)


def _heads_of(transformation: Transformation | None) -> Callable[[Tree], tuple[int, ...]]:
    """The heads of a tree under the scheme."""
    if transformation is None:
        return lambda tree: tree.heads

    def heads(tree: Tree) -> tuple[int, ...]:
        plan = transformation.plan(tree)
        return plan.heads([site.token for site in plan.sites])

    return heads
