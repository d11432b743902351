"""Rank what could stand in place of each annotated arc: the first and the second proposal.

A log-linear model chooses among the `candidates` of a word: the conditional logit of McFadden (1974). Its
weights are fitted on what later releases corrected, and on injected errors (research/doubts).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from learnability.extensions.doubts.candidates import Candidates, places_in_groups
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.words import AssessedWords, Codes, Floats, Proposals

WEIGHTS = "proposal_weights.json"
"""The file of the weights that come with the package."""


@cache
def load_proposal_weights() -> LogisticModel:
    """Return the weights of candidates that come with the package (research/doubts)."""
    data = files("learnability.extensions.doubts") / WEIGHTS
    return msgspec.json.decode(data.read_bytes(), type=LogisticModel)


def rank_proposals(words: AssessedWords, voted: Proposals, model: LogisticModel) -> Proposals:
    """Return the two best candidates of each word.

    Args:
        words: the treebank.
        voted: what the votes propose, for words without candidates.
        model: the weights of candidates.
    """
    candidates = Candidates.of(words, np.ones(len(words.heads), bool))
    first, second = rank_candidates(candidates, model)
    heads, relations, share = voted.heads.copy(), voted.relations.copy(), voted.share.copy()
    second_heads, second_relations = voted.second_heads.copy(), voted.second_relations.copy()
    word = candidates.word[first]
    heads[word], relations[word] = candidates.heads[first], candidates.relations[first]
    share[word] = candidates.shares[first]
    word = candidates.word[second]
    second_heads[word], second_relations[word] = candidates.heads[second], candidates.relations[second]
    return Proposals(heads, relations, share, second_heads, second_relations)


def rank_candidates(candidates: Candidates, model: LogisticModel) -> tuple[Codes, Codes]:
    """Return the indices of the first candidates, one of each word, and of the second ones.

    The second one differs from the first in more than a subtype, so some words have none. Of equals it is
    the first by head, then by relation.

    Args:
        candidates: those of some words.
        model: their weights.
    """
    order = np.lexsort((-score_candidates(candidates, model), candidates.word))
    first = order[places_in_groups(candidates.word[order]) == 0]
    best = np.repeat(first, np.bincount(candidates.word)[candidates.word[first]])[np.argsort(order)]
    differs = (candidates.heads != candidates.heads[best]) | (
        candidates.universals != candidates.universals[best]
    )
    others = order[differs[order]]
    return first, others[places_in_groups(candidates.word[others]) == 0]


def score_candidates(candidates: Candidates, model: LogisticModel) -> Floats:
    """Return float64[candidates], the scores of candidates, which are compared within a word."""
    total = np.zeros(len(candidates.word))
    for name, column in candidates.features():  # one after the other: all at once would need much memory
        total += model.weights[name] * np.asarray(column, np.float64)
    return total
