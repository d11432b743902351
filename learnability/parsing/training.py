"""Training: the regimes of the papers as one kernel, for every system and every kind of supervision.

static     follows the static oracle (Goldberg & Nivre 2012, Algorithm 2)
ambiguity  follows the prediction if it is correct, else a random correct transition (2012, Algorithm 3,
           CHOOSE_NEXT_AMB)
explore    from iteration k + 1 follows the prediction with probability p even if it is wrong, else the best
           correct transition (Goldberg & Nivre 2013, Algorithm 3; in the 2012 paper p is the probability of
           *not* exploring)
dynamic    follows the prediction if it is correct, else the best correct transition (Wisniewski, Lacroix &
           Yvon 2018, Algorithm 1; with one reference, or several)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import transitions
from learnability.parsing.arrays import Keys
from learnability.parsing.configuration import N
from learnability.parsing.decisions import (
    choose,
    correct,
    kind_of,
    learn,
    observe,
    predict,
    recall,
    rows_per_sentence,
    rows_per_update,
)
from learnability.parsing.encoding import Corpus
from learnability.parsing.jit import njit
from learnability.parsing.perceptron import STEP
from learnability.parsing.supervision import begin, commit, learn_label
from learnability.parsing.transitions import System
from learnability.parsing.workspace import RESUME, Model, Workspace, has_room


@njit
def train_sentences(
    system: System, supervision: Any, regime: int, exploration: float, order: NDArray[np.int64], first: int,
    corpus: Corpus, model: Model, work: Workspace,
) -> int:  # fmt: skip
    """Train on the sentences order[first], order[first + 1], ... while the learners have room.

    `exploration` is the probability to follow a wrong prediction; 0 but for explore. Returns the index in
    `order` of the first sentence not finished; called again with it, goes on where it stopped, be it in the
    middle of a sentence.
    """
    c = work.configuration
    for position in range(first, order.shape[0]):
        sentence = order[position]
        n, base = corpus.length[sentence], corpus.start[sentence]
        if work.progress[RESUME] == 0:
            if not has_room(model, rows_per_sentence(system, n)):
                return position
            root = transitions.root_position(system, n)
            begin(supervision, sentence, n, root, base, work.gold)
            transitions.initial(system, c, n)
            observe(system, -1, model, corpus.attributes, base, work)
        work.progress[RESUME] = 0
        while not transitions.is_final(system, c):
            if not has_room(model, rows_per_update(system)):
                work.progress[RESUME] = 1
                return position
            step(system, supervision, regime, exploration, corpus.attributes, base, model, work)
    return int(order.shape[0])


@njit
def step(
    system: System, supervision: Any, regime: int, exploration: float, attributes: Keys,
    base: int, model: Model, work: Workspace,
) -> None:  # fmt: skip
    """Predict, update if wrong, choose the next transition and take it."""
    c = work.configuration
    choices = transitions.legal(system, c, work.mask)
    exploring = False
    if choices == 1 and not model.labelled:
        chosen = int(np.argmax(work.mask))
    else:
        predicted = predict(system, model, attributes, base, work)
        wanted = predicted
        if choices > 1:
            wanted = correct(system, supervision, regime, predicted, base, work)
            model.learner.perceptron.meta[STEP] += 1
        learnt = False
        if wanted != predicted:
            learnt = learn(system, wanted, predicted, model.learner, work)
        chosen, exploring = choose(system, regime, exploration, predicted, wanted, learnt, work)
        if chosen < 0:
            return
    commit(supervision, system, c, base, chosen)
    label = 0
    if model.labelled:
        head, dependent = transitions.arc(system, c, chosen)
        if dependent <= c.at[N]:
            recall(system, chosen, work)
            label = 1 + learn_label(
                supervision, base, head, dependent, kind_of(system, chosen), exploring, model.labeller, work
            )
    transitions.apply(system, c, chosen, label)
    observe(system, chosen, model, attributes, base, work)
