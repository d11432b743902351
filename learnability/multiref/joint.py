"""What survives when one parser is trained against the references of several transformations at once.

A training over the joint reference sets leaves one annotation of every site. Read from it, and averaged over
the trainings of several seeds:

- per transformation, the share of its sites that survived transformed;
- how the preference for one depends on another: of the sites of A in factors (or sentences) where the sites
  of B survived transformed, and in those where they survived as in UD, the share that survived transformed;
- how far each *pure scheme* agrees, the 2^k sets P of transformations applied everywhere or not at all. A
  site agrees with P if it survived transformed and its transformation is in P, or survived as in UD and is
  not. The *site agreement* of P is the share of the sites that agree; it adds up over transformations, so
  its best scheme takes each transformation that most of its sites took. The *factor agreement* is the share
  of the factors (groups of sites that decide the same heads) all of whose sites agree: there, interactions
  count. The *head agreement* is the share of the tokens of the factors whose surviving head is the one that P
  gives them, so that a site counts by the heads it moves, as it does in UAS. The advised scheme has the
  highest head agreement (ties: factor agreement, fewer transformations).
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
"""Agreements that differ further down are equal: of a billion heads, no two means differ by so little."""


@dataclass(frozen=True, slots=True)
class TransformSurvival:
    """How one transformation fared: the share of its training sites that survived transformed, over seeds."""

    transform: str
    sites: int
    transformed_share: float
    share_sd: float | None


@dataclass(frozen=True, slots=True)
class Interaction:
    """The preference for one transformation (`of`, A), given another (B), `within` factors or sentences.

    `sites_transformed`, `sites_original`: the sites of A (mean over seeds) where most sites of B survived
    transformed, or as in UD; where B is tied they count in neither. The shares are of survivors transformed.
    """

    of: str
    given: str
    within: str
    sites_transformed: float
    sites_original: float
    share_transformed: float | None
    share_original: float | None
    difference: float | None


@dataclass(frozen=True, slots=True)
class SchemeAgreement:
    """How far the surviving annotation agrees with a pure scheme (see the module); means over seeds."""

    transforms: tuple[str, ...]
    factor_agreement: float
    site_agreement: float
    head_agreement: float


@dataclass(frozen=True, slots=True)
class JointSurvival:
    """What is read from one joint training, or the mean of several; `schemes`: the advised one first."""

    seeds: int
    survival: tuple[TransformSurvival, ...]
    interactions: tuple[Interaction, ...]
    schemes: tuple[SchemeAgreement, ...]

    @property
    def advised(self) -> SchemeAgreement:
        """The pure scheme with the highest head agreement."""
        return self.schemes[0]


@dataclass(frozen=True, eq=False)
class Survivors:
    """The sites of the training trees in the order of :class:`~learnability.multiref.arrays.SiteTable`.

    Attributes:
        names: the transformations that have sites, in the order to report.
        transform: str[sites], one of `names`.
        factor, sentence: int64[sites], ascending numbers.
        transformed: float64[sites], 1 where the site survived transformed, 0 where as in UD.
        equal_heads: for every set of transformations that occur together in a factor, and those of them that
            a scheme has: the tokens of these factors (of all: `tokens`) whose surviving head is the scheme's.
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
    """The survivors of a joint training; `names` (without sites: left out) in the order to report."""
    factors = [(s, factor) for s, references in enumerate(sets) for factor in references.factors]
    sizes = np.array([len(factor.sites) for _, factor in factors], np.int64)
    transform = [site.transform for _, factor in factors for site in factor.sites]
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
    """See :class:`Survivors`; a tied site counts as in UD."""
    equal: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
    survived = iter((np.asarray(transformed) > 0.5).tolist())
    for factor in factors:
        own = [site.transform for site in factor.sites]
        heads = _heads(factor, [next(survived) for _ in own])
        for scheme in _subsets(set(own)):
            wanted = _heads(factor, [name in scheme for name in own])
            equal[frozenset(own), frozenset(scheme)] += sum(map(operator.eq, heads, wanted))
    return equal


