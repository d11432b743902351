"""A training between its iterations: what stays, when it stops, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing import easy_first_training, systems, training
from learnability.parsing.easy_first import EasyFirst
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.perceptron import ROWS, Perceptron, average_into
from learnability.parsing.projectivity import is_projective

MAX_ITERATIONS = 15
PATIENCE = 3
"""Training stops when dev UAS has not improved for so many iterations (design section 7)."""


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


def correct_heads(corpus: Corpus, gold: NDArray[np.int32], predicted: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[sentences]: the number of tokens with the right head; the heads are int32[rows]."""
    right = np.concatenate([[0], np.cumsum(gold == predicted)])
    first = corpus.start + 1
    return np.asarray(right[first + corpus.length] - right[first], np.int64)


def check_columns(corpus: Corpus, templates: Templates) -> None:
    """Raise InputError if the corpus lacks attributes that the templates read."""
    needed = int(templates.static_column.max(initial=0)) + 1
    if corpus.attributes.shape[1] < needed:
        raise InputError(
            f"the features need {needed} attributes of each token, the encoded sentences have "
            f"{corpus.attributes.shape[1]}; encode them with ParserOptions.encode"
        )


def check_projective(corpus: Corpus, heads: NDArray[np.int32], system: str) -> None:
    """Raise InputError if a tree is not projective: the static oracle of a projective system needs it."""
    for i, (start, n) in enumerate(zip(corpus.start.tolist(), corpus.length.tolist(), strict=True)):
        if not is_projective(heads[start + 1 : start + 1 + n].tolist()):
            raise InputError(
                f"training sentence {i + 1} is not projective: {system} has no static derivation of "
                "it; lift or drop non-projective trees, or choose another oracle"
            )


def averaged(learner: training.Learner) -> Perceptron:
    """The averaged weights of a learner, without what only training needs."""
    p = learner.perceptron
    weight = np.zeros((int(p.meta[ROWS]), p.weight.shape[1]), np.float32)
    average_into(p, weight)
    return Perceptron(p.slots.copy(), weight, np.zeros((0, p.weight.shape[1])), p.meta.copy())


def run_iterations(
    train: Callable[[int], None],
    evaluate: Callable[[], float] | None,
    keep: Callable[[], None],
    iterations: int | None,
    report: Callable[[int, float | None], None],
) -> tuple[int, int, list[float]]:
    """Train until dev tells to stop; the rule of every setting (design section 7).

    `train(i)` makes iteration i (from 1), `evaluate()` gives dev UAS, `keep()` remembers the current
    averaged weights, `report(i, dev UAS)` is told of every iteration. Returns the number of iterations, the
    one kept last, and the dev scores.
    """
    scores: list[float] = []
    best = 0
    for i in range(1, (iterations or MAX_ITERATIONS) + 1):
        train(i)
        if evaluate is None:
            best = i
            report(i, None)
            continue
        scores.append(evaluate())
        report(i, scores[-1])
        if best == 0 or scores[-1] > scores[best - 1]:
            best = i
            keep()
        if iterations is None and i - best >= PATIENCE:
            break
    if evaluate is None:
        keep()
    return i, best, scores


class Trainer:
    """The state of a training between iterations.

    `corpus`, `heads`, `labels`: as for `train_on_arrays`; `classes`: number of labels.
    """

    def __init__(
        self,
        corpus: Corpus,
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        classes: int,
        options: ParserOptions,
    ) -> None:
        self.templates = options.templates()
        check_columns(corpus, self.templates)
        self.system, self.regime = systems.system_number(options.system), options.regime()
        if self.regime == training.STATIC and systems.is_projective_system(options.system):
            check_projective(corpus, heads, options.system)
        self.corpus, self.heads, self.labels, self.labelled = corpus, heads, labels, options.labelled
        self.learner = training.new_learner(systems.TRANSITIONS)
        self.labeller = training.new_learner(classes) if options.labelled else training.new_learner(1, 16)
        longest = int(corpus.length.max(initial=0))
        self.work = training.new_workspace(longest, self.templates, classes, options.seed)
        self.points = easy_first_training.new_points(longest, self.templates)
        self.room = self.templates.terms.shape[0]
        if isinstance(self.system, EasyFirst):
            self.room *= 2  # it stops between two updates, the others between two sentences
        else:
            self.room *= systems.most_transitions(self.system, longest)

    def iterate(self, order: NDArray[np.int64], exploration: float) -> None:
        """Train on the sentences in this order; `exploration`: probability to follow a wrong prediction."""
        done = 0
        while done < len(order):
            self.learner = training.with_room(self.learner, self.room)
            if self.labelled:
                self.labeller = training.with_room(self.labeller, self.room)
            if isinstance(self.system, EasyFirst):
                exploring = exploration if self.regime == training.EXPLORE else 0.0
                done = easy_first_training.train_sentences(
                    exploring, order, done, self.corpus, self.heads, self.labels, self.labelled,
                    self.templates, self.learner, self.labeller, self.points, self.work,
                )  # fmt: skip
            else:
                done = training.train_sentences(
                    self.system, self.regime, exploration, order, done, self.corpus, self.heads,
                    self.labels, self.labelled, self.templates, self.learner, self.labeller, self.work,
                )  # fmt: skip
