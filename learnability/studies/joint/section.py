"""The joint training of a run in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from learnability.evidence.differences import Difference
from learnability.metrics.scores import Score, scores_of
from learnability.reports.results import starred
from learnability.reports.text import Column, Section, Table, TableCell, counted, number, probability
from learnability.reports.verdicts import ahead, named, standing
from learnability.statistics.significance import Side

if TYPE_CHECKING:
    from learnability.studies.joint.outcome import JointReport, VerifiedScheme


HEADING = "All transformations at once"

ENOUGH_SITES, STRONG = 20, 0.1
"""A sentence describes an interaction if both shares rest on this number of sites and differ by this much."""

ADVISED = "the recommended scheme"

SIDES = {Side.UD: "UD", Side.ALTERNATIVE: "scheme"}
"""What the table of verified schemes calls the two sides."""

SHOWN = 8
"""How many of the schemes are listed."""


def joint_section(joint: JointReport) -> Section:
    """Return what the parser preferred, the recommended scheme, and whether verification confirms it."""
    if not joint.sites:
        nothing = (
            "None of the constructions occurs in the training set, so there is nothing to choose between."
        )
        return Section(HEADING, (nothing,), ())
    advised = joint.survival.advised
    advice = (
        f"Recommended scheme: {scheme_name(advised.transforms)}. It matches {advised.head_agreement:.0%} "
        "of the "
        f"heads and {advised.site_agreement:.0%} of the places that the jointly trained parser preferred. "
        f"{_certainty(joint)}"
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
    """Return the constructions of a scheme joined with ``+``; UD without any."""
    return "+".join(transforms) or "UD"


def _certainty(joint: JointReport) -> str:
    """Tell how far the advice depends on chance, and that only --verify compares it with UD."""
    if joint.seeds == 1:
        said = "It comes from one training, so we cannot tell how much it depends on chance; add --seeds."
    elif joint.advised_in == joint.seeds:
        said = f"Each of the {joint.seeds} trainings, taken alone, recommends it."
    else:
        said = f"Taken alone, {joint.advised_in} of {counted(joint.seeds, 'training')} would recommend it."
    unknown = " This does not tell whether a parser learns it better than UD; --verify tests that."
    return said + ("" if joint.verified else unknown)


def _rank(scheme: VerifiedScheme, score: Score) -> int:
    rank = scheme.rank if score is Score.UAS else scheme.las_rank
    assert rank is not None
    return rank


def _verification(joint: JointReport) -> list[str]:
    """Tell where the recommended scheme ranks among the trained schemes; empty if none was trained."""
    return [
        f"Checked: trained alone, the recommended scheme scores {_standing(joint, scheme, score)}."
        for scheme in joint.verified
        if scheme.transforms == joint.survival.advised.transforms
        for score in scores_of(labelled=joint.las_ud is not None)
    ]


def _standing(joint: JointReport, own: VerifiedScheme, score: Score) -> str:
    """Return the recommended scheme's score and rank, and its difference from UD and from the best."""
    rank, schemes = _rank(own, score), counted(len(joint.verified), "scheme")
    shared = " (shared)" if sum(_rank(other, score) == rank for other in joint.verified) > 1 else ""
    place = f"rank {rank}{shared} of {schemes}"
    said = f"{getattr(own, score):.2f} {score.upper()}, {place}"
    if own.transforms:
        said += f". Compared with UD, {_compared(own.from_ud[score], 'UD', ADVISED)}"
    if rank > 1:
        best = min(joint.verified, key=lambda scheme: _rank(scheme, score))
        name, reached = scheme_name(best.transforms), getattr(best, score)
        said += f". Compared with the best ({name}, {reached:.2f}), "
        said += _compared(best.from_advised[score], ADVISED, name)
    return said


def _compared(difference: Difference | None, original: str, alternative: str) -> str:
    if difference is None:
        return "the test set has too few examples"
    return standing(difference, original, alternative)


def _survival(joint: JointReport) -> Iterator[str]:
    for entry in joint.survival.survival:
        share = entry.transformed_share
        spread = "" if entry.share_sd is None else f" ± {100 * entry.share_sd:.1f} points over seeds"
        side = "the alternative" if share > 0.5 else "UD's annotation"
        kept = f"{max(share, 1 - share):.1%} of {counted(entry.sites, 'place')}"
        yield f"{entry.transform}: trained on both, the parser preferred {side} at {kept}{spread}."


