"""Count what survives when one parser is trained on several transformations at once.

A training on the joint reference sets ends with one annotation of every place. From it follow these figures,
averaged over the trainings of several seeds:

- for each transformation, the share of its places that survived transformed;
- how the preference for one transformation depends on another. Take the places of A in factors (or sentences)
  where the places of B survived transformed, and in those where they survived as in UD. In each, compute the
  share of A's places that survived transformed;
- the agreement of each *pure scheme*: one of the 2^k sets P of transformations that are applied everywhere,
  all others nowhere. A place agrees with P if it survived transformed and its transformation is in P, or
  survived as in UD and its transformation is not. The *place agreement* of P is the share of the places that
  agree. It adds up over transformations, so its best scheme has each transformation that most of its places
  took. The *factor agreement* is the share of the factors (groups of places that decide the same heads) all
  of whose places agree, so interactions count. The *head agreement* is the share of the tokens of the factors
  whose surviving head is that of P. So a place counts by the heads that it moves, as in UAS. The recommended
  scheme has the highest head agreement (ties: factor agreement, fewer transformations).
"""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.references import Factor, ReferenceSet

DIGITS = 10
"""Agreements that are equal after rounding to this many digits count as equal: with fewer than a billion
heads, no two means differ by less."""


@dataclass(frozen=True, slots=True)
class TransformSurvival:
    """Count how often one transformation survived.

    Attributes:
        transform: its name.
        places: the number of its training places.
        alternative_share: the share of them that survived transformed, mean over seeds.
        share_sd: its standard deviation over seeds; None for a single seed.
    """

    transform: str
    places: int
    alternative_share: float
    share_sd: float | None


@dataclass(frozen=True, slots=True)
class Interaction:
    """Measure how the preference for one transformation (A) depends on another (B).

    Attributes:
        of: transformation A.
        given: transformation B.
        within: "factor" or "sentence".
        places_transformed: the number of places of A (mean over seeds) where most places of B survived
            transformed.
        places_original: the same where most places of B survived as in UD; ties of B count in neither.
        share_transformed, share_original: of these places, the share that survived transformed.
        difference: share_transformed - share_original.
    """

    of: str
    given: str
    within: str
    places_transformed: float
    places_original: float
    share_transformed: float | None
    share_original: float | None
    difference: float | None


@dataclass(frozen=True, slots=True)
class SchemeAgreement:
    """Hold the agreement of the surviving annotation with a pure scheme (see the module); means over
    seeds."""

    transforms: tuple[str, ...]
    factor_agreement: float
    place_agreement: float
    head_agreement: float


@dataclass(frozen=True, slots=True)
class JointSurvival:
    """Hold the figures of one joint training, or the mean of several; `schemes`: the recommended scheme
    first."""

    seeds: int
    survival: tuple[TransformSurvival, ...]
    interactions: tuple[Interaction, ...]
    schemes: tuple[SchemeAgreement, ...]

    @property
    def advised(self) -> SchemeAgreement:
        """Return the pure scheme with the highest head agreement."""
        return self.schemes[0]


@dataclass(frozen=True, eq=False)
class Survivors:
    """Hold the places of the training trees in the order of
    :class:`~learnability.multiref.arrays.PlaceTable`.

    Attributes:
        names: the transformations that have places, in the order of the report.
        transform: str[places], one of `names`.
        factor, sentence: int64[places], ascending numbers.
        transformed: float64[places], 1 where the place survived transformed, 0 where as in UD.
        equal_heads: for the transformations that occur together in a factor, and the subset of them that
            a scheme has: the number of tokens of these factors whose surviving head is the scheme's.
        tokens: the number of tokens of all factors.
    """

    names: tuple[str, ...]
    transform: NDArray[np.str_]
    factor: NDArray[np.int64]
    sentence: NDArray[np.int64]
    transformed: NDArray[np.float64]
    equal_heads: Mapping[tuple[frozenset[str], frozenset[str]], int]
    tokens: int


def survivors(
    sets: Sequence[ReferenceSet], names: Sequence[str], transformed: NDArray[np.float64]
) -> Survivors:
    """Return the survivors of a joint training.

    Args:
        sets: the reference sets of the training sentences.
        names: the transformations, in the order of the report; those without places are left out.
        transformed: float64[places], the share of surviving references that transform each place.
    """
    factors = [(s, factor) for s, references in enumerate(sets) for factor in references.factors]
    sizes = np.array([len(factor.places) for _, factor in factors], np.int64)
    transform = [place.transform for _, factor in factors for place in factor.places]
    present = set(transform)
    return Survivors(
        names=tuple(name for name in names if name in present),
        transform=np.array(transform, np.str_),
        factor=np.repeat(np.arange(len(factors)), sizes),
        sentence=np.repeat(np.array([s for s, _ in factors], np.int64), sizes),
        transformed=np.asarray(transformed, np.float64),
        equal_heads=_equal_heads([factor for _, factor in factors], transformed),
        tokens=sum(len(factor.tokens) for _, factor in factors),
    )


def _equal_heads(
    factors: Sequence[Factor], transformed: NDArray[np.float64]
) -> Counter[tuple[frozenset[str], frozenset[str]]]:
    """Count equal heads as :class:`Survivors` defines them; a tied place counts as in UD."""
    equal: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
    survived = iter((np.asarray(transformed) > 0.5).tolist())
    for factor in factors:
        names = [place.transform for place in factor.places]
        heads = _heads(factor, [next(survived) for _ in names])
        for scheme in _subsets(set(names)):
            heads_of_scheme = _heads(factor, [name in scheme for name in names])
            equal[frozenset(names), frozenset(scheme)] += sum(map(operator.eq, heads, heads_of_scheme))
    return equal


