"""Greedy parsing, and the repair that makes every output a tree with one root word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from learnability.parsing import systems
from learnability.parsing.configuration import ROOT, Configuration, N
from learnability.parsing.encoding import Corpus
from learnability.parsing.features import Templates
from learnability.parsing.jit import njit
from learnability.parsing.perceptron import Perceptron
from learnability.parsing.systems import System
from learnability.parsing.training import Workspace, only_legal, predict, predict_label


@njit
def parse_sentences(
    system: System,
    corpus: Corpus,
    templates: Templates,
    p: Perceptron,
    labelled: bool,
    label_weights: Perceptron,
    multiple_roots: bool,
    work: Workspace,
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> None:
    """Parse every sentence greedily (Goldberg & Nivre 2013, Algorithm 1).

    Writes heads (0 is the root) and labels + 1 (0: none) to the rows of the corpus, int32[rows].
    """
    c = work.configuration
    for sentence in range(corpus.length.shape[0]):
        n = corpus.length[sentence]
        base = corpus.start[sentence]
        systems.initial(system, c, n)
        while not systems.is_final(system, c):
            choices = systems.legal(system, c, work.mask)
            if choices == 1 and not labelled:
                systems.apply(system, c, only_legal(work.mask), 0)
                continue
            transition = predict(corpus.attributes, base, templates, p, work)
            label = 0
            if labelled:
                _, dependent = systems.arc(system, c, transition)
                if dependent <= n:
                    label = predict_label(transition, label_weights, work) + 1
            systems.apply(system, c, transition, label)
        root_word = single_root(c, multiple_roots)
        for d in range(1, n + 1):
            h = c.head[d]
            heads[base + d] = 0 if h == c.at[ROOT] or d == root_word else h
            labels[base + d] = c.label[d]


@njit
def single_root(c: Configuration, multiple_roots: bool) -> int:
    """Attach what the parser left without a head, and (by default) all root dependents but the first to it.

    The root word is the first dependent of the root, or, if there is none, the first word without a head.
    Words without a head go to the root word. Returns the root word.
    """
    n = c.at[N]
    root = c.at[ROOT]
    absent = n + 2
    root_word = 0
    for d in range(1, n + 1):
        if c.head[d] == root:
            root_word = d
            break
    if root_word == 0:
        for d in range(1, n + 1):
            if c.head[d] == absent:
                root_word = d
                c.head[d] = root
                break
    for d in range(1, n + 1):
        if d != root_word and (c.head[d] == absent or (c.head[d] == root and not multiple_roots)):
            c.head[d] = root_word
    return root_word
