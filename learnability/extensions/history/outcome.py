"""Compute what each part of each step of a history did.

Differences are those of the later stage minus the earlier one, so a positive one means that the later version
is easier. Each part is a difference of stages (`trainings`):

    sentences     (ALL_LATER - LATER) + (EARLIER - ALL_EARLIER)
    annotation    LATER_TREES - EARLIER
    tags          LATER - LATER_TREES

They add up to ALL_LATER - ALL_EARLIER.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from learnability.extending import FEWEST, Difference, Records, RunPlan, Score, Side, TrainingResult
from learnability.extensions.history.trainings import Stage, StageCell, StepCell, StepFacts

UNCHANGED, TOO_FEW = "unchanged", "too few changes"
"""The answers for parts that are not tested."""

DECISIONS = {
    Side.FIRST: "easier",
    Side.SECOND: "harder",
    Side.EQUAL: "no difference that matters",
    Side.NONE: "open",
}
"""The answer about the later version; the side called UD is the one with the higher score."""


class PartKind(StrEnum):
    """Name what changed between two versions."""

    SENTENCES = "sentences"
    ANNOTATION = "annotation"
    TAGS = "tags"


PARTS = {
    PartKind.SENTENCES: "sentences added or deleted",
    PartKind.ANNOTATION: "changed trees",
    PartKind.TAGS: "changed tags",
}
"""What a part of a step is called in sentences."""


Counts = NDArray[np.int64]
"""int64[seeds, sentences]: right tokens."""

BY_PREFERENCE = (Stage.EARLIER, Stage.LATER_TREES, Stage.LATER, Stage.ALL_EARLIER, Stage.ALL_LATER)
"""Of stages that are equal, the first is trained."""

Terms = tuple[tuple[Stage, ...], tuple[Stage, ...]]
"""The stages whose scores are added, and those whose scores are subtracted."""

TERMS: dict[PartKind, Terms] = {
    PartKind.SENTENCES: ((Stage.ALL_LATER, Stage.EARLIER), (Stage.LATER, Stage.ALL_EARLIER)),
    PartKind.ANNOTATION: ((Stage.LATER_TREES,), (Stage.EARLIER,)),
    PartKind.TAGS: ((Stage.LATER,), (Stage.LATER_TREES,)),
}


MOST_PER_CHANGE = 2
"""The most words that become right or wrong for each changed word. In planted changes they are up to 1.2
(research/history)."""


@dataclass(frozen=True)
class Step:
    """A step from one version to the next: the label of the earlier one, and what is known of each fold."""

    treebank: str
    facts: tuple[StepFacts, ...]

    @property
    def earlier(self) -> str:
        return self.facts[0].earlier

    @property
    def later(self) -> str:
        return self.facts[0].later

    @property
    def name(self) -> str:
        return f"{self.earlier} → {self.later}"

    def sum_counts(self, name: str) -> int:
        return sum(getattr(facts, name) for facts in self.facts)

    def count_changed(self, part: PartKind, *, labelled: bool) -> int:
        """Return how many words, or sentences, a part changes for the parser."""
        if part is PartKind.SENTENCES:
            return self.facts[0].sentences.deleted + self.facts[0].sentences.new
        if part is PartKind.TAGS:
            return self.sum_counts("tags")
        return self.sum_counts("heads") + (self.sum_counts("relations") if labelled else 0)

    def reason_untested(self, part: PartKind, *, labelled: bool) -> str:
        """Return why a part is not tested: nothing, or too little, changes; empty if it is."""
        if self.facts[0].sentences.shared < FEWEST.sentences:
            return TOO_FEW
        pairs = list(zip(*TERMS[part], strict=True))  # the stages that are equal if nothing changes
        if all(facts.digests[a] == facts.digests[b] for facts in self.facts for a, b in pairs):
            return UNCHANGED
        return TOO_FEW if self.count_changed(part, labelled=labelled) < FEWEST.places else ""

    def effect_in_words(self, difference: Difference) -> int:
        return round(abs(difference.delta) / 100 * self.sum_counts("words"))

    def is_beyond(self, difference: Difference, changed: int) -> bool:
        """Return whether a difference stands for more words than `changed` words may account for.

        The interval of a small change errs as rarely as it says, but most small changes do nothing, so such
        an effect is most often one that is due to chance (research/history).
        """
        return self.effect_in_words(difference) > MOST_PER_CHANGE * changed

    def answer_difference(self, difference: Difference, changed: int) -> Difference:
        """Return a difference without a side where it is beyond the change."""
        if difference.is_clear and self.is_beyond(difference, changed):
            return replace(difference, better=Side.NONE)
        return difference


@dataclass(frozen=True)
class StepPart:
    """What a part of a step did.

    Attributes:
        changed: how many words changed, or sentences.
        untested: why it was not tested, if it was not.
        without_punctuation: differences without punctuation, not corrected for several parts.
    """

    step: Step
    part: PartKind
    changed: int
    untested: str
    differences: dict[Score, Difference]
    without_punctuation: dict[Score, Difference]

    def decision(self, score: Score) -> str:
        return self.untested or DECISIONS[self.differences[score].better or Side.NONE]

    def is_clear(self, score: Score) -> bool:
        return not self.untested and self.differences[score].is_clear


class History:
    """The steps of a treebank, as far as the records have them."""

    def __init__(self, plan: RunPlan, records: Records) -> None:
        self.plan, self.records = plan, records
        self.labelled = plan.options.labels is not None
        self.scores = Score.answered(labelled=self.labelled)

    def step_cells(self) -> Iterator[StepCell]:
        for treebank in self.plan.by_label:
            for fold in self.plan.folds(treebank):
                yield StepCell(treebank=treebank, fold=fold, parser=self.plan.parsers[0])

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return the steps; none unless all are counted."""
        cells = list(self.step_cells())
        found = [self.records.result(cell) for cell in cells]
        facts: dict[str, list[StepFacts]] = {treebank: [] for treebank in self.plan.by_label}
        for cell, result in zip(cells, found, strict=True):
            if result is None:
                return ()
            facts[cell.treebank].append(result)
        return tuple(Step(treebank, tuple(of_folds)) for treebank, of_folds in facts.items())

    @cached_property
    def _first_with(self) -> dict[tuple[int, str], StageCell]:
        cells: dict[tuple[int, str], StageCell] = {}
        for step in self.steps:
            for fold, facts in enumerate(step.facts):
                for stage in BY_PREFERENCE:
                    parser = self.plan.parsers[0]
                    cell = StageCell(treebank=step.treebank, fold=fold, stage=stage, parser=parser)
                    cells.setdefault((fold, facts.digests[stage]), cell)
        return cells

    def stage_cells(self, step: Step, stage: Stage) -> list[StageCell]:
        """Return the cells of a stage, without their seeds: one for each fold."""
        return [self._first_with[fold, facts.digests[stage]] for fold, facts in enumerate(step.facts)]

    def list_seeded_cells(self, cells: Sequence[StageCell]) -> Iterator[StageCell]:
        for cell in cells:
            for seed in self.plan.seeds:
                yield replace(cell, seed=seed)

    def tested_parts(self, step: Step) -> list[PartKind]:
        return [part for part in PartKind if not step.reason_untested(part, labelled=self.labelled)]

    def part_cells(self) -> Iterator[StageCell]:
        """Yield the cells that all parts need, each once."""
        seen: set[str] = set()
        for step in self.steps:
            stages = {stage for part in self.tested_parts(step) for side in TERMS[part] for stage in side}
            per_fold = [self.stage_cells(step, stage) for stage in Stage if stage in stages]
            for cells in zip(*per_fold, strict=True):
                for cell in self.list_seeded_cells(cells):
                    if cell.key not in seen:
                        seen.add(cell.key)
                        yield cell

    @cached_property
    def parts(self) -> tuple[StepPart, ...]:
        """Return what each part of each step did; none unless everything is trained."""
        if not self.steps or any(cell.key not in self.records for cell in self.part_cells()):
            return ()
        pairs = [(step, part) for step in self.steps for part in PartKind]
        differences: dict[Score, list[Difference | None]] = {
            score: Difference.correct([self._of_part(step, part, score) for step, part in pairs])
            for score in self.scores
        }
        found = []
        for number, (step, part) in enumerate(pairs):
            changed = step.count_changed(part, labelled=self.labelled)
            by_score = {score: differences[score][number] for score in self.scores}
            known = {score: difference for score, difference in by_score.items() if difference is not None}
            if part is not PartKind.SENTENCES:
                known = {
                    score: step.answer_difference(difference, changed) for score, difference in known.items()
                }
            words = {
                score: difference
                for score in known
                if (difference := self._of_part(step, part, score, words=True)) is not None
            }
            reason = step.reason_untested(part, labelled=self.labelled)
            found.append(StepPart(step, part, changed, reason, known, words))
        return tuple(found)

    def _of_part(self, step: Step, part: PartKind, score: Score, *, words: bool = False) -> Difference | None:
        if part not in self.tested_parts(step):
            return None
        added, subtracted = (
            [self._count_right(self.stage_cells(step, stage), score, words=words) for stage in side]
            for side in TERMS[part]
        )
        compared = {stage for side in TERMS[part] for stage in side}
        results = self._results(self.stage_cells(step, Stage.EARLIER)) or self._results(
            self.stage_cells(step, Stage.LATER)
        )
        return Difference.of_sums(
            added,
            subtracted,
            results,
            seed_ratio=self.plan.options.parsers[0].kind.seed_ratio,
            words=words,
            beside=self._find_other_stages(step, score, compared, words=words),
        )

    def _find_other_stages(
        self, step: Step, score: Score, compared: Collection[Stage], *, words: bool
    ) -> list[Counts]:
        """Return the right tokens at the other stages of a step, in which training noise is measured, too."""
        if len(step.facts) < 2:
            return []
        known = {self._keys(step, stage) for stage in compared}
        beside = []
        for stage in Stage:
            keys, cells = self._keys(step, stage), self.stage_cells(step, stage)
            if keys not in known and self._results(cells):
                known.add(keys)
                beside.append(self._count_right(cells, score, words=words))
        return beside

    def _keys(self, step: Step, stage: Stage) -> tuple[str, ...]:
        return tuple(cell.key for cell in self.stage_cells(step, stage))

    def _count_right(self, cells: Sequence[StageCell], score: Score, *, words: bool = False) -> Counts:
        """Return int64[seeds, sentences]: the right tokens; `words`: without punctuation."""

        def right(training: TrainingResult) -> list[int]:
            counts = training.scores[score]
            return counts.words if words else counts.correct

        return np.array(
            [[count for fold in seed for count in right(fold)] for seed in self._results(cells)], np.int64
        )

    def _results(self, cells: Sequence[StageCell]) -> list[list[TrainingResult]]:
        """Return what came out of the cells per seed, per fold; empty unless all are there."""
        seeds = []
        for seed in self.plan.seeds:
            results = [self.records.result(replace(cell, seed=seed)) for cell in cells]
            known = [result for result in results if result is not None]
            if len(known) < len(cells):
                return []
            seeds.append(known)
        return seeds
