"""What all parsers of a run say together: in words, as a table, and as a figure."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from learnability.evidence.answers import TOO_FEW_EXAMPLES, own_side
from learnability.evidence.differences import Difference
from learnability.evidence.panel import DIVIDED, Panel
from learnability.metrics.scores import Score
from learnability.reports.figures import WIDTH, Figure, heat_map
from learnability.reports.results import judges_of, shown_side
from learnability.reports.text import Section, Table, TableCell, estimate, in_words, shown, signed
from learnability.reports.verdicts import ahead, named, side_names
from learnability.reports.verdicts import missing as why_missing
from learnability.statistics.significance import Side

STARS = {Side.UD: "*", Side.ALTERNATIVE: "*", Side.EQUAL: "=", Side.NONE: ""}
"""The mark of a clear difference, and of no meaningful one."""


def panel_section(panels: Sequence[Panel]) -> Section:
    """Return the table of all parsers and, for a single treebank, one sentence per condition and score."""
    several = len({own.rows[0].treebank_label for own in panels}) > 1
    sentences = () if several else tuple(map(sentence, panels))
    return Section("All parsers together", sentences, (panel_table(panels),))


def name_of(panel: Panel, panels: Sequence[Panel]) -> str:
    """Return the construction, with the treebank where there are several, and the score in labelled runs."""
    row, several = panel.rows[0], len({own.rows[0].treebank_label for own in panels}) > 1
    return f"{row.treebank_label} {scored_name(panel, panels)}" if several else scored_name(panel, panels)


def scored_name(panel: Panel, panels: Sequence[Panel]) -> str:
    """Return the construction, with the score in labelled runs."""
    name, labelled = panel.rows[0].name, any(own.score is Score.LAS for own in panels)
    return f"{name} {panel.score.upper()}" if labelled else name


def sentence(panel: Panel) -> str:
    """Return what all parsers together find for a construction."""
    row, heard = panel.rows[0], panel.heard
    by = f"{row.name}{', with relations (LAS)' if panel.score is Score.LAS else ''}"
    absent = [other.parser for other in panel.rows if other not in heard]
    missing = f" Did not run: {_list(absent)}." if absent else ""
    if not heard and {other.answer() for other in panel.rows} == {TOO_FEW_EXAMPLES}:
        return f"{by}: {TOO_FEW_EXAMPLES}. {why_missing(row)}"
    if panel.verdict is None:
        some = f"{in_words(len(heard))} of {in_words(len(panel.rows))} parsers"
        return f"{by}: no common answer, because only {some} ran.{missing}"
    names = side_names(row)
    low, *_, high = sorted(map(panel.delta, heard))
    figures = f" The differences reach from {ahead(high, names)} to {ahead(low, names)}"
    if panel.mean is not None:
        mean = Difference(None, None, panel.mean.delta, low=panel.mean.low, high=panel.mean.high)
        divided = (
            panel.verdict == DIVIDED
        )  # the interval of a mean that the parsers do not share says nothing
        figures += f"; mean {ahead(mean.delta, names) if divided else named(mean, names)}"
    return f"{by}: {_verdict(panel)}.{figures}.{missing}"


def _verdict(panel: Panel) -> str:
    row, number = panel.rows[0], len(panel.heard)
    names = side_names(row)
    parsers = f"{in_words(number)} parsers"

    def of(side: str) -> str:
        found = panel.judges(side)
        return "none" if not found else f"{in_words(len(found))} ({_list(found)})"

    if panel.verdict == DIVIDED:
        return (
            f"the parsers disagree: {names[Side.UD]} is easier for {of(Side.UD)}, "
            f"{names[Side.ALTERNATIVE]} for {of(Side.ALTERNATIVE)} of {parsers}"
        )
    if panel.verdict in (Side.UD, Side.ALTERNATIVE):
        side = Side(panel.verdict)
        if len(panel.judges(side)) == number:
            every = "both" if number == 2 else f"all {in_words(number)}"
            return f"{names[side]} is easier for {every} parsers"
        return f"{names[side]} is easier for {of(side)} of {parsers}, and no parser favours the other"
    if panel.verdict == Side.EQUAL:
        return f"no meaningful difference (under 0.5) for {of(Side.EQUAL)} of {parsers}"
    favoured = next((side for side in names if panel.judges(side)), None)
    if favoured is not None:
        return f"open: {names[favoured]} is easier for only {of(favoured)} of {parsers}"
    equal = f"; no meaningful difference for {of(Side.EQUAL)}" if panel.judges(Side.EQUAL) else ""
    no_parser = "neither parser" if number == 2 else f"none of {parsers}"
    return f"open: {no_parser} finds a clear difference{equal}"


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def panel_table(panels: Sequence[Panel]) -> Table:
    """Return a row per construction and score, with the difference that each parser finds."""
    parsers, ud = judges_of(row for panel in panels for row in panel.rows), panels[0].rows[0].original
    certain = any(panel.mean for panel in panels)
    return Table(
        "The parsers side by side",
        ("construction", "all parsers", *parsers, "mean\n± 95 %" if certain else "mean"),
        tuple(
            (name_of(panel, panels), _shown(panel), *_cells(panel, parsers), _mean(panel)) for panel in panels
        ),
        f"Positive: {ud} is ahead. *: clear, with and without punctuation, after adjusting for the "
        "constructions of this parser; =: no meaningful difference (under 0.5); empty: this parser did "
        "not run. "
        "All parsers: the side that most favour, if none opposes it; equal: most find no meaningful "
        f"difference; {DIVIDED}: the parsers disagree; –: open. Similar parsers make similar errors, but "
        "each "
        "gets a vote. Other parsers may differ by more.",
        "<<>",
    )


def _shown(panel: Panel) -> str:
    return DIVIDED if panel.verdict == DIVIDED else shown_side(panel.rows[0], panel.verdict)


def _cells(panel: Panel, judges: Sequence[str]) -> list[TableCell | str]:
    """Return the differences of these parsers with their marks; empty if a parser did not run."""
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
    """Return a row per construction and score: the answers in its treebanks, and how far parsers differ."""
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
        "All parsers by construction",
        ("construction", "n", ud, "alt.", "equal", DIVIDED, "open", "spread"),
        tuple(rows),
        "n: treebanks with several parsers. The next columns count those in which most parsers favour "
        f"{ud} or "
        "the alternative, find no meaningful difference, disagree, or leave it open. Spread: the largest "
        "difference between two parsers, in points, mean over the treebanks.",
    )


def panel_figure(panels: Sequence[Panel]) -> Figure:
    """Conditions by judges: the deeper the colour, the larger the difference."""
    judges, ud = judges_of(row for panel in panels for row in panel.rows), panels[0].rows[0].original
    names = [name_of(panel, panels) for panel in panels]
    data = Table(
        "Differences by parser",
        ("construction", "parser", "delta", "better"),
        tuple(
            (name, row.parser, shown(panel.delta(row)), own_side(row, panel.score) or "")
            for name, panel in zip(names, panels, strict=True)
            for row in panel.heard
        ),
        f"{ud} minus alternative in points for each parser, and the mean of the parsers. *: clear, with and "
        "without punctuation, after adjusting for the constructions of the parser. =: no meaningful "
        "difference "
        "(under 0.5).",
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
