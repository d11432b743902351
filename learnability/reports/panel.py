"""Present what all parsers of a run show together: in words, as a table, and as a figure."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.panel import DIVIDED, Panel
from learnability.evidence.questions import Answer, Reason
from learnability.reports.figures import WIDTH, Figure, heat_map
from learnability.reports.results import SHORT, SIGNS, UNDEFINED, parsers_of
from learnability.reports.section import Section
from learnability.reports.text import (
    Table,
    TableCell,
    enumerate_names,
    explain_signs,
    in_words,
    number,
    points,
)
from learnability.reports.verdicts import (
    bounds,
    capitalise,
    name_difference,
    name_leader,
    side_names,
)
from learnability.reports.verdicts import explain_missing as why_missing
from learnability.statistics.inference import AHEAD, Side

STARS = {Side.FIRST: "*", Side.SECOND: "*", Side.EQUAL: "=", Side.NONE: ""}
"""The mark of a clear difference, and of no difference that matters."""


def panel_section(panels: Sequence[Panel]) -> Section:
    """Return the table of all parsers and, for a single treebank, one sentence per construction and score."""
    several = _several_treebanks(panels)
    sentences = [] if several else list(map(sentence, panels))
    return Section("All parsers together", (*sentences, *explain_sentences(panels)), (panel_table(panels),))


def explain_sentences(panels: Sequence[Panel]) -> list[str]:
    """Return that some parsers were tested on more sentences than others, where that is so."""
    mixed = [panel for panel in panels if len(panel.by_sentences) > 1]
    if not mixed:
        return []
    whole = dict.fromkeys(parser for panel in mixed for parser in panel.by_sentences.get("all sentences", ()))
    names = enumerate_names([name_of(panel, panels) for panel in mixed])
    were = f"{enumerate_names(list(whole))} {'was' if len(whole) == 1 else 'were'}"
    return [
        f"{names}: {were} tested on all sentences, the others on the test set, so there is no mean. To test "
        "all parsers on all sentences, use --cross-validate 10."
    ]


def name_of(panel: Panel, panels: Sequence[Panel]) -> str:
    """Return the construction, with the treebank where there are several, and the score in labelled runs."""
    name = scored_name(panel, panels)
    return f"{panel.rows[0].treebank_label} {name}" if _several_treebanks(panels) else name


def _several_treebanks(panels: Sequence[Panel]) -> bool:
    return len({panel.rows[0].treebank_label for panel in panels}) > 1


def scored_name(panel: Panel, panels: Sequence[Panel]) -> str:
    """Return the construction, with the score in labelled runs."""
    name, labelled = panel.rows[0].name, any(other.score.needs_labels for other in panels)
    return f"{name} {panel.score.upper()}" if labelled else name


def sentence(panel: Panel) -> str:
    """Return what all parsers together find for a construction."""
    row, heard = panel.rows[0], panel.heard
    name = f"{row.name}{f', {how}' if (how := panel.score.qualification) else ''}"
    absent = [other.parser for other in panel.rows if other not in heard]
    missing = f" Did not run: {enumerate_names(absent)}." if absent else ""
    if not heard and {other.easier().answer for other in panel.rows} == {Answer.TOO_FEW_EXAMPLES}:
        return f"{name}: {Answer.TOO_FEW_EXAMPLES}. {why_missing(row)}"
    if panel.verdict is None:
        some = f"{in_words(len(heard))} of {in_words(len(panel.rows))} parsers"
        return f"{name}: no common answer, because only {some} ran.{missing}"
    return f"{name}: {_verdict(panel)}{_contrary(panel)}. {_spread(panel)}.{missing}"


def _spread(panel: Panel) -> str:
    """Return how far the differences of the parsers reach, and their mean, as a sentence."""
    names = side_names(panel.rows[0])
    low, *_, high = sorted(map(panel.delta, panel.heard))
    mean = None if panel.mean is None else _mean_difference(panel)
    if low * high > 0:  # one side leads with every parser
        side = Side.FIRST if low > 0 else Side.SECOND
        least, most = map(points, sorted((abs(low), abs(high))))
        reach = least if least == most else f"{least} to {most}"
        interval = "" if mean is None else f" (mean {points(abs(mean.delta))}, {bounds(mean)})"
        return capitalise(f"{names[side]} leads by {reach} points{interval}")
    reach = f"Parsers differ, from {name_leader(high, names)} to {name_leader(low, names)}"
    if mean is None:
        return reach
    # where parsers disagree, the interval of their mean tells nothing
    divided = panel.verdict == DIVIDED
    return f"{reach}; mean {name_leader(mean.delta, names) if divided else name_difference(mean, names)}"


def _contrary(panel: Panel) -> str:
    """Return what other comparisons show for some parsers, and not the common answer, as the rest of a
    sentence."""
    names = side_names(panel.rows[0])
    found = [
        f"training on {names[side]} gives better UD trees with {_parsers(parsers)}"
        for side, parsers in panel.contrary_training().items()
    ]
    if panel.verdict == Side.SECOND and (parsers := panel.ahead_between_phrases()):
        found.append(f"between phrases, {names[Side.FIRST]} is ahead with {_parsers(parsers)}")
    if parsers := panel.parsers_with(Reason.REVERSED_WITHOUT_PUNCTUATION):
        found.append(f"without punctuation, the other side is ahead with {_parsers(parsers)}")
    if parsers := panel.parsers_with(Reason.HOLDS_LESS):
        found.append(f"it may hold less, by {_parsers(parsers)}")
    return f", but {enumerate_names(found)}" if found else ""


def _parsers(names: Sequence[str]) -> str:
    """Return the number of parsers with their names: `two (udpipe and graph)`."""
    return f"{in_words(len(names))} ({enumerate_names(names)})"


def _verdict(panel: Panel) -> str:
    row, number = panel.rows[0], len(panel.heard)
    names = side_names(row)
    parsers = f"{in_words(number)} parsers"

    def parsers_for(side: str) -> str:
        found = panel.parsers(side)
        return _parsers(found) if found else "none"

    if panel.verdict == DIVIDED:
        return (
            f"the parsers disagree: of {parsers}, {names[Side.FIRST]} is easier for "
            f"{parsers_for(Side.FIRST)}, and {names[Side.SECOND]} is easier for {parsers_for(Side.SECOND)}"
        )
    if panel.verdict in AHEAD:
        side = Side(panel.verdict)
        if len(panel.parsers(side)) == number:
            every = "both" if number == 2 else f"all {in_words(number)}"
            return f"{names[side]} is easier for {every} parsers"
        return (
            f"{names[side]} is easier for {parsers_for(side)} of {parsers}, and no parser favours the other"
        )
    if panel.verdict == Side.EQUAL:
        return f"no difference that matters (under 0.5) for {parsers_for(Side.EQUAL)} of {parsers}"
    favoured = next((side for side in names if panel.parsers(side)), None)
    if favoured is not None:
        return f"open: {names[favoured]} is easier for only {parsers_for(favoured)} of {parsers}"
    no_difference = f"; no difference that matters for {parsers_for(Side.EQUAL)}"
    equal = no_difference if panel.parsers(Side.EQUAL) else ""
    no_parser = "neither parser" if number == 2 else f"none of {parsers}"
    return f"open: {no_parser} finds a clear difference{equal}"


def panel_table(panels: Sequence[Panel]) -> Table:
    """Return a row per construction and score, with the difference that each parser finds."""
    parsers = parsers_of(row for panel in panels for row in panel.rows)
    certain = any(panel.mean for panel in panels)
    converted = any(
        row.difference(panel.score, ComparisonKind.CONVERTED) for panel in panels for row in panel.heard
    )
    lines = [
        (
            name_of(panel, panels),
            _show_panel(panel),
            *_cells(panel, parsers),
            _mean(panel),
            *([_list_converted(panel)] if converted else []),
        )
        for panel in panels
    ]
    return Table(
        "The parsers side by side",
        (
            "construction",
            "easier\n(all parsers)",
            *parsers,
            "mean (95 %)" if certain else "mean",
            *(["train on\n(for UD trees)"] if converted else []),
        ),
        tuple(lines),
        explain_signs([cell for line in lines for cell in line], {**SIGNS, **EQUAL_SIGN}),
        "<<>",
        explanation="All parsers: the majority, unless one parser clearly disagrees. Similar parsers make "
        "similar errors, but each gets a vote.",
    )


EQUAL_SIGN = {"=": "no difference that matters (under 0.5)"}
"""What a sign of a parser's difference means."""


