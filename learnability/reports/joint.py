"""The joint training of a run (`joint.json`) in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learnability.reports.text import Section, Table, counted, gain, number

Joint = dict[str, Any]

HEADING = "All transformations at once"

ENOUGH_SITES = 20
"""An interaction is put into words only where each of its two shares is of so many sites."""

STRONG = 0.1
"""... and where they differ by so much."""

SHOWN = 8
"""How many of the schemes are listed."""


def joint_section(joint: Joint) -> Section:
    """What survived, how the preferences depend on each other, what is advised, and whether it holds.

    `joint`: the content of joint.json.
    """
    if not joint["sites"]:
        nothing = "No transformation has a site in the training trees: there is nothing to choose between."
        return Section(HEADING, (nothing,), ())
    tables = [_survival_table(joint), *_interaction_tables(joint), _scheme_table(joint)]
    if joint["verified"]:
        tables.append(_verified_table(joint))
    return Section(
        heading=HEADING,
        sentences=(
            _advice(joint),
            *_verification(joint),
            *(_survival(entry) for entry in joint["survival"]["survival"]),
            *_interactions(joint),
            _basis(joint),
        ),
        tables=tuple(tables),
    )


def scheme_name(transforms: Sequence[str]) -> str:
    """The transformations of a scheme joined with ``+``; UD without any."""
    return "+".join(transforms) or "UD"


def _advice(joint: Joint) -> str:
    advised = joint["advised"]
    return (
        f"Advised scheme: {scheme_name(advised['transforms'])} ({advised['head_agreement']:.0%} of the "
        f"heads and {advised['site_agreement']:.0%} of the sites survived as it has them)."
    )


def _verification(joint: Joint) -> list[str]:
    """Where the advised scheme stands among those that were trained; nothing if none was."""
    advised = [s for s in joint["verified"] if s["transforms"] == joint["advised"]["transforms"]]
    if not advised:
        return []
    found = [_standing(joint, advised[0], "uas", "rank")]
    if joint["las_ud"] is not None:
        found.append(_standing(joint, advised[0], "las", "las_rank"))
    return [f"Verified: trained by itself the advised scheme reaches {'; '.join(found)}."]


def _standing(joint: Joint, own: dict[str, Any], score: str, rank: str) -> str:
    """The advised scheme's score and rank; the best scheme, if it is another, and UD."""
    schemes, name, ud = joint["verified"], score.upper(), f"UD: {joint[f'{score}_ud']:.2f}"
    if own[rank] == 1:
        return f"{own[score]:.2f} {name}, the best of {counted(len(schemes), 'scheme')} ({ud})"
    best = min(schemes, key=lambda scheme: int(scheme[rank]))
    return (
        f"{own[score]:.2f} {name}, number {own[rank]} of {len(schemes)} schemes; the best is "
        f"{scheme_name(best['transforms'])} with {best[score]:.2f} ({ud})"
    )


def _survival(entry: dict[str, Any]) -> str:
    share = entry["transformed_share"]
    spread = "" if entry["share_sd"] is None else f" ± {100 * entry['share_sd']:.0f} points over seeds"
    side = "the alternative" if share > 0.5 else "UD's annotation"
    kept = f"{max(share, 1 - share):.0%} of {counted(entry['sites'], 'site')}"
    return f"{entry['transform']}: {side} survived at {kept}{spread}."


def _interactions(joint: Joint) -> list[str]:
    """The strongest dependence of each transformation, within sentences, in words."""
    found = []
    for entry in joint["survival"]["survival"]:
        own = [
            one
            for one in joint["survival"]["interactions"]
            if one["of"] == entry["transform"]
            and one["within"] == "sentence"
            and one["difference"] is not None
            and abs(one["difference"]) >= STRONG
            and min(one["sites_transformed"], one["sites_original"]) >= ENOUGH_SITES
        ]
        if own:
            one = max(own, key=lambda each: abs(each["difference"]))
            found.append(
                f"{one['of']} depends on {one['given']}: its alternative survived at "
                f"{one['share_transformed']:.0%} of its sites in sentences where that of {one['given']} did, "
                f"at {one['share_original']:.0%} where it did not."
            )
    return found


