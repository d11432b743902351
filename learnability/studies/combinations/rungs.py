"""Climb the rungs of the study as far as the records reach: the space, the race, the finalists."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.plan import RunPlan
from learnability.running.records import Records
from learnability.studies.combinations.races import SHARES, Race, choose_finalists, run_race
from learnability.studies.combinations.space import Space, SpaceCell

MOST = 1024
"""The most combinations that start: those of fewest transformations."""

FIRST_SEED = 1000
"""Samples of the race are drawn by the seeds above it, none of which is a seed of the trainings in full."""


@dataclass(frozen=True)
class Rungs:
    """Hold what the rungs show.

    Attributes:
        space: what there is to choose between; None until it is known.
        race: None until it can begin.
        finalists: what is trained in full beside UD, the best of the race first; None until they are known.
    """

    space: Space | None = None
    race: Race | None = None
    finalists: tuple[Annotation, ...] | None = None


def space_cell(plan: RunPlan) -> SpaceCell:
    return SpaceCell(treebank=plan.single(), share=max(SHARES))


def climb_rungs(plan: RunPlan, records: Records) -> Rungs:
    """Return what the rungs show, as far as the records reach."""
    space = records.result(space_cell(plan))
    if space is None:
        return Rungs()
    race = Race(
        "combinations",
        space.candidates[:MOST],
        UD,
        tuple(zip(SHARES, range(FIRST_SEED + 1, FIRST_SEED + 1 + len(SHARES)), strict=True)),
    )
    race = run_race(race, plan.single(), space.groups, records)
    return Rungs(space, race, None if race.wanted else choose_finalists(race))
