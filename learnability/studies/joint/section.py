"""The joint training of a run in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from learnability.evidence.differences import Difference
from learnability.metrics.scores import Score, scores_of
from learnability.reports.text import Column, Section, Table, counted, number, probability, signed
from learnability.reports.verdicts import standing

if TYPE_CHECKING:
    from learnability.studies.joint.outcome import JointReport, VerifiedScheme


HEADING = "All transformations at once"

ENOUGH_SITES, STRONG = 20, 0.1
"""An interaction is put into words where both shares are of so many sites, and differ by so much."""

ADVISED = "the advised scheme"

SHOWN = 8
"""How many of the schemes are listed."""


def joint_section(joint: JointReport) -> Section:
    """What survived, how the preferences depend on each other, what is advised, and whether it holds."""
    if not joint.sites:
        nothing = "No transformation has a site in the training trees: there is nothing to choose between."
        return Section(HEADING, (nothing,), ())
    advised = joint.survival.advised
    advice = (
        f"Advised scheme: {scheme_name(advised.transforms)} ({advised.head_agreement:.0%} of the "
        f"heads and {advised.site_agreement:.0%} of the sites survived as it has them). {_certainty(joint)}"
    )
    return Section(
        HEADING,
        (advice, *_verification(joint), *_survival(joint), *_interactions(joint), _basis(joint)),
        (
            *(_survival_table(joint), *_interaction_tables(joint), _scheme_table(joint)),
            *([_verified_table(joint)] if joint.verified else []),
        ),
    )


def scheme_name(transforms: Sequence[str]) -> str:
    """The transformations of a scheme joined with ``+``; UD without any."""
    return "+".join(transforms) or "UD"


def _certainty(joint: JointReport) -> str:
    """How far the advice depends on chance, and that it is no verdict unless it was verified."""
    if joint.seeds == 1:
        said = "It rests on one training: how much it depends on chance is not known; give more --seeds."
    elif joint.advised_in == joint.seeds:
        said = f"Each of the {joint.seeds} trainings by itself advises it."
    else:
        said = f"By itself, {joint.advised_in} of {counted(joint.seeds, 'training')} would advise it."
    unknown = " Whether a parser learns it better than UD is not known from this: --verify tests it."
    return said + ("" if joint.verified else unknown)


def _rank(scheme: VerifiedScheme, score: Score) -> int:
    rank = scheme.rank if score is Score.UAS else scheme.las_rank
    assert rank is not None
    return rank


def _verification(joint: JointReport) -> list[str]:
    """Where the advised scheme stands among those that were trained; nothing if none was."""
    return [
        f"Verified: trained by itself the advised scheme reaches {_standing(joint, scheme, score)}."
        for scheme in joint.verified
        if scheme.transforms == joint.survival.advised.transforms
        for score in scores_of(labelled=joint.las_ud is not None)
    ]


def _standing(joint: JointReport, own: VerifiedScheme, score: Score) -> str:
    """The advised scheme's score and rank; whether it is shown to differ from UD, and from the best."""
    rank, schemes = _rank(own, score), counted(len(joint.verified), "scheme")
    shared = " (shared)" if sum(_rank(other, score) == rank for other in joint.verified) > 1 else ""
    place = f"number {rank}{shared} of {schemes}"
    said = f"{getattr(own, score):.2f} {score.upper()}, {place}"
    if own.transforms:
        said += f"; {_compared(own.from_ud[score], score, 'UD', ADVISED)}"
    if rank > 1:
        best = min(joint.verified, key=lambda scheme: _rank(scheme, score))
        name, reached = scheme_name(best.transforms), getattr(best, score)
        said += f". The best is {name} with {reached:.2f}; "
        said += _compared(best.from_advised[score], score, ADVISED, name)
    return said


def _compared(difference: Difference | None, score: Score, original: str, alternative: str) -> str:
    if difference is None:
        return f"the test part has too little to compare {original} with {alternative}"
    return standing(difference, score, original, alternative)


def _survival(joint: JointReport) -> Iterator[str]:
    for entry in joint.survival.survival:
        share = entry.transformed_share
        spread = "" if entry.share_sd is None else f" ± {100 * entry.share_sd:.1f} points over seeds"
        side = "the alternative" if share > 0.5 else "UD's annotation"
        kept = f"{max(share, 1 - share):.1%} of {counted(entry.sites, 'site')}"
        yield f"{entry.transform}: {side} survived at {kept}{spread}."


