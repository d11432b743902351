"""Define the typed results in a record of a run (one line of records.jsonl per training).

They are filled in `comparing.scoring`. Counts are per test sentence where they are lists; `scores` has
one entry per score (`uas`, and `las` where the parsers are labelled). Times and machine facts are kept here
only, so that results.csv is the same for the same command.
"""

from __future__ import annotations

import math

import msgspec

from learnability.annotation_diffs.difference_kinds import Group
from learnability.running.records import Work

Counts = dict[str, tuple[int, int]]
"""Right tokens and all tokens, by kind of token or relation (`metrics.phrases`)."""


class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """Represent a typed part of a record; fields at their default are left out."""


class Ceiling(Struct, frozen=True, kw_only=True):
    """Hold the right tokens of the test set after converting gold trees of the annotation to UD.

    Attributes:
        found_places: with the places that the conversion finds.
        gold_places: with gold places; None for LAS.
    """

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


class ScoreCounts(Struct, frozen=True, kw_only=True):
    """Count what a parser has right by one score, per test sentence unless it says otherwise.

    Attributes:
        correct: tokens, tested on its own annotation.
        counted: of CLAS, content words of the gold tree plus those of the parse; right words count twice in
            `correct`, too.
        words: tokens without punctuation.
        phrases: phrases with the right head, of UAS (`Pair.has_phrases`).
        back: tokens converted back to UD; none of UD itself.
        back_counted: as `counted`, converted back to UD.
        ceiling: what conversion reaches on gold trees.
        relations: in all test sentences, right and all tokens by relation of gold UD.
        error_split: the same per pair by kind of token (`metrics.phrases.TOKEN_KINDS`) or of change.
        common: LAS per pair by the coarsest labels that both have, where an annotation has other relations.
        whole_labels: LAS with subtypes there.
    """

    correct: list[int]
    counted: list[int] = []
    words: list[int] = []
    phrases: list[int] = []
    back: list[int] = []
    back_counted: list[int] = []
    ceiling: Ceiling | None = None
    relations: Counts = {}
    error_split: dict[str, Counts] = {}
    common: dict[str, CommonLabels] = {}
    whole_labels: list[int] = []

    def count_right(self, alternative: str) -> list[int]:
        return self.common[alternative].correct if alternative in self.common else self.correct

    def out_of(self, alternative: str) -> list[int]:
        return self.common[alternative].counted if alternative in self.common else self.counted

    def right_words(self, alternative: str) -> list[int]:
        return self.common[alternative].words if alternative in self.common else self.words

    def by_relation(self, alternative: str) -> Counts:
        return self.common[alternative].relations if alternative in self.common else self.relations


class TaggingCounts(Struct, frozen=True, kw_only=True):
    """Hold the right tags where tags are predicted: `correct` per test sentence, and `train_correct` of the
    `train_tokens`, each tagged by a tagger that was not trained on its sentence."""

    correct: list[int]
    train_correct: int
    train_tokens: int


class ParsedSentence(Struct, frozen=True, kw_only=True):
    """Hold a test sentence as it is annotated and as a parser analyses it, so that a report can draw it.

    An alternative has no name and forms, and no tags and relations that are those of the base or follow from
    them.
    """

    index: int
    sent_id: str = ""
    forms: list[str] = []
    upos: list[str] = []
    heads: list[int]
    deprels: list[str] = []
    predicted: list[int]


class TrainingResult(Work, frozen=True, kw_only=True):
    """Represent a parser trained on one annotation (settings a, b, own), and its scores on the test set.

    Attributes:
        tokens, words, phrases: of each test sentence: all tokens, those without punctuation, UD phrases.
        scores: by `uas`, and of labelled parsers by `las` and `clas`.
        documents: the test sentences of each document; empty for one alone.
        copies: the indices of the test sentences that are copies of training sentences.
        best_iteration: whose weights were kept.
        dev_uas: UAS on the development set in percent, per iteration.
        examples: sentences that a report can draw.
        tagging: the right tags, if tags are predicted.
        lost_arcs: the test words with another head once trees are lifted; 0 if the parser needs no lifting.
    """

    tokens: list[int]
    scores: dict[str, ScoreCounts]
    words: list[int]
    phrases: list[int]
    documents: list[int] = msgspec.field(default_factory=list)
    copies: list[int] = msgspec.field(default_factory=list)
    best_iteration: int = 0
    dev_uas: list[float] = msgspec.field(default_factory=list)
    examples: list[ParsedSentence] | None = None
    tagging: TaggingCounts | None = None
    lost_arcs: int = 0

    def percent(self, score: str, alternative: str = "") -> float:
        """Return a score on its annotation in percent, by the labels that both of an alternative have; nan if
        nothing counts."""
        counts = self.scores[score]
        counted = sum(counts.out_of(alternative) or self.tokens)
        return 100.0 * sum(counts.count_right(alternative)) / counted if counted else math.nan


class BothResult(Work, frozen=True, kw_only=True):
    """Represent a training against all references (setting c).

    Attributes:
        places: in the training set.
        sentences_with_places: the training sentences that have some.
        base_share, alternative_share: per iteration, the shares of these sentences in which the annotation
            survived; None or nan without places.
        place_base_share: per iteration, the share of the places at which the base survived.
        factors_cut: how many factors had too many options.
        sentences_unmixed: in how many sentences two schemes cannot be mixed; None against UD.
    """

    places: int
    sentences_with_places: int
    base_share: list[float | None]
    alternative_share: list[float | None]
    place_base_share: list[float | None]
    factors_cut: int
    sentences_unmixed: int | None = None


class Measures(Struct, frozen=True, kw_only=True):
    """Hold the counts of a pair in training trees that are not lifted (`test_places`: in the test set).

    Attributes:
        skipped: by kind, the constructions that it leaves alone.
        changes: of imported annotations, by kind of change the tokens with another head, and those with
            another relation only; None of rules.
        groups: the largest groups of heads and relations that differ there, as `diff` makes them.
        restored: where no rule converts back, by score, the test words of the base that a way back learned
            from the training set restores, and all test words.
    """

    places: int
    sentences: int
    sentences_changed: int
    tokens_changed: int
    test_places: int
    train_tokens: int
    nonprojective_train: int
    skipped: dict[str, int] = {}
    changes: Counts | None = None
    groups: list[Group] = []
    restored: Counts = {}
