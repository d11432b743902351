"""Measure how far two annotations agree, column by column and for whole trees, as annotators report it.

Share, Cohen's kappa (1960) and Krippendorff's alpha for nominal data (2004) follow from how often each pair
of values occurs. The tests compare them with NLTK, which takes minutes for the words of a treebank. Trees are
scored as parses are (`metrics.attachment`), the base as the gold trees.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from learnability.annotation_diffs.changes import ATTRIBUTES, features_of
from learnability.annotation_diffs.matching import SentencePair
from learnability.metrics.attachment import AttachmentScores, Kind

NOMINAL = ("LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL")
"""The columns whose values are categories."""

PairCounts = Counter[tuple[str, str]]
"""How many words have each value of the base with each value of the alternative."""


@dataclass(frozen=True, slots=True)
class ColumnAgreement:
    """Say how far two annotations agree in a column, or in one feature (``FEATS Tense``).

    Attributes:
        words: the words that were compared; of a feature, its absence is a value, too.
        same: those with the same value.
        kappa: Cohen's kappa; nan if both annotations have one value only.
        alpha: Krippendorff's alpha for nominal data; nan if nothing can be compared.
    """

    column: str
    words: int
    same: int
    kappa: float
    alpha: float

    @property
    def share(self) -> float:
        """Return the share of the words with the same value; nan without words."""
        return self.same / self.words if self.words else math.nan


@dataclass(frozen=True)
class Agreement:
    """Say how far two annotations agree in their columns, features, and trees (the base as gold trees)."""

    columns: tuple[ColumnAgreement, ...]
    trees: AttachmentScores


def agreement_of(pairs: Sequence[SentencePair]) -> Agreement:
    """Return how far the versions agree on the words that can be compared, in the sentences of both."""
    counts: dict[str, PairCounts] = {column: Counter() for column in NOMINAL}
    same: dict[str, Counter[str]] = {column: Counter() for column in NOMINAL}  # faster than pairs
    kinds = Counter[tuple[str, str, str, bool]]()
    sentences = 0
    for pair in pairs:
        columns = {column: _align_cells(pair, ATTRIBUTES[column]) for column in NOMINAL}
        for column, (first, second) in columns.items():
            if first and first == second:
                same[column].update(first)
            elif first and second:
                counts[column].update(zip(first, second, strict=True))
        same_heads, relations, tags = _same_heads(pair), columns["DEPREL"], columns["UPOS"]
        if same_heads and all(relations):
            shown = tags[0] if all(tags) else ("",) * len(same_heads)
            kinds.update(zip(*relations, shown, same_heads, strict=True))
            sentences += 1
    for column, values in same.items():
        for value, words in values.items():
            counts[column][value, value] += words
    rows = [column_agreement(column, counts[column]) for column in NOMINAL if counts[column]]
    rows += _of_features(counts["FEATS"])
    counted = Counter({Kind(*kind): words for kind, words in kinds.items()})
    return Agreement(tuple(rows), AttachmentScores(counted, sentences))


def _align_cells(pair: SentencePair, attribute: str) -> tuple[Sequence[str], Sequence[str]]:
    first, second = getattr(pair.base.tree, attribute), getattr(pair.alternative.tree, attribute)
    if not first or not second or pair.alignment.identical:
        return first, second
    words = pair.alignment.words
    return tuple(first[i - 1] for i, _ in words), tuple(second[j - 1] for _, j in words)


def column_agreement(column: str, counts: Mapping[tuple[str, str], int]) -> ColumnAgreement:
    """Return share, kappa and alpha from how often each pair of values occurs.

    With two annotators and no missing values, alpha is 1 - D_o / D_e: D_o is the share of the words with two
    values, D_e the chance that two values drawn from all values of both, without replacement, differ.
    """
    words = sum(counts.values())
    same = sum(count for (first, second), count in counts.items() if first == second)
    first_totals, second_totals = Counter[str](), Counter[str]()
    for (first, second), count in counts.items():
        first_totals[first] += count
        second_totals[second] += count
    kappa = alpha = math.nan
    by_chance = sum(total * second_totals[value] for value, total in first_totals.items())
    if words and by_chance != words * words:
        kappa = (words * same - by_chance) / (words * words - by_chance)
    both = first_totals + second_totals
    pairs = 2 * words * (2 * words - 1)
    differing = pairs - sum(total * (total - 1) for total in both.values())
    if words and differing:
        alpha = 1 - (words - same) / words * pairs / differing
    return ColumnAgreement(column, words, same, kappa, alpha)


def _of_features(cells: Mapping[tuple[str, str], int]) -> Iterator[ColumnAgreement]:
    by_name: dict[str, PairCounts] = {}
    for (first, second), count in cells.items():
        before, after = features_of(first), features_of(second)
        for name in {**before, **after}:
            by_name.setdefault(name, Counter())[before.get(name, ""), after.get(name, "")] += count
    words = sum(cells.values())
    for name in sorted(by_name):
        by_name[name]["", ""] += words - by_name[name].total()
        yield column_agreement(f"FEATS {name}", by_name[name])


def _same_heads(pair: SentencePair) -> list[bool]:
    """Return per word that can be compared whether its head is the same word; empty if a side has no tree."""
    heads, others = pair.base.tree.heads, pair.alternative.tree.heads
    if not heads or not others:
        return []
    alignment = pair.alignment
    if alignment.identical:
        return [True] * len(heads) if heads == others else list(map(int.__eq__, heads, others))
    return [
        alignment.base_units[heads[i - 1]] == alignment.alternative_units[others[j - 1]]
        for i, j in alignment.words
    ]
