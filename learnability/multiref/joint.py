"""What survives when one parser is trained against the references of several transformations at once.

A training over the joint reference sets leaves one annotation of every site. Read from it, for one seed or
several:

- per transformation, the share of its sites that survived transformed;
- how the preference for one depends on another: of the sites of A in factors (or sentences) where the sites
  of B survived transformed, and in those where they survived as in UD, the share that survived transformed;
- how far each *pure scheme* agrees, the 2^k sets P of transformations applied everywhere or not at all. A
  site agrees with P if it survived transformed and its transformation is in P, or survived as in UD and is
  not. The *site agreement* of P is the share of the sites that agree; it adds up over transformations, so
  its best scheme takes each transformation that most of its sites took. The *factor agreement* is the share
  of the factors (groups of sites that decide the same heads) all of whose sites agree: there, interactions
  count. The advised scheme has the highest factor agreement (ties: site agreement, fewer transformations).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.references import ReferenceSet


@dataclass(frozen=True, slots=True)
class TransformSurvival:
    """How one transformation fared.

    Attributes:
        transform: its name.
        sites: its sites in the training trees.
        transformed_share: share of them that survived transformed, mean over seeds.
        share_sd: its standard deviation over seeds; None with one seed.
    """

    transform: str
    sites: int
    transformed_share: float
    share_sd: float | None


@dataclass(frozen=True, slots=True)
class Interaction:
    """The preference for one transformation, given another.

    Attributes:
        of, given: the two transformations, A and B.
        within: `factor` or `sentence`: where both have sites.
        sites_transformed, sites_original: sites of A (mean over seeds) where most sites of B survived
            transformed, and where most survived as in UD; where B is tied, the sites of A count in neither.
        share_transformed, share_original: share of these that survived transformed; None without any.
        difference: share_transformed - share_original; None where one is missing.
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


@dataclass(frozen=True, slots=True)
class JointSurvival:
    """Everything read from the joint trainings.

    Attributes:
        seeds: how many trainings.
        survival: per transformation that has sites, in the order given.
        interactions: of every ordered pair, within factors and within sentences.
        schemes: all pure schemes of these transformations, the advised one first.
    """

    seeds: int
    survival: tuple[TransformSurvival, ...]
    interactions: tuple[Interaction, ...]
    schemes: tuple[SchemeAgreement, ...]

    @property
    def advised(self) -> SchemeAgreement:
        """The pure scheme with the highest factor agreement."""
        return self.schemes[0]


@dataclass(frozen=True, eq=False)
class Survivors:
    """The sites of the training trees in the order of :class:`~learnability.multiref.references.SiteTable`.

    Attributes:
        names: the transformations that have sites.
        transform: int64[sites], index in `names`.
        factor, sentence: int64[sites], ascending numbers of the factor and the sentence of each site.
        transformed: float64[seeds, sites], 1 where the site survived transformed, 0 where as in UD.
    """

    names: tuple[str, ...]
    transform: NDArray[np.int64]
    factor: NDArray[np.int64]
    sentence: NDArray[np.int64]
    transformed: NDArray[np.float64]


def survivors(
    sets: Sequence[ReferenceSet], names: Sequence[str], transformed: Sequence[NDArray[np.float64]]
) -> Survivors:
    """The survivors of joint trainings against `sets`; `transformed`: per seed, float64[sites].

    `names`: the transformations in the order to report; those without sites are left out.
    """
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
        transformed=np.array(transformed, np.float64).reshape(len(transformed), len(sites)),
    )


def joint_survival(found: Survivors) -> JointSurvival:
    """Shares, interactions and agreements (see the module)."""
    seeds = len(found.transformed)
    survival = []
    for i, name in enumerate(found.names):
        shares = found.transformed[:, found.transform == i].mean(axis=1)
        spread = float(shares.std(ddof=1)) if seeds > 1 else None
        survival.append(
            TransformSurvival(name, int((found.transform == i).sum()), float(shares.mean()), spread)
        )
    pairs = itertools.permutations(range(len(found.names)), 2)
    return JointSurvival(
        seeds=seeds,
        survival=tuple(survival),
        interactions=tuple(
            interaction(found, a, b, within) for a, b in pairs for within in ("factor", "sentence")
        ),
        schemes=scheme_agreements(found),
    )


def interaction(found: Survivors, a: int, b: int, within: str) -> Interaction:
    """The preference for transformation `a` given `b` (indices in `found.names`)."""
    unit = found.factor if within == "factor" else found.sentence
    units = int(unit.max(initial=-1)) + 1
    is_a, is_b = found.transform == a, found.transform == b
    sites, hits = np.zeros(2), np.zeros(2)
    for survived in found.transformed:
        balance = np.bincount(unit[is_b], weights=2 * survived[is_b] - 1, minlength=units)[unit[is_a]]
        for side, chosen in enumerate((balance > 1e-9, balance < -1e-9)):
            sites[side] += chosen.sum()
            hits[side] += survived[is_a][chosen].sum()
    shares = [float(hits[i] / sites[i]) if sites[i] else None for i in range(2)]
    missing = shares[0] is None or shares[1] is None
    return Interaction(
        of=found.names[a],
        given=found.names[b],
        within=within,
        sites_transformed=float(sites[0] / len(found.transformed)),
        sites_original=float(sites[1] / len(found.transformed)),
        share_transformed=shares[0],
        share_original=shares[1],
        difference=None if missing else float(hits[0] / sites[0] - hits[1] / sites[1]),
    )


def scheme_agreements(found: Survivors) -> tuple[SchemeAgreement, ...]:
    """The agreement of all pure schemes, the best first."""
    if not found.names:
        return (SchemeAgreement((), 1.0, 1.0),)
    starts = np.flatnonzero(np.diff(found.factor, prepend=-1))
    ranked = []
    for chosen in itertools.product((False, True), repeat=len(found.names)):
        wanted = np.array(chosen)[found.transform]
        agrees = np.where(wanted, found.transformed, 1.0 - found.transformed)
        whole = np.multiply.reduceat(agrees, starts, axis=1)
        names = tuple(name for name, take in zip(found.names, chosen, strict=True) if take)
        ranked.append(SchemeAgreement(names, float(whole.mean()), float(agrees.mean())))
    ranked.sort(key=lambda s: (-s.factor_agreement, -s.site_agreement, len(s.transforms), s.transforms))
    return tuple(ranked)
