"""What the judges of a run say together: in words, as a table, and as a figure."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.experiments.columns import Row
from learnability.experiments.decisions import (
    EQUAL,
    NONE,
    NOT_ENOUGH_DATA,
    ORIGINAL,
    TRANSFORMED,
    own_side,
)
from learnability.experiments.panel import DIVIDED, Panel
from learnability.metrics.scores import Score
from learnability.reports.figures import WIDTH, Figure, heat_map
from learnability.reports.results import SYMBOL, shown_side
from learnability.reports.text import Cell, Section, Table, in_words, shown, signed
from learnability.reports.verdicts import missing as why_missing

SPLIT = {**SYMBOL, DIVIDED: "divided"}
STARS = {ORIGINAL: "*", TRANSFORMED: "*", EQUAL: "=", NONE: ""}
"""What stands behind a difference that is shown, and behind one that is excluded."""


def panel_section(panels: Sequence[Panel]) -> Section:
    """The table of all judges and, of a single treebank, one sentence per condition and score."""
    several = len({own.rows[0].treebank_label for own in panels}) > 1
    sentences = () if several else tuple(map(sentence, panels))
    return Section("What the judges say together", sentences, (panel_table(panels),))


def name_of(panel: Panel, panels: Sequence[Panel]) -> str:
    """The condition, with the treebank where there are several, and the score in labelled runs."""
    row, several = panel.rows[0], len({own.rows[0].treebank_label for own in panels}) > 1
    labelled = any(own.score is Score.LAS for own in panels)
    return " ".join(
        [*([row.treebank_label] if several else []), row.name, *([panel.score.upper()] if labelled else [])]
    )


def sentence(panel: Panel) -> str:
    """What the judges say of a condition."""
    row, heard = panel.rows[0], panel.heard
    by = f"{row.name}{' by LAS' if panel.score is Score.LAS else ''}"
    unheard = [own.judge for own in panel.rows if own not in heard]
    missing = f" Not heard: {_list(unheard)}." if unheard else ""
    if not heard and {own["decision"] for own in panel.rows} == {NOT_ENOUGH_DATA}:
        return f"{by}: {NOT_ENOUGH_DATA}. {why_missing(row)}"
    if panel.verdict is None:
        some = f"{in_words(len(heard))} of {in_words(len(panel.rows))} judges"
        return f"{by}: no panel, {some} could be heard.{missing}"
    mean = ""
    if panel.mean is not None:
        low, high = signed(panel.mean.low), signed(panel.mean.high)
        mean = f" Mean of the judges: {signed(panel.mean.delta)} {panel.score.upper()} ({low} to {high})."
    return f"{by}: {_verdict(panel)}.{mean}{missing}"


def _verdict(panel: Panel) -> str:
    row, number = panel.rows[0], len(panel.heard)
    ud = row.original
    names = {ORIGINAL: ud, TRANSFORMED: "the alternative" if ud == "UD" else row.name}
    judges = f"{in_words(number)} judges"

    def of(side: str) -> str:
        own = panel.judges(side)
        return "none" if not own else f"{in_words(len(own))} ({_list(own)})"

    if panel.verdict == DIVIDED:
        sides = f"{ud} is easier for {of(ORIGINAL)}, {names[TRANSFORMED]} for {of(TRANSFORMED)}"
        return f"the judges disagree: {sides} of {judges}"
    if panel.verdict in names:
        own, other = str(panel.verdict), TRANSFORMED if panel.verdict == ORIGINAL else ORIGINAL
        if len(panel.judges(own)) == number:
            return f"{names[own]} is easier for {'both' if number == 2 else f'all {in_words(number)}'} judges"
        return f"{names[own]} is easier for {of(own)} of {judges}, {names[other]} for none"
    if panel.verdict == EQUAL:
        return f"half a point or more is excluded by {of(EQUAL)} of {judges}; no side is ahead for any"
    ahead = next((side for side in names if panel.judges(side)), None)
    if ahead is not None:
        return f"open: {names[ahead]} is easier for {of(ahead)} of {judges} only"
    excluded = f"; half a point or more is excluded by {of(EQUAL)}" if panel.judges(EQUAL) else ""
    return (
        f"open: no difference is shown by {'either judge' if number == 2 else f'any of {judges}'}{excluded}"
    )


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def panel_table(panels: Sequence[Panel]) -> Table:
    """A row per condition and score, a column per judge: the differences and what they show."""
    judges = [row.judge for row in panels[0].rows]
    ud = panels[0].rows[0].original
    rows = []
    for panel in panels:
        mean = panel.mean
        half = "" if mean is None else f"{signed(mean.delta)} ± {(mean.high - mean.low) / 2:.2f}"
        cells = [_cell(row, panel.score) for row in panel.rows]
        verdict = str(panel.verdict) if panel.verdict else None
        said = shown_side(panel.rows[0], verdict) if verdict != DIVIDED else DIVIDED
        rows.append((name_of(panel, panels), said, *cells, Cell(half, f"{mean.delta:.6f}" if mean else "")))
    return Table(
        "The judges side by side",
        ("transform", "panel", *judges, "mean\n± 95 %"),
        tuple(rows),
        f"Per judge: {ud} minus alternative, each against its own reference; positive: {ud} is ahead. "
        "*: shown, with and without punctuation, after correction for the conditions of this judge; =: half "
        "a point or more is excluded. Panel: the side for which more than half of the judges are, and none "
        "for the other; divided: both sides have a judge. Mean: over these judges, with its interval for "
        "other seeds and test sentences; other parsers may differ by more.",
        "<<>",
        names=1,
    )


def _cell(row: Row, score: Score) -> Cell | str:
    difference, side = row.difference(score), own_side(row, score)
    if difference is None or side is None:
        return ""
    return Cell(f"{signed(difference.delta)}{STARS[side] or ' '}", f"{difference.delta:.6f}")


def panel_figure(panels: Sequence[Panel]) -> Figure:
    """Conditions by judges: the deeper the colour, the larger the difference."""
    judges = [row.judge for row in panels[0].rows]
    ud = panels[0].rows[0].original
    data = Table(
        "Differences by judge",
        ("transform", "judge", "delta", "shows"),
        tuple(
            (name_of(panel, panels), row.judge, shown(difference.delta), own_side(row, panel.score) or "")
            for panel in panels
            for row in panel.rows
            if (difference := row.difference(panel.score)) is not None
        ),
        f"{ud} minus alternative in points, for each judge, and the mean of the judges. *: shown, after "
        "correction for the conditions of the judge, with and without punctuation. =: half a point or more "
        "is excluded.",
    )
    values, texts = [], []
    for panel in panels:
        deltas = [row.difference(panel.score) for row in panel.rows]
        mean = panel.mean.delta if panel.mean else None
        values.append([*(None if one is None else one.delta for one in deltas), mean])
        texts.append(
            [
                *(str(_cell(row, panel.score)).strip() for row in panel.rows),
                "" if mean is None else signed(mean),
            ]
        )
    return heat_map(
        "judges",
        data,
        [name_of(panel, panels) for panel in panels],
        [*judges, "mean"],
        values,
        texts,
        (WIDTH, 0.9 + 0.32 * len(panels)),
    )
