"""How a transition-based parser sees trees that it need not have produced: the cost gap of every arc.

The parser walks along a tree: of the transitions that lose the fewest arcs of the tree
(`oracle.cost`), it takes the one with the highest score. At each choice, some transitions make an arc
unreachable, others keep it. By how much the best of those that keep it exceeds the best of those that lose
it is what the arc is worth there. The margin of an arc is the least such difference: it is negative where the
parser would have lost the arc.

Along the parser's parse, the same differences say less (research/doubts): an error there decides
what is left to choose, and the arcs after it are judged among words that the tree does not have there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from learnability.parsing import transitions
from learnability.parsing.configuration import N
from learnability.parsing.encoding import NO_CHOICE, Corpus
from learnability.parsing.jit import Ints, Scores, njit
from learnability.parsing.parser import Parser
from learnability.parsing.perceptron import CLASSES as LABELS
from learnability.parsing.perceptron import first_of
from learnability.parsing.training import (
    DYNAMIC,
    Trees,
    begin,
    correct,
    look_at_arc,
    observe,
    predict,
    predict_label,
)
from learnability.parsing.transitions import CLASSES, System, TransitionSystem
from learnability.parsing.workspace import Labeller, Model, Workspace, new_workspace


class TransitionMargins(NamedTuple):
    """How a transition-based parser sees trees that it need not have produced, in the order of their tokens.

    Attributes:
        arcs: float32[tokens], the least difference between the best transition that keeps the arc and the
            best that loses it; infinite where the parser never had the choice.
        relations: float32[tokens], by how much the score of the word's label exceeds that of any other where
            the word gets its head; infinite where it gets none, or where there is no other label.
    """

    arcs: Scores
    relations: Scores


def has_margins(system: TransitionSystem) -> bool:
    """Return whether a parser has margins: it chooses between a few transitions whose costs are known."""
    return not system.in_list and not system.unknown_costs


def transition_margins(parser: Parser, corpus: Corpus, heads: Ints, labels: Ints) -> TransitionMargins:
    """Return the margins of the arcs and labels of trees by a labelled parser whose system `has_margins`.

    `heads`, `labels`: int32[rows of the corpus]; -1 stands for a label that the parser does not know, whose
    score is 0.
    """
    options, templates = parser.options, parser.options.templates()
    work = new_workspace(int(corpus.length.max(initial=0)), *templates, len(parser.labels))
    arc, label = (np.full(len(heads), np.inf, np.float32) for _ in range(2))
    labeller = Labeller(templates[1], parser.label_weights, NO_CHOICE)
    model = Model(templates[0], parser.weights, labeller)
    system = options.transition_system.kernels
    margins_along_trees(system, corpus, Trees(heads, labels), model, work, arc, label)
    rows = corpus.rows_of_tokens()
    return TransitionMargins(arc[rows], label[rows])


@njit
def margins_along_trees(
    system: System, corpus: Corpus, trees: Trees, model: Model, work: Workspace, arc: Scores, label: Scores
) -> None:
    """Write the results of :func:`transition_margins` to `arc` and `label` (float32[rows], infinite)."""
    c, gold, labeller = work.configuration, work.gold, model.labeller
    for sentence in range(corpus.length.shape[0]):
        n, base = corpus.length[sentence], corpus.start[sentence]
        begin(trees, sentence, n, transitions.root_position(system, n), base, gold)
        transitions.initial(system, c, n)
        observe(system, -1, model, corpus.attributes, base, work)
        while not transitions.is_final(system, c):
            if transitions.legal(system, c, work.mask) == 1:
                transition = first_of(work.mask)
            else:
                transition = predict(system, model, corpus.attributes, base, work)
                lower_margins(system, base, transition, work, arc)
                transition = correct(system, trees, DYNAMIC, transition, base, work)
            new_label = 0
            head, dependent = transitions.arc(system, c, transition)
            if dependent <= c.at[N]:
                look_at_arc(labeller, corpus.attributes, base, head, dependent, work)
                predicted = predict_label(labeller.learner, work)
                known = gold.label[dependent]
                label[base + dependent] = label_margin(
                    work.label_scores, int(labeller.learner.meta[LABELS]), known
                )
                new_label = 1 + (known if known >= 0 and gold.head[dependent] == head else predicted)
            transitions.apply(system, c, transition, new_label)
            observe(system, transition, model, corpus.attributes, base, work)


@njit
def lower_margins(system: System, base: int, predicted: int, work: Workspace, arc: Scores) -> None:
    """Lower the margins of the arcs that some legal transition (`work.mask`) would lose here."""
    c, gold = work.configuration, work.gold
    n = c.at[N]
    s, b = transitions.words(system, c, predicted)
    for word in (s, b):
        if word <= n + 1:
            start = gold.start[word]
            for i in range(start - 1, gold.start[word + 1]):  # its head first, then its dependents
                head, dependent = (
                    gold.head[word] if i < start else word,
                    word if i < start else gold.dependents[i],
                )
                if 1 <= dependent <= n:
                    arc[base + dependent] = min(
                        arc[base + dependent], margin_here(system, head, dependent, work)
                    )


@njit
def margin_here(system: System, head: int, dependent: int, work: Workspace) -> np.float32:
    """Return by how much the best transition that keeps an arc exceeds the best that loses it.

    It is infinite where no legal transition loses the arc, or none keeps it.
    """
    kept = lost = np.float32(-np.inf)
    for t in range(CLASSES):
        if work.mask[t] == 1:
            if transitions.loses_arc(system, work.configuration, t, head, dependent):
                lost = max(lost, work.scores[t])
            else:
                kept = max(kept, work.scores[t])
    if lost == -np.inf or kept == -np.inf:
        return np.float32(np.inf)
    return np.float32(kept - lost)


@njit
def label_margin(scores: Scores, labels: int, known: int) -> np.float32:
    """Return by how much the score of a label (-1: an unknown one, of score 0) exceeds that of any other."""
    other = np.float32(-np.inf)
    for k in range(labels):
        if k != known:
            other = max(other, scores[k])
    return np.float32((scores[known] if known >= 0 else np.float32(0)) - other)
