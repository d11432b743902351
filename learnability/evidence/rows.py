"""Define a row: what one parser shows about one pair of a treebank, typed.

Rows are computed from records (`rows_from_records`). `columns` turns them into columns of files and frames;
everything else reads their attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from learnability.annotation_diffs.difference_kinds import Group
from learnability.comparing.pair import AnnotationFacts, Pair
from learnability.evidence.questions import AnsweredQuestion, Question
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import FIRST_SCORE, Score
from learnability.running.cell import treebank_id
from learnability.statistics.prediction import Belief

TRAINED_ON_BOTH = "trained_on_both"
"""The basis of what a training against all references shows."""


@dataclass(frozen=True)
class PreferredSides:
    """Hold the shares of the sentences with places in which each annotation survived when a parser was
    trained on both, and the side that it preferred."""

    base: float | None = None
    alternative: float | None = None
    pick: str | None = None


@dataclass(frozen=True)
class ConversionCeilings:
    """Hold the scores of converted gold trees against UD, in percent: converted parses cannot reach more.

    Attributes:
        alternative: of the gold trees of (b); the converter finds the places.
        base: of the gold trees of (a), where (a) is not UD.
        gold_places: as `alternative`, but the converter knows the places; of UAS only.
    """

    alternative: float | None = None
    base: float | None = None
    gold_places: float | None = None


@dataclass(frozen=True)
class PartScores:
    """Hold the size of a part of the test tokens, and the percentage that each parser has right."""

    tokens: int
    base: float | None
    alternative: float | None


@dataclass(frozen=True)
class ChangeCounts:
    """Training tokens of one kind of change: with another head, and with another relation only."""

    heads: int
    relations_only: int


K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class TaggerAccuracies:
    """Hold the share of right predicted tags in the test set under each annotation, in percent, and their
    difference in points with its 95 % interval, over other seeds and other test sentences."""

    base: float
    alternative: float
    delta: float
    delta_low: float
    delta_high: float


@dataclass(frozen=True)
class LostArcs:
    """Hold the shares of the tested words whose heads lifting moves for a projective parser, percent."""

    base: float
    alternative: float


@dataclass(frozen=True)
class WithoutCopies:
    """Hold scores on tested sentences that are no copies of training sentences, None if all are `copies`."""

    copies: int
    base: float | None
    alternative: float | None

    @property
    def delta(self) -> float | None:
        return None if self.base is None or self.alternative is None else self.base - self.alternative


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """Hold what was compared, how often it occurs, and the results; None if a result was not computed.

    Attributes:
        parser: its title; empty in a run without `--parser`.
        predicts_tags: whether the parsers saw predicted tags, which follow from forms alone.
        unmeasured: why comparisons are undefined in this treebank, by their keys.
        places, test_places: places in the training and in the test set where the annotations can differ.
        sentences_changed, tokens_changed: of the training set, what changes if all places are transformed.
        elsewhere: the difference in UAS that results in other languages suggest, in points; None if the
            heads of both annotations are the same, or it is not known how many differ.
        changes: the changed training tokens by kind, the most frequent first; None with rules.
        restored: the share of the test words of the base that a learned way back restores, in percent; none
            where rules convert back.
        groups: the largest groups of heads and relations that differ in the training set; none with rules.
        folds: in how many folds the treebank was tested; 1: on its test set.
        iterations: how often (a) went through the training set, mean over seeds.
        error_split: the kinds of tokens of `metrics.phrases`, or the kinds of change.
        relations: per relation of gold UD.
        factors_cut: groups of places with too many options for (c).
        sentences_unmixed: training sentences in which two schemes differ and cannot be mixed.
        lost_arcs: by lifting; none are lost by a parser that builds crossing arcs.
        test_set_rows: the comparison on the test set by which the answer was named before all sentences were
            tested; its numbers stand here, too.
    """

    treebank: str
    pair: Pair[AnnotationFacts]
    release: str = ""
    parser: str = ""
    labelled: bool = False
    predicts_tags: bool = False
    unmeasured: Mapping[str, str] = field(default_factory=dict)
    seeds: int | None = None
    places: int | None = None
    test_places: int | None = None
    sentences: int | None = None
    sentences_changed: int | None = None
    tokens_changed: int | None = None
    train_tokens: int | None = None
    nonprojective_train: int | None = None
    elsewhere: Belief | None = None
    changes: Mapping[str, ChangeCounts] | None = None
    groups: Sequence[Group] = ()
    restored: Mapping[Score, float] = field(default_factory=dict)
    folds: int = 1
    test_sentences: int | None = None
    without_copies: Mapping[Score, WithoutCopies] = field(default_factory=dict)
    iterations: float | None = None
    differences: Mapping[tuple[Score, ScoringBasis], Difference] = field(default_factory=dict)
    answers: Mapping[tuple[Score, Question], AnsweredQuestion] = field(default_factory=dict)
    ceilings: Mapping[Score, ConversionCeilings] = field(default_factory=dict)
    error_split: Mapping[Score, Mapping[str, PartScores]] = field(default_factory=dict)
    relations: Mapping[Score, Mapping[str, PartScores]] = field(default_factory=dict)
    trained_on_both: PreferredSides = PreferredSides()
    factors_cut: int | None = None
    sentences_unmixed: int | None = None
    tagging: TaggerAccuracies | None = None
    lost_arcs: LostArcs | None = None
    test_set_rows: Mapping[Score, ComparisonRow] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.pair.name

    @property
    def named(self) -> dict[str, str]:
        return {"treebank": self.treebank, "release": self.release, **self.pair.columns}

    @property
    def title(self) -> str:
        return f"{self.name} by {self.parser}" if self.parser else self.name

    @property
    def base(self) -> str:
        """Return the name of the annotation of setting (a): UD, or the scheme of `--against`."""
        return self.pair.base.title

    @property
    def undefined(self) -> dict[str, str]:
        return {**self.unmeasured, **self.pair.undefined}

    @property
    def tests_all_places(self) -> bool:
        return self.folds > 1

    def answering_row(self, score: Score = FIRST_SCORE) -> ComparisonRow:
        """Return the comparison that the answer by a score rests on: this one, or that on the test set."""
        return self.test_set_rows.get(score, self)

    def tested_on(self, score: Score = FIRST_SCORE) -> str:
        return "all sentences" if self.answering_row(score).tests_all_places else "test set"

    @property
    def tested_on_by_score(self) -> str:
        """Return what the comparisons rest on, in words, with the scores where they differ in it."""
        by_score = {score: self.tested_on(score) for score in self.scores}
        if len(set(by_score.values())) == 1:
            return self.tested_on()
        return ", ".join(f"{tested_on} ({score.upper()})" for score, tested_on in by_score.items())

    @property
    def treebank_label(self) -> str:
        return treebank_id(self.treebank, self.release)

    @property
    def scores(self) -> tuple[Score, ...]:
        return Score.answered(labelled=self.labelled)

    @property
    def compared_scores(self) -> tuple[Score, ...]:
        return tuple(score for score in Score if score in self.scores or self.difference(score) is not None)

    @property
    def tested(self) -> bool:
        """Return whether there was enough data to test the UAS difference."""
        difference = self.difference()
        return difference is not None and difference.p_value is not None

    def difference(
        self, score: Score = FIRST_SCORE, basis: ScoringBasis = ScoringBasis.ANNOTATION
    ) -> Difference | None:
        return self.differences.get((score, basis))

    def probability_of_base(self) -> float | None:
        """Return the probability that UD is ahead by UAS on own annotations, with what results in other
        languages suggest; None if one of the two is unknown."""
        difference = self.difference()
        if difference is None or not difference.error or self.elsewhere is None:
            return None
        return self.elsewhere.and_also(difference.delta, difference.error**2).probability(0.0)

    def by_basis(self, score: Score = FIRST_SCORE) -> dict[ScoringBasis, Difference]:
        return {
            basis: self.differences[score, basis]
            for basis in ScoringBasis
            if (score, basis) in self.differences
        }

    def answered(self, question: Question, score: Score = FIRST_SCORE) -> AnsweredQuestion:
        return self.answers.get((score, question), AnsweredQuestion())

    def easier(self, score: Score = FIRST_SCORE) -> AnsweredQuestion:
        return self.answered(Question.EASIER, score)

    def train_on(self, score: Score = FIRST_SCORE) -> AnsweredQuestion:
        return self.answered(Question.TRAIN_ON, score)

    def name_answer(self, question: Question, score: Score = FIRST_SCORE) -> str:
        return self.answered(question, score).answer.named(self.base)

    def ceiling(self, score: Score) -> ConversionCeilings:
        return self.ceilings.get(score, ConversionCeilings())

    def lost_points(self, score: Score = FIRST_SCORE) -> float | None:
        """Return the percentage of the base that the way back from gold trees of the alternative does not
        restore, learned or by rules (with gold places where known); None if there is no way back."""
        if score in self.restored:
            return 100 - self.restored[score]
        ceilings = self.ceiling(score)
        of_alternative = [
            known for known in (ceilings.alternative, ceilings.gold_places) if known is not None
        ]
        if not of_alternative:
            return None
        return max(0.0, (100.0 if ceilings.base is None else ceilings.base) - max(of_alternative))


def refine_rows(rows: Sequence[ComparisonRow], refined: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Return rows in which those that more data answered again take the place of the first ones, except what
    the test set named by a score, and what a parser preferred that was trained on both."""
    later = {(row.treebank_label, row.title): row for row in refined}
    found = []
    for row in rows:
        again = later.get((row.treebank_label, row.title))
        found.append(row if again is None else refine_row(row, again))
    return found


def refine_row(row: ComparisonRow, again: ComparisonRow) -> ComparisonRow:
    """Return a comparison on a test set, refined by the same on more sentences (:func:`refine_rows`)."""
    stays = {score for score in row.scores if row.difference(score) and not row.easier(score).needs_data}
    if stays == set(row.scores):
        return row

    def join(first: Mapping[K, V], later: Mapping[K, V]) -> dict[K, V]:
        """Return what is by score: of the first comparison where its answer stays, else of the later one."""
        kept = {key: value for key, value in later.items() if _score_of(key) not in stays}
        return kept | {key: value for key, value in first.items() if _score_of(key) in stays}

    return replace(
        again,
        differences=join(row.differences, again.differences),
        answers=join(row.answers, again.answers),
        ceilings=join(row.ceilings, again.ceilings),
        error_split=join(row.error_split, again.error_split),
        relations=join(row.relations, again.relations),
        without_copies=join(row.without_copies, again.without_copies),
        test_set_rows=dict.fromkeys(sorted(stays), row),
        trained_on_both=row.trained_on_both,
        sentences_unmixed=row.sentences_unmixed,
    )


def _score_of(key: Any) -> Score:
    score: Score = key[0] if isinstance(key, tuple) else key
    return score
