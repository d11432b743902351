"""Describe what the joint trainings show, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from learnability.reports.text import Table, number, percentage
from learnability.support.nouns import count_noun

if TYPE_CHECKING:
    from learnability.studies.combinations.joint_outcome import JointReport
    from learnability.studies.combinations.joint_preferences import Interaction


ENOUGH_PLACES, STRONG = 20, 0.1
"""A sentence describes an interaction if both shares rest on this number of places and differ by this
much."""

WITHIN = {"sentence": "a sentence", "factor": "a group of linked places"}
"""Where interactions are measured, and what tables call it."""

LINKED = {"factor": " Linked places decide the heads of the same words."}
"""What the note on such a table adds."""

SHOWN = 8
"""How many of the schemes are listed."""


def joint_sentences(joint: JointReport) -> tuple[str, ...]:
    """Return which combination the joint trainings recommend, and what they prefer at each construction."""
    return (
        f"{recommendation(joint)} {_certainty(joint)}",
        *_survival(joint),
        *_interactions(joint),
        _basis(joint),
    )


def joint_tables(joint: JointReport) -> tuple[Table, ...]:
    """Return what the joint trainings prefer, how the choices interact, and the combinations that agree."""
    return (_survival_table(joint), *_interaction_tables(joint), _scheme_table(joint))


def recommendation(joint: JointReport) -> str:
    """Return which combination the joint trainings recommend, and why."""
    advised = joint.survival.advised
    return (
        f"The joint training recommends {scheme_name(advised.transforms)}. The parser trained on both "
        f"agreed with it at {percentage(advised.place_agreement)} of the places."
    )


def scheme_name(transforms: Sequence[str]) -> str:
    """Return the constructions of a scheme joined with ``+``; UD without any."""
    return "+".join(transforms) or "UD"


def _certainty(joint: JointReport) -> str:
    """Say how far the recommendation depends on chance."""
    if joint.seeds == 1:
        return (
            "It comes from one training, so we cannot tell how much it depends on chance. Use more --seeds."
        )
    if joint.advised_in == joint.seeds:
        return f"Each of the {count_noun(joint.seeds, 'training')}, taken alone, recommends it."
    return f"Taken alone, {joint.advised_in} of {count_noun(joint.seeds, 'training')} would recommend it."


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
        explanation="The percentages show how often the parser preferred the annotation of the "
        "scheme. Heads: among the "
        "heads that depend on the choice. Groups: among groups of linked places, if all places of a group "
        "agree with the scheme.",
    )
