"""Attachment scores of a parse against its reference, as the official UD scorer defines them.

With gold tokenisation UAS and LAS are plain accuracies over tokens. UAS, LAS and CLAS here equal
the official scorer's on v2 labels: punctuation counts in UAS and LAS, LAS ignores subtypes
(`nsubj:pass` = `nsubj`). Every score also comes without punctuation, LAS also with subtypes.

Punctuation is what the *reference* labels `punct` (or `punct:*`); the system's labels and the UPOS
play no part. CLAS leaves punctuation out by definition.

The official scorer knows v2 labels only, so on v1 data it drops `dobj`, `neg`, `nsubjpass`, ...
from CLAS without a word. Here v1 labels are mapped to their v2 successors first (CLAS only: UAS, LAS
and the table of relations take the labels as they stand). Labels that neither version knows are no
content labels, as in the official scorer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from learnability.errors import InputError
from learnability.metrics.flat import IntArray, sentence_sums
from learnability.treebanks.labels import CLAS_CONTENT, PUNCT, to_v2, universal
from learnability.treebanks.sentence import Tree

SCORES = (
    "uas",
    "uas_without_punctuation",
    "las",
    "las_without_punctuation",
    "las_with_subtypes",
    "las_with_subtypes_without_punctuation",
    "clas",
)
"""The names of the scores of `AttachmentScores`, in the order in which they are shown."""


@dataclass(frozen=True)
class RelationScore:
    """Precision and recall of one relation, in percent; a token is correct if head and label are."""

    relation: str
    gold: int
    system: int
    correct: int

    @property
    def precision(self) -> float:
        """100 correct / system; 0 where the system never used the relation."""
        return _percent(self.correct, self.system, 0.0)

    @property
    def recall(self) -> float:
        """100 correct / gold; 0 where the reference never uses the relation."""
        return _percent(self.correct, self.gold, 0.0)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 200 correct / (gold + system)."""
        return _percent(2 * self.correct, self.gold + self.system, 0.0)


@dataclass(frozen=True)
class _Hits:
    """Tokens, and among them: right head; right head and universal label; and the whole label."""

    tokens: int = 0
    head: int = 0
    universal: int = 0
    label: int = 0

    def __add__(self, other: _Hits) -> _Hits:
        return _Hits(
            self.tokens + other.tokens,
            self.head + other.head,
            self.universal + other.universal,
            self.label + other.label,
        )


_Relations = Mapping[str, tuple[int, int, int]]
_Kind = tuple[str, str, str, bool]
"""Gold deprel, system deprel, UPOS of the reference, whether the head is right."""


@dataclass(frozen=True)
class AttachmentScores:
    """Counts of a comparison, which add up (`+`), and the scores they give, in percent.

    A score over no token is nan.

    Attributes:
        words: counts over the tokens that are no punctuation.
        punctuation: counts over punctuation.
        content: gold, system and correct tokens of content labels (for CLAS).
        relations: per full deprel, the gold, system and correct tokens.
        sentence_correct: per sentence, the tokens with the right head.
        sentence_total: per sentence, its tokens.
    """

    words: _Hits = _Hits()
    punctuation: _Hits = _Hits()
    content: tuple[int, int, int] = (0, 0, 0)
    relations: _Relations = field(default_factory=dict)
    universal_relations: _Relations = field(default_factory=dict)
    sentence_correct: tuple[int, ...] = ()
    sentence_total: tuple[int, ...] = ()

    def __add__(self, other: AttachmentScores) -> AttachmentScores:
        """The scores of both comparisons' sentences together."""
        return AttachmentScores(
            self.words + other.words,
            self.punctuation + other.punctuation,
            _add(self.content, other.content),
            _merge(self.relations, other.relations),
            _merge(self.universal_relations, other.universal_relations),
            self.sentence_correct + other.sentence_correct,
            self.sentence_total + other.sentence_total,
        )

    @property
    def sentences(self) -> int:
        """The number of sentences compared."""
        return len(self.sentence_total)

    @property
    def tokens(self) -> int:
        """The number of tokens compared, punctuation included."""
        return self.words.tokens + self.punctuation.tokens

    @property
    def uas(self) -> float:
        """Unlabelled attachment score: the share of tokens with the right head."""
        return _percent(self.words.head + self.punctuation.head, self.tokens)

    @property
    def uas_without_punctuation(self) -> float:
        """UAS over the tokens that are no punctuation."""
        return _percent(self.words.head, self.words.tokens)

    @property
    def las(self) -> float:
        """Labelled attachment score: right head and right label, subtypes ignored (the official LAS)."""
        return _percent(self.words.universal + self.punctuation.universal, self.tokens)

    @property
    def las_without_punctuation(self) -> float:
        """LAS, subtypes ignored, over the tokens that are no punctuation."""
        return _percent(self.words.universal, self.words.tokens)

    @property
    def las_with_subtypes(self) -> float:
        """LAS that compares whole labels, subtypes included."""
        return _percent(self.words.label + self.punctuation.label, self.tokens)

    @property
    def las_with_subtypes_without_punctuation(self) -> float:
        """LAS that compares whole labels, over the tokens that are no punctuation."""
        return _percent(self.words.label, self.words.tokens)

    @property
    def clas(self) -> float:
        """Content-word labelled attachment score, the F1 of the official scorer.

        Over tokens with a content label (v1 mapped to v2, subtypes ignored): twice the correct
        ones, by the sum of the reference's and the system's. Punctuation is no content.
        """
        gold, system, correct = self.content
        return _percent(2 * correct, gold + system)

    def percentages(self) -> dict[str, float]:
        """Every score by the name of its property, in percent."""
        return {name: getattr(self, name) for name in SCORES}

    def relation_table(self, *, subtypes: bool = False) -> tuple[RelationScore, ...]:
        """Precision, recall and F1 of every relation either side uses, in alphabetical order."""
        table = self.relations if subtypes else self.universal_relations
        return tuple(RelationScore(relation, *table[relation]) for relation in sorted(table))


