"""What a run says about each condition, the same on the terminal and on the page.

A sentence by UAS, and one by LAS where the parsers are labelled.
"""

from __future__ import annotations

from collections.abc import Sequence

from learnability.experiments.columns import ComparedScore, Row
from learnability.experiments.criteria import CRITERIA
from learnability.metrics.significance import FEWEST
from learnability.reports.text import signed


def verdicts(rows: Sequence[Row]) -> list[str]:
    """One text per row; the treebank is named where there are several."""
    several = len({(row["treebank"], row["release"]) for row in rows}) > 1
    tests = sum(row["p_holm"] is not None for row in rows)
    return [(f"{row['treebank']}: " if several else "") + verdict(row, tests=tests) for row in rows]


def verdict(row: Row, *, tests: int = 1) -> str:
    """One sentence on a condition, with LAS two; `tests`: how many comparisons Holm's correction was for.

    Where no difference was found and the row has its details, it says how many test sentences would show one.
    """
    name, original, uas = row.name, row.original, row.score("uas")
    if original != "UD":
        name = f"{name} against {original}"
        if row["sites"] == 0:
            return f"{name}: the trees are the same in both."
    if row["sites"] == 0:
        return f"{name}: the treebank has no place where it applies."
    if uas is None:
        return f"{name}: not computed."
    if row["test_sites"] == 0:
        return f"{name}: no test sentence has a site, so the test scores say nothing about it."
    tested = row.get("test_sentences")
    if tested is not None and tested < FEWEST:
        few = "one test sentence" if tested == 1 else f"{tested} test sentences"
        return f"{name}: {few} cannot tell ({signed(uas.delta)} UAS)."
    evidence = f"{difference(uas, 'UAS')}, {p_value(uas, tests)}"
    if uas.better == "none":
        return f"{name}: no difference found: {evidence}{_power(row, uas)}.{_labelled(row, tests)}"
    end = f"is easier: {evidence}; {criteria(row)}.{_labelled(row, tests)}"
    if original != "UD":
        easier = original if uas.better == "original" else row.name
        return f"{name}: {easier} {end}"
    side = "UD's" if uas.better == "original" else "The alternative"
    return f"{side} {name} annotation {end}"


def _labelled(row: Row, tests: int) -> str:
    """What LAS says; nothing where the parsers are unlabelled."""
    las = row.score("las")
    if las is None:
        return ""
    evidence = f"{difference(las, 'LAS')}, {p_value(las, tests)}"
    if las.better == "none":
        return f" By LAS no difference was found: {evidence}{_power(row, las)}."
    ud = row.original == "UD"
    sides = ("UD's annotation", "the alternative annotation") if ud else (row.original, row.name)
    return f" By LAS {sides[las.better != 'original']} is easier: {evidence}."


def difference(score: ComparedScore, name: str) -> str:
    """The difference with half the width of its interval, and the interval."""
    half, interval = (score.high - score.low) / 2, f"{signed(score.low)} to {signed(score.high)}"
    return f"{signed(score.delta)} ± {half:.2f} {name} (95 % interval {interval})"


def p_value(score: ComparedScore, tests: int) -> str:
    """p, and where it does not survive Holm's correction, that."""
    p, corrected = score.p_value, score.p_holm
    said = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if p < 0.05 <= corrected:
        said += f" ({corrected:.2f} after correction for {tests} comparisons)"
    return said


def _power(row: Row, score: ComparedScore) -> str:
    if not score.sentences_needed:
        return ""
    wanted = f"about {score.sentences_needed:,} test sentences (here {row['test_sentences']:,})"
    return f"; {wanted} would show a difference of 0.5 (power 80 %)"


def criteria(row: Row) -> str:
    """Which of the criteria computed agree with `better`, and which do not."""
    picks = {c.title: row[c.pick_column] for c in CRITERIA if row[c.pick_column] is not None}
    agree = [name for name, pick in picks.items() if pick == row["better"]]
    undecided = [name for name, pick in picks.items() if pick == "none"]
    disagree = [name for name in picks if name not in agree and name not in undecided]
    if not picks:
        return "no criterion was computed"
    for own, verb in ((agree, "agree"), (disagree, "disagree")):
        if len(own) == len(picks) > 1:
            return f"all {in_words(len(picks))} criteria {verb}"
    verbs = ("agrees", "agree"), ("disagrees", "disagree"), ("is undecided", "are undecided")
    groups = zip((agree, disagree, undecided), verbs, strict=True)
    return ", ".join(f"{_list(own)} {verb[len(own) > 1]}" for own, verb in groups if own)


NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def in_words(number: int) -> str:
    """A number below ten as a word."""
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
