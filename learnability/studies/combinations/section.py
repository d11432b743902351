"""Show which combination is easiest, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from learnability.evidence.questions import Answer
from learnability.evidence.score_differences import Difference
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, estimate, in_words, number, probability
from learnability.reports.verdicts import describe_standing, name_difference
from learnability.statistics.inference import Side
from learnability.statistics.significance import Comparison
from learnability.support.nouns import count_noun

if TYPE_CHECKING:
    from learnability.studies.combinations.outcome import CombinationsReport, Finalist
    from learnability.studies.combinations.races import Race


HEADING = "The easiest combination"

SHOWN = 8
"""How many competitors of a race are listed."""

WHY = {
    "UD": "",
    "winner": "first of the race",
    "second": "first after UD",
    "single": "best single one",
    "left": "left in the race",
}


def combinations_section(report: CombinationsReport) -> Section:
    """Return what was found, and the finalists."""
    sentences = (_describe_finding(report), *_on_ud(report))
    return Section(HEADING, sentences, (_finalists(report),))


def steps_section(report: CombinationsReport) -> Section:
    """Return what led to the finalists: the race."""
    sentences = (_course(report), *_left_out(report))
    return Section("How the combinations were compared", sentences, (_race(report.race),))


NAMES = {Side.FIRST: "UD", Side.SECOND: "the scheme"}


def _describe_finding(report: CombinationsReport) -> str:
    found = report.found
    if found is None:
        best = next(finalist for finalist in report.ranked if finalist.why != "UD")
        return (
            "No scheme is clearly easier to learn than UD. For the best of them, "
            f"{best.annotation.title}, {_describe_standing(best.from_ud)}."
        )
    others = [
        finalist.annotation.title
        for finalist in report.ranked
        if finalist is not found and finalist.easier is Answer.ALTERNATIVE
    ]
    also = f" Also clearly easier than UD: {', '.join(others)}." if others else ""
    return (
        f"{found.annotation.title} is easier to learn than UD: {_describe_standing(found.from_ud)}, each "
        "parser tested on its own "
        f"annotation.{also}"
    )


def _describe_standing(difference: Difference | None) -> str:
    if difference is None or difference.low is None:
        return "the test set has too few examples"
    return describe_standing(difference, NAMES[Side.FIRST], NAMES[Side.SECOND])


_TRAINING = {
    Answer.BASE: "train on UD",
    Answer.ALTERNATIVE: "train on the scheme",
    Answer.SAME: "it does not matter which you train on",
}
"""What users of UD trees should do, by the answer."""


def _on_ud(report: CombinationsReport) -> Iterator[str]:
    found = report.found
    if found is None:
        return
    yield (
        "A scheme can score higher simply because it offers fewer ways to be wrong. If you need UD trees, "
        f"{_TRAINING.get(found.train_on, 'it is open which to train on')}: converted back to UD, "
        f"{_describe_standing(found.back_from_ud)}."
    )
    others = [
        finalist.annotation.title
        for finalist in report.ranked
        if finalist is not found and finalist.train_on is Answer.ALTERNATIVE
    ]
    if others:
        yield f"Clearly better than UD after conversion back to UD: {', '.join(others)}."


def _course(report: CombinationsReport) -> str:
    race = report.race
    return (
        f"{count_noun(len(race.entrants), 'combination')} started, including UD. After "
        f"{count_noun(len(race.cells), 'short training')}, we trained {in_words(len(report.ranked) - 1)} in "
        "full beside UD, with new seeds, and tested them on the test set, which was not used before."
    )


def _left_out(report: CombinationsReport) -> Iterator[str]:
    if report.space.left_out:
        names = "; ".join(f"{variant.spec} ({variant.reason})" for variant in report.space.left_out)
        yield f"We left out {names}."


def _finalists(report: CombinationsReport) -> Table:
    names = {**NAMES, Side.SECOND: "scheme"}

    def interval(difference: Difference | None) -> TableCell | str:
        if difference is None or difference.low is None:
            return ""
        star = "*" if difference.is_clear else ""
        return TableCell(f"{name_difference(difference, names)}{star}", f"{difference.delta:.6f}")

    def behind(best: Comparison | None) -> TableCell | str:
        return "" if best is None else estimate(best.delta, best.low, best.high)

    def p(finalist: Finalist) -> str:
        return "" if finalist.from_ud is None else probability(finalist.from_ud.p_holm)

    return Table.of(
        "Finalists",
        report.ranked,
        (
            ("scheme", lambda finalist: finalist.annotation.title),
            ("UAS", lambda finalist: number(finalist.uas)),
            ("difference\nfrom UD", lambda finalist: interval(finalist.from_ud)),
            ("p", p),
            ("behind the best\n± 95 %", lambda finalist: behind(finalist.from_best)),
            ("converted\nback to UD", lambda finalist: number(finalist.back)),
            ("difference\nfrom UD", lambda finalist: interval(finalist.back_from_ud)),
            ("", lambda finalist: WHY[finalist.why]),
        ),
        explanation="We test each parser on its own annotation and after conversion back to UD. UAS "
        "is the mean over "
        "seeds, on the test set. The difference names the side that is ahead. A star marks a clear "
        "difference: its interval excludes 0. Intervals account for testing all finalists (Holm). Intervals "
        "behind the best account for all pairs (Bonferroni), because these scores decide which scheme is "
        "best.",
    )


def _race(race: Race) -> Table:
    last = {
        scheme: (n, standing) for n, part in enumerate(race.rounds, 1) for scheme, standing in part.standings
    }
    sizes = ", ".join(str(len(part.standings)) for part in race.rounds)
    shares = ", ".join(str(Fraction(part.share)) for part in race.rounds)
    return Table.of(
        f"Race of {race.name} (the first {min(SHOWN, len(last))} of {len(last)})",
        [(scheme, *last[scheme]) for scheme in race.rank_competitors()[:SHOWN]],
        (
            ("scheme", lambda e: e[0].title),
            ("rounds", lambda e: e[1]),
            ("UAS", lambda e: number(e[2].score)),
            ("behind\n± error", lambda e: f"{e[2].behind:.2f} ± {e[2].error:.2f}" if e[2].behind else ""),
            ("p", lambda e: probability(e[2].p_value)),
            ("then", lambda e: e[2].verdict),
        ),
        explanation=f"Competitors by round: {sizes}; trained on {shares} of a sample. UAS: the mean "
        "over the samples so "
        "far, each parser tested on its own annotation. Behind: points behind the first of the round. p: "
        "the p value of the difference from the first, adjusted for all competitors and rounds.",
    )