def attachment_scores(
    gold: Sequence[Tree], system: Sequence[Tree], *, names: Sequence[str] | None = None
) -> AttachmentScores:
    """Compare parses with their references, sentence by sentence.

    `names` are the sentences' ids for error messages. Raises InputError, naming the sentence, if the
    two differ in the number of sentences or in a sentence's tokens.
    """
    if len(gold) != len(system):
        raise InputError(
            f"the reference has {len(gold)} sentences, the system {len(system)}: give the same sentences"
        )
    correct, total = [], []
    tokens: Counter[_Kind] = Counter()
    for number, (reference, parse) in enumerate(zip(gold, system, strict=True)):
        _check_forms(reference, parse, names[number] if names else "", number + 1)
        right = [g == p for g, p in zip(reference.heads, parse.heads, strict=True)]
        correct.append(sum(right))
        total.append(len(right))
        tokens.update(zip(reference.deprels, parse.deprels, reference.upos, right, strict=True))
    return _score(tokens, tuple(correct), tuple(total))


def unlabelled_counts(
    gold_heads: IntArray, predicted_heads: IntArray, offsets: IntArray
) -> tuple[IntArray, IntArray]:
    """Per sentence, the tokens with the right head and all tokens: two int64[S].

    `gold_heads` and `predicted_heads` are int[N]; sentence s owns offsets[s] .. offsets[s + 1] - 1.
    Raises InputError if the shapes do not fit.
    """
    gold_heads, predicted_heads = np.asarray(gold_heads), np.asarray(predicted_heads)
    offsets = np.asarray(offsets, dtype=np.int64)
    if gold_heads.shape != predicted_heads.shape or offsets[0] != 0 or offsets[-1] != len(gold_heads):
        raise InputError(
            f"{len(gold_heads)} gold heads, {len(predicted_heads)} predicted, offsets to {offsets[-1]}: "
            "compare parses of the same tokens"
        )
    return sentence_sums(gold_heads == predicted_heads, offsets), np.diff(offsets)


def _check_forms(gold: Tree, system: Tree, name: str, number: int) -> None:
    where = f"sentence {number}" + (f" ({name})" if name else "")
    if len(gold) != len(system):
        raise InputError(
            f"{where}: {len(gold)} tokens in the reference, {len(system)} in the system; "
            "compare parses of the same tokens"
        )
    if gold.forms != system.forms:
        at = next(i for i in range(len(gold)) if gold.forms[i] != system.forms[i])
        raise InputError(
            f"{where}, token {at + 1}: {gold.forms[at]!r} in the reference, "
            f"{system.forms[at]!r} in the system; compare parses of the same tokens"
        )


def _score(tokens: Mapping[_Kind, int], correct: tuple[int, ...], total: tuple[int, ...]) -> AttachmentScores:
    """The scores from the number of tokens of each kind."""
    words = punctuation = _Hits()
    content = (0, 0, 0)
    relations: dict[str, tuple[int, int, int]] = {}
    by_part: dict[str, tuple[int, int, int]] = {}
    for (gold, system, upos, right), n in tokens.items():
        gold_part, system_part = universal(gold), universal(system)
        hit = right and gold_part == system_part
        full_hit = right and gold == system
        hits = _Hits(n, n * right, n * hit, n * full_hit)
        if gold_part in PUNCT:
            punctuation += hits
        else:
            words += hits
        gold_v2, system_v2 = universal(to_v2(gold, upos)), universal(to_v2(system, upos))
        in_gold, in_system = gold_v2 in CLAS_CONTENT, system_v2 in CLAS_CONTENT
        both = right and in_gold and gold_v2 == system_v2
        content = _add(content, (n * in_gold, n * in_system, n * both))
        _count(relations, gold, system, n, full_hit)
        _count(by_part, gold_part, system_part, n, hit)
    return AttachmentScores(words, punctuation, content, relations, by_part, correct, total)


def _count(table: dict[str, tuple[int, int, int]], gold: str, system: str, n: int, hit: bool) -> None:
    table[gold] = _add(table.get(gold, (0, 0, 0)), (n, 0, n * hit))
    table[system] = _add(table.get(system, (0, 0, 0)), (0, n, 0))


def _add(a: Iterable[int], b: Iterable[int]) -> tuple[int, int, int]:
    first, second, third = (x + y for x, y in zip(a, b, strict=True))
    return first, second, third


def _merge(a: _Relations, b: _Relations) -> _Relations:
    zero = (0, 0, 0)
    return {relation: _add(a.get(relation, zero), b.get(relation, zero)) for relation in {**a, **b}}


def _percent(part: int, whole: int, empty: float = float("nan")) -> float:
    return 100.0 * part / whole if whole else empty
