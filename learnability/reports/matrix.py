"""Draw all answers of a comparison at once: treebanks (by each parser) against constructions."""

from __future__ import annotations

from learnability.evidence.questions import Answer
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.survey import Evidence
from learnability.metrics.scores import FIRST_SCORE, Score
from learnability.reports.figures import WIDTH, Figure, heat_map
from learnability.reports.results import SHORT
from learnability.reports.text import Table, format_cell
from learnability.reports.verdicts import name_leader
from learnability.statistics.inference import Side

SAME_SIGN = "="
"""What a tile shows where there is no difference that matters."""

NAME_WIDTH, TILE_WIDTH = 2.0, 0.85
"""The inches of the names of treebanks, and of a tile."""


def matrix_figure(evidence: Evidence) -> Figure | None:
    """Return a heat map with a line for each treebank (and parser) and a column for each construction.

    None where there is only one line: then the table of answers says the same.
    """
    several_parsers = len({pair.row.parser for pair in evidence.pairs}) > 1
    untested = [pair for construction in evidence.constructions for pair in construction.untested]
    scored = [(pair.row, score) for pair in (*evidence.pairs, *untested) for score in pair.row.scores]
    several_scores = len({score for _, score in scored}) > 1
    found: dict[str, dict[str, tuple[ComparisonRow, Score]]] = {}
    columns: dict[str, None] = {}
    for row, score in scored:
        if row.difference(score) is None and row.easier(score).answer is not Answer.TOO_FEW_EXAMPLES:
            continue
        line = f"{row.treebank_label} by {row.parser}" if several_parsers else row.treebank_label
        column = f"{row.name} {score.upper()}" if several_scores else row.name
        columns.setdefault(column)
        found.setdefault(line, {})[column] = (row, score)
    if len(found) < 2:
        return None
    lines = [
        (line, column, *found[line][column]) for line in found for column in columns if column in found[line]
    ]
    data = Table(
        "Every answer",
        ("treebank", "construction", "delta", "better"),
        tuple(
            (line, column, format_cell(_delta(row, score)), row.easier(score).side or "")
            for line, column, row, score in lines
        ),
        f"Tiles name the side that is ahead on the parsers' own annotations, in points ({SHORT}: the "
        f"alternative). In brackets: open. *: interval excludes 0; {SAME_SIGN}: no difference that matters; "
        "few: too few examples; empty: not compared.",
    )
    values = [
        [coloured(*cell) if (cell := cells.get(c)) else None for c in columns] for cells in found.values()
    ]
    texts = [[_text(*cell) if (cell := cells.get(c)) else "" for c in columns] for cells in found.values()]
    size = (max(WIDTH, NAME_WIDTH + TILE_WIDTH * len(columns)), 0.9 + 0.32 * len(found))
    names = [line.removeprefix("UD_") for line in found]
    return heat_map("every_answer", data, names, list(columns), values, texts, size)


def _delta(row: ComparisonRow, score: Score = FIRST_SCORE) -> float | None:
    difference = row.difference(score)
    return None if difference is None else difference.delta


def coloured(row: ComparisonRow, score: Score) -> float | None:
    """Return the difference that colours a tile; None where the answer is open."""
    return None if row.easier(score).answer is Answer.OPEN else _delta(row, score)


def _text(row: ComparisonRow, score: Score) -> str:
    """Return what a tile shows: `UD +1.4*`, `=`, or `few` where there are too few examples."""
    difference, answer = row.difference(score), row.easier(score).answer
    if difference is None or answer is Answer.TOO_FEW_EXAMPLES:
        return "few" if answer is Answer.TOO_FEW_EXAMPLES else ""
    if answer is Answer.SAME:
        return SAME_SIGN
    leader = name_leader(difference.delta, {Side.FIRST: row.base, Side.SECOND: SHORT})
    shown = leader + ("*" if difference.is_clear else "")
    return f"({shown})" if answer is Answer.OPEN else shown
