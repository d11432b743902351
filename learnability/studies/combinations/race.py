"""Race combinations against each other and UD: short trainings on growing samples of the training set.

After each round only the better half goes on (successive halving: Jamieson & Talwalkar 2016), so that the
cost is bounded. All competitors of a round are trained and tested on the same sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil
from statistics import fmean

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import ShortCell
from learnability.comparing.short_trainings import ShortResult
from learnability.running.records import Records

SHARES = (1 / 8, 1 / 8, 1 / 4, 1 / 4, 1 / 2, 1 / 2)
"""The shares of the samples trained on in the rounds of a race."""

FIRST_SEED = 1000
"""Samples of the race are drawn by the seeds above it, none of which is a seed of the trainings in full."""

MOST = 1024
"""The most combinations that start: those of fewest transformations."""

FINALISTS = 5
"""The most schemes that a race sends on to be trained in full, UD among them; the best single transformation
comes beside them. No round leaves fewer."""

Scored = tuple[Annotation, float]
"""A competitor and its mean UAS over all samples so far, percent."""


@dataclass(frozen=True)
class Race:
    """Hold how far a race has come.

    Attributes:
        rounds: all competitors of each that is complete, the best first.
        cells: those of all rounds that have begun.
        is_over: whether there is a result of every cell.
    """

    rounds: tuple[tuple[Scored, ...], ...]
    cells: tuple[ShortCell, ...]
    is_over: bool

    def rank_competitors(self) -> list[Annotation]:
        return list(dict.fromkeys(scheme for ranked in reversed(self.rounds) for scheme, _ in ranked))

    def choose_finalists(self) -> tuple[Annotation, ...]:
        """Return what is trained in full beside UD: the best of the last round and, beside these, the best
        single transformation."""
        ranked = [scheme for scheme in self.rank_competitors() if not scheme.is_ud]
        single = next(scheme for scheme in ranked if scheme.is_single)
        return tuple(dict.fromkeys((*ranked[: FINALISTS - 1], single)))


def run_race(treebank: str, candidates: Sequence[Annotation], records: Records) -> Race:
    """Return the race as far as the records reach; the `candidates` begin with UD, and of equal scores the
    earlier one is ahead."""
    left = list(candidates[:MOST])
    rounds: list[tuple[Scored, ...]] = []
    cells: list[ShortCell] = []
    samples: list[dict[Annotation, ShortResult]] = []
    for share, seed in zip(SHARES, count(FIRST_SEED + 1)):
        of_round = {
            scheme: ShortCell(treebank=treebank, annotation=scheme, seed=seed, share=share)
            for scheme in left
            if not scheme.is_ud
        }
        cells += of_round.values()
        # who goes on depends on all of a round
        if not all(cell.key in records for cell in of_round.values()):
            return Race(tuple(rounds), tuple(cells), is_over=False)
        found = {scheme: records.result(cell) for scheme, cell in of_round.items()}
        samples.append({scheme: result for scheme, result in found.items() if result is not None})
        scores = {scheme: fmean(_percent_right(scheme, sample) for sample in samples) for scheme in left}
        ranked = sorted(scores.items(), key=lambda scored: -round(scored[1], 9))
        rounds.append(tuple(ranked))
        kept = [scheme for scheme, _ in ranked[: most_kept(len(left))]]
        # UD stays whatever its score: the finalists are compared with it
        left = [scheme for scheme in left if scheme in kept or scheme.is_ud]
    return Race(tuple(rounds), tuple(cells), is_over=True)


def _percent_right(scheme: Annotation, sample: Mapping[Annotation, ShortResult]) -> float:
    if scheme.is_ud:
        result = next(iter(sample.values()))
        return 100.0 * sum(result.base) / sum(result.tokens)
    return 100.0 * sum(sample[scheme].alternative) / sum(sample[scheme].tokens)


def most_kept(competitors: int) -> int:
    return max(FINALISTS, ceil(competitors / 2))


def most_short_trainings(competitors: int) -> int:
    """Return the most short trainings of a race of so many competitors, UD among them."""
    total, alternatives = 0, competitors - 1
    for _ in SHARES:
        total += alternatives
        alternatives = min(alternatives, most_kept(alternatives + 1))
    return total