def _basis(joint: Joint) -> str:
    seeds = joint["seeds"]
    several = f"mean of {seeds} trainings" if seeds > 1 else "one training: no protection against chance"
    cut = f"; {counted(joint['factors_cut'], 'factor')} cut to two options" if joint["factors_cut"] else ""
    return (
        f"Read from {counted(joint['sites'], 'site')} in {counted(joint['factors'], 'factor')} of "
        f"{counted(joint['sentences'], 'sentence')}, "
        f"up to 2^{joint['largest_set']} trees for one of them ({several}{cut})."
    )


def _survival_table(joint: Joint) -> Table:
    return Table(
        "What survived",
        ("transform", "sites", "transformed", "sd over seeds"),
        tuple(
            (
                e["transform"],
                str(e["sites"]),
                f"{e['transformed_share']:.1%}",
                number(e["share_sd"] and 100 * e["share_sd"], ".1f"),
            )
            for e in joint["survival"]["survival"]
        ),
    )


def _interaction_tables(joint: Joint) -> list[Table]:
    """Share of the row's sites that survived transformed, given what survived of the column's."""
    names = [entry["transform"] for entry in joint["survival"]["survival"]]
    if len(names) < 2:
        return []
    found = {(i["of"], i["given"], i["within"]): i for i in joint["survival"]["interactions"]}

    def cell(of: str, given: str, within: str) -> str:
        one = found.get((of, given, within))
        if one is None or (one["share_transformed"] is None and one["share_original"] is None):
            return ""
        shares = (number(one[f"share_{side}"], ".0%") for side in ("transformed", "original"))
        return " / ".join(share or "–" for share in shares)

    return [
        Table(
            f"Interactions within a {within}",
            ("transform", *(f"given {name}" for name in names)),
            tuple((of, *(cell(of, given, within) for given in names)) for of in names),
            f"Share of the row's sites that survived transformed in a {within} where most of the column's "
            "survived transformed / as in UD.",
        )
        for within in ("sentence", "factor")
    ]


def _scheme_table(joint: Joint) -> Table:
    schemes = joint["survival"]["schemes"]
    shown = schemes[:SHOWN]
    return Table(
        f"Schemes by agreement with the survivors (the first {len(shown)} of {len(schemes)})",
        ("scheme", "heads", "factors", "sites"),
        tuple(
            (
                scheme_name(s["transforms"]),
                *(f"{s[f'{unit}_agreement']:.1%}" for unit in ("head", "factor", "site")),
            )
            for s in shown
        ),
        "Share of the heads that depend on the choice, of the factors and of the sites that survived as in "
        "the scheme.",
    )


def _verified_table(joint: Joint) -> Table:
    labelled = joint["las_ud"] is not None
    las = ("LAS", "minus UD", "LAS rank") if labelled else ()

    def by_las(s: dict[str, Any]) -> tuple[str, ...]:
        if not labelled:
            return ()
        return f"{s['las']:.2f}", gain(s["las"] - joint["las_ud"]), str(s["las_rank"])

    return Table(
        "Schemes trained by themselves",
        ("scheme", "rank", "why", "UAS", "minus UD", *las, "nucleus UAS", "heads agree"),
        tuple(
            (
                scheme_name(s["transforms"]),
                str(s["rank"]),
                s["why"],
                f"{s['uas']:.2f}",
                gain(s["uas"] - joint["uas_ud"]),
                *by_las(s),
                number(s["nucleus_uas"]),
                number(s["head_agreement"], ".1%"),
            )
            for s in joint["verified"]
        ),
        "Each against its own reference, ranked by UAS; nucleus UAS is not defined with cc.",
    )
