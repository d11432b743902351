"""What a run says about each condition, the same on the terminal and on the page: its decision, and why.

By UAS, and by LAS, too, where the parsers are labelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from learnability.evidence.answers import TOO_FEW_EXAMPLES
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.rows import ComparisonRow
from learnability.metrics.scores import FEWEST_SENTENCES, FEWEST_SITES, Score
from learnability.reports.text import counted, probability, signed
from learnability.statistics.significance import EFFECT, Side

WHERE = {
    ComparisonKind.ANNOTATION: "on their own references",
    ComparisonKind.WORDS: "without punctuation",
    ComparisonKind.PHRASES: "between nuclei",
    ComparisonKind.CONVERTED: "after conversion to UD",
}
"""How a reason names the bases."""


def verdicts(rows: Sequence[ComparisonRow]) -> list[str]:
    """One text per row; the treebank is named where there are several."""
    several = len({(row.treebank, row.release) for row in rows}) > 1
    return [(f"{row.treebank}: " if several else "") + verdict(row) for row in rows]


def verdict(row: ComparisonRow) -> str:
    """The decision on a condition and its reason."""
    name = construction(row)
    if not row.answer():
        return f"{name}: not computed."
    if row.answer() == TOO_FEW_EXAMPLES:
        return f"{name}: {TOO_FEW_EXAMPLES}. {missing(row)}"
    said = [f"{name}: {row.answer()}.", *reason(row, Score.UAS)]
    if not row.has_rules and not (row.places or row.test_places):
        said.append(f"The {'trees' if row.labelled else 'heads'} are the same in both.")
    if row.answer(Score.LAS):
        said += [f"By LAS: {row.answer(Score.LAS)}.", *reason(row, Score.LAS)]
    return " ".join(said)


def construction(row: ComparisonRow) -> str:
    """What was compared: the name of the condition, and with `--against` the scheme."""
    name = row.name if row.original == "UD" else f"{row.name} against {row.original}"
    return f"{name} by {row.parser}" if row.parser else name


def reason(row: ComparisonRow, score: Score, lead: str = "") -> list[str]:
    """One sentence with the differences, grouped by what they show, and one on what would show more.

    The first begins with `lead`. Figures stand where the decision is made, and where another side is shown
    than on the own references.
    """
    bases = {basis: d for basis, d in row.by_comparison(score).items() if basis in WHERE and d.better}
    own, unit = bases[ComparisonKind.ANNOTATION], f" {score.upper()}"
    alternative = "the alternative" if row.original == "UD" else row.name
    says = {
        Side.UD: f"{row.original} is ahead",
        Side.ALTERNATIVE: f"{alternative} is ahead",
        Side.EQUAL: "half a point or more is excluded:",
        Side.NONE: "no difference is shown:",
    }
    clauses = []
    for shown in sorted(says, key=lambda shown: shown != own.better):
        alike = [basis for basis, difference in bases.items() if difference.better == shown]
        brief = [
            WHERE[b]
            for b in alike
            if shown == own.better and b in (ComparisonKind.WORDS, ComparisonKind.PHRASES)
        ]
        each = [f"{_figures(bases[b], unit)} {WHERE[b]}" for b in alike if WHERE[b] not in brief]
        if alike:
            likewise = [f"likewise {' and '.join(brief)}"] if brief else []
            clauses.append(f"{says[shown]} {', '.join([*each, *likewise])}")
    sentence = lead + "; ".join(clauses)
    if not sentence.startswith((row.original, row.name)):
        sentence = sentence[0].upper() + sentence[1:]
    return [
        f"{sentence}.",
        *_conversion(row, bases.get(ComparisonKind.CONVERTED), score),
        *_power(row, own, score),
    ]


def standing(difference: Difference, score: Score, original: str, alternative: str) -> str:
    """What one difference shows, with its figures."""
    between = f"between {original} and {alternative} is"
    said: dict[str, str] = {
        Side.UD: f"{original} is ahead of {alternative}",
        Side.ALTERNATIVE: f"{alternative} is ahead of {original}",
        Side.EQUAL: f"a difference of half a point or more {between} excluded:",
        Side.NONE: f"no difference {between} shown:",
    }
    return f"{said[str(difference.better)]} {_figures(difference, f' {score.upper()}')}"


def _figures(difference: Difference, unit: str) -> str:
    """A difference with interval and p value, seen from the side that is ahead."""
    ahead = difference.better in (Side.UD, Side.ALTERNATIVE)
    values = [difference.delta, difference.low or 0.0, difference.high or 0.0]
    if difference.better == Side.ALTERNATIVE:
        values = [-values[0], -values[2], -values[1]]
    delta, low, high = (f"{value:.2f}" if ahead else signed(value) for value in values)
    return f"{'by ' if ahead else ''}{delta}{unit} ({low} to {high}, {p_value(difference)})"


def p_value(difference: Difference) -> str:
    """p after Holm's correction; where the correction changes what it shows, the other, too."""
    p, corrected = difference.p_value, difference.p_holm
    if p is None or corrected is None:
        return ""
    shown, own = (f"= {text}".replace("= <", "< 0") for text in map(probability, (corrected, p)))
    return f"p {shown}, uncorrected {own.removeprefix('= ')}" if p < 0.05 <= corrected else f"p {shown}"


