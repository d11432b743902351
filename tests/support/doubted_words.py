"""Words with what parsers say of them by hand, for tests of doubts."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from trees import LABELS

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.features import features
from learnability.extensions.doubts.listing import AssessedTreebank
from learnability.extensions.doubts.logistic import load_all_weights
from learnability.extensions.doubts.results import MarginsResult, VotesResult
from learnability.extensions.doubts.words import AssessedWords, voted_proposals
from learnability.parsers.assessed_trees import NONE, OTHERS, RELATIONS, ScoredArcs
from learnability.treebanks.sentence import Sentence, Tree


def no_other_arcs(words: int) -> bytes:
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
    voted = voted_proposals(words)
    return AssessedTreebank(words, voted, load_all_weights()[HEAD].probabilities(features(words, voted)))


def assess_parses(
    sentences: Sequence[Sentence], votes: Sequence[Sequence[Tree]], seed: int = 1
) -> AssessedTreebank:
    draw = Random(seed)
    trees = [sentence.tree for sentence in sentences]
    names = sorted(
        {"root", *LABELS, *(name for each in (trees, *votes) for tree in each for name in tree.deprels)}
    )
    columns = []
    for parses in votes:
        heads = [head for tree in parses for head in tree.heads]
        relations = [names.index(deprel) for tree in parses for deprel in tree.deprels]
        columns.append({"heads": heads, "relations": relations, "names": names})
    words = [(tree, token) for tree in trees for token in range(1, len(tree) + 1)]
    others = [name for name in names if name != "root"]
    margins = MarginsResult(
        **columns[0],  # type: ignore[arg-type]
        arc_margins=[draw.uniform(-9, 9) for _ in words],
        relation_margins=[draw.uniform(-9, 9) for _ in words],
        rivals=[_another_head(draw, *place) for place in words],
        rival_relations=[
            names.index(draw.choice([name for name in others if name != tree.deprels[token - 1]]))
            for tree, token in words
        ],
        others=no_other_arcs(len(words)),
    )
    votes_of = [[VotesResult(**column)] for column in columns]  # type: ignore[arg-type]
    return assess_by_votes(AssessedWords.of(sentences, votes_of, [[margins]]))


def _another_head(draw: Random, tree: Tree, token: int) -> int:
    others = [head for head in range(len(tree) + 1) if head not in (token, tree.heads[token - 1])]
    return draw.choice(others or [0])
