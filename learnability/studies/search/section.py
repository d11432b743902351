"""A search over schemes in words and tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from learnability.evidence.differences import Difference
from learnability.reports.text import (
    Section,
    Table,
    TableCell,
    counted,
    estimate,
    in_words,
    number,
    probability,
    signed,
    span,
)
from learnability.statistics.significance import Comparison, Side

if TYPE_CHECKING:
    from learnability.studies.search.outcome import Finalist, SearchReport
    from learnability.studies.search.races import Race


HEADING = "Search over schemes"

SHOWN = 8
"""How many competitors of a race are listed."""

WHY = {
    "UD": "",
    "winner": "first of the race",
    "second": "first after UD",
    "single": "best single one",
    "left": "left in the race",
}


def search_section(search: SearchReport) -> Section:
    """Return what was found, and the finalists."""
    return Section(HEADING, (_finding(search), *_on_ud(search)), (_finalists(search),))


def race_section(search: SearchReport) -> Section:
    """Return how the race went."""
    return Section("How the search went", (_course(search), *_left_out(search)), (_race(search.race),))


def _finding(search: SearchReport) -> str:
    """The answer, also where it is that nothing was found."""
    found = search.found
    if found is None:
        best = next(own for own in search.ranked if own.why != "UD")
        return (
            "Nothing found: no scheme is shown to be easier to learn than UD. The first of them, "
            f"{best.annotation.title}, has {_difference(best.from_ud)}."
        )
    others = [own for own in search.ranked if own is not found and own.why != "UD"]
    not_worse = [own.annotation.title for own in others if own.is_easier]
    also = f" So is {' and '.join(not_worse)}." if len(not_worse) == 1 else ""
    also = f" So are {', '.join(not_worse)}." if len(not_worse) > 1 else also
    return (
        f"Found: {found.annotation.title} is easier to learn than UD, by its own reference: "
        f"{_difference(found.from_ud)}.{also}"
    )


def _difference(own: Difference | None) -> str:
    """The difference as seen from the scheme."""
    if own is None or own.low is None or own.high is None:
        return "too little in the test part to be compared with UD"
    return f"{signed(-own.delta)} UAS against UD ({span(-own.high, -own.low)})"


def _on_ud(search: SearchReport) -> Iterator[str]:
    """What the scheme that was found is worth to those who want UD trees."""
    found = search.found
    if found is None:
        return
    back = found.back_from_ud
    shown: dict[str, str] = {
        Side.UD: "worse than UD's",
        Side.ALTERNATIVE: "better than UD's",
        Side.EQUAL: "as good as UD's",
    }
    verdict = shown.get(str(back.better if back else None), "not shown to be better or worse than UD's")
    yield (
        "An own reference may just have fewer decisions to get wrong. Converted to UD, its parses are "
        f"{verdict}: {_difference(back)}. Decision: {found.answer}."
    )
    others = [
        own.annotation.title
        for own in search.ranked
        if own is not found and own.back_from_ud and own.back_from_ud.better == Side.ALTERNATIVE
    ]
    if others:
        yield f"Shown to be better than UD after conversion: {', '.join(others)}."


def _course(search: SearchReport) -> str:
    race = search.race
    return (
        f"{counted(len(race.entrants), 'combination')} started, UD among them; "
        f"{counted(len(race.cells), 'short training')} left {in_words(len(search.ranked) - 1)} beside UD "
        "to train in full, with new seeds, on the test part that nothing had looked at."
    )


def _left_out(search: SearchReport) -> Iterator[str]:
    if search.space.left_out:
        names = "; ".join(f"{variant.spec} ({variant.reason})" for variant in search.space.left_out)
        yield f"Left out: {names}."


def _finalists(search: SearchReport) -> Table:
    def interval(own: Difference | Comparison | None) -> TableCell | str:
        if own is None or own.low is None or own.high is None:
            return ""
        return estimate(-own.delta, own.low, own.high)

    def p(own: Finalist) -> str:
        return "" if own.from_ud is None else probability(own.from_ud.p_holm)

    return Table.of(
        "Finalists",
        search.ranked,
        (
            ("scheme", lambda own: own.annotation.title),
            ("UAS", lambda own: number(own.uas)),
            ("minus UD\n± 95 %", lambda own: interval(own.from_ud)),
            ("p", p),
            ("minus the best\n± 95 %", lambda own: interval(own.from_best)),
            ("UAS in UD", lambda own: number(own.back)),
            ("minus UD\n± 95 %", lambda own: interval(own.back_from_ud)),
            ("", lambda own: WHY[own.why]),
        ),
        "UAS by the own reference, and after conversion of the parses to UD; means over seeds, on the test "
        "part. Intervals of the difference from UD hold for all finalists together, those of the difference "
        "from the best for all pairs of them (Bonferroni), because the best was chosen by these figures; p: "
        "after Holm's correction, as in results.csv.",
    )


def _race(own: Race) -> Table:
    """Those who stayed in a race for longest."""
    last = {one: (n, standing) for n, part in enumerate(own.rounds, 1) for one, standing in part.standings}
    sizes = ", ".join(str(len(part.standings)) for part in own.rounds)
    shares = ", ".join(str(Fraction(part.share)) for part in own.rounds)
    return Table.of(
        f"Race of {own.name} (the first {min(SHOWN, len(last))} of {len(last)})",
        [(one, *last[one]) for one in own.ranked()[:SHOWN]],
        (
            ("scheme", lambda e: e[0].title),
            ("rounds", lambda e: e[1]),
            ("UAS", lambda e: number(e[2].score)),
            ("behind\n± error", lambda e: f"{e[2].behind:.2f} ± {e[2].error:.2f}" if e[2].behind else ""),
            ("p", lambda e: probability(e[2].p_value)),
            ("then", lambda e: e[2].verdict),
        ),
        f"Competitors by round: {sizes}; trained on {shares} of a sample. UAS by the own reference, mean "
        "over the samples so far; behind: points behind the first of the round; p: that the first is no "
        "better, for all competitors and rounds together.",
    )
