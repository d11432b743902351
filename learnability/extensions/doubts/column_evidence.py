"""What speaks against the value of a word in a column that is no arc, and what is proposed in its place.

As for arcs (`features`), what is counted is compared with the other words of the treebank, so that it means
the same in any treebank: words with the same form, the same neighbours, the same lemma, or the same arc that
have another value, and dependents that disagree with their heads where the treebank nearly always agrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from learnability.extending import Tree
from learnability.extensions.doubts.columns import (
    ABSENT,
    FEATURE,
    LEMMA,
    SUBTYPE,
    UPOS,
    XPOS,
    are_alternatives,
    doubted_words,
    group_of,
    values_in,
)
from learnability.extensions.doubts.features import (
    Feature,
    combine_columns,
    counts,
    describe_margin,
    occurrences,
    sums,
    surprise,
)
from learnability.extensions.doubts.logistic import LogisticModel
from learnability.extensions.doubts.results import ColumnScores, ColumnsResult
from learnability.extensions.doubts.words import NONE, Codes, ColumnWords, Floats, Numbering

CLEAR, ENOUGH = 0.5, 2
"""Words with the same form and tag propose the value that more than this share of them have, if they are as
many as this; otherwise the classifier does."""

USUAL = "usual by form"
"""How improbable a lemma is by the form and the tag where these mostly have the proposed one; 0 elsewhere."""

MOST_IMPROBABLE = 0.54
"""More than this counts no more there: a word is listed before others of its kind, not before all columns."""

DAMPING = 500
"""What is added to the ranks of lemmas, so that the first of one order are not before all others."""

NEVER = 1e-3
"""The share of exceptions that is assumed where a treebank always agrees."""


@dataclass(frozen=True, eq=False)
class DoubtedColumn:
    """The values of a column that is no arc, and what speaks against them; one entry per doubted word.

    Attributes:
        words: int64[items], the indices of the words.
        names: the values by number.
        values: int64[items], as annotated.
        proposed: int64[items].
        evidence: float64[items] by name.
    """

    column: str
    words: Codes
    names: Sequence[str]
    values: Codes
    proposed: Codes
    evidence: Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class AssessedColumn(DoubtedColumn):
    """A column with the scores of its doubts, float64[items]."""

    score: Floats

    def classifier_agrees(self, word: int) -> bool:
        """Return whether the classifier contradicts a word, and proposes what is proposed for it."""
        item = int(np.searchsorted(self.words, word))
        if item == len(self.words) or self.words[item] != word:
            return False
        return all(self.evidence[name][item] > 0 for name in ("differs", "proposal of the classifier"))


def doubt_column(words: ColumnWords, folds: Sequence[ColumnScores]) -> DoubtedColumn:
    """Return the values of a column with what is proposed and what speaks against them.

    `folds`: how the classifiers see the column.
    """
    column = folds[0].column
    doubted = np.flatnonzero(doubted_words(words.trees, column))
    at = np.argsort(np.argsort(words.places[doubted]))
    numbering = Numbering[str]()
    of_all = numbering.codes(value for tree in words.trees for value in values_in(tree, column))
    rivals = np.concatenate(
        [
            numbering.codes(fold.names)[np.array(fold.rivals, np.int64)]
            if fold.rivals
            else np.zeros(0, np.int64)
            for fold in folds
        ]
    )[at]
    margin = np.array([margin for fold in folds for margin in fold.margins], np.float64)[at]
    names = list(numbering.number)
    found = _Counted(words, column, doubted, of_all, names)
    proposed = found.propose(rivals, margin)
    has_other = proposed != of_all[doubted]  # some have no alternative in the whole treebank
    evidence = {
        name: np.asarray(array, np.float64)[has_other]
        for name, array in found.features(margin, rivals, proposed)
    }
    return DoubtedColumn(
        column, doubted[has_other], names, of_all[doubted][has_other], proposed[has_other], evidence
    )


@dataclass(frozen=True, eq=False)
class _Counted:
    """Counts over the doubted words of a column."""

    words: ColumnWords
    column: str
    doubted: Codes
    of_all: Codes
    names: Sequence[str]

    @cached_property
    def value(self) -> Codes:
        return self.of_all[self.doubted]

    def at(self, values: Codes) -> Codes:
        return values[self.doubted]

    @cached_property
    def base(self) -> tuple[Codes, ...]:
        """Return within what words are compared: their tag; the relation of a subtype; nothing for tags."""
        words = self.words
        if self.column == UPOS:
            return ()
        return (self.at(words.relation if self.column == SUBTYPE else words.tag),)

    @cached_property
    def given(self) -> dict[str, Codes]:
        """Return what words have in common that are compared, by name."""
        words, at = self.words, self.at
        form = words.form
        before, after = words.beside(form, -1), words.beside(form, 1)
        tag_before, tag_after = words.beside(words.tag, -1), words.beside(words.tag, 1)
        head_tag, side = words.above(words.tag), np.sign(words.head - np.arange(len(words.head)))
        columns: dict[str, tuple[Codes, ...]] = {
            "form": (at(form), *self.base),
            "form before": (at(before), at(form)),
            "form after": (at(form), at(after)),
            "context": (at(before), at(form), at(after)),
            "tags around": (at(form), at(tag_before), at(tag_after)),
            "arc": (at(form), at(words.relation), at(head_tag)),
            "relation": (at(words.relation), at(head_tag), at(side), *self.base),
            "ending": (at(words.ending), *self.base),
            "base": self.base or (at(np.zeros(len(form), np.int64)),),
        }
        if self.column not in (LEMMA, UPOS, XPOS):
            columns["lemma"] = (at(words.lemma), *self.base)
            columns["lemma and arc"] = (at(words.lemma), at(words.relation), at(head_tag), *self.base)
        return {name: combine_columns(*parts) for name, parts in columns.items()}

    def propose(self, rivals: Codes, margin: Floats) -> Codes:
        """Return what is proposed: what most other words of the same form have, else the classifier's."""
        proposed = rivals.copy()
        stands = are_alternatives(self.column)
        key = self.given["form"]
        order = np.lexsort((self.value, key))
        seen: dict[int, dict[int, int]] = {}
        for k, v in zip(key[order].tolist(), self.value[order].tolist(), strict=True):
            of_key = seen.setdefault(k, {})
            of_key[v] = of_key.get(v, 0) + 1
        for item in np.flatnonzero(margin >= 0).tolist():
            of_key = seen[int(key[item])]
            if len(of_key) < 2:
                continue
            own = int(self.value[item])
            others = [
                (count, -v)
                for v, count in of_key.items()
                if v != own and stands(self.names[v], self.names[own])
            ]
            if not others:
                continue
            count, best = max(others)
            if count >= ENOUGH and count > CLEAR * (sum(of_key.values()) - 1):
                proposed[item] = -best
        return proposed

    def features(self, margin: Floats, rivals: Codes, proposed: Codes) -> Iterator[Feature]:
        value = self.value
        differs = (margin < 0).astype(np.float64)
        yield "differs", differs
        yield from describe_margin("margin", margin)
        yield "proposal of the classifier", proposed == rivals
        kind = combine_columns(self.given["base"], value)
        yield from surprise(kind, combine_columns(kind, proposed), differs, "differs")
        for name, key in self.given.items():
            both = combine_columns(key, value)
            seen, among = counts(both) - 1, counts(key) - 1
            improbable = -np.log((seen + 0.5) / (among + 1.0))
            yield f"value by {name}", improbable
            yield f"occurrences of {name}", np.log1p(among)
            yield f"value by {name}, frequent", improbable * np.log1p(among) / 5
            others = occurrences((key, value), (key, proposed))
            yield f"proposal by {name}", np.log((others + 0.5) / (among + 1.0))
            yield f"mostly as proposed by {name}", others > seen
            if name == "form" and self.column == LEMMA:
                yield USUAL, np.minimum(improbable, MOST_IMPROBABLE) * (others > seen)
        yield from self._agreement(proposed)
        if group_of(self.column) == FEATURE[:-1]:
            absent = np.array([name == ABSENT for name in self.names], bool)
            having = sums(self.words.tag, (~absent[self.of_all]).astype(np.float64))
            share = (having - 1 + 0.5) / (counts(self.words.tag) - 1 + 1.0)
            yield "rare for the tag", ~absent[value] * -np.log(self.at(np.maximum(share, NEVER)))

    def _agreement(self, proposed: Codes) -> Iterator[Feature]:
        """Yield how surprising it is that a word and its head have different values, if they have.

        Words are compared with those of the same tag, relation and tag of the head where both have a value.
        """
        words = self.words
        if group_of(self.column) != FEATURE[:-1]:
            return
        absent = {number for number, name in enumerate(self.names) if name == ABSENT}
        value = np.where(np.isin(self.of_all, list(absent)), NONE, self.of_all)
        above = words.above(value)
        kind = combine_columns(words.relation, words.tag, words.above(words.tag))
        both = ((value != NONE) & (above != NONE)).astype(np.float64)
        agree = both * (value == above)
        total, agreeing = sums(kind, both) - both, sums(kind, agree) - agree
        share = (agreeing + 0.5) / (total + 1.0)
        surprise = both * (1 - agree) * -np.log(np.maximum(1 - share, NEVER))
        would = self.at(both) * (proposed == self.at(above)) * self.at(-np.log(np.maximum(1 - share, NEVER)))
        below = np.bincount(
            words.head[words.head >= 0], weights=surprise[words.head >= 0], minlength=len(surprise)
        )
        yield "disagrees with the head", self.at(surprise)
        yield "proposal agrees with the head", would
        yield "dependents disagree", self.at(below)


