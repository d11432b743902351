"""Rank the words of a treebank by how likely its convention for them differs from that of the others.

A word is suspect if the parsers of the treebank itself find its head and those of the others do not, and if
that happens to most words like it: a single error of a parser says little, an error that it makes everywhere
says that it learned something else. Of several other treebanks, the one that contradicts least counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnability.extensions.harmonise.cross_parses import CrossParses
from learnability.extensions.harmonise.words import (
    ROOT_TAG,
    Codes,
    Flags,
    Floats,
    TreebankWords,
    heads_of,
)

PRIOR_WORDS = 5.0
"""How many words the rate of the coarser kind counts for, in the rate of a kind (research/harmonise)."""


def rank_conflicts(parses: CrossParses, treebank: int) -> Floats:
    """Return float64[words], how much each word is suspect; -1 for punctuation.

    Args:
        parses: of all treebanks.
        treebank: the number of the one whose words are ranked.
    """
    words = TreebankWords(parses.treebanks[treebank])
    against: Floats = np.min(
        [share_against(parses, treebank, other) for other in parses.others(treebank)], axis=0
    )
    at_home = 1 - share_against(parses, treebank, treebank)
    scores: Floats = against * at_home * smoothed_rate(number_kinds(kinds_of_words(words)), against)
    return np.where(words.are_punctuation, -1.0, scores)


def share_against(parses: CrossParses, treebank: int, source: int) -> Floats:
    """Return float64[words], the share of the parsers from `source` that find another head than annotated."""
    heads = heads_of(parses.treebanks[treebank].trees)
    votes: list[Flags] = [heads_of(parsed) != heads for parsed in parses.parses[treebank, source]]
    share: Floats = np.mean(votes, axis=0)
    return share


def kinds_of_words(words: TreebankWords) -> list[list[tuple[str, ...]]]:
    """Return the kinds of all words, from coarse to fine: tag and relation, then also the lemma of a function
    word, the tag of the head, and the lemma of a function word as head."""
    heads = words.head_places.tolist()
    head_tags = [words.tags[place] if place >= 0 else ROOT_TAG for place in heads]
    head_lemmas = [words.function_lemmas[place] if place >= 0 else "" for place in heads]
    columns = (words.tags, words.relations, words.function_lemmas, head_tags, head_lemmas)
    return [list(zip(*columns[:most], strict=True)) for most in range(2, len(columns) + 1)]


def tagged_kinds_of_words(words: TreebankWords) -> list[list[tuple[str, ...]]]:
    """Return the kinds of all words that matter for their tags, from coarse to fine: tag, then also lemma."""
    columns = (words.tags, words.lemmas)
    return [list(zip(*columns[:most], strict=True)) for most in range(1, len(columns) + 1)]


def number_kinds(kinds: Sequence[Sequence[tuple[str, ...]]]) -> list[Codes]:
    """Return int64[words] for each level, the number of the kind of each word."""
    levels: list[Codes] = []
    for level in kinds:
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(level))}
        levels.append(np.array([numbers[kind] for kind in level], np.int64))
    return levels


def smoothed_rate(kinds: Sequence[Codes], values: Floats) -> Floats:
    """Return float64[words], the mean of the values over words of the same kind.

    Each kind is a part of one coarser kind; the mean of that one counts as `PRIOR_WORDS` words.

    Args:
        kinds: int64[words] for each level, the number of the kind of each word, from coarse to fine.
        values: float64[words].
    """
    rate = np.full(len(values), values.mean() if len(values) else 0.0)
    for place in kinds:
        words = np.bincount(place)
        coarser = np.bincount(place, weights=rate) / words
        total = np.bincount(place, weights=values)
        rate = ((total + PRIOR_WORDS * coarser) / (words + PRIOR_WORDS))[place]
    return rate