def _subsets(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the pure schemes: all subsets of the transformations, in the order of `names`."""
    products = itertools.product(*(((), (name,)) for name in names))
    return [tuple(itertools.chain.from_iterable(parts)) for parts in products]


def _heads(factor: Factor, selected: Sequence[bool]) -> tuple[int, ...]:
    """Return the heads of the factor's tokens with these places selected.

    In a cut factor, the nearer extreme is used.
    """
    bits = sum(state << i for i, state in enumerate(selected))
    return factor.option(2 * sum(selected) > len(selected) if factor.cut else bits).heads


def joint_survival(survived: Survivors) -> JointSurvival:
    """Compute shares, interactions and agreements (see the module) for one training."""
    shares = {name: survived.transformed[survived.transform == name] for name in survived.names}
    survival = [
        TransformSurvival(name, len(places), float(places.mean()), None) for name, places in shares.items()
    ]
    interactions = []
    for a, b in itertools.permutations(survived.names, 2):
        for within in ("factor", "sentence"):
            interactions.append(interaction(survived, a, b, within))
    return JointSurvival(1, tuple(survival), tuple(interactions), scheme_agreements(survived))


def mean_survival(trainings: Sequence[JointSurvival]) -> JointSurvival:
    """Average several trainings on the same sets; the places of an interaction are pooled."""
    shares = np.array([[entry.alternative_share for entry in each.survival] for each in trainings])
    spread = shares.std(axis=0, ddof=1).tolist() if len(trainings) > 1 else [None] * shares.shape[1]
    survival = [
        TransformSurvival(entry.transform, entry.places, float(shares[:, i].mean()), spread[i])
        for i, entry in enumerate(trainings[0].survival)
    ]
    by_scheme: dict[tuple[str, ...], list[tuple[float, float, float]]] = {}
    for training in trainings:
        for scheme in training.schemes:
            agreements = (scheme.factor_agreement, scheme.place_agreement, scheme.head_agreement)
            by_scheme.setdefault(scheme.transforms, []).append(agreements)
    means = [SchemeAgreement(names, *np.mean(rows, axis=0).tolist()) for names, rows in by_scheme.items()]
    interactions = map(
        _pool_interactions, zip(*(training.interactions for training in trainings), strict=True)
    )
    return JointSurvival(len(trainings), tuple(survival), tuple(interactions), _rank_schemes(means))


def _pool_interactions(trainings: Sequence[Interaction]) -> Interaction:
    """Return the mean of the same interaction in several trainings."""
    sides = []
    for places, share in (("places_transformed", "share_transformed"), ("places_original", "share_original")):
        counts = [getattr(training, places) for training in trainings]
        hits = [n * getattr(training, share) for n, training in zip(counts, trainings, strict=True) if n]
        sides.append((sum(counts) / len(trainings), sum(hits) / sum(counts) if sum(counts) else None))
    first = trainings[0]
    return _interaction(first.of, first.given, first.within, *sides)


def _interaction(a: str, b: str, within: str, *sides: tuple[float, float | None]) -> Interaction:
    """Make an interaction from number and share of A's places: where B survived transformed, and as in UD."""
    (transformed, share), (original, other) = sides
    difference = None if share is None or other is None else share - other
    return Interaction(a, b, within, transformed, original, share, other, difference)


def interaction(survived: Survivors, a: str, b: str, within: str) -> Interaction:
    """Return the preference for transformation `a` where `b` survived transformed, and where as in UD."""
    unit = survived.factor if within == "factor" else survived.sentence
    units = int(unit.max(initial=-1)) + 1
    is_a, is_b = survived.transform == a, survived.transform == b
    # above 0 in units where most places of B survived transformed, below 0 where most survived as in UD
    by_unit = np.bincount(unit[is_b], weights=2 * survived.transformed[is_b] - 1, minlength=units)
    balance = by_unit[unit[is_a]]
    survived_a = survived.transformed[is_a]
    parts = survived_a[balance > 1e-9], survived_a[balance < -1e-9]
    sides = ((float(len(part)), float(part.mean()) if len(part) else None) for part in parts)
    return _interaction(a, b, within, *sides)


def scheme_agreements(survived: Survivors) -> tuple[SchemeAgreement, ...]:
    """Return the agreement of all pure schemes, the best first."""
    if not survived.names:
        return (SchemeAgreement((), 1.0, 1.0, 1.0),)
    starts = np.flatnonzero(np.diff(survived.factor, prepend=-1))
    schemes = []
    for names in _subsets(survived.names):
        wanted = np.isin(survived.transform, np.array(names, np.str_))
        agrees = np.where(wanted, survived.transformed, 1.0 - survived.transformed)
        whole = np.multiply.reduceat(agrees, starts)
        equal = 0
        for (in_factor, in_scheme), count in survived.equal_heads.items():
            if in_scheme == in_factor.intersection(names):
                equal += count
        shares = float(whole.mean()), float(agrees.mean()), equal / survived.tokens
        schemes.append(SchemeAgreement(names, *shares))
    return _rank_schemes(schemes)


def _rank_schemes(schemes: Sequence[SchemeAgreement]) -> tuple[SchemeAgreement, ...]:
    """Return the schemes, the best first; means over seeds that differ by rounding errors are equal."""

    def key(scheme: SchemeAgreement) -> tuple[float, float, int, tuple[str, ...]]:
        heads, factors = round(scheme.head_agreement, DIGITS), round(scheme.factor_agreement, DIGITS)
        return -heads, -factors, len(scheme.transforms), scheme.transforms

    return tuple(sorted(schemes, key=key))
