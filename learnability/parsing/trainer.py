"""A training between its iterations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.errors import InputError
from learnability.parsing.arrays import Ints
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.perceptron import new_learner, with_room
from learnability.parsing.projectivity import is_projective
from learnability.parsing.systems import system_named
from learnability.parsing.training import EXPLORE, STATIC, rows_per_sentence, train_sentences
from learnability.parsing.transitions import CLASSES
from learnability.parsing.workspace import Model, new_workspace

MAX_ITERATIONS = 15
PATIENCE = 3
"""Training stops when dev UAS has not improved for so many iterations (docs/rules.md, Training regimes)."""


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


def check_columns(corpus: Corpus, templates: Templates) -> None:
    """Raise InputError if the corpus lacks attributes that the templates read."""
    needed = int(templates.static_column.max(initial=0)) + 1
    if corpus.attributes.shape[1] < needed:
        raise InputError(
            f"the features need {needed} attributes of each token, the encoded sentences have "
            f"{corpus.attributes.shape[1]}; encode them with ParserOptions.encode"
        )


def check_projective(corpus: Corpus, heads: Ints, system: str) -> None:
    """Raise InputError if a tree is not projective: the static oracle of a projective system needs it."""
    for i, (start, n) in enumerate(zip(corpus.start.tolist(), corpus.length.tolist(), strict=True)):
        if not is_projective(heads[start + 1 : start + 1 + n].tolist()):
            raise InputError(
                f"training sentence {i + 1} is not projective: {system} has no static derivation of "
                "it; lift or drop non-projective trees, or choose another oracle"
            )


class Trainer:
    """The model of a training between iterations; `labels`: how many there are."""

    def __init__(self, corpus: Corpus, supervision: Any, labels: int, options: ParserOptions) -> None:
        templates = options.templates()
        check_columns(corpus, templates)
        self.corpus, self.supervision = corpus, supervision
        system = system_named(options.system)
        self.system, self.regime = system.kernels, options.regime()
        if self.regime == STATIC and system.projective:
            check_projective(corpus, supervision.heads, options.system)
        labeller = new_learner(labels) if options.labelled else new_learner(1, 16)
        self.model = Model(templates, new_learner(CLASSES), labeller, options.labelled)
        longest = int(corpus.length.max(initial=0))
        self.work = new_workspace(longest, templates, labels, options.seed)
        self.room = rows_per_sentence(self.system, longest) * len(templates.terms)

    def iterate(self, order: NDArray[np.int64], exploration: float) -> None:
        """Train on the sentences in this order; `exploration`: probability to follow a wrong prediction."""
        done = 0
        while done < len(order):
            templates, learner, labeller, labelled = self.model
            labeller = with_room(labeller, self.room) if labelled else labeller
            self.model = Model(templates, with_room(learner, self.room), labeller, labelled)
            done = train_sentences(
                self.system, self.supervision, self.regime, exploration if self.regime == EXPLORE else 0.0,
                order, done, self.corpus, self.model, self.work,
            )  # fmt: skip