def _interactions(joint: JointReport) -> list[str]:
    """Return the strongest dependence of each construction, within sentences, in words."""
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
        f"{pair.of} depends on {pair.given}: the parser preferred the alternative of {pair.of} at "
        f"{pair.share_transformed:.0%} of its places in sentences where it preferred that of "
        f"{pair.given}, and "
        f"at {pair.share_original:.0%} elsewhere."
        for pairs in of_each
        for pair in sorted(pairs, key=lambda pair: -abs(pair.difference or 0))[:1]
    ]


def _basis(joint: JointReport) -> str:
    seeds = joint.seeds
    several = f"mean of {seeds} trainings" if seeds > 1 else "one training"
    cut = f"; {counted(joint.factors_cut, 'factor')} cut to two options" if joint.factors_cut else ""
    return (
        f"Based on {counted(joint.sites, 'place')} in {counted(joint.sentences, 'sentence')}, with up to "
        f"2^{joint.largest_set} trees for one sentence ({several}{cut})."
    )


def _survival_table(joint: JointReport) -> Table:
    return Table.of(
        "What the parser preferred when trained on all",
        joint.survival.survival,
        (
            ("construction", lambda e: e.transform),
            ("places", lambda e: e.sites),
            ("alternative preferred", lambda e: number(e.transformed_share, ".1%")),
            ("sd over seeds", lambda e: number(e.share_sd and 100 * e.share_sd, ".1f")),
        ),
    )


def _interaction_tables(joint: JointReport) -> list[Table]:
    """Return how the preferences for each construction depend on those for the others."""
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
            f"Share of the row's places where the parser preferred the alternative, in a {within} where it "
            "preferred the alternative / UD at most places of the column.",
        )
        for within in ("sentence", "factor")
    ]


def _scheme_table(joint: JointReport) -> Table:
    schemes = joint.survival.schemes
    return Table.of(
        f"Schemes by agreement with the parser's preferences (the first {len(schemes[:SHOWN])} of "
        f"{len(schemes)})",
        schemes[:SHOWN],
        (
            ("scheme", lambda s: scheme_name(s.transforms)),
            ("heads", lambda s: number(s.head_agreement, ".1%")),
            ("factors", lambda s: number(s.factor_agreement, ".1%")),
            ("places", lambda s: number(s.site_agreement, ".1%")),
        ),
        "Share of the heads that depend on the choice, of the factors, and of the places at which the parser "
        "preferred what the scheme has.",
    )


def _verified_table(joint: JointReport) -> Table:
    def reached(score: Score) -> tuple[Column[VerifiedScheme], ...]:
        def difference_from_ud(scheme: VerifiedScheme) -> str | TableCell:
            difference = scheme.from_ud[score]
            if difference is not None:
                return starred(named(difference, SIDES), difference)
            delta = getattr(joint, f"{score}_ud") - getattr(scheme, score)
            return ahead(delta, SIDES) if scheme.transforms else ""

        return (
            (score.upper(), lambda s: number(getattr(s, score))),
            ("difference\nfrom UD", difference_from_ud),
            ("p", lambda s: probability(getattr(s.from_ud[score], "p_holm", None))),
        )

    return Table.of(
        "Schemes trained alone",
        joint.verified,
        (
            ("scheme", lambda s: scheme_name(s.transforms)),
            ("rank", lambda s: s.rank),
            ("why", lambda s: s.why),
            *reached(Score.UAS),
            *((*reached(Score.LAS), ("LAS rank", lambda s: s.las_rank)) if joint.las_ud is not None else ()),
            ("between phrases", lambda s: number(s.nucleus_uas)),
            ("heads agree", lambda s: number(s.head_agreement, ".1%")),
        ),
        "Each parser tested on its own annotation, ranked by UAS. The difference names the side that "
        "is ahead, with its interval; *: it is clear. p: of no difference from UD, adjusted for the "
        "schemes of the table (Holm). Between phrases: not defined with cc, conj, punct.",
    )
