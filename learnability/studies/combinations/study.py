"""Find the combination that is easiest to learn (docs/extensions/combinations.md).

The study has two steps:

1. All combinations of the constructions' variants race against each other and UD: short trainings on growing
   shares of samples of the training set, losers dropped after each round (`racing`).
2. The finalists are pairs as in any other run: trained on the whole training set with seeds that the race did
   not use, and tested on the test set, which the race did not use either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from learnability.comparing.cells import BaseCell, ShortCell, comparison_cells, computable
from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import alternatives_of
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError
from learnability.reports.content import Outcome
from learnability.running.cell import Cell
from learnability.running.config import as_json_bytes
from learnability.running.records import Records
from learnability.studies.combinations.outcome import combinations_report
from learnability.studies.combinations.races import FINALISTS, SHARES, most_short_trainings
from learnability.studies.combinations.rungs import FIRST_SEED, MOST, Rungs, climb_rungs, space_cell
from learnability.studies.combinations.section import combinations_section, steps_section
from learnability.studies.combinations.space import check_places, check_sentences
from learnability.studies.declaration import NoOptions
from learnability.studies.making_rows import make_rows
from learnability.studies.study import Study
from learnability.support.nouns import count_noun

COMBINATIONS_FILE, BEST_SCHEME = "combinations.json", "best.toml"


class CombinationsStudy(Study[NoOptions]):
    """Find an easy combination of the constructions of the options, and compare the finalists with UD."""

    ADAPTS = True

    @classmethod
    def check(cls, run: ExperimentOptions, options: NoOptions) -> None:
        """Refuse schemes and other annotations than UD, with an InputError."""
        for annotation in alternatives_of(run):
            if not annotation.is_single:
                problem = "is a scheme" if annotation.rules else "moves no head"
                raise InputError(
                    f"combinations are of constructions, but {annotation.name} {problem}; use `transforms`"
                )

    @classmethod
    def check_plan(cls, plan: RunPlan, options: NoOptions) -> None:
        """Refuse a treebank with too few training sentences, or too few places, with an InputError."""
        for files, facts in zip(plan.treebanks, plan.facts, strict=True):
            check_sentences(files.name, range(facts.train_sentences), max(SHARES))
            check_places(fold_of(files, plan.options, 0))

    def __init__(self, plan: RunPlan, options: NoOptions) -> None:
        super().__init__(plan, options)
        self._known = Rungs()

    def rungs(self, records: Records) -> Rungs:
        """Return what the rungs show, as far as the records reach."""
        race = self._known.race
        # asked again and again, but races are tested again after whole rounds only
        if race is None or all(cell.key in records for cell in race.cells):
            self._known = climb_rungs(self.plan, records)
        return self._known

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the first cells; which others are wanted depends on them."""
        plan, (share, *_) = self.plan, SHARES
        cells: list[Cell[Any]] = [space_cell(plan)]
        for annotation in alternatives_of(plan.options):
            cells.append(
                ShortCell(treebank=plan.single(), annotation=annotation, seed=FIRST_SEED + 1, share=share)
            )
        for seed in plan.seeds:
            cells.append(BaseCell(treebank=plan.single(), parser=plan.parsers[0], seed=seed))
        return cells

    def cells_ahead(self, records: Records) -> Sequence[Cell[Any]] | None:
        """Return the trainings of the finalists; None before the races have decided who they are."""
        finalists = self.rungs(records).finalists
        if finalists is None:
            return None
        return list(comparison_cells(self.plan.replace_alternatives(finalists), both=False))

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield what the study needs next."""
        rungs = self.rungs(records)
        if rungs.space is None:
            yield space_cell(self.plan)  # without anything to choose between, nothing else is trained
            return
        if rungs.finalists is not None:
            yield from computable(
                comparison_cells(self.plan.replace_alternatives(rungs.finalists), both=False), records
            )
        elif rungs.race is not None:
            yield from rungs.race.cells

    def outcome(self, records: Records) -> Outcome | None:
        """Return the finalists compared with UD, and what led to them; None if a training has failed."""
        rungs = self.rungs(records)
        if rungs.finalists is None:
            return None
        plan = self.plan.replace_alternatives(rungs.finalists)
        comparisons = make_rows(plan.config, records)
        report = combinations_report(plan, rungs, records, comparisons.rows)
        if report is None:
            return None
        files = {**comparisons.files, COMBINATIONS_FILE: as_json_bytes(report.as_json())}
        if scheme := report.best_scheme():
            files[BEST_SCHEME] = scheme
        return Outcome(
            files=files,
            values={**comparisons.values, "combinations": report.as_json()},
            pairs=comparisons.pairs,
            rows=comparisons.rows,
            answers=(combinations_section(report),),
            details=(steps_section(report),),
            replaces_rows=True,
        )

    def notes(self) -> Sequence[str]:
        """Return what the study can cost at most."""
        variants: dict[str, int] = {}
        for annotation in alternatives_of(self.plan.options):
            name = annotation.rules[0].name
            variants[name] = variants.get(name, 0) + 1
        combinations = min(int(np.prod([1 + count for count in variants.values()])), MOST)
        # the finalists of the race with UD, and the best single construction
        in_full = (FINALISTS + 1) * self.plan.options.seeds
        return (
            f"at most {count_noun(combinations, 'combination')} of "
            f"{count_noun(sum(variants.values()), 'variant')} of "
            f"{count_noun(len(variants), 'construction')}",
            f"at most {count_noun(most_short_trainings(combinations - 1), 'short training')}, "
            f"{count_noun(in_full, 'training')} in full",
        )
