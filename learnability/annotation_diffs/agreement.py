"""Measure how far two annotations agree, column by column and for whole trees, as annotators report it.

Share, Cohen's kappa (1960) and Krippendorff's alpha for nominal data (2004) follow from how often each pair
of values occurs. The tests compare them with NLTK, which takes minutes for the words of a treebank. Trees are
scored as parses are (`metrics.attachment`), the base as the gold trees.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from learnability.annotation_diffs.changes import ATTRIBUTES, features_of
from learnability.annotation_diffs.matching import SentencePair
from learnability.metrics.attachment import AttachmentScores, Kind
from learnability.treebanks.labels import universal

NOMINAL = ("LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL")
"""The columns whose values are categories."""

LENGTHS = ((1, 10), (11, 20), (21, 40), (41, 10**9))
"""The lengths of sentences, from and to, that have a row of their own."""

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


@dataclass(slots=True)
class PartAgreement:
    """Count how far two annotations agree in a part of the text.

    Attributes:
        by: how the text is divided: ``length``, ``relation``, ``document``.
        part: the part.
        words: its words that were compared.
        upos: of these, the ones with the same UPOS tag.
        in_trees: of its words those in sentences of which both annotations have trees.
        heads, labelled: of the words in trees, the ones with the same head, with the same head and relation
            (subtypes aside).
    """

    by: str
    part: str
    words: int = 0
    upos: int = 0
    in_trees: int = 0
    heads: int = 0
    labelled: int = 0

    def add(self, words: int, upos: int, in_trees: int, heads: int, labelled: int) -> None:
        """Add the counts of further words."""
        self.words += words
        self.upos += upos
        self.in_trees += in_trees
        self.heads += heads
        self.labelled += labelled


@dataclass(frozen=True)
class Agreement:
    """Say how far two annotations agree.

    Attributes:
        columns: the columns, and each feature.
        trees: UAS, LAS and CLAS of the alternative against the base; over no words if one has no trees.
        parts: by sentence length, relation of the base, and document.
    """

    columns: tuple[ColumnAgreement, ...]
    trees: AttachmentScores
    parts: tuple[PartAgreement, ...]


def agreement_of(pairs: Sequence[SentencePair]) -> Agreement:
    """Return how far the versions agree on the words that can be compared, in the sentences of both."""
    counts: dict[str, PairCounts] = {column: Counter() for column in NOMINAL}
    same: dict[str, Counter[str]] = {column: Counter() for column in NOMINAL}  # faster than pairs
    parts = _Parts()
    for pair in pairs:
        columns = {column: _align_cells(pair, ATTRIBUTES[column]) for column in NOMINAL}
        for column, (first, second) in columns.items():
            if first and first == second:
                same[column].update(first)
            elif first and second:
                counts[column].update(zip(first, second, strict=True))
        parts.add(pair, columns)
    for column, values in same.items():
        for value, words in values.items():
            counts[column][value, value] += words
    rows = [column_agreement(column, counts[column]) for column in NOMINAL if counts[column]]
    rows += _of_features(counts["FEATS"])
    return Agreement(tuple(rows), parts.scores(), tuple(parts.rows()))


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


@dataclass
class _Parts:
    """Collect the scores of trees, of all words and of the words of each part."""

    kinds: Counter[tuple[str, str, str, str, bool]] = field(default_factory=Counter)
    sentences: int = 0
    lengths: dict[str, PartAgreement] = field(default_factory=dict)
    documents: dict[str, PartAgreement] = field(default_factory=dict)
    document: str = ""

    def add(self, pair: SentencePair, columns: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> None:
        self.document = _document(pair) or self.document
        same_heads = _same_heads(pair)
        relations = columns["DEPREL"]
        tags = columns["UPOS"]
        words = len(pair.alignment.words)
        same_tags = words if tags[0] == tags[1] else sum(map(str.__eq__, *tags))
        labelled = 0
        if same_heads and all(relations):
            shown = tags if all(tags) else [("",) * words] * 2
            kinds = list(zip(*relations, *shown, same_heads, strict=True))
            self.kinds.update(kinds)
            labelled = sum(same_heads)
            if relations[0] != relations[1]:
                labelled -= sum(
                    is_same and first != second and universal(first) != universal(second)
                    for first, second, *_, is_same in kinds
                )
            self.sentences += 1
        counts = words, same_tags, len(same_heads), sum(same_heads), labelled
        length, document = _length(len(pair.base)), self.document
        self.lengths.setdefault(length, PartAgreement("length", length)).add(*counts)
        if document:
            self.documents.setdefault(document, PartAgreement("document", document)).add(*counts)

    def scores(self) -> AttachmentScores:
        kinds = Counter[Kind]()
        for (base, alternative, upos, _, same_head), words in self.kinds.items():
            kinds[Kind(base, alternative, upos, same_head)] += words
        return AttachmentScores(kinds, self.sentences)

    def rows(self) -> list[PartAgreement]:
        """Return the agreement by length, by relation (the most frequent first), and by document."""
        names = [_length(shortest) for shortest, _ in LENGTHS]
        lengths = [self.lengths[name] for name in names if name in self.lengths]
        relations: dict[str, PartAgreement] = {}
        for (base, alternative, tag, other, same_head), words in self.kinds.items():
            relation = universal(base)
            same_relation = same_head and relation == universal(alternative)
            part = relations.setdefault(relation, PartAgreement("relation", relation))
            part.add(words, words * (tag == other), words, words * same_head, words * same_relation)
        frequent = sorted(relations.values(), key=lambda part: (-part.words, part.part))
        documents = list(self.documents.values())
        return [*lengths, *frequent, *(documents if len(documents) > 1 else [])]


def _length(words: int) -> str:
    shortest, longest = next(span for span in LENGTHS if words <= span[1])
    return f"{shortest} or more" if longest == LENGTHS[-1][1] else f"{shortest} to {longest}"


def _document(pair: SentencePair) -> str:
    """Return the name of the document that begins with a sentence; empty if none does."""
    if not pair.base.starts_document:
        return ""
    ids = (line.partition("=")[2].strip() for line in pair.base.lines if line.startswith("# newdoc"))
    return next(filter(None, ids), pair.base.name)


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
