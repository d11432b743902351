"""Find the combination that is easiest to learn (docs/extensions/combinations.md).

All combinations of the constructions' variants race against each other and UD (`race`). The finalists are
pairs as in any other run: trained on the whole training set with seeds that the race did not use, and tested
on the test set, which the race did not use either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from learnability.comparing.cells import BaseCell, ShortCell, comparison_cells, computable
from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.comparing.short_trainings import sample
from learnability.errors import InputError
from learnability.metrics.scores import FEWEST
from learnability.reports.content import Outcome
from learnability.running.cell import Cell
from learnability.running.config import as_json_bytes
from learnability.running.records import Records
from learnability.studies.combinations.outcome import report_combinations
from learnability.studies.combinations.race import (
    FINALISTS,
    FIRST_SEED,
    MOST,
    SHARES,
    Race,
    most_short_trainings,
    run_race,
)
from learnability.studies.combinations.space import Space, SpaceCell, check_places
from learnability.studies.declaration import NoOptions
from learnability.studies.making_rows import make_rows
from learnability.studies.study import Study
from learnability.support.nouns import count_noun
from learnability.treebanks.copies import number_groups

COMBINATIONS_FILE, BEST_SCHEME = "combinations.json", "best.toml"


class CombinationsStudy(Study[NoOptions]):
    """Find an easy combination of the constructions of the options, and compare the finalists with UD."""

    ADAPTS = True

    def __init__(self, plan: RunPlan, options: NoOptions) -> None:
        super().__init__(plan, options)
        self._race: Race | None = None

    @classmethod
    def check(cls, run: ExperimentOptions, options: NoOptions) -> None:
        for annotation in run.alternatives:
            if not annotation.is_single:
                problem = "is a scheme" if annotation.rules else "moves no head"
                raise InputError(
                    f"combinations are of constructions, but {annotation.name} {problem}; use `transforms`"
                )

    @classmethod
    def check_plan(cls, plan: RunPlan, options: NoOptions) -> None:
        for files in plan.treebanks:
            fold = fold_of(files, plan.options, 0)
            groups = number_groups(fold.ud.train)
            if len(sample(groups, max(SHARES), 1).test) < FEWEST.sentences:
                sentences = count_noun(len(groups), "training sentence")
                raise InputError(
                    f"{files.name} has {sentences}, too few for samples to train and test on; choose another "
                    "treebank"
                )
            check_places(fold)

    @property
    def space_cell(self) -> SpaceCell:
        return SpaceCell(treebank=self.plan.single())

    def find_space(self, records: Records) -> Space | None:
        return records.result(self.space_cell)

    def find_race(self, records: Records) -> Race | None:
        """Return the race, as far as the records reach; None until it can begin."""
        space = self.find_space(records)
        # asked again and again, but rounds are ranked when all of them is there
        if space is not None and (self._race is None or all(c.key in records for c in self._race.cells)):
            self._race = run_race(self.plan.single(), space.candidates, records)
        return self._race

    def plan_finalists(self, records: Records) -> RunPlan | None:
        """Return the plan of the trainings in full; None before the race has decided who the finalists
        are."""
        race = self.find_race(records)
        if race is None or not race.is_over:
            return None
        return self.plan.replace_alternatives(race.choose_finalists())

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the first cells; which others are wanted depends on them."""
        treebank, (share, *_) = self.plan.single(), SHARES
        cells: list[Cell[Any]] = [self.space_cell]
        for annotation in self.plan.options.alternatives:
            cells.append(
                ShortCell(treebank=treebank, annotation=annotation, seed=FIRST_SEED + 1, share=share)
            )
        for seed in self.plan.seeds:
            cells.append(BaseCell(treebank=treebank, parser=self.plan.parsers[0], seed=seed))
        return cells

    def cells_ahead(self, records: Records) -> Sequence[Cell[Any]] | None:
        """Return the trainings of the finalists; None before the race has decided who they are."""
        plan = self.plan_finalists(records)
        return None if plan is None else comparison_cells(plan, both=False)

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield the search for variants, then the race, then the trainings of the finalists."""
        race, plan = self.find_race(records), self.plan_finalists(records)
        if race is None:
            yield self.space_cell
        elif plan is None:
            yield from race.cells
        else:
            yield from computable(comparison_cells(plan, both=False), records)

    def outcome(self, records: Records) -> Outcome | None:
        """Return the finalists compared with UD; None if a training has failed."""
        space, plan = self.find_space(records), self.plan_finalists(records)
        if space is None or plan is None:
            return None
        comparisons = make_rows(plan.config, records)
        rows = dict(zip(plan.options.alternatives, comparisons.rows, strict=True))
        (files,) = plan.treebanks
        report = report_combinations(files.name, files.release, space.left_out, rows)
        if report is None:
            return None
        found = report.as_json()
        written = {**comparisons.files, COMBINATIONS_FILE: as_json_bytes(found)}
        if scheme := report.best_scheme():
            written[BEST_SCHEME] = scheme
        return Outcome(
            files=written,
            values={**comparisons.values, "combinations": found},
            pairs=comparisons.pairs,
            rows=comparisons.rows,
            answers=(report.section(),),
            replaces_rows=True,
        )

    def notes(self) -> Sequence[str]:
        """Return what the study can cost at most."""
        variants: dict[str, int] = {}
        for annotation in self.plan.options.alternatives:
            name = annotation.rules[0].name
            variants[name] = variants.get(name, 0) + 1
        combinations = min(prod(1 + count for count in variants.values()), MOST)
        # the finalists of the race with UD, and the best single construction
        in_full = (FINALISTS + 1) * self.plan.options.seeds
        return (
            f"at most {count_noun(combinations, 'combination')} of "
            f"{count_noun(sum(variants.values()), 'variant')} of "
            f"{count_noun(len(variants), 'construction')}",
            f"at most {count_noun(most_short_trainings(combinations), 'short training')}, "
            f"{count_noun(in_full, 'training')} in full",
        )
