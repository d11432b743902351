"""The search for the scheme that is easiest to learn (`run --search`; docs/search.md).

Stages, each of which needs what came out of the one before:

1. All combinations of the transformations' variants race against each other and UD: short trainings on
   growing shares of samples of the training part, losers dropped after each round (`statistics.racing`). One
   training against the references of the first variants of all transformations at once gives the starting
   order: equal scores go by it, and who starts at all where there are more than `MOST`.
2. The winner is varied by single lemmas, which race in the same way.
3. Variations that are shown to be better are joined, and race against the winner once more.
4. The finalists are conditions as of any other run: trained on the whole training part with seeds that were
   not used before, and tested on the test part, which nothing has looked at.

Everything is computed from the records: :func:`trace` tells from those that are there which cells are wanted
next, so that an interrupted search goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, count

import numpy as np

from learnability.comparing.annotation import Annotation
from learnability.comparing.condition import transformed_of
from learnability.comparing.fold import fold_of
from learnability.comparing.kinds.ud import UD
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import Record
from learnability.comparing.short_trainings import sample
from learnability.errors import InputError
from learnability.evidence.grouping import Records
from learnability.metrics.scores import FEWEST_SENTENCES
from learnability.running.plan import Cell, Plan, label
from learnability.statistics.prediction import Constants
from learnability.statistics.racing import Sampled, Standing, shown_better, standings
from learnability.studies.search.space import (
    Space,
    Variation,
    space_of,
    specs_of,
    variations,
    varied,
)

SHARES = (1 / 8, 1 / 8, 1 / 4, 1 / 4, 1 / 2, 1 / 2)
"""The shares of the samples trained on in the rounds of a race."""

PART = 1 / 2
"""The part of the competitors that goes on to the next round at most."""

FINALISTS = 5
"""So many schemes are trained in full at most, UD among them, and the best single transformation beside them;
a race leaves so many if no test drops them."""

MOST = 1024
"""So many combinations start at most."""

FIRST_SEED = 1000
"""Samples of the first race are drawn by the seeds above it, those of the second by the seeds above twice it:
none is a seed of the trainings in full."""


@dataclass(frozen=True)
class Round:
    """What a round of a race has shown, by competitor; over all samples so far."""

    share: float
    seed: int
    standings: tuple[tuple[Annotation, Standing], ...]

    @property
    def kept(self) -> tuple[Annotation, ...]:
        """Who goes on, in the starting order."""
        return tuple(one for one, standing in self.standings if standing.verdict == "kept")

    @property
    def ranked(self) -> tuple[tuple[Annotation, Standing], ...]:
        """The competitors, the best first."""
        return tuple(sorted(self.standings, key=lambda own: -round(own[1].score, 9)))

    @property
    def leader(self) -> Annotation:
        """The competitor with the highest score."""
        return self.ranked[0][0]


@dataclass(frozen=True)
class Race:
    """A race so far.

    Attributes:
        entrants: the competitors in their starting order.
        anchor: with whom others are compared at the end: a competitor who stays in whatever happens.
        samples: share and seed of each round.
        rounds: those that are complete, by the `tests` on all samples so far.
        cells: those of all rounds that have begun; `wanted`: the last ones have no records yet.
    """

    name: str
    entrants: tuple[Annotation, ...]
    anchor: Annotation
    samples: tuple[tuple[float, int], ...]
    rounds: tuple[Round, ...] = ()
    cells: tuple[Cell, ...] = ()
    tests: Sequence[Sampled] = field(default=(), compare=False, repr=False)
    wanted: bool = False

    @property
    def leader(self) -> Annotation:
        """Who leads after the last round."""
        return self.rounds[-1].leader

    def ranked(self) -> list[Annotation]:
        """Everybody who ran: who stayed in it for longer first, then by score."""
        ranked = [one for own in reversed(self.rounds) for one, _ in own.ranked]
        return list(dict.fromkeys(ranked))


def raced(race: Race, treebank: str, sentences: int, records: Records) -> Race:
    """The race as far as the records carry it; samples are drawn of so many training `sentences`."""
    left = race.entrants
    for number, (share, seed) in enumerate(race.samples, start=1):
        own = [Cell(treebank, "short", one, seed, share=share) for one in left if not one.is_ud]
        race = replace(race, cells=(*race.cells, *own))
        if not all(cell.key in records for cell in own):
            return replace(race, wanted=True)
        tests = [_tests(treebank, left, sentences, drawn, records) for drawn in race.samples[:number]]
        part = PART if number < len(race.samples) else 1.0
        others, count = len(race.entrants) - 1, len(race.samples)
        standing = standings(tests, rounds=count, others=others, part=part, fewest=FINALISTS)
        shown = Round(share, seed, tuple(zip(left, standing, strict=True)))
        race = replace(race, rounds=(*race.rounds, shown), tests=tests)
        if len(shown.kept) < 2:
            break
        left = tuple(one for one in left if one in shown.kept or one == race.anchor)
    return race


def _tests(
    treebank: str,
    competitors: Sequence[Annotation],
    sentences: int,
    drawn: tuple[float, int],
    records: Records,
) -> Sampled:
    """What the competitors have right in a sample; UD's trainings are part of those of all others."""
    share, seed = drawn
    cells = {one: Cell(treebank, "short", one, seed, share=share) for one in competitors if not one.is_ud}
    pairs = {one: pair for one, cell in cells.items() if (pair := records[cell.key].pair) is not None}
    ud = next(iter(pairs.values()))
    return Sampled(
        np.array(sample(sentences, share, seed).test),
        np.array(ud.tokens),
        np.array([ud.original if one.is_ud else pairs[one].transformed for one in competitors]),
        Constants.shipped().spread,
    )


