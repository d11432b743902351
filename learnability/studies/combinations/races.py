"""Run a race of combinations: short trainings on growing samples, with losers dropped after each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import ShortCell
from learnability.comparing.short_trainings import sample
from learnability.running.records import Records
from learnability.statistics.prediction import Constants
from learnability.studies.combinations.racing import Sampled, Standing, standings

SHARES = (1 / 8, 1 / 8, 1 / 4, 1 / 4, 1 / 2, 1 / 2)
"""The shares of the samples trained on in the rounds of a race."""

PART = 1 / 2
"""The part of the competitors that goes on to the next round at most."""

FINALISTS = 5
"""The most schemes that a race sends on to be trained in full, UD among them; the best single transformation
comes beside them. A race keeps this number if no test drops them."""


@dataclass(frozen=True)
class Round:
    """Hold the results after a round of a race, by competitor, over all samples so far."""

    share: float
    seed: int
    standings: tuple[tuple[Annotation, Standing], ...]

    @property
    def kept(self) -> tuple[Annotation, ...]:
        return tuple(scheme for scheme, standing in self.standings if standing.verdict == "kept")

    @property
    def ranked(self) -> tuple[tuple[Annotation, Standing], ...]:
        return tuple(sorted(self.standings, key=lambda standing: -round(standing[1].score, 9)))

    @property
    def leader(self) -> Annotation:
        return self.ranked[0][0]


@dataclass(frozen=True)
class Race:
    """Represent a race so far.

    Attributes:
        entrants: the competitors in their starting order.
        anchor: the competitor that the others are compared with at the end. It is never dropped.
        samples: share and seed of each round.
        rounds: those that are complete.
        cells: those of all rounds that have begun; `wanted`: the last of them have no records yet.
    """

    name: str
    entrants: tuple[Annotation, ...]
    anchor: Annotation
    samples: tuple[tuple[float, int], ...]
    rounds: tuple[Round, ...] = ()
    cells: tuple[ShortCell, ...] = ()
    wanted: bool = False

    @property
    def leader(self) -> Annotation:
        return self.rounds[-1].leader

    def rank_competitors(self) -> list[Annotation]:
        """Return all competitors, those that stayed longest first, then by score."""
        ranked = [scheme for part in reversed(self.rounds) for scheme, _ in part.ranked]
        return list(dict.fromkeys(ranked))


def run_race(race: Race, treebank: str, groups: Sequence[int], records: Records) -> Race:
    """Return the race as far as the records reach; samples come from training sentences of these groups."""
    left = race.entrants
    for number, (share, seed) in enumerate(race.samples, start=1):
        cells = [
            ShortCell(treebank=treebank, annotation=scheme, seed=seed, share=share)
            for scheme in left
            if not scheme.is_ud
        ]
        race = replace(race, cells=(*race.cells, *cells))
        # who is dropped depends on all of a round
        if not all(cell.key in records for cell in cells):
            return replace(race, wanted=True)
        tests = [_tests(treebank, left, groups, drawn, records) for drawn in race.samples[:number]]
        # the last round has none after it to save cost in
        part = PART if number < len(race.samples) else 1.0
        others, count = len(race.entrants) - 1, len(race.samples)
        standing = standings(tests, rounds=count, others=others, part=part, fewest=FINALISTS)
        shown = Round(share, seed, tuple(zip(left, standing, strict=True)))
        race = replace(race, rounds=(*race.rounds, shown))
        if len(shown.kept) < 2:
            break
        # UD stays whatever its score: the finalists are compared with it
        left = tuple(scheme for scheme in left if scheme in shown.kept or scheme == race.anchor)
    return race


def _tests(
    treebank: str,
    competitors: Sequence[Annotation],
    groups: Sequence[int],
    drawn: tuple[float, int],
    records: Records,
) -> Sampled:
    """Return what the competitors have right in a sample; all of them share UD's trainings."""
    share, seed = drawn
    cells = {
        scheme: ShortCell(treebank=treebank, annotation=scheme, seed=seed, share=share)
        for scheme in competitors
        if not scheme.is_ud
    }
    pairs = {scheme: pair for scheme, cell in cells.items() if (pair := records.result(cell)) is not None}
    base = next(iter(pairs.values()))
    return Sampled(
        np.array(sample(groups, share, seed).test),
        np.array(base.tokens),
        np.array([base.base if scheme.is_ud else pairs[scheme].alternative for scheme in competitors]),
        Constants.load_shipped().spread,
    )


def best_single(race: Race) -> Annotation:
    return next(annotation for annotation in race.rank_competitors() if annotation.is_single)


def choose_finalists(race: Race) -> tuple[Annotation, ...]:
    """Return what is trained in full beside UD after a race that is over.

    That is the winner (but UD the next best), what else was left at the end, and beside these the best single
    transformation.
    """
    ranked = [annotation for annotation in race.rank_competitors() if not annotation.is_ud]
    left = [annotation for annotation in ranked if annotation in race.rounds[-1].kept]
    first = tuple(dict.fromkeys((ranked[0], *left)))[: FINALISTS - 1]
    return tuple(dict.fromkeys((*first, best_single(race))))


def most_short_trainings(competitors: int) -> int:
    """Return the most short trainings of a race, besides those of UD."""
    total = 0
    for _ in SHARES:
        total += competitors
        competitors = min(competitors, max(FINALISTS, int(np.ceil(PART * (competitors + 1)))))
    return total
