"""What a record of a run holds: one line of records.jsonl per cell, typed.

Counts are per test sentence where they are lists; `scores` has one entry per score (`uas`, and `las` where
the parsers are labelled). Times and machine facts stand here only, so that results.csv is the same for the
same command.
"""

from __future__ import annotations

from typing import Any

import msgspec

from learnability.multiref.joint import JointSurvival

Counts = dict[str, tuple[int, int]]
"""Right tokens and all tokens, by part or relation (`metrics.breakdown`)."""


class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """A typed part of a record; fields at their default are left out."""


class BackConversion(Struct, frozen=True, kw_only=True):
    """What is right after conversion of the test parses to UD.

    Attributes:
        correct: per test sentence.
        ceiling: in all sentences after converting the gold trees of the annotation instead of parses.
        ceiling_gold_sites: the same with the gold sites; None for LAS.
    """

    correct: list[int]
    ceiling: int
    ceiling_gold_sites: int | None = None


class ScoreCounts(Struct, frozen=True, kw_only=True):
    """What a parser has right by one score.

    Attributes:
        correct: per test sentence, against the own reference.
        relations: by universal relation of gold UD.
        closest: per condition, against the closest references.
        error_split: per condition, by part (`metrics.breakdown.PARTS`).
        back: after conversion to UD; None for UD itself.
    """

    correct: list[int]
    relations: Counts = {}
    closest: dict[str, int] = {}
    error_split: dict[str, Counts] = {}
    back: BackConversion | None = None


class Work(Struct, frozen=True, kw_only=True):
    """What a training cost.

    Attributes:
        iterations: how many were run.
        kernel_seconds: wall time in the trainer.
        trained_tokens: tokens times iterations.
        features: features with weights; None where unknown.
    """

    iterations: int
    kernel_seconds: float
    trained_tokens: int
    features: int | None = None


class Training(Work, frozen=True, kw_only=True):
    """A parser trained on one annotation (settings a, b, curve, verify), and its test scores.

    Attributes:
        tokens: per test sentence.
        scores: by score.
        nucleus_correct, nuclei: right and all nuclei of UD (meaningless with `cc`).
        best_iteration: the one whose weights were kept; `dev_uas`: percent, per iteration.
        examples: test sentences that a report can draw (`experiments.examples`), where they are kept.
    """

    tokens: list[int]
    scores: dict[str, ScoreCounts]
    nucleus_correct: int
    nuclei: int
    best_iteration: int = 0
    dev_uas: list[float] = []
    examples: list[dict[str, Any]] | None = None

    def percent(self, score: str) -> float:
        """Own-reference UAS or LAS in percent."""
        return 100.0 * sum(self.scores[score].correct) / sum(self.tokens)

    @property
    def nucleus_uas(self) -> float:
        """Nucleus UAS in percent."""
        return 100.0 * self.nucleus_correct / self.nuclei


class Survival(Work, frozen=True, kw_only=True):
    """A training against all references (setting c): the shares that survived, per iteration.

    Attributes:
        sites, sentences_with_sites: of the training trees.
        original_share, transformed_share: of the sentences; None (or nan) without sites.
        site_original_share: of the sites.
        factors_cut: factors of which only two options were kept.
        sentences_unmixed: sentences in which two schemes cannot be mixed; None where UD is compared.
        closest: right test tokens against the closest references, by score, out of `tokens`.
    """

    sites: int
    sentences_with_sites: int
    original_share: list[float | None]
    transformed_share: list[float | None]
    site_original_share: list[float | None]
    factors_cut: int
    closest: dict[str, int]
    tokens: int
    sentences_unmixed: int | None = None


class JointTraining(Work, frozen=True, kw_only=True):
    """A training against the references of all transformations at once.

    Attributes:
        sentences, sites, factors: of the training trees.
        largest_factor: the most sites of a factor.
        largest_set: the base-2 logarithm of the size of the largest reference set.
        factors_in_parts, factors_cut: large factors kept exactly, and cut to two options.
        survival: what survived.
    """

    sentences: int
    sites: int
    factors: int
    largest_factor: int
    largest_set: int
    factors_in_parts: int
    factors_cut: int
    survival: JointSurvival


class Measures(Struct, frozen=True, kw_only=True):
    """The counts of a condition, and its measures in the original and the transformed training trees.

    Attributes:
        sites, sentences, sentences_changed, tokens_changed, train_tokens: of the training trees, not lifted.
        test_sites: of the test part.
        nonprojective_train: training sentences that are not projective.
        skipped: constructions that the transformation leaves alone, by kind.
        values: per measure, of the original and of the transformed trees; None for nan, which JSON lacks.
    """

    sites: int
    sentences: int
    sentences_changed: int
    tokens_changed: int
    test_sites: int
    train_tokens: int
    nonprojective_train: int
    skipped: dict[str, int] = {}
    values: dict[str, tuple[int | float | None, int | float | None]] = {}


class Record(Struct, frozen=True, kw_only=True):
    """One cell of a run: which it is, what came out, and what it took.

    Attributes:
        key: `Cell.key`; treebank, setting, condition, seed, fold, share, rank: those of the cell.
        failed: why the cell failed; None if it did not.
        training, survival, joint, measures: the result, one of them; none of them where there was nothing to
            train on, and none but `transforms` where settings (a) and (b) are the training to verify.
        transforms: for `verify`, the transformations of the scheme; None where there are fewer schemes.
    """

    key: str
    failed: str | None = None
    treebank: str
    setting: str
    condition: str = ""
    seed: int = 0
    fold: int = 0
    share: float = 1.0
    rank: int = 0
    training: Training | None = None
    survival: Survival | None = None
    joint: JointTraining | None = None
    measures: Measures | None = None
    transforms: tuple[str, ...] | None = None
    wall_seconds: float = 0.0
    read_seconds: float = 0.0
    worker: str = ""
    peak_memory_mb: int | None = None

    @property
    def work(self) -> Work | None:
        """What the training cost, if there was one."""
        return self.training or self.survival or self.joint

    @property
    def kernel_seconds(self) -> float | None:
        """The wall time in the trainer, if there was a training."""
        return self.work.kernel_seconds if self.work else None

    @property
    def trained_tokens(self) -> int | None:
        """The tokens trained on times the iterations, if there was a training."""
        return self.work.trained_tokens if self.work else None


decode = msgspec.json.Decoder(Record).decode
"""A line of records.jsonl as a record. Raises msgspec.DecodeError."""
