"""Words with what parsers say of them by hand, for tests of doubts."""

from __future__ import annotations

import numpy as np

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.listing import AssessedTreebank, load_all_weights
from learnability.extensions.doubts.words import AssessedWords, voted_proposals
from learnability.parsers.assessed_trees import NONE, OTHERS, RELATIONS, ScoredArcs


def no_other_arcs(words: int) -> bytes:
    """What a graph-based parser records of other arcs if it names none, packed."""
    slots = (words, 1 + OTHERS)
    places = (*slots, RELATIONS)
    return ScoredArcs(
        np.full(slots, NONE, np.int16),
        np.full(slots, -np.inf, np.float16),
        np.full(places, NONE, np.int16),
        np.full(places, -np.inf, np.float16),
        np.zeros(slots, np.float16),
    ).pack()


def assess_by_votes(words: AssessedWords) -> AssessedTreebank:
    """The treebank in which the parsers' votes are proposed, which candidates do not change."""
    voted = voted_proposals(words)
    return AssessedTreebank(words, voted, load_all_weights()[HEAD].probabilities(features(words, voted)))
