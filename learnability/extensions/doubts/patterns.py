"""Patterns: doubts about words that are alike, so that one decision may hold for all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from learnability.extending import is_specified, query_for_words
from learnability.extensions.doubts.columns import ARCS, FEATURE, HEAD, LEMMA, UPOS, values_in
from learnability.extensions.doubts.doubt import Doubt
from learnability.extensions.doubts.listing import AssessedTreebank

FEWEST = 2
"""Doubts of a pattern: what concerns one word is no pattern."""


class PatternWord(NamedTuple):
    """Represent what the words of a pattern have in common.

    Attributes:
        tag: the universal tag.
        lemma: the lemma; empty if the treebank does not say it.
        deprel: the relation.
        side: `before` or `after`, where the head is; empty for the root word.
        column: what is in doubt; if it is no arc, relation and side are empty.
        value: what they have there; empty for arcs.
    """

    tag: str
    lemma: str
    deprel: str
    side: str
    column: str = HEAD
    value: str = ""

    @classmethod
    def of_value(cls, tag: str, lemma: str, column: str, value: str) -> PatternWord:
        return cls(
            value if column == UPOS else tag, value if column == LEMMA else lemma, "", "", column, value
        )


@dataclass(frozen=True)
class Pattern:
    """Represent doubts that one may decide about together: of a lemma, with the same two arcs or values.

    Attributes:
        name: the pattern.
        doubts: the most doubtful first.
        annotated: what their words have in common.
        words: how many words of the treebank are annotated so.
        proposed_words: how many with the same tag and lemma are annotated as it is proposed.
    """

    name: str
    doubts: Sequence[Doubt]
    annotated: PatternWord
    words: int
    proposed_words: int

    @property
    def score(self) -> float:
        """Return the sum of the scores of the doubts, which orders patterns."""
        return sum(doubt.score for doubt in self.doubts)

    @property
    def query(self) -> str:
        """Return a query for Grew-match that finds `words`, of which the doubts are a part."""
        tag, lemma, deprel, side, column, value = self.annotated
        if column == HEAD:
            return query_for_words(tag=tag, lemma=lemma, deprel=deprel, side=side)
        feature = column.removeprefix(FEATURE) if column.startswith(FEATURE) else ""
        return query_for_words(tag=tag, lemma=lemma, feature=feature, value=value)


def patterns(assessed: AssessedTreebank, doubts: Sequence[Doubt]) -> list[Pattern]:
    """Return the patterns of doubts that can be decided once, those first of which most are expected to be
    errors.

    They are about several words with the same tag and lemma, and the proposal differs in relation,
    direction or value. Where only the head differs, each word is a case of its own.
    """
    kinds = Counter(kinds_of_words(assessed))
    for column in sorted({doubt.column for doubt in doubts} - ARCS):
        kinds.update(kinds_of_values(assessed, column))
    grouped: dict[tuple[str, PatternWord, PatternWord], list[Doubt]] = defaultdict(list)
    for doubt in doubts:
        if doubt.column in ARCS:
            annotated = kind_of_arc(assessed, doubt, doubt.head, doubt.deprel)
            proposed = kind_of_arc(assessed, doubt, doubt.proposed_head, doubt.proposed_deprel)
        else:
            annotated = kind_of_value(assessed, doubt, doubt.value)
            proposed = kind_of_value(assessed, doubt, doubt.proposed_value)
        if annotated.lemma and annotated != proposed:
            grouped[doubt.pattern, annotated, proposed].append(doubt)
    found = [
        Pattern(name, group, annotated, kinds[annotated], kinds[proposed])
        for (name, annotated, proposed), group in grouped.items()
        if len(group) >= FEWEST
    ]
    return sorted(found, key=lambda pattern: (-round(pattern.score, 9), pattern.name))


def kinds_of_words(assessed: AssessedTreebank) -> list[PatternWord]:
    return [
        PatternWord(tag, lemma, deprel, side_of(word, head))
        for tree in assessed.words.trees
        for word, (tag, lemma, head, deprel) in enumerate(
            zip(tree.upos, _lemmas(tree.lemmas, len(tree)), tree.heads, tree.deprels, strict=True), start=1
        )
    ]


def kind_of_arc(assessed: AssessedTreebank, doubt: Doubt, head: int, deprel: str) -> PatternWord:
    """Return of what kind an arc of the word of a doubt is."""
    tree = assessed.words.trees[doubt.sentence]
    lemma = _lemmas(tree.lemmas, len(tree))[doubt.word - 1]
    return PatternWord(tree.upos[doubt.word - 1], lemma, deprel, side_of(doubt.word, head))


def kinds_of_values(assessed: AssessedTreebank, column: str) -> list[PatternWord]:
    return [
        PatternWord.of_value(tag, lemma, column, value)
        for tree in assessed.words.trees
        for tag, lemma, value in zip(
            tree.upos, _lemmas(tree.lemmas, len(tree)), values_in(tree, column), strict=True
        )
    ]


def kind_of_value(assessed: AssessedTreebank, doubt: Doubt, value: str) -> PatternWord:
    """Return of what kind the word of a doubt would be with a value in its column."""
    tree = assessed.words.trees[doubt.sentence]
    lemma = _lemmas(tree.lemmas, len(tree))[doubt.word - 1]
    return PatternWord.of_value(tree.upos[doubt.word - 1], lemma, doubt.column, value)


def _lemmas(lemmas: Sequence[str], words: int) -> Sequence[str]:
    """Return the lemmas of words, empty where they are not known."""
    return [lemma if is_specified(lemma) else "" for lemma in lemmas or [""] * words]


def side_of(word: int, head: int) -> str:
    """Return where the head of a word is: `before` or `after` it; empty for the root word."""
    return "" if head == 0 else "before" if head < word else "after"
