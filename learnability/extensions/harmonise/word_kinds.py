"""Tell conventions, slips and unknown texts apart, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from learnability.extensions.harmonise.cross_parses import CrossParses
from learnability.extensions.harmonise.patterns import PairPatterns
from learnability.extensions.harmonise.ranking import share_against
from learnability.extensions.harmonise.words import heads_of

MAJORITY = 0.5


class WordKind(StrEnum):
    """Say what the parsers of all treebanks together make of a word."""

    AGREED = "agreed"
    """Most parsers of the treebank, and most of the others, find its head."""

    CONVENTION = "convention"
    """It shows a convention in which treebanks differ."""

    SLIP = "slip"
    """Parsers of the treebank and of another one find the same other head."""

    HARD = "hard"
    """Parsers of the treebank do not find its head, and do not agree with others on another one."""

    DOMAIN = "domain"
    """Only parsers of other treebanks do not find its head, and no convention explains it."""


def tell_kinds(parses: CrossParses, patterns: Sequence[PairPatterns], treebank: int) -> list[WordKind]:
    """Return the kind of each word of a treebank.

    Args:
        parses: of all treebanks.
        patterns: in which they differ.
        treebank: the number of the treebank.
    """
    conventions = convention_words(patterns, treebank)
    home = share_against(parses, treebank, treebank) > MAJORITY
    foreign = np.mean([share_against(parses, treebank, other) for other in parses.others(treebank)], axis=0)
    same = _agree_on_another(parses, treebank)
    kinds: list[WordKind] = []
    for word, (is_hard, against) in enumerate(zip(home.tolist(), foreign.tolist(), strict=True)):
        if word in conventions:
            kinds.append(WordKind.CONVENTION)
        elif is_hard:
            kinds.append(WordKind.SLIP if same[word] else WordKind.HARD)
        else:
            kinds.append(WordKind.DOMAIN if against > MAJORITY else WordKind.AGREED)
    return kinds


def convention_words(patterns: Sequence[PairPatterns], treebank: int) -> set[int]:
    """Return the words of a treebank that show a convention in which it differs from another one."""
    words: set[int] = set()
    for pair in patterns:
        for pattern in pair.conventions:
            if pair.first == treebank:
                words.update(pattern.first.examples)
            elif pair.second == treebank:
                words.update(pattern.second.examples)
    return words


def _agree_on_another(parses: CrossParses, treebank: int) -> list[bool]:
    """Return whether most parsers of a treebank, and most of another one, find the same other head."""
    heads = heads_of(parses.treebanks[treebank].trees)

    def favourites(source: int) -> list[tuple[int, int]]:
        votes = [heads_of(parsed) for parsed in parses.parses[treebank, source]]
        return [Counter(word).most_common(1)[0] for word in zip(*(v.tolist() for v in votes), strict=True)]

    def rivals(source: int) -> list[int]:
        seeds = len(parses.parses[treebank, source])
        found = zip(favourites(source), heads.tolist(), strict=True)
        return [head if head != old and 2 * votes > seeds else -1 for (head, votes), old in found]

    at_home = rivals(treebank)
    agreed = [False] * len(at_home)
    for other in parses.others(treebank):
        pairs = zip(agreed, at_home, rivals(other), strict=True)
        agreed = [known or (mine == theirs != -1) for known, mine, theirs in pairs]
    return agreed