def _interactions(joint: JointReport) -> list[str]:
    """The strongest dependence of each transformation, within sentences, in words."""
    strong = [
        pair
        for pair in joint.survival.interactions
        if pair.within == "sentence"
        and pair.difference is not None
        and abs(pair.difference) >= STRONG
        and min(pair.sites_transformed, pair.sites_original) >= ENOUGH_SITES
    ]
    of_each = ([pair for pair in strong if pair.of == entry.transform] for entry in joint.survival.survival)
    return [
        f"{pair.of} depends on {pair.given}: its alternative survived at {pair.share_transformed:.0%} of its "
        f"sites in sentences where that of {pair.given} did, at {pair.share_original:.0%} where it did not."
        for pairs in of_each
        for pair in sorted(pairs, key=lambda pair: -abs(pair.difference or 0))[:1]
    ]


def _basis(joint: JointReport) -> str:
    seeds = joint.seeds
    several = f"mean of {seeds} trainings" if seeds > 1 else "one training"
    cut = f"; {counted(joint.factors_cut, 'factor')} cut to two options" if joint.factors_cut else ""
    return (
        f"Read from {counted(joint.sites, 'site')} in {counted(joint.factors, 'factor')} of "
        f"{counted(joint.sentences, 'sentence')}, "
        f"up to 2^{joint.largest_set} trees for one of them ({several}{cut})."
    )


def _survival_table(joint: JointReport) -> Table:
    return Table.of(
        "What survived",
        joint.survival.survival,
        (
            ("construction", lambda e: e.transform),
            ("sites", lambda e: e.sites),
            ("transformed", lambda e: number(e.transformed_share, ".1%")),
            ("sd over seeds", lambda e: number(e.share_sd and 100 * e.share_sd, ".1f")),
        ),
    )


def _interaction_tables(joint: JointReport) -> list[Table]:
    """Share of the row's sites that survived transformed, given what survived of the column's."""
    names = [entry.transform for entry in joint.survival.survival]
    if len(names) < 2:
        return []
    shares: dict[tuple[str, ...], tuple[float | None, ...]] = {
        (i.of, i.given, i.within): (i.share_transformed, i.share_original)
        for i in joint.survival.interactions
        if (i.share_transformed, i.share_original) != (None, None)
    }

    def cell(*pair: str) -> str:
        return " / ".join(number(share, ".0%") or "–" for share in shares.get(pair, ()))

    return [
        Table(
            f"Interactions within a {within}",
            ("construction", *(f"given {name}" for name in names)),
            tuple((of, *(cell(of, given, within) for given in names)) for of in names),
            f"Share of the row's sites that survived transformed in a {within} where most of the column's "
            "survived transformed / as in UD.",
        )
        for within in ("sentence", "factor")
    ]


def _scheme_table(joint: JointReport) -> Table:
    schemes = joint.survival.schemes
    return Table.of(
        f"Schemes by agreement with the survivors (the first {len(schemes[:SHOWN])} of {len(schemes)})",
        schemes[:SHOWN],
        (
            ("scheme", lambda s: scheme_name(s.transforms)),
            ("heads", lambda s: number(s.head_agreement, ".1%")),
            ("factors", lambda s: number(s.factor_agreement, ".1%")),
            ("sites", lambda s: number(s.site_agreement, ".1%")),
        ),
        "Share of the heads that depend on the choice, of the factors and of the sites that survived as in "
        "the scheme.",
    )


def _verified_table(joint: JointReport) -> Table:
    def reached(score: Score) -> tuple[Column[VerifiedScheme], ...]:
        ud = getattr(joint, f"{score}_ud")
        return (
            (score.upper(), lambda s: number(getattr(s, score))),
            ("minus UD", lambda s: signed(getattr(s, score) - ud)),
            ("p", lambda s: probability(getattr(s.from_ud[score], "p_holm", None))),
        )

    return Table.of(
        "Schemes trained by themselves",
        joint.verified,
        (
            ("scheme", lambda s: scheme_name(s.transforms)),
            ("rank", lambda s: s.rank),
            ("why", lambda s: s.why),
            *reached(Score.UAS),
            *((*reached(Score.LAS), ("LAS rank", lambda s: s.las_rank)) if joint.las_ud is not None else ()),
            ("nucleus UAS", lambda s: number(s.nucleus_uas)),
            ("heads agree", lambda s: number(s.head_agreement, ".1%")),
        ),
        "Each against its own reference, ranked by UAS; p: of no difference from UD, corrected for the "
        "schemes of the table (Holm); nucleus UAS is not defined with cc, conj, punct.",
    )