def _show_panel(panel: Panel) -> str:
    """Return which annotation is easier for all parsers together."""
    if panel.verdict is None:
        return ""
    if panel.verdict == DIVIDED:
        return "parsers disagree"
    return Answer.of_side(Side(panel.verdict)).named(panel.rows[0].base)


def _cells(panel: Panel, parsers: Sequence[str]) -> list[TableCell | str]:
    """Return the differences of these parsers with their marks; empty if a parser did not run."""
    heard, names = {row.parser: row for row in panel.heard}, _short_names(panel)
    cells: list[TableCell | str] = []
    for parser in parsers:
        row = heard.get(parser)
        side = row.easier(panel.score).side if row else None
        if row is None or side is None:
            cells.append("")
            continue
        delta = panel.delta(row)
        cells.append(TableCell(f"{name_leader(delta, names)}{STARS[side] or ' '}", f"{delta:.6f}"))
    return cells


def _list_converted(panel: Panel) -> str:
    """Return which annotation to train on if UD trees are needed: clear differences, each with its parser."""
    names, found = _short_names(panel), []
    for row in panel.heard:
        difference = row.difference(panel.score, ComparisonKind.CONVERTED)
        if difference is not None and difference.is_clear:
            found.append(f"{name_leader(difference.delta, names)}* ({row.parser})")
    if found:
        return ", ".join(found)
    answers = {row.train_on(panel.score).answer for row in panel.heard} - {Answer.NONE}
    if answers:
        return str(answers.pop() if len(answers) == 1 else Answer.OPEN)
    return UNDEFINED if any(row.train_on(panel.score).reason for row in panel.heard) else ""


