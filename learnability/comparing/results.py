"""Define the typed results in a record of a run (one line of records.jsonl per training), and fill them.

A field is declared and filled in this file. Counts are per test sentence where they are lists; `scores` has
one entry per score (`uas`, and `las` where the parsers are labelled). Times and machine facts are kept here
only, so that results.csv is the same for the same command.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from learnability.comparing.stored_groups import StoredGroup
from learnability.metrics.breakdown import PARTS, by_relation, counts_by
from learnability.metrics.nucleus import nucleus_scores
from learnability.metrics.scores import (
    FIRST_SCORE,
    Score,
    per_sentence,
    right_by_labels,
    right_tokens,
    sentence_counts,
)
from learnability.multiref.references import closest_correct
from learnability.running.records import Work
from learnability.treebanks.sentence import document_lengths, number_documents

if TYPE_CHECKING:  # these import what is here
    from learnability.comparing.annotated_folds import AnnotatedFold, ComparedFold
    from learnability.comparing.annotation import Annotation
    from learnability.comparing.pair import Pair
    from learnability.comparing.trainings import TestedParser
    from learnability.multiref.contrasts import Sides
    from learnability.multiref.training import Survival
    from learnability.treebanks.sentence import Tree

Counts = dict[str, tuple[int, int]]
"""Right tokens and all tokens, by part or relation (`metrics.breakdown`)."""


class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """Represent a typed part of a record; fields at their default are left out."""


class Ceiling(Struct, frozen=True, kw_only=True):
    """Hold the right tokens of the test set after converting the gold trees of the annotation to UD instead
    of
    parses: by the places that are found, and by gold places (None for LAS)."""

    found_places: int
    gold_places: int | None = None


class CommonLabels(Struct, frozen=True, kw_only=True):
    """What a parser has right by the coarsest labels that the annotations of a pair both have: per test
    sentence of all tokens (out of those `counted`), and of those without punctuation, and in all by relation
    of gold UD."""

    correct: list[int]
    words: list[int] = []
    relations: Counts = {}
    counted: list[int] = []

    @classmethod
    def of(cls, tested: TestedParser, score: Score, pair: Pair[Annotation]) -> CommonLabels:
        """Return the counts of a parser by a score for a pair."""
        fold, gold = tested.fold, tested.gold
        compared = fold.compare_pair(pair)
        if not score.counts_every_token:
            counts = sentence_counts(gold, tested.parsed, score, compared.common_label)
            return cls(correct=counts.right.tolist(), counted=as_list(counts.counted))
        right = right_by_labels(gold, tested.parsed, compared.common_label)
        names = [compared.common_label(deprel) for tree in fold.ud.test for deprel in tree.deprels]
        return cls(
            correct=per_sentence(right, gold).tolist(),
            words=per_sentence(right & fold.test_words, gold).tolist(),
            relations=counts_by(names, right),
        )


class ScoreCounts(Struct, frozen=True, kw_only=True):
    """Count what a parser has right by one score, per test sentence: of all tokens, of all but punctuation
    (`words`), between nuclei (UAS; see `Pair.has_nuclei`), after conversion to UD (not of UD itself),
    and per pair against the closest references. In all test sentences: by universal relation of gold UD,
    and per pair by part (`metrics.breakdown.PARTS`), or by kind of change.

    Where an annotation has other relations, `common` has LAS per pair by the coarsest labels that both
    have, and `whole_labels` LAS with subtypes, of each annotation.

    A score that does not count every token has only `correct`, out of the `counted`, and `back`, out of the
    `back_counted`."""

    correct: list[int]
    counted: list[int] = []
    words: list[int] = []
    nuclei: list[int] = []
    back: list[int] = []
    back_counted: list[int] = []
    closest: dict[str, list[int]] = {}
    ceiling: Ceiling | None = None
    relations: Counts = {}
    error_split: dict[str, Counts] = {}
    common: dict[str, CommonLabels] = {}
    whole_labels: list[int] = []

    def count_right(self, alternative: str) -> list[int]:
        """Return the right tokens per sentence, by the labels that both annotations of a alternative have."""
        return self.common[alternative].correct if alternative in self.common else self.correct

    def out_of(self, alternative: str) -> list[int]:
        """Return the tokens that count per sentence; empty if each counts once."""
        return self.common[alternative].counted if alternative in self.common else self.counted

    def right_words(self, alternative: str) -> list[int]:
        """Return the same without punctuation."""
        return self.common[alternative].words if alternative in self.common else self.words

    def by_relation(self, alternative: str) -> Counts:
        """Return the right tokens by relation, of labels that both annotations of a alternative have."""
        return self.common[alternative].relations if alternative in self.common else self.relations

    @classmethod
    def of(
        cls,
        tested: TestedParser,
        score: Score,
        nuclei: list[int],
        pairs: Sequence[Pair[Annotation]],
        back: AnnotatedFold | None,
        converted: Sequence[Tree] | None,
        labels_of: Sequence[Pair[Annotation]],
    ) -> ScoreCounts:
        """Return the counts by one score.

        `converted` are the parses in UD, if they can be had; the common labels of the pairs `labels_of`
        count.
        """
        fold, parsed = tested.fold, tested.parsed
        relabelled = [c for c in labels_of if score.needs_labels and c.has_common_labels]
        common = {c.alternative.spelling: CommonLabels.of(tested, score, c) for c in relabelled}
        counts = sentence_counts(tested.gold, parsed, score)
        of_back = sentence_counts(fold.ud.test, converted, score) if converted else None
        if not score.counts_every_token:
            return cls(
                correct=counts.right.tolist(),
                counted=as_list(counts.counted),
                back=as_list(of_back and of_back.right),
                back_counted=as_list(of_back and of_back.counted),
                common=common,
            )
        right = right_tokens(tested.gold, parsed, score)
        closest, split = {}, {}
        whole = right_by_labels(tested.gold, parsed, str) if relabelled else None
        for pair in pairs:
            name, compared = pair.alternative.spelling, fold.compare_pair(pair)
            if pair.has_common_reference:
                references = compared.test_references(score)
                closest[name] = closest_correct(references, parsed, score).tolist()
            split[name] = counts_by(compared.test_kinds, right, PARTS if pair.has_rules else ())
        return cls(
            correct=counts.right.tolist(),
            words=per_sentence(right & fold.test_words, tested.gold).tolist(),
            nuclei=[] if score.needs_labels else nuclei,
            back=as_list(of_back and of_back.right),
            closest=closest,
            ceiling=back.ceilings[score] if back else None,
            relations=by_relation(fold.ud.test, right) if pairs else {},
            error_split=split,
            common=common,
            whole_labels=[] if whole is None else per_sentence(whole, tested.gold).tolist(),
        )


def as_list(counts: NDArray[np.int64] | None) -> list[int]:
    """Return counts as JSON has them; empty if there are none."""
    return [] if counts is None else counts.tolist()


class TaggingCounts(Struct, frozen=True, kw_only=True):
    """Hold the right tags where tags are predicted: `correct` per test sentence, and `train_correct` of the
    `train_tokens`, each tagged by a tagger that was not trained on its sentence."""

    correct: list[int]
    train_correct: int
    train_tokens: int


class TrainingResult(Work, frozen=True, kw_only=True):
    """Represent a parser trained on one annotation (settings a, b, own), and its scores on the test set.

    Per test sentence there are its `tokens`, those without punctuation (`words`), and its `nuclei` in UD;
    `documents` counts the test sentences of each document (empty for one alone);
    `best_iteration` is that whose weights were kept, `dev_uas` is in percent per iteration, `examples` are
    sentences that a report can draw, `tagging` counts right tags if tags are predicted."""

    tokens: list[int]
    scores: dict[str, ScoreCounts]
    words: list[int]
    nuclei: list[int]
    documents: list[int] = msgspec.field(default_factory=list)
    best_iteration: int = 0
    dev_uas: list[float] = msgspec.field(default_factory=list)
    examples: list[dict[str, Any]] | None = None
    tagging: TaggingCounts | None = None

    @classmethod
    def of(
        cls,
        tested: TestedParser,
        pairs: Sequence[Pair[Annotation]] = (),
        back: AnnotatedFold | None = None,
        examples: list[dict[str, Any]] | None = None,
        labels_of: Sequence[Pair[Annotation]] = (),
    ) -> TrainingResult:
        """Return the result of a training.

        Args:
            tested: the parser and its parses of the test set.
            pairs: score it against their closest references, too, and by relation and part.
            back: convert the parses from this annotation to UD.
            examples: sentences that a report can draw.
            labels_of: score it by the labels of these pairs, too, if it is scored by no pairs.
        """
        fold, training = tested.fold, tested.trained
        nuclei = nucleus_scores(fold.nuclei, [tree.heads for tree in tested.parsed])
        right_nuclei: list[int] = nuclei.correct.tolist()
        converted = back.converter.convert(tested.parsed) if back else None
        scores = {
            score.value: ScoreCounts.of(
                tested, score, right_nuclei, pairs, back, converted, labels_of or pairs
            )
            for score in fold.scores
        }
        return cls(
            **work_of(training, tested.train_tokens),
            tokens=[len(tree) for tree in tested.gold],
            words=per_sentence(fold.test_words, tested.gold).tolist(),
            nuclei=nuclei.total.tolist(),
            documents=document_lengths(number_documents(fold.treebank.test)),
            scores=scores,
            best_iteration=training.best_iteration,
            dev_uas=training.dev_uas,
            examples=examples,
            tagging=tested.tagging,
        )

    def percent(self, score: str, alternative: str = "") -> float:
        """Return a score on its annotation in percent, by the labels that both of a alternative have; nan if
        nothing counts."""
        counts = self.scores[score]
        counted = sum(counts.out_of(alternative) or self.tokens)
        return 100.0 * sum(counts.count_right(alternative)) / counted if counted else math.nan

    @property
    def nucleus_uas(self) -> float:
        """Nucleus UAS in percent."""
        return 100.0 * sum(self.scores[FIRST_SCORE].nuclei) / sum(self.nuclei)


class SurvivalResult(Work, frozen=True, kw_only=True):
    """Represent a training against all references (setting c).

    Attributes:
        places: in the training set.
        sentences_with_places: the training sentences that have some.
        base_share, alternative_share: per iteration, the shares of these sentences in which the annotation
            survived; None or nan without places.
        place_base_share: per iteration, the share of the places at which the base survived.
        factors_cut: how many factors had too many options.
        closest: by score, the test tokens that are right against the closest references.
        tokens: of the test set.
        sentences_unmixed: in how many sentences two schemes cannot be mixed; None against UD.
    """

    places: int
    sentences_with_places: int
    base_share: list[float | None]
    alternative_share: list[float | None]
    place_base_share: list[float | None]
    factors_cut: int
    closest: dict[str, int]
    tokens: int
    sentences_unmixed: int | None = None

    @classmethod
    def of(
        cls,
        compared: ComparedFold,
        shares: Sequence[Survival],
        work: Mapping[str, Any],
        parsed: Sequence[Tree],
    ) -> SurvivalResult:
        """Return the result of a training.

        Args:
            compared: the fold and the pair.
            shares: which annotation survived, per iteration.
            work: what it cost (:func:`work_of`).
            parsed: its parses of the test set.
        """
        references, test = compared.training_references, compared.fold.ud.test
        table = references.table
        closest = {
            score.value: int(closest_correct(compared.test_references(score), parsed, score).sum())
            for score in compared.fold.scores
            if score.counts_every_token
        }
        return cls(
            **work,
            places=len(table.sentence),
            sentences_with_places=shares[-1].sentences,
            base_share=[share.base_share for share in shares],
            alternative_share=[share.alternative_share for share in shares],
            place_base_share=[share.place_base_share for share in shares],
            factors_cut=table.factors_cut,
            closest=closest,
            tokens=sum(map(len, test)),
            sentences_unmixed=None if compared.pair.base.is_ud else references.unmixed,
        )


class Measures(Struct, frozen=True, kw_only=True):
    """Hold the counts of a pair in training trees that are not lifted (`test_places`: in the test set),
    the constructions that it leaves alone by kind, and per measure the values of the original and of the
    transformed trees (None for nan, which JSON lacks), or why it is `undefined`. Of annotations that are
    given: by kind of change (`multiref.contrasts.kinds_of_change`) the tokens with another head, and those of
    which only the relation differs; None of rules; and the largest `groups` of heads and relations that
    differ, as `diff` makes them."""

    places: int
    sentences: int
    sentences_changed: int
    tokens_changed: int
    test_places: int
    train_tokens: int
    nonprojective_train: int
    skipped: dict[str, int] = {}
    values: dict[str, tuple[int | float | None, int | float | None]] = {}
    undefined: dict[str, str] = {}
    changes: Counts | None = None
    groups: list[StoredGroup] = []

    @classmethod
    def of(cls, compared: ComparedFold, sides: Sequence[Sides], changes: Counts | None) -> Measures:
        """Return the counts of a pair, without values.

        Args:
            compared: the fold and the pair.
            sides: of every training sentence, both trees and the places.
            changes: the tokens that change, by kind; None of rules.
        """
        fold = compared.fold
        skipped = sum((side.skipped for side in sides), Counter[str]())
        changed = [sum(map(operator.ne, side.base, side.alternative)) for side in sides]
        return cls(
            places=sum(len(side.places) for side in sides),
            sentences=len(fold.train),
            sentences_changed=sum(
                tokens > 0 or bool(side.relabelled) for tokens, side in zip(changed, sides, strict=True)
            ),
            tokens_changed=sum(changed),
            test_places=sum(map(len, compared.test_places())),
            train_tokens=sum(map(len, fold.train)),
            nonprojective_train=fold.nonprojective,
            skipped=dict(sorted(skipped.items())),
            changes=changes,
        )


class FinishedTraining(Protocol):
    """Represent a training, as :func:`work_of` sees it."""

    @property
    def iterations(self) -> int: ...  # noqa: D102
    @property
    def seconds(self) -> float: ...  # noqa: D102
    @property
    def features(self) -> int | None: ...  # noqa: D102


def work_of(training: FinishedTraining, tokens: int) -> dict[str, Any]:
    """Return what a training on `tokens` tokens cost: the fields of `running.records.Work`."""
    return {
        "iterations": training.iterations,
        "kernel_seconds": round(training.seconds, 4),
        "trained_tokens": tokens * max(training.iterations, 1),
        "features": training.features,
    }
