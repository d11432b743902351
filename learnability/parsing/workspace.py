"""Hold the model, and the scratch arrays that training and parsing share between sentences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.parsing.bundles import bundle
from learnability.parsing.configuration import KernelConfiguration, new_configuration
from learnability.parsing.features import Templates, mix
from learnability.parsing.jit import Flags, Ints, Keys, Scores, dispatch_kernel, njit
from learnability.parsing.oracle import Gold, new_gold
from learnability.parsing.perceptron import Perceptron, has_room
from learnability.parsing.transitions import CLASSES
from learnability.parsing.vectors import aligned_zeros, pad_row

RESUME, STAYED = range(2)
"""Entries of `Workspace.progress`: 1 in the middle of a sentence; number of updates in this configuration."""


@bundle
class Labeller(NamedTuple):
    """Hold the feature templates of the labels, and their perceptron.

    `root_labels` is uint8[labels], 1 for the labels of root words; empty if these have a single label.
    """

    templates: Templates
    learner: Perceptron
    root_labels: Flags


@bundle
class Model(NamedTuple):
    """Hold what predicts transitions, and what predicts labels.

    `labeller` is a `Labeller`, or `Unlabelled`: then kernels are compiled without those of labels.
    """

    templates: Templates
    learner: Perceptron
    labeller: Any


@bundle
class Workspace(NamedTuple):
    """Scratch arrays of one worker; nothing is allocated inside a sentence.

    Attributes:
        configuration: the current configuration.
        gold: the gold tree of the current sentence.
        addresses, atoms: for `features.fill_keys`.
        keys, rows, scores: uint64[f], int32[f], float32[4], of the current configuration.
        label_keys, label_rows, label_scores: uint64[g], int32[g], float32[as a row of their weights], of the
            current arc.
        mask, cost: uint8[4], int32[4], of the transitions.
        pair_keys, pair_scores: uint64[n + 2, f], float32[n + 2, 4], for easy-first: of each pair of
            neighbours, by the position of the left word.
        progress: int64[2], see the constants above.
        random: uint64[1], the state of the generator.
    """

    configuration: KernelConfiguration
    gold: Gold
    addresses: Ints
    atoms: Keys
    keys: Keys
    rows: Ints
    scores: Scores
    label_keys: Keys
    label_rows: Ints
    label_scores: Scores
    mask: Flags
    cost: Ints
    pair_keys: Keys
    pair_scores: Scores
    progress: NDArray[np.int64]
    random: Keys


def new_workspace(
    longest: int, templates: Templates, label_templates: Templates, labels: int, seed: int = 0
) -> Workspace:
    """Allocate scratch space for sentences of up to `longest` tokens."""
    features, of_labels = len(templates.terms), len(label_templates.terms)
    return Workspace(
        configuration=new_configuration(longest),
        gold=new_gold(longest),
        addresses=np.zeros(32, np.int32),
        atoms=np.zeros(max(len(templates.salt), len(label_templates.salt)), np.uint64),
        keys=np.zeros(features, np.uint64),
        rows=np.zeros(features, np.int32),
        scores=np.zeros(pad_row(CLASSES), np.float32),
        label_keys=np.zeros(of_labels, np.uint64),
        label_rows=np.zeros(of_labels, np.int32),
        label_scores=aligned_zeros(1, pad_row(labels))[0],
        mask=np.zeros(CLASSES, np.uint8),
        cost=np.zeros(CLASSES, np.int32),
        pair_keys=np.zeros((longest + 2, features), np.uint64),
        pair_scores=np.zeros((longest + 2, CLASSES), np.float32),
        progress=np.zeros(2, np.int64),
        random=np.array([seed], np.uint64),
    )


@njit
def has_room_for(model: Model, rows: int) -> bool:
    """Return whether `rows` more rows per template fit into the perceptrons."""
    if not has_room(model.learner, rows * model.templates.terms.shape[0]):
        return False
    return has_room_for_labels(model.labeller, rows)


@dispatch_kernel
def has_room_for_labels(labeller: Labeller, rows: int) -> bool:
    return bool(has_room(labeller.learner, rows * labeller.templates.terms.shape[0]))


@njit
def next_random(state: Keys) -> float:
    """Return a number in [0, 1) and advance the generator (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
