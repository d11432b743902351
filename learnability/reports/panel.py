"""What the judges of a run say together: in words, as a table, and as a figure."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from learnability.evidence.answers import TOO_FEW_EXAMPLES, own_side
from learnability.evidence.panel import DIVIDED, Panel
from learnability.metrics.scores import Score
from learnability.reports.figures import WIDTH, Figure, heat_map
from learnability.reports.results import judges_of, shown_side
from learnability.reports.text import Section, Table, TableCell, estimate, in_words, shown, signed, span
from learnability.reports.verdicts import missing as why_missing
from learnability.statistics.significance import Side

STARS = {Side.UD: "*", Side.ALTERNATIVE: "*", Side.EQUAL: "=", Side.NONE: ""}
"""What stands behind a difference that is shown, and behind one that is excluded."""


def panel_section(panels: Sequence[Panel]) -> Section:
    """The table of all judges and, of a single treebank, one sentence per condition and score."""
    several = len({own.rows[0].treebank_label for own in panels}) > 1
    sentences = () if several else tuple(map(sentence, panels))
    return Section("What the judges say together", sentences, (panel_table(panels),))


def name_of(panel: Panel, panels: Sequence[Panel]) -> str:
    """The condition, with the treebank where there are several, and the score in labelled runs."""
    row, several = panel.rows[0], len({own.rows[0].treebank_label for own in panels}) > 1
    return f"{row.treebank_label} {scored_name(panel, panels)}" if several else scored_name(panel, panels)


def scored_name(panel: Panel, panels: Sequence[Panel]) -> str:
    """The condition, with the score in labelled runs."""
    name, labelled = panel.rows[0].name, any(own.score is Score.LAS for own in panels)
    return f"{name} {panel.score.upper()}" if labelled else name


def sentence(panel: Panel) -> str:
    """What the judges say of a condition."""
    row, heard = panel.rows[0], panel.heard
    by = f"{row.name}{', LAS' if panel.score is Score.LAS else ''}"
    unheard = [own.parser for own in panel.rows if own not in heard]
    missing = f" Not heard: {_list(unheard)}." if unheard else ""
    if not heard and {own.answer() for own in panel.rows} == {TOO_FEW_EXAMPLES}:
        return f"{by}: {TOO_FEW_EXAMPLES}. {why_missing(row)}"
    if panel.verdict is None:
        some = f"{in_words(len(heard))} of {in_words(len(panel.rows))} judges"
        return f"{by}: no panel, {some} could be heard.{missing}"
    low, *_, high = sorted(map(panel.delta, heard))
    figures = f" Differences of {span(low, high)} {panel.score.upper()}"
    if mean := panel.mean:
        interval = f" ({span(mean.low, mean.high)}, not corrected)"
        divided = panel.verdict == DIVIDED  # an interval of what the judges do not share says nothing
        figures += f", mean {signed(mean.delta)}{'' if divided else interval}"
    return f"{by}: {_verdict(panel)}.{figures}.{missing}"


def _verdict(panel: Panel) -> str:
    row, number = panel.rows[0], len(panel.heard)
    ud = row.original
    names: dict[str, str] = {Side.UD: ud, Side.ALTERNATIVE: "the alternative" if ud == "UD" else row.name}
    judges = f"{in_words(number)} judges"

    def of(side: str) -> str:
        own = panel.judges(side)
        return "none" if not own else f"{in_words(len(own))} ({_list(own)})"

    if panel.verdict == DIVIDED:
        sides = f"{ud} is easier for {of(Side.UD)}, {names[Side.ALTERNATIVE]} for {of(Side.ALTERNATIVE)}"
        return f"the judges disagree: {sides} of {judges}"
    if panel.verdict in names:
        own, other = str(panel.verdict), Side.ALTERNATIVE if panel.verdict == Side.UD else Side.UD
        if len(panel.judges(own)) == number:
            return f"{names[own]} is easier for {'both' if number == 2 else f'all {in_words(number)}'} judges"
        return f"{names[own]} is easier for {of(own)} of {judges}, {names[other]} for none"
    if panel.verdict == Side.EQUAL:
        return f"half a point or more is excluded by {of(Side.EQUAL)} of {judges}; no side is ahead for any"
    ahead = next((side for side in names if panel.judges(side)), None)
    if ahead is not None:
        return f"open: {names[ahead]} is easier for {of(ahead)} of {judges} only"
    excluded = f"; half a point or more is excluded by {of(Side.EQUAL)}" if panel.judges(Side.EQUAL) else ""
    whom = "either judge" if number == 2 else f"any of {judges}"
    return f"open: no difference is shown by {whom}{excluded}"


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def panel_table(panels: Sequence[Panel]) -> Table:
    """A row per condition and score, a column per judge: the differences and what they show."""
    judges, ud = judges_of(row for panel in panels for row in panel.rows), panels[0].rows[0].original
    certain = any(panel.mean for panel in panels)
    return Table(
        "The judges side by side",
        ("construction", "panel", *judges, "mean\n± 95 %" if certain else "mean"),
        tuple(
            (name_of(panel, panels), _shown(panel), *_cells(panel, judges), _mean(panel)) for panel in panels
        ),
        f"Per judge: {ud} minus alternative, each against its own reference; positive: {ud} is ahead. "
        "*: shown, with and without punctuation, after correction for the conditions of this judge; =: half "
        "a point or more is excluded; empty: not heard. Panel: the side for which more than half of the "
        "judges are, and none for the other; equal: more than half exclude half a point; divided: both sides "
        "have a judge; –: open. Judges of one kind err alike, and each counts. Mean: over these judges"
        + (", with its interval for other seeds and test sentences, not corrected" if certain else "")
        + "; other parsers may differ by more.",
        "<<>",
    )


def _shown(panel: Panel) -> str:
    return DIVIDED if panel.verdict == DIVIDED else shown_side(panel.rows[0], panel.verdict)


def _cells(panel: Panel, judges: Sequence[str]) -> list[TableCell | str]:
    """The differences of these judges with a mark for what they show; empty where one was not heard."""
    heard = {row.parser: row for row in panel.heard}
    return [
        TableCell(f"{signed(delta)}{STARS[side] or ' '}", f"{delta:.6f}")
        if judge in heard
        and (delta := panel.delta(heard[judge])) is not None
        and (side := own_side(heard[judge], panel.score))
        else ""
        for judge in judges
    ]


def _mean(panel: Panel) -> TableCell | str:
    interval = (panel.mean.low, panel.mean.high) if panel.mean else ()
    return "" if panel.mean_delta is None else estimate(panel.mean_delta, *interval)


def constructions_table(panels: Sequence[Panel]) -> Table:
    """A row per construction and score: what the panels of its treebanks show, and how far judges differ."""
    ud, groups = panels[0].rows[0].original, dict[str, list[Panel]]()
    for panel in panels:
        if panel.verdict is not None:
            groups.setdefault(scored_name(panel, panels), []).append(panel)
    rows = []
    for name, own in groups.items():
        counts = Counter(panel.verdict for panel in own)
        spreads = [max(deltas) - min(deltas) for deltas in ([p.delta(row) for row in p.heard] for p in own)]
        shown = [
            str(counts[verdict]) for verdict in (Side.UD, Side.ALTERNATIVE, Side.EQUAL, DIVIDED, Side.NONE)
        ]
        rows.append((name, str(len(own)), *shown, f"{statistics.fmean(spreads):.2f}"))
    return Table(
        "The panel by construction",
        ("construction", "n", ud, "alt", "equal", DIVIDED, "open", "spread"),
        tuple(rows),
        f"n: treebanks with several judges. Then those in which the panel is for {ud}, for the alternative, "
        "excludes half a point, is divided, or open. Spread: the largest difference of a judge minus the "
        "smallest, in points, mean over the treebanks.",
    )


def panel_figure(panels: Sequence[Panel]) -> Figure:
    """Conditions by judges: the deeper the colour, the larger the difference."""
    judges, ud = judges_of(row for panel in panels for row in panel.rows), panels[0].rows[0].original
    names = [name_of(panel, panels) for panel in panels]
    data = Table(
        "Differences by judge",
        ("construction", "judge", "delta", "shows"),
        tuple(
            (name, row.parser, shown(panel.delta(row)), own_side(row, panel.score) or "")
            for name, panel in zip(names, panels, strict=True)
            for row in panel.heard
        ),
        f"{ud} minus alternative in points, for each judge, and the mean of the judges. *: shown, after "
        "correction for the conditions of the judge, with and without punctuation. =: half a point or more "
        "is excluded.",
    )
    values, texts = [], []
    for panel in panels:
        heard = {row.parser: panel.delta(row) for row in panel.heard}
        mean = panel.mean_delta
        values.append([*map(heard.get, judges), mean])
        marks = [str(cell).strip() for cell in _cells(panel, judges)]
        texts.append([*marks, "" if mean is None else signed(mean)])
    size = (WIDTH, 0.9 + 0.32 * len(panels))
    return heat_map("judges", data, names, [*judges, "mean"], values, texts, size)
