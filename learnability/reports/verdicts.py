"""What a run says about each condition, the same on the terminal and on the page.

A sentence by UAS, and one by LAS where the parsers are labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from learnability.experiments.finished import name_of, original_of
from learnability.metrics.significance import FEWEST
from learnability.reports.evidence import CRITERIA, Row

EFFECT = 0.5
"""The difference, in points of UAS, for which the power is stated."""


def verdicts(rows: Sequence[Row]) -> list[str]:
    """One text per row; the treebank is named where there are several."""
    several = len({(row["treebank"], row["release"]) for row in rows}) > 1
    tests = sum(row["p_holm"] is not None for row in rows)
    return [(f"{row['treebank']}: " if several else "") + verdict(row, tests=tests) for row in rows]


def verdict(row: Row, *, tests: int = 1) -> str:
    """One sentence on a condition, with LAS two; `tests`: how many comparisons Holm's correction was for.

    Where no difference was found and the row knows (`experiments.results.DETAILS`), it says how many test
    sentences would show one.
    """
    name, original = name_of(row), original_of(row)
    if original != "UD":
        name = f"{name} against {original}"
        if row["sites"] == 0:
            return f"{name}: the trees are the same in both."
    if row["sites"] == 0:
        return f"{name}: the treebank has no place where it applies."
    if row["uas_delta"] is None:
        return f"{name}: not computed."
    if row["test_sites"] == 0:
        return f"{name}: no test sentence has a site, so the test scores say nothing about it."
    tested = row.get("test_sentences")
    if tested is not None and tested < FEWEST:
        few = "one test sentence" if tested == 1 else f"{tested} test sentences"
        return f"{name}: {few} cannot tell ({signed(row['uas_delta'])} UAS)."
    evidence = f"{difference(row)}, {p_value(row, tests)}"
    if row["better"] == "none":
        return f"{name}: no difference found: {evidence}{_power(row)}.{_labelled(row, tests)}"
    end = f"is easier: {evidence}; {criteria(row)}.{_labelled(row, tests)}"
    if original != "UD":
        easier = original if row["better"] == "original" else name_of(row)
        return f"{name}: {easier} {end}"
    side = "UD's" if row["better"] == "original" else "The alternative"
    return f"{side} {name} annotation {end}"


def _labelled(row: Row, tests: int) -> str:
    """What LAS says; nothing where the parsers are unlabelled."""
    if row.get("las_delta") is None:
        return ""
    evidence = f"{difference(row, 'las')}, {p_value(row, tests, 'las_')}"
    if row["las_better"] == "none":
        return f" By LAS no difference was found: {evidence}{_power(row, 'las_')}."
    original = original_of(row)
    if original != "UD":
        side = original if row["las_better"] == "original" else name_of(row)
    else:
        side = "UD's annotation" if row["las_better"] == "original" else "the alternative annotation"
    return f" By LAS {side} is easier: {evidence}."


def difference(row: Row, score: str = "uas") -> str:
    """The difference with half the width of its interval, and the interval."""
    delta, low, high = (row[f"{score}_delta{end}"] for end in ("", "_low", "_high"))
    half, name = (high - low) / 2, score.upper()
    return f"{signed(delta)} ± {half:.2f} {name} (95 % interval {signed(low)} to {signed(high)})"


def p_value(row: Row, tests: int, prefix: str = "") -> str:
    """p, and where it does not survive Holm's correction, that; `prefix`: of the columns (``las_``)."""
    p, corrected = row[f"{prefix}p_value"], row[f"{prefix}p_holm"]
    said = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if p < 0.05 <= corrected:
        said += f" ({corrected:.2f} after correction for {tests} comparisons)"
    return said


def _power(row: Row, prefix: str = "") -> str:
    needed = row.get(f"{prefix}sentences_needed")
    if not needed:
        return ""
    tested = row["test_sentences"]
    effect = f"a difference of {EFFECT} (power 80 %)"
    return f"; about {needed:,} test sentences (here {tested:,}) would show {effect}"


def criteria(row: Row) -> str:
    """Which of the criteria computed agree with `better`, and which do not."""
    picks = {name: row[f"pick_{key}"] for key, name in CRITERIA.items() if row[f"pick_{key}"] is not None}
    agree = [name for name, pick in picks.items() if pick == row["better"]]
    undecided = [name for name, pick in picks.items() if pick == "none"]
    disagree = [name for name in picks if name not in agree and name not in undecided]
    if not picks:
        return "no criterion was computed"
    if len(agree) == len(picks) > 1:
        return f"all {_count(len(picks))} criteria agree"
    if len(disagree) == len(picks) > 1:
        return f"all {_count(len(picks))} criteria disagree"
    said = {"agree": agree, "disagree": disagree}
    parts = [f"{_list(names)} {_verb(verb, len(names))}" for verb, names in said.items() if names]
    if undecided:
        parts.append(f"{_list(undecided)} {'is' if len(undecided) == 1 else 'are'} undecided")
    return ", ".join(parts)


NUMBERS: Mapping[int, str] = {2: "two", 3: "three", 4: "four"}


def _count(number: int) -> str:
    return NUMBERS.get(number, str(number))


def _verb(verb: str, number: int) -> str:
    return f"{verb}s" if number == 1 else verb


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def signed(value: float, decimals: int = 2) -> str:
    """A number with its sign; a true minus, and no sign for what rounds to zero."""
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")