def assess_columns(
    trees: Sequence[Tree],
    folds: Sequence[ColumnsResult],
    models: Mapping[str, LogisticModel],
) -> list[AssessedColumn]:
    """Return the columns of a treebank that are no arcs; `models`: the weights by group of columns."""
    words = ColumnWords(trees)
    found = []
    for of_column in zip(*(fold.columns for fold in folds), strict=True):
        doubted = doubt_column(words, of_column)
        if len(doubted.words) and (model := models.get(group_of(doubted.column))):
            score = fuse_orders(doubted.column, model.probabilities(doubted.evidence), doubted.evidence)
            found.append(AssessedColumn(**vars(doubted), score=score))
    return found


def fuse_orders(column: str, score: Floats, evidence: Mapping[str, Floats]) -> Floats:
    """Return float64[items], the scores of a column; those of lemmas in an order that joins three.

    A lemma counts 1 / (`DAMPING` + rank) in each (reciprocal rank fusion, Cormack et al. 2009): by its score,
    by the margin of the classifier, and by how improbable it is, if its form and tag mostly have the proposed
    one (research/doubts says what that finds).
    """
    if column != LEMMA:
        return score
    unusual = usual_order(evidence)
    fused = np.where(unusual > 0, 1 / (DAMPING + _rank(unusual)), 0.0)
    fused += 1 / (DAMPING + _rank(score)) + 1 / (DAMPING + _rank(evidence["margin rank"]))
    found = np.empty(len(score))
    found[np.argsort(-fused, kind="stable")] = np.sort(score)[::-1]
    return found


def usual_order(evidence: Mapping[str, Floats]) -> Floats:
    """Return float64[items], how improbable a value is where its form mostly has the proposed one, or 0."""
    return evidence["value by form"] * evidence["mostly as proposed by form"]


def _rank(values: Floats) -> Codes:
    """Return int64[items], how many values are higher, or as high and before."""
    ranks = np.empty(len(values), np.int64)
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return ranks
