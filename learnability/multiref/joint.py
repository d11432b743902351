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

import functools
import itertools
import operator
from collections.abc import Sequence
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
        transform: int64[sites], index in `names`, the transformations that have sites.
        factor, sentence: int64[sites], ascending numbers.
        transformed: float64[sites], 1 where the site survived transformed, 0 where as in UD.
        equal_heads: for every set of transformations (bits by position in `names`) that occur together in a
            factor, by the bits of those of them that a scheme has (int64[2 ** names]): the tokens of
            these factors (of all: `tokens`) whose surviving head is the scheme's.
    """

    names: tuple[str, ...]
    transform: NDArray[np.int64]
    factor: NDArray[np.int64]
    sentence: NDArray[np.int64]
    transformed: NDArray[np.float64]
    equal_heads: dict[int, NDArray[np.int64]]
    tokens: int


def survivors(
    sets: Sequence[ReferenceSet], names: Sequence[str], transformed: NDArray[np.float64]
) -> Survivors:
    """The survivors of a joint training; `names` (without sites: left out) in the order to report."""
    sites = [
        (site.transform, f, s)
        for s, references in enumerate(sets)
        for f, factor in enumerate(references.factors)
        for site in factor.sites
    ]
    found = {transform for transform, _, _ in sites}
    present = tuple(name for name in names if name in found)
    number = {name: i for i, name in enumerate(present)}
    sentence = np.array([s for _, _, s in sites], np.int64)
    own = np.array([f for _, f, _ in sites], np.int64)
    starts = np.ones(len(sites), np.int64)
    starts[1:] = (np.diff(sentence) != 0) | (np.diff(own) != 0)
    return Survivors(
        names=present,
        transform=np.array([number[transform] for transform, _, _ in sites], np.int64),
        factor=np.cumsum(starts) - 1 if sites else own,
        sentence=np.unique(sentence, return_inverse=True)[1].astype(np.int64),
        transformed=np.asarray(transformed, np.float64),
        equal_heads=_equal_heads(sets, number, transformed),
        tokens=sum(len(factor.tokens) for references in sets for factor in references.factors),
    )


def _equal_heads(
    sets: Sequence[ReferenceSet], number: dict[str, int], transformed: NDArray[np.float64]
) -> dict[int, NDArray[np.int64]]:
    """See :class:`Survivors`; `number`: of each transformation; a tied site counts as in UD."""
    found: dict[int, NDArray[np.int64]] = {}
    survived = iter((np.asarray(transformed) > 0.5).tolist())
    for factor in (factor for references in sets for factor in references.factors):
        own = [1 << number[site.transform] for site in factor.sites]
        heads = _heads(factor, sum(next(survived) << i for i in range(len(own))))
        present = functools.reduce(operator.or_, own, 0)
        counts = found.setdefault(present, np.zeros(1 << len(number), np.int64))
        scheme = present
        while True:  # every subset of the transformations present, the empty one last
            chosen = sum(1 << i for i, bit in enumerate(own) if bit & scheme)
            pairs = zip(heads, _heads(factor, chosen), strict=True)
            counts[scheme] += sum(a == b for a, b in pairs)
            if scheme == 0:
                break
            scheme = (scheme - 1) & present
    return found


def _heads(factor: Factor, selection: int) -> tuple[int, ...]:
    """The heads of the factor's tokens with these sites selected (bits); of a cut one the nearer extreme."""
    if factor.cut:
        return factor.options[2 * selection.bit_count() > len(factor.sites)]
    return factor.option(selection).heads


def joint_survival(found: Survivors) -> JointSurvival:
    """Shares, interactions and agreements (see the module) of one training."""
    shares = [found.transformed[found.transform == i] for i in range(len(found.names))]
    survival = [
        TransformSurvival(name, len(own), float(own.mean()), None)
        for name, own in zip(found.names, shares, strict=True)
    ]
    pairs = itertools.permutations(range(len(found.names)), 2)
    between = [interaction(found, a, b, within) for a, b in pairs for within in ("factor", "sentence")]
    return JointSurvival(1, tuple(survival), tuple(between), scheme_agreements(found))


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


def interaction(found: Survivors, a: int, b: int, within: str) -> Interaction:
    """The preference for transformation `a` given `b` (indices in `found.names`)."""
    unit = found.factor if within == "factor" else found.sentence
    units = int(unit.max(initial=-1)) + 1
    is_a, is_b = found.transform == a, found.transform == b
    balance = np.bincount(unit[is_b], weights=2 * found.transformed[is_b] - 1, minlength=units)[unit[is_a]]
    own = found.transformed[is_a]
    parts = own[balance > 1e-9], own[balance < -1e-9]
    sides = ((float(len(part)), float(part.mean()) if len(part) else None) for part in parts)
    return _interaction(found.names[a], found.names[b], within, *sides)


def scheme_agreements(found: Survivors) -> tuple[SchemeAgreement, ...]:
    """The agreement of all pure schemes, the best first."""
    if not found.names:
        return (SchemeAgreement((), 1.0, 1.0, 1.0),)
    starts = np.flatnonzero(np.diff(found.factor, prepend=-1))
    schemes = []
    for chosen in itertools.product((False, True), repeat=len(found.names)):
        wanted = np.array(chosen)[found.transform]
        agrees = np.where(wanted, found.transformed, 1.0 - found.transformed)
        whole = np.multiply.reduceat(agrees, starts)
        names = tuple(name for name, take in zip(found.names, chosen, strict=True) if take)
        bits = sum(1 << i for i, take in enumerate(chosen) if take)
        equal = sum(int(counts[present & bits]) for present, counts in found.equal_heads.items())
        shares = float(whole.mean()), float(agrees.mean()), equal / found.tokens
        schemes.append(SchemeAgreement(names, *shares))
    return _ranked(schemes)


def _ranked(schemes: Sequence[SchemeAgreement]) -> tuple[SchemeAgreement, ...]:
    """The best first; means over seeds that differ by rounding errors are equal."""

    def key(scheme: SchemeAgreement) -> tuple[float, float, int, tuple[str, ...]]:
        heads, factors = round(scheme.head_agreement, DIGITS), round(scheme.factor_agreement, DIGITS)
        return -heads, -factors, len(scheme.transforms), scheme.transforms

    return tuple(sorted(schemes, key=key))
