"""Describe the joint training of a run in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from learnability.evidence.differences import Difference
from learnability.metrics.scores import Score, answered_scores
from learnability.reports.results import star_difference
from learnability.reports.text import Column, Section, Table, TableCell, number, percentage, probability
from learnability.reports.verdicts import describe_standing, name_difference, name_leader
from learnability.statistics.inference import Side
from learnability.support.nouns import count_noun

if TYPE_CHECKING:
    from learnability.extensions.combinations.joint.outcome import JointReport, VerifiedScheme
    from learnability.extensions.combinations.joint.products import Interaction


HEADING = "All constructions at once"

ENOUGH_PLACES, STRONG = 20, 0.1
"""A sentence describes an interaction if both shares rest on this number of places and differ by this
much."""

ADVISED = "the recommended scheme"

SIDES = {Side.FIRST: "UD", Side.SECOND: "scheme"}
"""What the table of verified schemes calls the two sides."""

WITHIN = {"sentence": "a sentence", "factor": "a group of linked places"}
"""Where interactions are measured, and what tables call it."""

LINKED = {"factor": " Linked places decide the heads of the same words."}
"""What the note on such a table adds."""

SHOWN = 8
"""How many of the schemes are listed."""


def joint_section(joint: JointReport) -> Section:
    """Return what the parser preferred, the recommended scheme, and whether verification confirms it."""
    if not joint.places:
        nothing = (
            "None of the constructions occurs in the training set, so there is nothing to choose between."
        )
        return Section(HEADING, (nothing,), ())
    advised = joint.survival.advised
    advice = (
        f"Recommended scheme: {scheme_name(advised.transforms)}. It "
        f"agrees with what the jointly trained parser preferred for {percentage(advised.head_agreement)} of "
        f"the heads and at {percentage(advised.place_agreement)} of the places. {_certainty(joint)}"
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
    """Say how far the advice depends on chance, and that only --verify compares it with UD."""
    if joint.seeds == 1:
        text = (
            "It comes from one training, so we cannot tell how much it depends on chance. Use more --seeds."
        )
    elif joint.advised_in == joint.seeds:
        text = f"Each of the {count_noun(joint.seeds, 'training')}, taken alone, recommends it."
    else:
        text = f"Taken alone, {joint.advised_in} of {count_noun(joint.seeds, 'training')} would recommend it."
    if joint.survival.advised.transforms:
        unknown = (
            " This does not show whether a parser learns this scheme better than UD. --verify tests that."
        )
    else:
        unknown = " This does not show whether UD is easiest to learn. --verify tests that."
    return text + ("" if joint.verified else unknown)


def _rank(scheme: VerifiedScheme, score: Score) -> int:
    rank: int | None = getattr(scheme, f"{score.prefix}rank")
    assert rank is not None
    return rank


def _rank_by(score: Score) -> Column[VerifiedScheme]:
    """Return the column of ranks by a score."""
    return f"{score.upper()} rank", lambda scheme: _rank(scheme, score)


def _verification(joint: JointReport) -> list[str]:
    """Say where the recommended scheme ranks among the trained schemes; empty if none was trained."""
    return [
        f"Checked: trained alone, the recommended scheme scores {_describe_standing(joint, scheme, score)}."
        for scheme in joint.verified
        if scheme.transforms == joint.survival.advised.transforms
        for score in answered_scores(labelled=joint.las_base is not None)
    ]


def _describe_standing(joint: JointReport, advised: VerifiedScheme, score: Score) -> str:
    """Return the recommended scheme's score and rank, and its difference from UD and from the best."""
    rank, schemes = _rank(advised, score), count_noun(len(joint.verified), "scheme")
    shared = " (shared)" if sum(_rank(other, score) == rank for other in joint.verified) > 1 else ""
    text = f"{getattr(advised, score):.2f} {score.upper()}, rank {rank}{shared} of {schemes}"
    if advised.transforms:
        text += f". Compared with UD, {_describe_difference(advised.from_ud[score], 'UD', ADVISED)}"
    if rank > 1:
        best = min(joint.verified, key=lambda scheme: _rank(scheme, score))
        name, reached = scheme_name(best.transforms), getattr(best, score)
        text += f". Compared with the best ({name}, {reached:.2f}), "
        text += _describe_difference(best.from_advised[score], ADVISED, name)
    return text


def _describe_difference(difference: Difference | None, original: str, alternative: str) -> str:
    if difference is None:
        return "the test set has too few examples"
    return describe_standing(difference, original, alternative)


def _survival(joint: JointReport) -> Iterator[str]:
    for entry in joint.survival.survival:
        share = entry.alternative_share
        spread = "" if entry.share_sd is None else f" ± {100 * entry.share_sd:.1f} points over seeds"
        side = "the alternative" if share > 0.5 else "UD's annotation"
        kept = f"{percentage(max(share, 1 - share), 1)} of {count_noun(entry.places, 'place')}"
        yield f"{entry.transform}: trained on both, the parser preferred {side} at {kept}{spread}."


def _interactions(joint: JointReport) -> list[str]:
    """Return the strongest dependence of each construction, within sentences, in words."""
    strongest: dict[str, Interaction] = {}
    by_strength = sorted(joint.survival.interactions, key=lambda pair: -abs(pair.difference or 0))
    for pair in by_strength:
        if pair.within == "sentence" and _is_strong(pair):
            strongest.setdefault(pair.of, pair)
    return [
        _interaction(strongest[entry.transform])
        for entry in joint.survival.survival
        if entry.transform in strongest
    ]