def _mean(panel: Panel) -> TableCell | str:
    """Return the mean difference of the parsers, with its interval if it has one."""
    if panel.mean_delta is None:
        return ""
    names = _short_names(panel)
    text = (
        name_difference(_mean_difference(panel), names)
        if panel.mean
        else name_leader(panel.mean_delta, names)
    )
    return TableCell(text, f"{panel.mean_delta:.6f}")


def _mean_difference(panel: Panel) -> Difference:
    """Return the mean of a panel that has one, as a difference with its interval."""
    assert panel.mean is not None
    return Difference(None, None, panel.mean.delta, low=panel.mean.low, high=panel.mean.high)


def _short_names(panel: Panel) -> dict[Side, str]:
    """Return what cells and tiles call the two annotations."""
    return {Side.FIRST: panel.rows[0].base, Side.SECOND: SHORT}


def constructions_table(panels: Sequence[Panel]) -> Table:
    """Return a row per construction and score: the answers in its treebanks, and how far parsers differ."""
    base, groups = panels[0].rows[0].base, dict[str, list[Panel]]()
    for panel in panels:
        if panel.verdict is not None:
            groups.setdefault(scored_name(panel, panels), []).append(panel)
    rows = []
    answers = (Side.FIRST, Side.SECOND, Side.EQUAL, DIVIDED, Side.NONE)
    for name, group in groups.items():
        counts = Counter(panel.verdict for panel in group)
        spreads = []
        for panel in group:
            deltas = [panel.delta(row) for row in panel.heard]
            spreads.append(max(deltas) - min(deltas))
        cells = [str(counts[answer]) for answer in answers]
        rows.append((name, str(len(group)), *cells, f"{statistics.fmean(spreads):.2f}"))
    return Table(
        "All parsers by construction",
        ("construction", "n", base, "alt.", "equal", DIVIDED, "open", "spread"),
        tuple(rows),
        explanation="n: treebanks with several parsers. The next columns count the treebanks in "
        "which most parsers "
        f"favour {base} or the alternative, find no difference that matters, disagree, or leave it open. "
        "Spread: the largest difference between two parsers, in points, mean over the treebanks.",
    )


def panel_figure(panels: Sequence[Panel]) -> Figure:
    """Return a heat map of constructions by parsers: the larger the difference, the deeper the colour."""
    parsers, base = parsers_of(row for panel in panels for row in panel.rows), panels[0].rows[0].base
    names = [name_of(panel, panels) for panel in panels]
    data = Table(
        "Differences by parser",
        ("construction", "parser", "delta", "better"),
        tuple(
            (name, row.parser, number(panel.delta(row), ".4f"), row.easier(panel.score).side or "")
            for name, panel in zip(names, panels, strict=True)
            for row in panel.heard
        ),
        "The difference in points for each parser, and the mean of the parsers. Tiles name the side that is "
        f"ahead; in the data, positive means {base}. *: clear, with and without punctuation, after adjusting "
        "for the constructions of the parser. =: no difference that matters (under 0.5).",
    )
    values, texts = [], []
    for panel in panels:
        heard = {row.parser: panel.delta(row) for row in panel.heard}
        mean = panel.mean_delta
        values.append([*map(heard.get, parsers), mean])
        marks = [str(cell).strip() for cell in _cells(panel, parsers)]
        texts.append([*marks, "" if mean is None else name_leader(mean, _short_names(panel))])
    size = (WIDTH, 0.9 + 0.32 * len(panels))
    return heat_map("differences_by_parser", data, names, [*parsers, "mean"], values, texts, size)
