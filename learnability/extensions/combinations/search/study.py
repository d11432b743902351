"""Search for the scheme that is easiest to learn (docs/extensions/search.md).

1. All combinations of the transformations' variants race against each other and UD: short trainings on
   growing shares of samples of the training set, losers dropped after each round (`statistics.racing`).
2. The finalists are pairs as in any other run: trained on the whole training set with seeds that were
   not used before, and tested on the test set, which the race has not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.cells import BaseCell, ShortCell, comparison_cells, ready
from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import alternatives_of
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError
from learnability.extensions.combinations.search.outcome import search_report
from learnability.extensions.combinations.search.races import FINALISTS, PART, SHARES, Race, run_race
from learnability.extensions.combinations.search.section import race_section, search_section
from learnability.extensions.combinations.search.space import Space, SpaceCell, check_places, check_sentences
from learnability.running.cell import Cell
from learnability.running.folder import as_json_bytes
from learnability.running.records import Records
from learnability.studies.comparisons import compare_plan
from learnability.studies.declaration import NoOptions
from learnability.studies.study import Outcome, Study
from learnability.support.nouns import count_noun

SEARCH_FILE, BEST_SCHEME = "search.json", "best.toml"

MOST = 1024
"""The most combinations that start: those of fewest transformations."""

FIRST_SEED = 1000
"""Samples of the race are drawn by the seeds above it, none of which is a seed of the trainings in full."""


@dataclass(frozen=True)
class Search:
    """Represent a search as far as its records carry it.

    Attributes:
        space: what it chooses between; None until it is known.
        race: None until it can begin.
        finalists: what is trained in full beside UD, the best of the race first; None until they are known.
    """

    space: Space | None = None
    race: Race | None = None
    finalists: tuple[Annotation, ...] | None = None


class SearchStudy(Study[NoOptions]):
    """Search among the pairs of the options, and compare the finalists with UD."""

    @classmethod
    def check(cls, run: ExperimentOptions, options: NoOptions) -> None:
        """Refuse schemes and other annotations than UD, with an InputError."""
        for annotation in alternatives_of(run):
            if not annotation.is_single:
                problem = "is a scheme" if annotation.parts else "moves no head"
                raise InputError(
                    f"search combines constructions, but {annotation.name} {problem}; use `transforms`"
                )

    @classmethod
    def check_plan(cls, plan: RunPlan, options: NoOptions) -> None:
        """Refuse a treebank with too few training sentences, or too few places, with an InputError."""
        for files, facts in zip(plan.treebanks, plan.facts, strict=True):
            check_sentences(files.name, facts.train_sentences, max(SHARES))
            check_places(fold_of(files, plan.options, 0))

    def __init__(self, plan: RunPlan, options: NoOptions) -> None:
        super().__init__(plan, options)
        self._known = Search()

    def search(self, records: Records) -> Search:
        """Return the search as far as the records carry it."""
        race = self._known.race
        if race is None or all(cell.key in records for cell in race.cells):
            self._known = self._search(records)
        return self._known

    def _search(self, records: Records) -> Search:
        space = records.result(self._space_cell())
        if space is None:
            return Search()
        race = Race(
            "combinations",
            space.candidates[:MOST],
            UD,
            tuple(zip(SHARES, range(FIRST_SEED + 1, FIRST_SEED + 1 + len(SHARES)), strict=True)),
        )
        race = run_race(race, self.plan.single(), space.sentences, records)
        return Search(space, race, None if race.wanted else finalists(race))

    def plan_cells(self) -> Sequence[Cell[Any]]:
        """Return the first cells; which others are wanted depends on them."""
        plan, (share, *_) = self.plan, SHARES
        cells: list[Cell[Any]] = [self._space_cell()]
        for annotation in alternatives_of(plan.options):
            cells.append(
                ShortCell(treebank=plan.single(), annotation=annotation, seed=FIRST_SEED + 1, share=share)
            )
        for seed in plan.seeds:
            cells.append(BaseCell(treebank=plan.single(), parser=plan.parsers[0], seed=seed))
        return cells

    def next_cells(self, records: Records) -> Iterator[Cell[Any]]:
        """Yield what the search needs next."""
        search = self.search(records)
        if search.race is None:
            yield self._space_cell()
        elif search.finalists is None:
            yield from search.race.cells
        else:
            yield from ready(
                comparison_cells(self.plan.replace_alternatives(search.finalists), both=False), records
            )

    def outcome(self, records: Records) -> Outcome | None:
        """Return the finalists compared with UD, and how the race went; None if a training has failed."""
        search = self.search(records)
        if search.space is None or search.race is None or search.finalists is None:
            return None
        plan = self.plan.replace_alternatives(search.finalists)
        comparisons = compare_plan(plan, records)
        report = search_report(plan, search.space, search.race, search.finalists, records, comparisons.rows)
        if report is None:
            return None
        files = {**comparisons.files, SEARCH_FILE: as_json_bytes(report.as_json())}
        if scheme := report.best_scheme():
            files[BEST_SCHEME] = scheme
        return Outcome(
            files=files,
            values={**comparisons.values, "search": report.as_json()},
            design=comparisons.design,
            rows=comparisons.rows,
            answers=(search_section(report),),
            details=(race_section(report),),
            says_all=True,
        )

    def notes(self) -> Sequence[str]:
        """Return what the search can cost at most."""
        variants: dict[str, int] = {}
        for annotation in alternatives_of(self.plan.options):
            name = annotation.parts[0].name
            variants[name] = variants.get(name, 0) + 1
        combinations = min(int(np.prod([1 + count for count in variants.values()])), MOST)
        in_full = (FINALISTS + 1) * self.plan.options.seeds
        return (
            f"search: at most {count_noun(combinations, 'combination')} of "
            f"{count_noun(sum(variants.values()), 'variant')} of "
            f"{count_noun(len(variants), 'construction')}",
            f"at most {count_noun(most_short_trainings(combinations - 1), 'short training')}, "
            f"{count_noun(in_full, 'training')} in full",
        )

    def _space_cell(self) -> SpaceCell:
        return SpaceCell(treebank=self.plan.single(), share=max(SHARES))


def finalists(race: Race) -> tuple[Annotation, ...]:
    """Return what is trained in full beside UD.

    That is the winner (but UD the next best), what else was left at the end, and beside these the best single
    transformation.
    """
    ranked = [annotation for annotation in race.rank_competitors() if not annotation.is_ud]
    single = next(annotation for annotation in ranked if annotation.is_single)
    left = [annotation for annotation in ranked if annotation in race.rounds[-1].kept]
    first = tuple(dict.fromkeys((ranked[0], *left)))[: FINALISTS - 1]
    return tuple(dict.fromkeys((*first, single)))


def most_short_trainings(competitors: int) -> int:
    """Return the most short trainings of a race, besides those of UD."""
    total = 0
    for _ in SHARES:
        total += competitors
        competitors = min(competitors, max(FINALISTS, int(np.ceil(PART * (competitors + 1)))))
    return total
