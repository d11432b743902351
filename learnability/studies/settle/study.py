"""Settle what a run leaves open: every sentence is tested, with as many trainings as it takes.

The treebank is cut into folds, each of which is parsed by parsers trained on the others. A *pass* is one
training of each annotation on each fold. After the first two passes, and after each further one, the study
tests every construction. A construction leaves when its answer is clear, or when it is improbable that the
remaining passes would make it clear. Interval and p values allow for the looks (`statistics.sequential`), for
all constructions of the treebank, and for the test of the run (docs/rules.md, Scores and uncertainty).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from msgspec.structs import replace as replace_fields

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import ComparisonCell, comparison_cells
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.plan import RunPlan
from learnability.comparing.results import Measures
from learnability.errors import InputError
from learnability.evidence.answers import is_left_open
from learnability.evidence.grouping import PairRecords, find_results
from learnability.evidence.questions import PUNCTUATION
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows, result_rows, row_of
from learnability.evidence.score_differences import FIRST_OR_SECOND, ScoringBasis
from learnability.reports.content import Outcome
from learnability.reports.text import time_in_words
from learnability.running.cell import Cell, key_of
from learnability.running.records import Records
from learnability.statistics.inference import AHEAD, ALPHA
from learnability.statistics.sequential import Looks
from learnability.studies.settle import SettleOptions
from learnability.studies.settle.section import SettledConstruction, settled_sections
from learnability.studies.settle.trainings import FIRST_LOOK, FoldAlternative, PassTrainings
from learnability.studies.study import Study
from learnability.support.nouns import count_noun

WORTHWHILE = 0.1
"""The probability of an answer by the last pass below which a construction is trained no further."""


@dataclass(frozen=True)
class TreebankPasses:
    """Hold how far a treebank has come: the passes of which everything is recorded, what is known of the
    constructions that the run leaves open, the estimated processor seconds, and what is missing of the pass
    that follows."""

    number: int
    constructions: tuple[SettledConstruction, ...]
    seconds: float = 0.0
    missing: tuple[ComparisonCell[Any], ...] = ()


Trained = tuple[tuple[Annotation, ...], ...]
"""The constructions that were trained in each pass: with the records it says all of a treebank."""


class SettleStudy(Study[SettleOptions]):
    """Test every sentence of the treebanks for what a run leaves open, by its first parser."""

    REFINES = True
    ADAPTS = True

    def __init__(self, plan: RunPlan, options: SettleOptions) -> None:
        super().__init__(plan, options)
        self.config = plan.config
        self._of_first_parser: dict[str, list[ComparisonRow]] = {}
        self._looked_at: dict[tuple[str, Trained], TreebankPasses] = {}
        self._trainings = PassTrainings(plan, options.folds)
        self._last = options.last_look
        self._most = min(options.most_seeds, self._last)
        self._answered: set[str] = set()

    @classmethod
    def find_obstacle(cls, run: ExperimentOptions) -> str:
        """Return that a cross-validated run has tested every sentence already, if it has."""
        if run.data.cross_validate is None:
            return ""
        return (
            f"`cross_validate={run.data.cross_validate}`: `budget`, `most_seeds` and `folds` have no effect, "
            "because this run tests every sentence anyway; leave them out, and use more `seeds`"
        )

    @classmethod
    def continue_options(
        cls, earlier: SettleOptions, now: SettleOptions, records: Records, *, is_chosen: bool
    ) -> SettleOptions:
        """Return the options with the folds, and at least the looks, that were planned before.

        Where nothing is chosen now, a run that was broken off goes on to the budget that was chosen then.
        InputError if another number of folds would lose what is recorded.
        """
        trained = any(record.setting == FoldAlternative.SETTING for record in records.values())
        if earlier.folds != now.folds and trained and is_chosen:
            raise InputError(
                f"the run was settled with {count_noun(earlier.folds, 'fold')}, and `folds={now.folds}` "
                f"would replace its answers; use `folds={earlier.folds}`, or start another run"
            )
        folds = earlier.folds if trained else now.folds
        if not is_chosen and (earlier.budget is None or earlier.budget > (now.budget or math.inf)):
            now = replace(now, budget=earlier.budget)
        return replace(now, folds=folds, planned_seeds=max(earlier.last_look, now.planned_seeds))

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return no trainings: which constructions are open is not known before the run."""
        return ()

    def notes(self) -> Sequence[str]:
        """Return how much may follow on the run."""
        seconds = self.plan.seconds(self._all_trainings())
        if self.options.budget is not None:
            seconds = min(seconds, self.options.budget)
        return [
            f"What the test set leaves open is tested on every sentence by {self.config.parsers[0].title}: "
            f"at most about {time_in_words(seconds)} more on one processor."
        ]

    def _all_trainings(self) -> Iterator[ComparisonCell[Any]]:
        annotations = self.plan.options.alternatives
        for treebank in self.plan.by_label:
            for passes in range(FIRST_LOOK, self._most + 1):
                yield from self._trainings.list_cells(treebank, annotations, passes)

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        for treebank in self.plan.largest_first():
            if treebank in self._answered or not self._is_run_recorded(treebank, records):
                continue  # the run comes first
            missing = self._find_reached_pass(treebank, records).missing
            yield from missing
            if not missing:
                self._answered.add(treebank)

    def cells_ahead(self, records: Records) -> list[Cell[Any]] | None:
        """Return what is trained if every construction that is open stays so, as far as the budget goes.

        None before the runs are there that say what is open: most of it may not be needed.
        """
        if not all(self._is_run_recorded(treebank, records) for treebank in self.plan.by_label):
            return None
        possible: list[Cell[Any]] = []
        for treebank in self.plan.by_label:
            if treebank in self._answered:
                continue
            state = self._find_reached_pass(treebank, records)
            possible += state.missing
            hopeful = [known for known in state.constructions if known.chance >= WORTHWHILE]
            reached = state.number
            # the pass under way is paid for before the next ones are tried against the budget
            if state.missing:
                reached += 1
                under_way = {cell.annotation for cell in state.missing if cell.annotation is not None}
                trained = self._trainings.seconds(treebank, list(under_way), reached)
                state = replace(state, seconds=state.seconds + trained)
            for number in range(max(FIRST_LOOK, reached + 1), self._most + 1):
                chosen = list(self._within_budget(treebank, state, number, frozenset(), hopeful))
                if not chosen:
                    break
                trained = self._trainings.seconds(treebank, chosen, number)
                state = replace(state, seconds=state.seconds + trained)
                possible += self._trainings.list_cells(treebank, chosen, number)
        return possible

    def _is_run_recorded(self, treebank: str, records: Records) -> bool:
        return all(cell.key in records for cell in self._of_run[treebank])

    @cached_property
    def _of_run(self) -> dict[str, list[ComparisonCell[Any]]]:
        cells: dict[str, list[ComparisonCell[Any]]] = {treebank: [] for treebank in self.plan.by_label}
        for cell in comparison_cells(self.plan, both=False):
            if cell.parser in ("", self.plan.parsers[0]):
                cells[cell.treebank].append(cell)
        return cells

    def outcome(self, records: Records) -> Outcome:
        """Return the comparisons over all sentences, and how far they came; what failed leaves gaps in it."""
        constructions = list(self.constructions(records))
        return Outcome(
            refined=[construction.row for construction in constructions if construction.passes],
            details=tuple(settled_sections(constructions, self._first_look, self._last)),
        )

    def _first_look(self, constructions: Sequence[SettledConstruction]) -> float:
        annotations = [construction.annotation for construction in constructions]
        return self._trainings.seconds(constructions[0].row.treebank_label, annotations, FIRST_LOOK)

    def constructions(self, records: Records) -> Iterator[SettledConstruction]:
        for treebank in self.plan.by_label:
            if not self._is_run_recorded(treebank, records):
                continue
            for construction in self._find_reached_pass(treebank, records).constructions:
                limit = ""
                # it might still be answered: what stopped it is an option, not the data
                if construction.chance >= WORTHWHILE and construction.passes < self._last:
                    limit = "budget" if construction.passes < self._most else "most_seeds"
                yield replace(construction, limit=limit)

    def _of_treebank(self, treebank: str, records: Records) -> list[ComparisonRow]:
        if treebank not in self._of_first_parser:
            alone = tuple(known for known in self.config.treebanks if known.label == treebank)
            rows = result_rows(replace(self.config, treebanks=alone), records)
            first = self.config.parsers[0].title
            self._of_first_parser[treebank] = [row for row in rows if row.parser in ("", first)]
        return self._of_first_parser[treebank]

    def _find_reached_pass(self, treebank: str, records: Records) -> TreebankPasses:
        trained: Trained = ()
        if (treebank, trained) not in self._looked_at:
            self._looked_at[treebank, trained] = TreebankPasses(0, tuple(self._left_open(treebank, records)))
        state = self._looked_at[treebank, trained]
        for number in range(FIRST_LOOK, self._last + 1):
            active = self._choose_active(treebank, state, number, records)
            # all are answered, or not worth what they cost
            if not active:
                break
            cells = self._trainings.list_cells(treebank, active, number)
            missing = tuple(cell for cell in cells if cell.key not in records)
            # which constructions go on depends on all of a pass
            if missing:
                return replace(state, missing=missing)
            trained = (*trained, active)
            if (treebank, trained) not in self._looked_at:
                self._looked_at[treebank, trained] = self._look(treebank, state, number, active, records)
            state = self._looked_at[treebank, trained]
        return state

    def _choose_active(
        self, treebank: str, state: TreebankPasses, number: int, records: Records
    ) -> tuple[Annotation, ...]:
        reached = [known for known in state.constructions if known.passes == state.number]
        active = {
            known.annotation
            for known in reached
            if self._is_recorded(treebank, known.annotation, number, records)
        }
        if number <= self._most:
            hopeful = [
                known for known in reached if known.annotation not in active and known.chance >= WORTHWHILE
            ]
            active |= self._within_budget(treebank, state, number, active, hopeful)
        return tuple(known.annotation for known in reached if known.annotation in active)

    def _is_recorded(self, treebank: str, annotation: Annotation, number: int, records: Records) -> bool:
        return all(cell.key in records for cell in self._trainings.list_cells(treebank, [annotation], number))

    def _within_budget(
        self,
        treebank: str,
        state: TreebankPasses,
        number: int,
        active: Set[Annotation],
        hopeful: Sequence[SettledConstruction],
    ) -> set[Annotation]:
        left = self.options.budget_of(self._share(treebank)) - state.seconds
        by_chance = sorted(hopeful, key=lambda known: -known.chance)
        for count in range(len(by_chance), 0, -1):
            chosen = {known.annotation for known in by_chance[:count]}
            if self._trainings.seconds(treebank, [*active, *chosen], number) <= left:
                return chosen
        return set()

    def _share(self, treebank: str) -> float:
        tokens = {name: sum(facts.train_tokens) for name, (_, facts) in self.plan.by_label.items()}
        return tokens[treebank] / max(1, sum(tokens.values()))

    def _left_open(self, treebank: str, records: Records) -> Iterator[SettledConstruction]:
        _, facts = self.plan.by_label[treebank]
        if facts.folds > 1:
            return
        annotations = {annotation.spelling: annotation for annotation in self.plan.options.alternatives}
        for row in self._of_treebank(treebank, records):
            annotation = annotations[row.pair.alternative.spelling]
            if is_left_open(row) or self._is_recorded(treebank, annotation, FIRST_LOOK, records):
                yield SettledConstruction(annotation, row, row)

    def _look(
        self,
        treebank: str,
        before: TreebankPasses,
        number: int,
        active: Sequence[Annotation],
        records: Records,
    ) -> TreebankPasses:
        trained = {
            known.annotation: self._find_trained(treebank, known.annotation, reached, records)
            for known in before.constructions
            if (reached := number if known.annotation in active else known.passes)
        }
        rows = []
        for known in before.constructions:
            if known.annotation in active:
                beside = [others for other, others in trained.items() if other != known.annotation]
                rows.append(self._row(treebank, known.annotation, trained[known.annotation], beside))
            else:
                rows.append(known.row)
        answered = [row for row in self._of_treebank(treebank, records) if not is_left_open(row)]
        without_side = sum(row.tested and row.easier().side not in AHEAD for row in answered)
        constructions = []
        for known, row in zip(
            before.constructions, corrected_rows(rows, tested_before=answered), strict=True
        ):
            construction = replace(known, row=row)
            if known.annotation in active:
                construction = replace(construction, passes=number)
            chance = self._chance(construction, len(rows) + without_side)
            constructions.append(replace(construction, chance=chance))
        seconds = before.seconds + self._trainings.seconds(treebank, active, number)
        return TreebankPasses(number, tuple(constructions), seconds)

    def _chance(self, construction: SettledConstruction, constructions: int) -> float:
        if not construction.open or construction.chance < WORTHWHILE:
            return 0.0
        chances = []
        for score in construction.row.scores:
            if score in construction.refined.test_set_rows:
                continue
            difference = construction.row.difference(score)
            if construction.row.easier(score).reason in PUNCTUATION:
                difference = construction.row.difference(score, ScoringBasis.WORDS)
            if difference is None or not isinstance(difference.testing, Looks):
                continue
            if construction.row.easier(score).needs_data:
                level = ALPHA * difference.share / constructions
                chances.append(difference.testing.chance_of_answer(difference.delta, level))
        return max(chances, default=0.0)

    def _find_trained(
        self, treebank: str, annotation: Annotation, passes: int, records: Records
    ) -> PairRecords:
        seeds, folds = range(1, passes + 1), self.options.folds
        (counts,) = find_results(records, self._trainings.places(treebank, annotation), [0], folds)
        measured = records.at(key_of(treebank, "measures", annotation.spelling), Measures)
        assert measured is not None  # the run is finished
        places = sum(fold.test_places for fold in counts)
        return PairRecords(
            alternative=annotation.spelling,
            measures=[replace_fields(measured, places=places, test_places=places)],
            a=find_results(records, self._trainings.base(treebank), seeds, folds),
            b=find_results(records, self._trainings.alternative(treebank, annotation), seeds, folds),
            c=[],
        )

    def _row(
        self, treebank: str, annotation: Annotation, trained: PairRecords, beside: Sequence[PairRecords]
    ) -> ComparisonRow:
        pair = Pair(self.plan.options.against, annotation)
        of_run = next(known for known in self.config.treebanks if known.label == treebank)
        row = row_of(
            trained,
            replace(of_run, folds=self.options.folds),
            pair.facts,
            self.config.parsers[0],
            seeds=range(1, len(trained.a) + 1),
            labelled=self.config.labelled,
            beside=beside,
            testing=lambda spread: Looks(spread, FIRST_LOOK, self._last),
            share=FIRST_OR_SECOND,
        )
        return row if self.config.names_parsers else replace(row, parser="")