@dataclass(frozen=True)
class Trace:
    """A search as far as its records carry it.

    Attributes:
        order: cells of the starting order.
        agreement: of each candidate with what survived the joint training; empty without one.
        races: those that have begun.
        tried, shown: the variations of the winner, and those that are shown to be better.
        finalists: what is trained in full beside UD, the expected best first; None until it is known.
        notes: what was skipped and why, one sentence each.
    """

    order: tuple[Cell, ...]
    agreement: Mapping[Annotation, float]
    races: tuple[Race, ...] = ()
    tried: tuple[Variation, ...] = ()
    shown: tuple[Variation, ...] = ()
    finalists: tuple[Annotation, ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells that were asked for so far."""
        return (*self.order, *(cell for own in self.races for cell in own.cells))


def trace(plan: Plan, records: Records) -> Trace:
    """The search of a plan with one treebank, as far as the records carry it."""
    space, (files,) = plan.space, plan.treebanks
    assert space is not None
    treebank = label(files)

    def run(
        name: str, anchor: Annotation, entrants: Sequence[Annotation], shares: Sequence[float] = SHARES
    ) -> Race:
        """The next race, with samples of its own."""
        seeds = count(FIRST_SEED * (len(so_far.races) + 1) + 1)
        race = Race(name, tuple(entrants), anchor, tuple(zip(shares, seeds, strict=False)))
        return raced(race, treebank, space.sentences, records)

    order = (Cell(treebank, "joint", seed=1),) if plan.has_joint_references else ()
    if not all(cell.key in records for cell in order):
        return Trace(order, {})
    agreement = _agreements(space, [records[cell.key] for cell in order])
    so_far = Trace(order, agreement)
    candidates = starting_order(space, agreement)
    left_out = len(space.candidates) - len(candidates)
    notes = [f"{left_out} combinations did not start: {MOST} at most do."] if left_out else []
    first = run("combinations", UD, candidates)
    so_far = replace(so_far, races=(first,))
    if first.wanted:
        return so_far
    best = first.leader
    tried = tuple(variations(space, specs_of(best)))
    so_far = replace(so_far, tried=tried)

    def ended(joined: Annotation | None, *more: str) -> Trace:
        return replace(so_far, finalists=_finalists(first, joined), notes=(*notes, *more))

    if not tried:
        why = "no lemma has enough sites" if space.has_lemmas else "the treebank has no lemmas"
        return ended(None, f"Lemmas: {why}.")
    by_annotation = {varied(specs_of(best), [one]): one for one in tried}
    second = run("lemmas", best, [best, *by_annotation])
    so_far = replace(so_far, races=(first, second))
    if second.wanted:
        return so_far
    shown = tuple(by_annotation[one] for one in _better(second))
    so_far = replace(so_far, shown=shown)
    if not shown:
        return ended(
            None, f"Lemmas: no variation of {best.title} is shown to be better; tried: {len(tried)}."
        )
    joined = varied(specs_of(best), shown)
    third = run("variation", best, [best, joined], SHARES[2:])
    so_far = replace(so_far, races=(first, second, third))
    if third.wanted:
        return so_far
    names = ", ".join(map(str, shown))
    if third.leader != joined:
        return ended(None, f"Lemmas: {names} made the scheme better in one race, but not in the next.")
    return ended(joined, f"Lemmas: shown to be better are {names}.")


def _agreements(space: Space, records: Sequence[Record]) -> dict[Annotation, float]:
    """The head agreement of every candidate with what survived: that of the scheme that has the first variant
    of the same constructions."""
    known = {
        frozenset(scheme.transforms): scheme.head_agreement
        for record in records
        if record.joint is not None
        for scheme in record.joint.survival.schemes
    }
    present = frozenset[str]().union(*known)
    return {
        one: known[present.intersection(part.name for part in one.parts)]
        for one in (space.candidates if known else ())
    }


def starting_order(space: Space, agreement: Mapping[Annotation, float]) -> list[Annotation]:
    """The candidates that start, those that agree best with the survivors first; of more than `MOST` these,
    UD and the single transformations."""
    candidates = space.candidates
    ordered = sorted(candidates, key=lambda one: -round(agreement.get(one, 0.0), 9))
    start = {*ordered[:MOST], *(one for one in candidates if one.is_ud or one.is_single)}
    return [one for one in ordered if one in start]


def _better(race: Race) -> list[Annotation]:
    """Who of those in the last round is shown to be better than the anchor, over all samples."""
    left = [one for one, _ in race.rounds[-1].standings]
    comparisons = (len(race.entrants) - 1) * len(race.samples)
    better = shown_better(race.tests, left.index(race.anchor), comparisons=comparisons)
    return list(compress(left, better))


def _finalists(first: Race, joined: Annotation | None) -> tuple[Annotation, ...]:
    """What is trained in full beside UD: the winner (but UD the next best), with its lemmas if these were
    better, who else was left at the end, and beside these the best single transformation."""
    ranked = [one for one in first.ranked() if not one.is_ud]
    single = next(one for one in ranked if one.is_single)
    left = [one for one in ranked if one in first.rounds[-1].kept]
    finalists = tuple(dict.fromkeys((ranked[0], *([joined] if joined else []), *left)))[: FINALISTS - 1]
    return tuple(dict.fromkeys((*finalists, single)))


def grown(plan: Plan, records: Records) -> Plan:
    """The plan of a search with all cells that the records ask for: those of the races so far, and at the end
    the finalists as conditions. A plan that does not grow is complete, if its records are; none grows but
    that of a search."""
    if plan.space is None:
        return plan
    searched = trace(plan, records)
    finalists = searched.finalists or ()
    return replace(plan, searched=searched.cells, options=replace(plan.options, conditions=finalists))


def fully_grown(plan: Plan, records: Records) -> Plan:
    """The plan, all of whose records are there."""
    while (larger := grown(plan, records)) != plan:
        plan = larger
    return plan


def check_search(options: ExperimentOptions) -> None:
    """InputError for what cannot be searched, or not beside a search."""
    if not options.search:
        return
    conditions = transformed_of(options)
    others = {
        "--quick": options.quick,
        "--joint": options.joint,
        "--learning-curve": options.learning_curve,
        "--labelled": options.labels is not None,
        "--judge": bool(options.judges),
        "--alternative": any(one.parameter == "alternative" for one in conditions),
        "--against": not options.against.is_ud,
        "--scheme": any(one.parameter == "scheme" for one in conditions),
    }
    if asked := [name for name, given in others.items() if given]:
        hint = "; give --transform" if asked[0] == "--scheme" else ""
        raise InputError(f"--search combines transformations of UD, by UAS: leave out {asked[0]}{hint}")
    if others_than_rules := [one.name for one in conditions if not one.is_single]:
        raise InputError(f"--search combines transformations of UD: leave out {others_than_rules[0]}")


def search_space(plan: Plan) -> Space:
    """What the search of a plan chooses between.

    Raises:
        InputError: too little to train on and to test, or to choose between.
    """
    (files,) = plan.treebanks
    space = space_of(fold_of(files, plan.options, 0))
    if len(sample(space.sentences, max(SHARES), 1).test) < FEWEST_SENTENCES:
        what = f"{space.sentences} training sentences are too few for samples to train and test on"
        raise InputError(f"{files.name}: {what}; give another treebank")
    return space


@dataclass(frozen=True)
class Cost:
    """What a search can cost at most: the combinations that start, the variations by lemma, short trainings
    of all races, and trainings in full."""

    combinations: int
    variations: int
    short: int
    full: int


def most_cost(plan: Plan) -> Cost:
    """See :class:`Cost`."""
    space = plan.space
    assert space is not None
    combinations = min(len(space.candidates), MOST)
    lemmas = sum(
        max(len(list(variations(Space((choice,), (), 0), [choice.spec]))) for choice in choices)
        for choices in space.constructions.values()
    )
    short = _most_short(combinations - 1) + _most_short(lemmas)
    # beside the variations runs what they vary; then both together
    short += len(SHARES) + 2 * len(SHARES[2:]) if lemmas else 0
    return Cost(combinations, lemmas, short, (FINALISTS + 1) * plan.options.seeds)


def _most_short(competitors: int) -> int:
    """The short trainings of a race at most, without those of the anchor."""
    total = 0
    for _ in SHARES:
        total += competitors
        competitors = min(competitors, max(FINALISTS, int(np.ceil(PART * (competitors + 1)))))
    return total