def _is_strong(pair: Interaction) -> bool:
    enough = min(pair.places_transformed, pair.places_original) >= ENOUGH_PLACES
    return enough and pair.difference is not None and abs(pair.difference) >= STRONG


def _interaction(pair: Interaction) -> str:
    """Return a dependence between two constructions in a sentence."""
    name, other = pair.of, pair.given
    return (
        f"{name} depends on {other}: the parser preferred the alternative of {name} at "
        f"{percentage(pair.share_transformed)} of its places in sentences where it preferred that of "
        f"{other}, and at {percentage(pair.share_original)} elsewhere."
    )


def _basis(joint: JointReport) -> str:
    seeds = joint.seeds
    several = f"mean of {count_noun(seeds, 'training')}" if seeds > 1 else "one training"
    groups = f"{joint.factors_cut} of {count_noun(joint.factors, 'group')} of linked places"
    cut = f"; for {groups} we kept only two trees" if joint.factors_cut else ""
    return (
        f"Based on {count_noun(joint.places, 'place')} in {count_noun(joint.sentences, 'sentence')}, with up "
        f"to 2^{joint.largest_set} trees for one sentence ({several}{cut})."
    )


def _survival_table(joint: JointReport) -> Table:
    return Table.of(
        "What the parser preferred when trained on all",
        joint.survival.survival,
        (
            ("construction", lambda entry: entry.transform),
            ("places", lambda entry: entry.places),
            ("alternative preferred", lambda entry: percentage(entry.alternative_share, 1)),
            ("sd over seeds", lambda entry: number(entry.share_sd and 100 * entry.share_sd, ".1f")),
        ),
    )


def _interaction_tables(joint: JointReport) -> list[Table]:
    """Return how the preferences for each construction depend on those for the others."""
    names = [entry.transform for entry in joint.survival.survival]
    if len(names) < 2:
        return []
    shares: dict[tuple[str, str, str], tuple[float | None, float | None]] = {}
    for pair in joint.survival.interactions:
        shares[pair.of, pair.given, pair.within] = pair.share_transformed, pair.share_original

    def cell(name: str, other: str, within: str) -> str:
        both = shares.get((name, other, within), (None, None))
        return "" if both == (None, None) else " / ".join(percentage(share) or "–" for share in both)

    tables = []
    for within, unit in WITHIN.items():
        rows = tuple((name, *(cell(name, other, within) for other in names)) for name in names)
        note = (
            "Each cell has two shares of the places of its row: those at which the parser preferred the "
            f"alternative. For the first share, {unit} counts if the parser also preferred the alternative "
            "at the majority of the places of the column. For the second, it counts if the parser preferred "
            "UD there."
        )
        headings = ("construction", *(f"with {name}" for name in names))
        tables.append(Table(f"Interactions within {unit}", headings, rows, note + LINKED.get(within, "")))
    return tables


def _scheme_table(joint: JointReport) -> Table:
    schemes = joint.survival.schemes
    return Table.of(
        f"Schemes by agreement with the parser's preferences (the first {len(schemes[:SHOWN])} of "
        f"{len(schemes)})",
        schemes[:SHOWN],
        (
            ("scheme", lambda scheme: scheme_name(scheme.transforms)),
            ("heads", lambda scheme: percentage(scheme.head_agreement, 1)),
            ("groups", lambda scheme: percentage(scheme.factor_agreement, 1)),
            ("places", lambda scheme: percentage(scheme.place_agreement, 1)),
        ),
        "The percentages show how often the parser preferred the annotation of the scheme. Heads: among the "
        "heads that depend on the choice. Groups: among groups of linked places, if all places of a group "
        "agree with the scheme.",
    )


def _verified_table(joint: JointReport) -> Table:
    """Return the schemes that were trained, ranked by UAS, with their differences from UD."""

    def reached(score: Score) -> tuple[Column[VerifiedScheme], ...]:
        def difference_from_ud(scheme: VerifiedScheme) -> str | TableCell:
            difference = scheme.from_ud[score]
            if difference is not None:
                return star_difference(name_difference(difference, SIDES), difference)
            delta = getattr(joint, f"{score}_base") - getattr(scheme, score)
            return name_leader(delta, SIDES) if scheme.transforms else ""

        return (
            (score.upper(), lambda scheme: number(getattr(scheme, score))),
            ("difference\nfrom UD", difference_from_ud),
            ("p\n(Holm)", lambda scheme: probability(getattr(scheme.from_ud[score], "p_holm", None))),
        )

    first, *others = answered_scores(labelled=joint.las_base is not None)
    with_labels: list[Column[VerifiedScheme]] = []
    for score in others:
        with_labels += [*reached(score), _rank_by(score)]
    return Table.of(
        "Schemes trained alone",
        joint.verified,
        (
            ("scheme", lambda scheme: scheme_name(scheme.transforms)),
            ("rank", lambda scheme: scheme.rank),
            ("why", lambda scheme: scheme.why),
            *reached(first),
            *with_labels,
            ("between phrases", lambda scheme: number(scheme.nucleus_uas)),
            ("heads agree", lambda scheme: percentage(scheme.head_agreement, 1)),
        ),
        "We tested each parser on its own annotation and ranked the schemes by UAS. The difference names "
        "the side that is ahead, and its interval follows in brackets. A star marks a clear difference. "
        "p (Holm) is the p value of the difference from UD. It is adjusted for the schemes of the table, and "
        "so are the intervals. The score between phrases is undefined for schemes with cc, conj or punct.",
    )
