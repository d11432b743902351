"""Draw the differences of a run, and say where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from learnability.evidence.rows import ComparisonRow, PartScores
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import ANSWERED, Score
from learnability.reports.figures import Figure, forest
from learnability.reports.results import SHORT, by_score
from learnability.reports.text import Table, TableCell, format_cell, number
from learnability.reports.verdicts import GoldTrees, gold_trees, name_leader
from learnability.statistics.inference import Side

MOST_PARTS = 8
"""How many relations, or kinds of change, a table shows of a construction: those that contribute most."""


def difference_figures(named: Sequence[tuple[str, ComparisonRow]]) -> list[Figure]:
    """Return the intervals of comparisons with their names, a figure per score that was tested."""
    tested = [(score, [(name, row) for name, row in named if _is_tested(row, score)]) for score in ANSWERED]
    return [_draw_differences(found, score) for score, found in tested if found]


def _is_tested(row: ComparisonRow, score: Score) -> bool:
    difference = row.difference(score)
    return difference is not None and difference.p_value is not None


def _draw_differences(tested: Sequence[tuple[str, ComparisonRow]], score: Score) -> Figure:
    file, title = score.name_figure("differences", "Differences with their 95 % intervals")
    side, unit = tested[0][1].base, score.upper()
    (tested_on, *others) = dict.fromkeys(gold_trees(row, score) for _, row in tested)
    compared = {ScoringBasis.ANNOTATION: str(GoldTrees.OWN if others else tested_on)}
    if any(row.difference(score, ScoringBasis.CONVERTED) for _, row in tested):
        compared[ScoringBasis.CONVERTED] = "converted back to UD"
    rows = [(name, [row.difference(score, basis) for basis in compared]) for name, row in tested]
    data = Table(
        title,
        ("construction", "comparison", *(f"{score}_{value}" for value in ("delta", "low", "high", "better"))),
        tuple(
            (name, basis.value, *map(format_cell, (d.delta, d.low, d.high, d.better)))
            for name, differences in rows
            for basis, d in zip(compared, differences, strict=True)
            if d is not None
        ),
        f"{unit} in points. To the right of the line, {side} is ahead; to the left, the alternative is "
        "ahead. A filled marker: the difference is clear.",
    )
    return forest(file, data, rows, unit, side, comparisons=list(compared.values()))


def part_table(rows: Sequence[ComparisonRow]) -> Table:
    """Return on which words the parsers differ: by places or kinds of change, and by relations."""
    lines = [
        (name, kind, str(part.tokens), number(part.base), number(part.alternative), _name_points(row, points))
        for name, row, score in by_score(rows)
        if score in ANSWERED
        for parts in (row.error_split.get(score, {}), row.relations.get(score, {}))
        for kind, part, points in _largest_parts(parts)
    ]
    base = rows[0].base if rows else "UD"
    return Table(
        "Where the differences come from",
        ("construction", "words", "number", base, "alt.", "points"),
        tuple(lines),
        explanation="The points add up to the difference, over the parts of the trees and again over all "
        f"relations of {base}. Place: the words that the construction is about; phrase: the other words of "
        f"phrases that contain one. Of relations and kinds of change, the {MOST_PARTS} with most points. "
        f"{SHORT}: the alternative.",
        align="<<>",
        groups=[name for name, *_ in lines],
    )


def _largest_parts(parts: Mapping[str, PartScores]) -> Iterator[tuple[str, PartScores, float]]:
    words = sum(part.tokens for part in parts.values() if part.base is not None)
    points = {
        kind: part.tokens * ((part.base or 0.0) - (part.alternative or 0.0)) / words
        for kind, part in parts.items()
        if words
    }
    for kind in sorted(points, key=lambda kind: (-abs(points[kind]), kind))[:MOST_PARTS]:
        yield kind, parts[kind], points[kind]


def _name_points(row: ComparisonRow, points: float) -> TableCell:
    return TableCell(name_leader(points, {Side.FIRST: row.base, Side.SECOND: SHORT}), f"{points:.6f}")
