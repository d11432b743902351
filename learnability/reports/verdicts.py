"""What a run says about each condition, the same on the terminal and on the page: its decision, and why.

By UAS, and by LAS, too, where the parsers are labelled.
"""

from __future__ import annotations

from collections.abc import Sequence

from learnability.experiments.columns import Difference, Ground, Row
from learnability.experiments.decisions import EQUAL, NONE, NOT_ENOUGH_DATA, ORIGINAL, TRANSFORMED
from learnability.experiments.results import FEWEST_SENTENCES, FEWEST_SITES
from learnability.metrics.scores import Score
from learnability.reports.text import in_words, signed

WHERE = {
    Ground.OWN: "on its own reference",
    Ground.WORDS: "without punctuation",
    Ground.NUCLEI: "between nuclei",
    Ground.BACK: "after conversion to UD",
}
"""How a reason names the grounds."""


def verdicts(rows: Sequence[Row]) -> list[str]:
    """One text per row; the treebank is named where there are several."""
    several = len({(row["treebank"], row["release"]) for row in rows}) > 1
    tests = sum(row["p_holm"] is not None for row in rows)
    return [(f"{row['treebank']}: " if several else "") + verdict(row, tests=tests) for row in rows]


def verdict(row: Row, *, tests: int = 1) -> str:
    """The decision on a condition and its reason; `tests`: how many comparisons Holm's correction was for."""
    name = row.name if row.original == "UD" else f"{row.name} against {row.original}"
    if not row["decision"]:
        return f"{name}: not computed."
    said = [f"{name}: {row['decision']}.", *_reason(row, Score.UAS, tests)]
    if row.get("las_decision") and row["las_decision"] != NOT_ENOUGH_DATA:
        said += [f"By LAS: {row['las_decision']}.", *_reason(row, Score.LAS, tests)]
    return " ".join(said)


def _reason(row: Row, score: Score, tests: int) -> list[str]:
    """One sentence with all differences, grouped by what they show, and one on what would show more."""
    own = row.difference(score)
    if own is None or own.p_value is None:
        return [_missing(row)]
    alternative = "the alternative" if row.original == "UD" else row.name
    says = {
        ORIGINAL: f"{row.original} is ahead",
        TRANSFORMED: f"{alternative} is ahead",
        EQUAL: "half a point or more is excluded:",
        NONE: "no difference is shown:",
    }
    grounds = {ground: one for ground, one in row.differences(score) if ground in WHERE and one.better}
    clauses = []
    for shown in sorted(says, key=lambda shown: shown != own.better):
        alike = [ground for ground, one in grounds.items() if one.better == shown]
        units = [f" {score.upper()}", *[""] * len(alike)]
        each = [_clause(grounds[ground], ground, u, tests) for ground, u in zip(alike, units, strict=False)]
        if each:
            clauses.append(f"{says[shown]} {', '.join(each)}")
    sentence = "; ".join(clauses)
    return [f"{sentence[0].upper()}{sentence[1:]}.", *_power(row, own, score)]


def _clause(difference: Difference, ground: Ground, unit: str, tests: int) -> str:
    """A difference with interval and p value; the unit stands in the first of several."""
    values = [difference.delta, difference.low or 0.0, difference.high or 0.0]
    if difference.better in (ORIGINAL, TRANSFORMED):
        if difference.better == TRANSFORMED:
            values = [-values[0], -values[2], -values[1]]
        delta, low, high = (f"{value:.2f}" for value in values)
        delta = f"by {delta}"
    else:
        delta, low, high = map(signed, values)
    return f"{delta}{unit} ({low} to {high}, {p_value(difference, tests)}) {WHERE[ground]}"


def p_value(difference: Difference, tests: int = 1) -> str:
    """p after Holm's correction; where the correction changes what it shows, both."""
    p, corrected = difference.p_value, difference.p_holm
    if p is None or corrected is None:
        return ""
    if p < 0.05 <= corrected:
        return f"p = {p:.3f}, but {corrected:.2f} after correction for {tests} comparisons"
    return "p < 0.001" if corrected < 0.001 else f"p = {corrected:.3f}"


def reading(rows: Sequence[Row], seeds: int) -> list[str]:
    """What a reader must know of all verdicts of a run: the correction, and what few seeds mean."""
    tests = sum(row["p_holm"] is not None for row in rows)
    said = [f"p: after Holm's correction for {tests} comparisons."] if tests > 1 else []
    if tests and seeds < 3:
        few = "One seed" if seeds == 1 else "Two seeds"
        said.append(
            f"{few}: how much other trainings would change the scores is {'not' if seeds == 1 else 'hardly'} "
            "known from this run; what was measured elsewhere stands in for it. Give --seeds 3 or more."
        )
    return said


def _missing(row: Row) -> str:
    """Why there is not enough data."""
    if row["sites"] == 0:
        no_place = "The treebank has no place where it applies."
        return no_place if row.original == "UD" else "The trees are the same in both."
    sites = row["test_sites"]
    if sites < FEWEST_SITES:
        have = "no site" if sites == 0 else "one site" if sites == 1 else f"{in_words(sites)} sites"
        return f"The test part has {have}; scores say something from {FEWEST_SITES} on."
    return f"Scores say something from {in_words(FEWEST_SENTENCES)} test sentences on."


def _power(row: Row, own: Difference, score: Score) -> list[str]:
    """What would show a difference, where none is shown."""
    if own.better != NONE or row.get("test_sentences") is None:
        return []
    needed = row[f"{'las_' if score is Score.LAS else ''}sentences_needed"]
    if needed is None:
        return ["No number of test sentences would show half a point with so few seeds; give more --seeds."]
    wanted = f"About {needed:,} test sentences (here {row['test_sentences']:,})"
    return [f"{wanted} would show half a point (power 80 %)."]
