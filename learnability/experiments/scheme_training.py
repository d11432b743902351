"""One parser trained and tested under one scheme, on all or some of the training sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.experiments.data import Fold, transformed
from learnability.experiments.labelled import per_sentence, right_arcs
from learnability.metrics import find_nuclei, nucleus_scores
from learnability.multiref.references import LabelOption
from learnability.parsing.encoding import UNLABELLED, Corpus, encode_heads, encode_labels
from learnability.parsing.parser import Parser, ParserOptions, Training, train_on
from learnability.parsing.supervision import Trees
from learnability.parsing.trainer import correct_heads
from learnability.transforms import Transformation
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True, eq=False)
class SchemeTraining:
    """A parser trained on a scheme's trees, and its scores against the scheme's own test trees.

    Attributes:
        training: the parser, and how it was trained.
        train_tokens: the tokens trained on.
        correct, tokens: int64[test sentences], tokens with the right head, and all; punctuation included.
        las_correct: int64[test sentences], those with the right label, too; None if unlabelled.
        nuclei_correct, nuclei: int64[test sentences], against the nuclei of UD (meaningless with `cc`).
        predicted: int32[rows of the test corpus], the heads.
        right: bool[test tokens], whether the head is right.
        las_right: bool[test tokens], whether head and label are; None if unlabelled.
        parsed: the test trees as parsed, if the parser is labelled.
    """

    training: Training
    train_tokens: int
    correct: NDArray[np.int64]
    tokens: NDArray[np.int64]
    las_correct: NDArray[np.int64] | None
    nuclei_correct: NDArray[np.int64]
    nuclei: NDArray[np.int64]
    predicted: NDArray[np.int32]
    right: NDArray[np.bool_]
    las_right: NDArray[np.bool_] | None
    parsed: Sequence[Tree]

    @property
    def uas(self) -> float:
        """Own-reference UAS in percent."""
        return 100.0 * int(self.correct.sum()) / int(self.tokens.sum())

    @property
    def las(self) -> float | None:
        """Own-reference LAS in percent; None if unlabelled."""
        if self.las_correct is None:
            return None
        return 100.0 * int(self.las_correct.sum()) / int(self.tokens.sum())

    @property
    def nucleus_uas(self) -> float:
        """Nucleus UAS in percent."""
        return 100.0 * int(self.nuclei_correct.sum()) / int(self.nuclei.sum())

    def record(self) -> dict[str, Any]:
        """What records.jsonl keeps of every such training."""
        labelled = {} if self.las_correct is None else {"las_correct": self.las_correct.tolist()}
        return {
            "iterations": self.training.iterations,
            "correct": self.correct.tolist(),
            "tokens": self.tokens.tolist(),
            **labelled,
            "nucleus_correct": int(self.nuclei_correct.sum()),
            "nuclei": int(self.nuclei.sum()),
            "kernel_seconds": round(self.training.seconds, 4),
            "trained_tokens": self.train_tokens * self.training.iterations,
        }


def train_scheme(
    fold: Fold,
    transformation: Transformation | None,
    options: ParserOptions,
    seed: int,
    sentences: Sequence[int] | None = None,
    labels: LabelOption | None = None,
) -> SchemeTraining:
    """Train on the fold's trees with every site transformed (None: as they are), test likewise.

    `options`: the parser's; its seed is replaced. `sentences`: indices of the training sentences to use,
    all where None. `labels`: how transformed trees are labelled, for a labelled parser (rule 2.8).
    """
    train = fold.train_ready if sentences is None else tuple(fold.train_ready[i] for i in sentences)
    chosen = replace(options, seed=seed)
    corpus = fold.train_corpus if sentences is None else chosen.encode(train)
    parts = [train, fold.dev, fold.test]
    if transformation is not None:
        parts = [tuple(transformed(tree, transformation, labels) for tree in part) for part in parts]
    return train_on_parts(fold, corpus, parts, chosen)


def train_on_parts(
    fold: Fold, corpus: Corpus, parts: Sequence[Sequence[Tree]], options: ParserOptions
) -> SchemeTraining:
    """Train on the first of the `parts`, stop by dev UAS on the second, test on the third.

    `corpus`: the sentences of the first; those of the others are the fold's.
    """
    train, dev, test = parts
    names = sorted({name for tree in train for name in tree.deprels}) if options.labelled else []
    labels = encode_labels(corpus, [tree.deprels for tree in train], names) if names else UNLABELLED
    training = train_on(
        corpus,
        Trees(encode_trees(corpus, train), labels),
        names,
        options,
        (fold.dev_corpus, encode_trees(fold.dev_corpus, dev)),
    )
    predicted, parsed = parse_test(training.parser, fold)
    gold = encode_trees(fold.test_corpus, test)
    own = fold.test_corpus.rows_of_tokens()
    nuclei = nucleus_scores(find_nuclei(fold.test), predicted[own])
    las_right = right_arcs(test, parsed) if options.labelled else None
    return SchemeTraining(
        training=training,
        train_tokens=corpus.tokens(),
        correct=correct_heads(fold.test_corpus, gold, predicted),
        tokens=fold.test_corpus.length.astype(np.int64),
        las_correct=None if las_right is None else per_sentence(las_right, fold.test_corpus.length),
        nuclei_correct=nuclei.correct,
        nuclei=nuclei.total,
        predicted=predicted,
        right=np.asarray((predicted == gold)[own], np.bool_),
        las_right=las_right,
        parsed=parsed,
    )


def parse_test(parser: Parser, fold: Fold) -> tuple[NDArray[np.int32], Sequence[Tree]]:
    """The heads predicted for the test part, int32[rows]; and the trees, if the parser is labelled."""
    predicted, labels = parser.parse_corpus(fold.test_corpus)
    labelled = parser.options.labelled
    return predicted, parser.trees_of(fold.test, fold.test_corpus, predicted, labels) if labelled else ()


def encode_trees(corpus: Corpus, trees: Sequence[Tree]) -> NDArray[np.int32]:
    """int32[rows of the corpus]: the heads of its sentences in `trees`."""
    return encode_heads(corpus, [tree.heads for tree in trees])


def score(record: Mapping[str, Any], counts: str = "correct") -> float:
    """Own-reference UAS (`counts` is ``correct``) or LAS (``las_correct``) of a training, in percent."""
    return 100.0 * int(sum(record[counts])) / int(sum(record["tokens"]))


def mean_score(records: Sequence[Mapping[str, Any]], counts: str = "correct") -> float:
    """Mean over seeds of :func:`score`."""
    return sum(score(record, counts) for record in records) / len(records)


def mean_nucleus_uas(records: Sequence[Mapping[str, Any]]) -> float:
    """Mean over seeds of nucleus UAS, in percent."""
    scores = [100.0 * int(record["nucleus_correct"]) / int(record["nuclei"]) for record in records]
    return sum(scores) / len(scores)
