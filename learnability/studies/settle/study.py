"""Settle what a run leaves open: every sentence is tested, with as many trainings as it takes.

The treebank is cut into folds, each of which is parsed by parsers trained on the others. A *pass* is one
training of each annotation on each fold. After the first two passes, and after each further one, the study
tests every construction. A construction leaves when its answer is clear, or when it is improbable that the
remaining passes would make it clear. Interval and p values allow for the looks (`statistics.sequential`), for
all constructions of the treebank, and for the test of the run (docs/rules.md, Scores and uncertainty).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from msgspec.structs import replace as replace_fields

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import ComparisonCell, comparison_cells
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair, alternatives_of, base_of
from learnability.comparing.plan import RunPlan
from learnability.comparing.results import Measures
from learnability.errors import InputError
from learnability.evidence.answers import PUNCTUATION, is_left_open
from learnability.evidence.design import RunDesign
from learnability.evidence.differences import FIRST_OR_SECOND, ComparisonKind
from learnability.evidence.grouping import PairRecords, find_results
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows, result_rows, row_of
from learnability.reports.text import time_in_words
from learnability.running.cell import Cell, key_of
from learnability.running.records import Records
from learnability.statistics.inference import AHEAD, ALPHA
from learnability.statistics.sequential import Looks
from learnability.statistics.spread import Spread
from learnability.studies.settle import SettleOptions
from learnability.studies.settle.section import (
    SETTLED,
    nothing_to_settle,
    settled_csv,
    settled_sections,
    settled_values,
)
from learnability.studies.settle.trainings import FoldAlternative, FoldBase, FoldPlaces
from learnability.studies.study import Outcome, Study
from learnability.support.nouns import count_noun

FIRST_LOOK = 2
"""The passes before the first look: with one, training noise could not be measured."""

WORTHWHILE = 0.1
"""The probability of an answer by the last pass below which a construction is trained no further."""


@dataclass(frozen=True)
class SettledConstruction:
    """Hold the results for a construction after some passes.

    Attributes:
        row: the comparison over all sentences of the treebank, corrected for all constructions of the run;
            without scores before the first look.
        of_run: the comparison of the run, on its test set.
        passes: the trainings per fold and annotation.
        chance: the probability that the remaining passes give an answer; 0 where there is one.
        limit: the option because of which it was not trained further; empty if that was not worthwhile.
    """

    annotation: Annotation
    row: ComparisonRow
    of_run: ComparisonRow
    passes: int = 0
    chance: float = 1.0
    limit: str = ""

    @property
    def open(self) -> bool:
        """Return whether it is open by any score which annotation is easier."""
        return is_left_open(self.row)


class SettleStudy(Study[SettleOptions]):
    """Test every sentence of the treebanks for what a run leaves open, by its first parser."""

    def __init__(self, plan: RunPlan, options: SettleOptions) -> None:
        super().__init__(plan, options)
        self.design = RunDesign.of_plan(plan)
        self._known: dict[tuple[str, int], tuple[SettledConstruction, ...]] = {}
        self._cells: dict[tuple[str, int], list[ComparisonCell[Any]]] = {}
        self._of_first_parser: dict[str, list[ComparisonRow]] = {}

    @classmethod
    def check(cls, run: ExperimentOptions, options: SettleOptions) -> None:
        """Raise an InputError if the run has tested every sentence already."""
        if run.data.cross_validate is not None:
            raise InputError(
                f"`cross_validate={run.data.cross_validate}`: settling has no effect, because this run tests "
                "every sentence; continue the run with more `seeds` and `resume=True`"
            )

    @classmethod
    def continue_options(
        cls, earlier: SettleOptions, now: SettleOptions, records: Records, *, is_chosen: bool
    ) -> SettleOptions:
        """Return the options with the folds, and at least the looks, that were planned before.

        Raises:
            InputError: the treebank was cut into another number of folds, so what is recorded would be lost.
        """
        trained = any(record.setting == FoldAlternative.SETTING for record in records.values())
        if earlier.folds != now.folds and trained and is_chosen:
            raise InputError(
                f"the run was settled with {count_noun(earlier.folds, 'fold')}, and `folds={now.folds}` "
                f"would replace its answers; use `folds={earlier.folds}`, or start another run"
            )
        folds = earlier.folds if trained else now.folds
        return replace(now, folds=folds, planned_seeds=max(earlier.last_look, now.planned_seeds))

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return no trainings: which constructions are open is not known before the run."""
        return ()

    def notes(self) -> Sequence[str]:
        """Return how much may follow on the run."""
        folds, seeds = self.options.folds, self.options.most_seeds
        seconds = self.plan.seconds(self._all_trainings())
        if self.options.budget is not None:
            seconds = min(seconds, self.options.budget)
        return [
            f"after that, for constructions that are open: at most {count_noun(folds * seeds, 'training')} "
            f"per annotation ({count_noun(folds, 'fold')}, {count_noun(seeds, 'seed')}) by "
            f"{self.design.parsers[0].title}, at most about {time_in_words(seconds)} of one processor"
        ]

    def _all_trainings(self) -> Iterator[ComparisonCell[Any]]:
        """Yield what is trained if every construction stays open to the end."""
        annotations = alternatives_of(self.plan.options)
        for treebank in self.plan.by_label:
            for passes in range(FIRST_LOOK, self.options.most_seeds + 1):
                yield from self._trainings(treebank, annotations, passes)

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield what is missing of the pass that each treebank has reached, fold by fold."""
        for treebank in self.plan.largest_first():
            if not all(cell.key in records for cell in self._of_run(treebank)):
                continue  # the run comes first
            for passes in range(FIRST_LOOK, self.options.last_look + 1):
                cells = self._of_pass(treebank, passes, records)
                missing = [cell for cell in cells if cell.key not in records]
                yield from missing
                if missing or not cells:
                    break

    def _of_run(self, treebank: str) -> list[ComparisonCell[Any]]:
        """Return the cells of the run that say what is open."""
        key = treebank, 0
        if key not in self._cells:
            self._cells[key] = [
                cell
                for cell in comparison_cells(self.plan, both=False)
                if cell.treebank == treebank and cell.parser in ("", self.plan.parsers[0])
            ]
        return self._cells[key]

    def _of_pass(self, treebank: str, passes: int, records: Records) -> list[ComparisonCell[Any]]:
        """Return the cells up to a look, fold by fold, so that a process reads each once."""
        key = treebank, passes
        if key not in self._cells:
            active = self._active(treebank, passes, records)
            self._cells[key] = list(self._trainings(treebank, active, passes)) if active else []
        return self._cells[key]

    def outcome(self, records: Records) -> Outcome | None:
        """Return the answers over all sentences, and settled.csv."""
        of_run = (cell for treebank in self.plan.by_label for cell in self._of_run(treebank))
        if any(cell.key not in records for cell in (*of_run, *self.next_cells(records))):
            return None
        constructions = list(self.constructions(records))
        if not constructions:
            parser = self.design.parsers[0].title if self.design.names_parsers else ""
            return Outcome(values={"settled": []}, sections=(nothing_to_settle(parser),))
        trained = [construction for construction in constructions if construction.passes]
        return Outcome(
            files={SETTLED: settled_csv(trained)},
            refined=[construction.row for construction in trained],
            values={"settled": [settled_values(construction) for construction in trained]},
            answers=tuple(
                settled_sections(
                    constructions, self._rows_of_run(records), self._first_look, self.options.last_look
                )
            ),
            says_all=True,
        )

    def _first_look(self, constructions: Sequence[SettledConstruction]) -> float:
        """Return the processor seconds until the first look at constructions of a treebank."""
        annotations = [construction.annotation for construction in constructions]
        return self.plan.seconds(
            self._trainings(constructions[0].row.treebank_label, annotations, FIRST_LOOK)
        )

    def constructions(self, records: Records) -> Iterator[SettledConstruction]:
        """Yield what is known of each construction that the run left open, after the passes so far."""
        for treebank in self.plan.by_label:
            for construction in self._settle_passes(
                treebank, self._find_reached_pass(treebank, records), records
            ):
                limit = ""
                if construction.chance >= WORTHWHILE and construction.passes < self.options.last_look:
                    limit = "budget" if construction.passes < self.options.most_seeds else "most_seeds"
                yield replace(construction, limit=limit)

    def _rows_of_run(self, records: Records) -> list[ComparisonRow]:
        """Return the comparisons of the run, by its first parser."""
        parser = self.design.parsers[0].title
        return [row for row in result_rows(self.design, records) if row.parser in ("", parser)]

    def _of_treebank(self, treebank: str, records: Records) -> list[ComparisonRow]:
        """Return the comparisons of the run on a treebank, by its first parser."""
        if treebank not in self._of_first_parser:
            rows = [row for row in self._rows_of_run(records) if row.treebank_label == treebank]
            self._of_first_parser[treebank] = rows
        return self._of_first_parser[treebank]

    def _find_reached_pass(self, treebank: str, records: Records) -> int:
        """Return the last pass of a treebank of which everything is recorded; 0 if nothing is open."""
        passes = FIRST_LOOK
        while passes <= self.options.last_look and self._active(treebank, passes, records):
            passes += 1
        return passes - 1 if passes > FIRST_LOOK else 0

    def _active(self, treebank: str, passes: int, records: Records) -> tuple[Annotation, ...]:
        """Return the constructions that are trained in this pass: those of which it is recorded already, and
        those that it may help, within the limits of the options."""
        before = 0 if passes == FIRST_LOOK else passes - 1
        reached = [
            known for known in self._settle_passes(treebank, before, records) if known.passes == before
        ]
        trained = {
            k.annotation for k in reached if self._is_recorded(treebank, k.annotation, passes, records)
        }
        if passes <= self.options.most_seeds:
            hopeful = [
                known for known in reached if known.annotation not in trained and known.chance >= WORTHWHILE
            ]
            trained |= self._within_budget(treebank, passes, trained, hopeful, records)
        return tuple(known.annotation for known in reached if known.annotation in trained)

    def _is_recorded(self, treebank: str, annotation: Annotation, passes: int, records: Records) -> bool:
        """Return whether all trainings of a construction for a look are recorded."""
        return all(cell.key in records for cell in self._trainings(treebank, [annotation], passes))

    def _within_budget(
        self,
        treebank: str,
        passes: int,
        trained: Set[Annotation],
        hopeful: Sequence[SettledConstruction],
        records: Records,
    ) -> set[Annotation]:
        """Return those of the `hopeful` that the budget allows to train once more, the most hopeful first.

        Args:
            treebank: its label.
            passes: the pass.
            trained: the constructions of which the pass is recorded.
            hopeful: the constructions that may be trained.
            records: all that came out so far.
        """
        if self.options.budget is None:
            return {known.annotation for known in hopeful}
        left = self.options.budget * self._share(treebank)
        for earlier in range(FIRST_LOOK, passes):
            left -= self.plan.seconds(self._of_pass(treebank, earlier, records))
        by_chance = sorted(hopeful, key=lambda known: -known.chance)
        for count in range(len(by_chance), 0, -1):
            chosen = {known.annotation for known in by_chance[:count]}
            if self.plan.seconds(self._trainings(treebank, [*trained, *chosen], passes)) <= left:
                return chosen
        return set()

    def _share(self, treebank: str) -> float:
        """Return the share of the budget that a treebank has: that of its tokens."""
        tokens = {name: sum(facts.train_tokens) for name, (_, facts) in self.plan.by_label.items()}
        return tokens[treebank] / max(1, sum(tokens.values()))

    def _settle_passes(self, treebank: str, passes: int, records: Records) -> tuple[SettledConstruction, ...]:
        """Return what is known after `passes` passes of all constructions that the run leaves open."""
        key = treebank, passes
        if key not in self._known:
            if passes < FIRST_LOOK:
                self._known[key] = tuple(self._left_open(treebank, records))
            else:
                self._known[key] = tuple(self._looked_at(treebank, passes, records))
        return self._known[key]

    def _left_open(self, treebank: str, records: Records) -> Iterator[SettledConstruction]:
        """Yield the constructions that the run leaves open and that have places enough in the treebank, and
        those that it left open before it got more seeds."""
        annotations = {annotation.spelling: annotation for annotation in alternatives_of(self.plan.options)}
        for row in self._of_treebank(treebank, records):
            annotation = annotations[row.pair.alternative.spelling]
            if is_left_open(row) or self._is_recorded(treebank, annotation, FIRST_LOOK, records):
                yield SettledConstruction(annotation, row, row)

    def _looked_at(self, treebank: str, passes: int, records: Records) -> Iterator[SettledConstruction]:
        """Yield all constructions after a look at those that were trained in this pass."""
        before = self._settle_passes(treebank, passes - 1 if passes > FIRST_LOOK else 0, records)
        active = self._active(treebank, passes, records)
        trained = {
            known.annotation: self._find_trained(treebank, known.annotation, reached, records)
            for known in before
            if (reached := passes if known.annotation in active else known.passes)
        }
        rows = []
        for known in before:
            if known.annotation in active:
                beside = [others for other, others in trained.items() if other != known.annotation]
                rows.append(self._row(treebank, known.annotation, trained[known.annotation], beside))
            else:
                rows.append(known.row)
        answered = [row for row in self._of_treebank(treebank, records) if not is_left_open(row)]
        without_side = sum(row.tested and row.easier().side not in AHEAD for row in answered)
        for known, row in zip(before, corrected_rows(rows, tested_before=answered), strict=True):
            construction = replace(known, row=row)
            if known.annotation in active:
                construction = replace(construction, passes=passes)
            yield replace(construction, chance=self._chance(construction, len(rows) + without_side))

    def _chance(self, construction: SettledConstruction, constructions: int) -> float:
        """Return the probability that more passes give an answer; 0 for one that was left or is settled.

        `constructions`: those for which a side is corrected.
        """
        if not construction.open or construction.chance < WORTHWHILE:
            return 0.0
        chances = []
        for score in construction.row.scores:
            difference = construction.row.difference(score)
            if construction.row.easier(score).reason in PUNCTUATION:
                difference = construction.row.difference(score, ComparisonKind.WORDS)
            if difference is None or not isinstance(difference.testing, Looks):
                continue
            if construction.row.easier(score).needs_data:
                level = ALPHA * difference.share / constructions
                chances.append(difference.testing.chance_of_answer(difference.delta, level))
        return max(chances, default=0.0)

    def _find_trained(
        self, treebank: str, annotation: Annotation, passes: int, records: Records
    ) -> PairRecords:
        """Return what the trainings of `passes` passes gave, over all sentences of the treebank."""
        seeds, folds = range(1, passes + 1), self.options.folds
        (counts,) = find_results(records, self._places(treebank, annotation), [0], folds)
        measured = records.at(key_of(treebank, "measures", annotation.spelling), Measures)
        assert measured is not None  # the run is finished
        places = sum(fold.test_places for fold in counts)
        return PairRecords(
            alternative=annotation.spelling,
            measures=[replace_fields(measured, places=places, test_places=places)],
            a=find_results(records, self._base(treebank), seeds, folds),
            b=find_results(records, self._alternative(treebank, annotation), seeds, folds),
            c=[],
        )

    def _row(
        self,
        treebank: str,
        annotation: Annotation,
        trained: PairRecords,
        beside: Sequence[PairRecords],
    ) -> ComparisonRow:
        """Return the comparison over all sentences of the treebank, not corrected yet.

        Args:
            treebank: its label.
            annotation: that of the construction.
            trained: what its trainings gave.
            beside: what the trainings of the other constructions gave.
        """
        pair = Pair(base_of(self.plan.options), annotation)
        of_run = next(known for known in self.design.treebanks if known.label == treebank)
        row = row_of(
            trained,
            replace(of_run, folds=self.options.folds),
            pair.facts,
            self.design.parsers[0],
            seeds=range(1, len(trained.a) + 1),
            labelled=self.design.labelled,
            beside=beside,
            testing=self._looks,
            share=FIRST_OR_SECOND,
        )
        return row if self.design.names_parsers else replace(row, parser="")

    def _looks(self, spread: Spread) -> Looks:
        """Return how often a difference was looked at."""
        return Looks(spread, FIRST_LOOK, self.options.last_look)

    def _trainings(
        self, treebank: str, annotations: Sequence[Annotation], passes: int
    ) -> Iterator[ComparisonCell[Any]]:
        """Yield the trainings of these constructions since the look before."""
        first = 1 if passes == FIRST_LOOK else passes
        for fold in range(self.options.folds):
            for seed in range(first, passes + 1):
                yield replace(self._base(treebank), fold=fold, seed=seed)
            for annotation in annotations:  # what is made for one serves all its seeds
                if passes == FIRST_LOOK:
                    yield replace(self._places(treebank, annotation), fold=fold)
                for seed in range(first, passes + 1):
                    yield replace(self._alternative(treebank, annotation), fold=fold, seed=seed)

    def _place(self, treebank: str) -> dict[str, Any]:
        """Return the fields that all cells of a treebank share."""
        return {
            "treebank": treebank,
            "alternatives": self.plan.options.alternatives,
            "folds": self.options.folds,
        }

    def _base(self, treebank: str) -> FoldBase:
        return FoldBase(**self._place(treebank), parser=self.plan.parsers[0])

    def _alternative(self, treebank: str, annotation: Annotation) -> FoldAlternative:
        return FoldAlternative(**self._place(treebank), parser=self.plan.parsers[0], annotation=annotation)

    def _places(self, treebank: str, annotation: Annotation) -> FoldPlaces:
        return FoldPlaces(**self._place(treebank), parser=self.plan.parsers[0], annotation=annotation)
