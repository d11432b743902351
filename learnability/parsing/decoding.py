"""Parse greedily, and repair every output so that it is a tree with one root word."""

from __future__ import annotations

from learnability.parsing import transitions
from learnability.parsing.configuration import ROOT, KernelConfiguration, N
from learnability.parsing.encoding import Corpus
from learnability.parsing.jit import Ints, Keys, dispatch_kernel, njit
from learnability.parsing.perceptron import best_of, first_of
from learnability.parsing.training import look_at_arc, observe, predict, predict_label
from learnability.parsing.transitions import System
from learnability.parsing.workspace import Labeller, Model, Workspace


@njit
def parse_sentences(
    system: System, corpus: Corpus, model: Model, multiple_roots: bool, work: Workspace,
    heads: Ints, labels: Ints,
) -> None:  # fmt: skip
    """Parse every sentence greedily (Goldberg & Nivre 2013, Algorithm 1).

    `heads`, `labels`: int32[rows], receive each token's head (0: the root) and label number + 1 (0: no
    label).
    """
    c = work.configuration
    for sentence in range(corpus.length.shape[0]):
        n, base = corpus.length[sentence], corpus.start[sentence]
        transitions.initial(system, c, n)
        observe(system, -1, model, corpus.attributes, base, work)
        while not transitions.is_final(system, c):
            if transitions.legal(system, c, work.mask) == 1:
                transition = first_of(work.mask)
            else:
                transition = predict(system, model, corpus.attributes, base, work)
            label = predict_label_of(model.labeller, system, transition, corpus.attributes, base, work)
            transitions.apply(system, c, transition, label)
            observe(system, transition, model, corpus.attributes, base, work)
        for d in range(1, n + 1):
            heads[base + d] = c.head[d]
        root_word = single_root(c, multiple_roots)
        for d in range(1, n + 1):
            h = c.head[d]
            if h != heads[base + d]:
                predict_root_label(model.labeller, corpus.attributes, base, d, work)
            heads[base + d] = 0 if h == c.at[ROOT] or d == root_word else h
            labels[base + d] = c.label[d]


@dispatch_kernel
def predict_label_of(
    labeller: Labeller, system: System, transition: int, attributes: Keys, base: int, work: Workspace
) -> int:
    """Return the best label of the arc that a transition is about to add: its number + 1 (0: no arc)."""
    c = work.configuration
    head, dependent = transitions.arc(system, c, transition)
    if dependent > c.at[N]:
        return 0
    return int(1 + best_label(labeller, attributes, base, head, dependent, work))


@dispatch_kernel
def predict_root_label(
    labeller: Labeller, attributes: Keys, base: int, dependent: int, work: Workspace
) -> None:
    """Label a word anew that got its head in the repair, where root words have several labels."""
    c = work.configuration
    if labeller.root_labels.shape[0] > 0:
        c.label[dependent] = 1 + best_label(labeller, attributes, base, c.head[dependent], dependent, work)


@njit
def best_label(
    labeller: Labeller, attributes: Keys, base: int, head: int, dependent: int, work: Workspace
) -> int:
    """Return the best label of an arc; for a root word, of the labels of root words if these are several."""
    look_at_arc(labeller, attributes, base, head, dependent, work)
    best = predict_label(labeller.learner, work)
    if labeller.root_labels.shape[0] > 0 and head == work.configuration.at[ROOT]:
        best = best_of(work.label_scores, labeller.root_labels)
    return int(best)


@njit
def first_dependent(c: KernelConfiguration, head: int) -> int:
    """Return the first word whose head is `head`; 0 without one."""
    for d in range(1, c.at[N] + 1):
        if c.head[d] == head:
            return d
    return 0


@njit
def single_root(c: KernelConfiguration, multiple_roots: bool) -> int:
    """Attach every word to the tree, under one root word by default, and return that root word.

    It is the first dependent of the root or, where the root has none, the first word without a head.
    """
    n, root = c.at[N], c.at[ROOT]
    absent = n + 2
    root_word = first_dependent(c, root)
    if root_word == 0:
        root_word = first_dependent(c, absent)
        c.head[root_word] = root
    for d in range(1, n + 1):
        if d != root_word and (c.head[d] == absent or (c.head[d] == root and not multiple_roots)):
            c.head[d] = root_word
    return int(root_word)
