"""What a record of a run holds: one line of records.jsonl per cell, typed.

Counts are per test sentence where they are lists; `scores` has one entry per score (`uas`, and `las` where
the parsers are labelled). Times and machine facts stand here only, so that results.csv is the same for the
same command.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from learnability.running.records import Work

Counts = dict[str, tuple[int, int]]
"""Right tokens and all tokens, by part or relation (`metrics.breakdown`)."""


class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """A typed part of a record; fields at their default are left out."""


class Ceiling(Struct, frozen=True, kw_only=True):
    """The right tokens of the test part after converting the gold trees of the annotation to UD instead of
    parses: by the sites that are found, and by gold sites (None for LAS)."""

    found_sites: int
    gold_sites: int | None = None


class ScoreCounts(Struct, frozen=True, kw_only=True):
    """What a parser has right by one score, per test sentence: of all tokens, of those without punctuation
    (`words`), between nuclei (UAS; see `Condition.has_nuclei`), after conversion to UD (not of UD itself),
    and per condition against the closest references. In all test sentences: by universal relation of gold UD,
    and per condition by part (`metrics.breakdown.PARTS`), or by kind of change."""

    correct: list[int]
    words: list[int] = []
    nuclei: list[int] = []
    back: list[int] = []
    closest: dict[str, list[int]] = {}
    ceiling: Ceiling | None = None
    relations: Counts = {}
    error_split: dict[str, Counts] = {}


class TrainingResult(Work, frozen=True, kw_only=True):
    """A parser trained on one annotation (settings a, b, own), and its scores on the test part.

    Per test sentence there are its `tokens`, those without punctuation (`words`), and its `nuclei` in UD;
    `best_iteration` is that whose weights were kept, `dev_uas` is in percent per iteration, `examples` are
    sentences that a report can draw."""

    tokens: list[int]
    scores: dict[str, ScoreCounts]
    words: list[int]
    nuclei: list[int]
    best_iteration: int = 0
    dev_uas: list[float] = msgspec.field(default_factory=list)
    examples: list[dict[str, Any]] | None = None

    def percent(self, score: str) -> float:
        """Own-reference UAS or LAS in percent."""
        return 100.0 * sum(self.scores[score].correct) / sum(self.tokens)

    @property
    def nucleus_uas(self) -> float:
        """Nucleus UAS in percent."""
        return 100.0 * sum(self.scores["uas"].nuclei) / sum(self.nuclei)


class PairResult(Work, frozen=True, kw_only=True):
    """A short training of both annotations (setting short), tested on other sentences of the training part:
    per sentence its `tokens`, and those that are right in each by its own reference (UAS). Of the tokens
    `changed` have another head in the other annotation; the treebank's test part has `test_tokens`."""

    tokens: list[int]
    original: list[int]
    transformed: list[int]
    changed: int
    test_tokens: int


class SurvivalResult(Work, frozen=True, kw_only=True):
    """A training against all references (setting c): per iteration the shares of sentences with sites, and of
    sites, that survived (None or nan without sites). `factors_cut` had too many options; in
    `sentences_unmixed` two schemes cannot be mixed (None against UD); `closest`: right test tokens of
    `tokens` by score, against the closest references."""

    sites: int
    sentences_with_sites: int
    original_share: list[float | None]
    transformed_share: list[float | None]
    site_original_share: list[float | None]
    factors_cut: int
    closest: dict[str, int]
    tokens: int
    sentences_unmixed: int | None = None


class Measures(Struct, frozen=True, kw_only=True):
    """The counts of a condition in training trees that are not lifted (`test_sites`: in the test part), the
    constructions that it leaves alone by kind, and per measure the values of the original and of the
    transformed trees; None for nan, which JSON lacks. Of annotations that are given: by kind of change
    (`multiref.contrasts.kinds_of_change`) the tokens with another head, and those of which only the relation
    differs; None of rules."""

    sites: int
    sentences: int
    sentences_changed: int
    tokens_changed: int
    test_sites: int
    train_tokens: int
    nonprojective_train: int
    skipped: dict[str, int] = {}
    values: dict[str, tuple[int | float | None, int | float | None]] = {}
    changes: Counts | None = None


class FinishedTraining(Protocol):
    """A training, as :func:`work_of` sees it."""

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