def reading(rows: Sequence[ComparisonRow], seeds: int) -> list[str]:
    """What a reader must know of all verdicts of a run: the correction, and what few seeds mean."""
    counts = Counter(row.parser for row in rows if row.tested)
    judges, tests = len(counts), max(counts.values(), default=0)
    of = "of the run" if judges < 2 else "of its judge"
    corrected = f"Every p is corrected for the {tests} conditions {of} (Holm); intervals are not."
    return [*([corrected] if tests > 1 else []), *(few_seeds(seeds, "this run") if tests else ())]


def few_seeds(seeds: int, runs: str) -> list[str]:
    """What it means that these runs have one or two seeds."""
    if seeds > 2:
        return []
    few, known = ("One seed", "not") if seeds == 1 else ("Two seeds", "hardly")
    return [
        f"{few}: how much the scores change when parsers are trained again is {known} known from {runs}; "
        "what was measured on other treebanks stands in for it. Give --seeds 3 or more."
    ]


def missing(row: ComparisonRow) -> str:
    """Why there is not enough data."""
    if row.places == 0 and row.has_rules:
        nowhere = "The treebank has no place where it applies."
        return nowhere if row.original == "UD" else "The trees are the same in both."
    sites = row.test_places or 0
    if sites < FEWEST_SITES:
        have = "no site" if sites == 0 else f"only {counted(sites, 'site')}"
        return f"The test part has {have}; at least {FEWEST_SITES} are needed."
    return f"The test part has too few sentences; at least {FEWEST_SENTENCES} are needed."


def _conversion(row: ComparisonRow, difference: Difference | None, score: Score) -> list[str]:
    """What gold trees lose by conversion, where it is half a point or more and the original is ahead."""
    ceiling = row.ceiling(score).alternative
    if difference is None or difference.better != Side.UD or ceiling is None or 100 - ceiling < EFFECT:
        return []
    lost = 100 - ceiling
    all_of_it = difference.delta <= lost
    return [
        f"Conversion itself loses {lost:.2f} (measured on gold trees)"
        + (", which may account for the difference after it." if all_of_it else ".")
    ]


def _power(row: ComparisonRow, own: Difference, score: Score) -> list[str]:
    """What would show a difference, where none is shown."""
    here = row.test_sentences
    if own.better != Side.NONE or here is None:
        return []
    needed = row.sentences_needed.get(score)
    if needed is None:
        return ["More test sentences alone would not show half a point; more --seeds are needed."]
    rounded = round(needed, 2 - len(str(needed)))
    enough = f"About {rounded:,} test sentences (here {here:,})"
    return [f"{enough} would show half a point (power 80 %, p uncorrected)."]