def _subsets(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The pure schemes: all sets of the transformations, in the order of `names`."""
    products = itertools.product(*(((), (name,)) for name in names))
    return [tuple(itertools.chain.from_iterable(parts)) for parts in products]


def _heads(factor: Factor, selected: Sequence[bool]) -> tuple[int, ...]:
    """The heads of the factor's tokens with these sites selected; of a cut one the nearer extreme."""
    bits = sum(state << i for i, state in enumerate(selected))
    return factor.option(2 * sum(selected) > len(selected) if factor.cut else bits).heads


def joint_survival(survived: Survivors) -> JointSurvival:
    """Shares, interactions and agreements (see the module) of one training."""
    shares = {name: survived.transformed[survived.transform == name] for name in survived.names}
    survival = [TransformSurvival(name, len(own), float(own.mean()), None) for name, own in shares.items()]
    pairs = itertools.permutations(survived.names, 2)
    between = [interaction(survived, a, b, within) for a, b in pairs for within in ("factor", "sentence")]
    return JointSurvival(1, tuple(survival), tuple(between), scheme_agreements(survived))


def mean_survival(trainings: Sequence[JointSurvival]) -> JointSurvival:
    """Several trainings against the same sets, averaged; the sites of an interaction are pooled."""
    shares = np.array([[entry.transformed_share for entry in each.survival] for each in trainings])
    spread = shares.std(axis=0, ddof=1).tolist() if len(trainings) > 1 else [None] * shares.shape[1]
    survival = [
        TransformSurvival(entry.transform, entry.sites, float(shares[:, i].mean()), spread[i])
        for i, entry in enumerate(trainings[0].survival)
    ]
    agreements: dict[tuple[str, ...], list[tuple[float, float, float]]] = {}
    for scheme in itertools.chain.from_iterable(training.schemes for training in trainings):
        shares_of = (scheme.factor_agreement, scheme.site_agreement, scheme.head_agreement)
        agreements.setdefault(scheme.transforms, []).append(shares_of)
    means = [SchemeAgreement(names, *np.mean(own, axis=0).tolist()) for names, own in agreements.items()]
    between = map(_pooled, zip(*(each.interactions for each in trainings), strict=True))
    return JointSurvival(len(trainings), tuple(survival), tuple(between), _ranked(means))


def _pooled(each: Sequence[Interaction]) -> Interaction:
    """The same interaction in several trainings."""
    sides = []
    for sites, share in (("sites_transformed", "share_transformed"), ("sites_original", "share_original")):
        counts = [getattr(one, sites) for one in each]
        hits = [n * getattr(one, share) for n, one in zip(counts, each, strict=True) if n]
        sides.append((sum(counts) / len(each), sum(hits) / sum(counts) if sum(counts) else None))
    return _interaction(each[0].of, each[0].given, each[0].within, *sides)


def _interaction(of: str, given: str, within: str, *sides: tuple[float, float | None]) -> Interaction:
    """From the sites of `of` and their share, where `given` survived transformed, and where as in UD."""
    (transformed, share), (original, other) = sides
    difference = None if share is None or other is None else share - other
    return Interaction(of, given, within, transformed, original, share, other, difference)


def interaction(survived: Survivors, a: str, b: str, within: str) -> Interaction:
    """The preference for transformation `a` given `b`."""
    unit = survived.factor if within == "factor" else survived.sentence
    units = int(unit.max(initial=-1)) + 1
    is_a, is_b = survived.transform == a, survived.transform == b
    balance = np.bincount(unit[is_b], weights=2 * survived.transformed[is_b] - 1, minlength=units)[unit[is_a]]
    own = survived.transformed[is_a]
    parts = own[balance > 1e-9], own[balance < -1e-9]
    sides = ((float(len(part)), float(part.mean()) if len(part) else None) for part in parts)
    return _interaction(a, b, within, *sides)


def scheme_agreements(survived: Survivors) -> tuple[SchemeAgreement, ...]:
    """The agreement of all pure schemes, the best first."""
    if not survived.names:
        return (SchemeAgreement((), 1.0, 1.0, 1.0),)
    starts = np.flatnonzero(np.diff(survived.factor, prepend=-1))
    schemes = []
    for names in _subsets(survived.names):
        wanted = np.isin(survived.transform, np.array(names, np.str_))
        agrees = np.where(wanted, survived.transformed, 1.0 - survived.transformed)
        whole = np.multiply.reduceat(agrees, starts)
        equal = sum(
            n for (own, scheme), n in survived.equal_heads.items() if scheme == own.intersection(names)
        )
        shares = float(whole.mean()), float(agrees.mean()), equal / survived.tokens
        schemes.append(SchemeAgreement(names, *shares))
    return _ranked(schemes)


def _ranked(schemes: Sequence[SchemeAgreement]) -> tuple[SchemeAgreement, ...]:
    """The best first; means over seeds that differ by rounding errors are equal."""

    def key(scheme: SchemeAgreement) -> tuple[float, float, int, tuple[str, ...]]:
        heads, factors = round(scheme.head_agreement, DIGITS), round(scheme.factor_agreement, DIGITS)
        return -heads, -factors, len(scheme.transforms), scheme.transforms

    return tuple(sorted(schemes, key=key))
