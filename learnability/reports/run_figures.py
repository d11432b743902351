"""Draw the figures of a run, each with its data; leave out a figure that has nothing to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from learnability.evidence.pair_evidence import PairEvidence
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.phrases import TOKEN_KINDS
from learnability.metrics.scores import ANSWERED, FIRST_SCORE, Score
from learnability.reports.figures import (
    WIDTH,
    Colour,
    Figure,
    heat_map,
    name_rows,
    paired_forest,
)
from learnability.reports.results import SHORT
from learnability.reports.text import Table, format_cell
from learnability.reports.verdicts import GoldTrees, gold_trees

Pairs = Sequence[PairEvidence]
Kinds = Literal["relations", "error_split"]
Contributions = dict[str, tuple[int, int, int, float]]
"""By kind of token: the tokens, how many (a) and (b) have right, and points of the difference."""

RELATIONS_SHOWN = 12
"""How many relations a figure shows: those that contribute most."""


def difference_figures(pairs: Pairs) -> list[Figure]:
    """Return the intervals of all comparisons, a figure per score that was tested."""
    tested = [(score, [pair for pair in pairs if _is_tested(pair, score)]) for score in ANSWERED]
    return [_differences(found, score) for score, found in tested if found]


def run_figures(pairs: Pairs) -> list[Figure]:
    """Return the figures that explain the differences, as far as there is data for them."""
    figures = []
    for score in ANSWERED:
        both = [pair for pair in pairs if pair.a and pair.b and _is_tested(pair, score)]
        with_rules = [pair for pair in both if pair.row.pair.has_rules]
        without_rules = [pair for pair in both if not pair.row.pair.has_rules]
        figures += [_parts(with_rules, score)] if with_rules else []
        figures += [_changes(without_rules, score)] if without_rules else []
        figures += [_relations(both, score)] if both else []
    return figures


def _is_tested(pair: PairEvidence, score: Score) -> bool:
    difference = pair.row.difference(score)
    return difference is not None and difference.p_value is not None


def _differences(tested: Pairs, score: Score) -> Figure:
    name, title = score.name_figure("differences", "Differences with their 95 % intervals")
    side, unit = tested[0].row.base, score.upper()
    (tested_on, *others) = dict.fromkeys(gold_trees(pair.row, score) for pair in tested)
    compared = {ScoringBasis.ANNOTATION: str(GoldTrees.OWN if others else tested_on)}
    if any(pair.row.difference(score, ScoringBasis.CONVERTED) for pair in tested):
        compared[ScoringBasis.CONVERTED] = "converted back to UD"
    rows = [(pair.name, [pair.row.difference(score, basis) for basis in compared]) for pair in tested]
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
    return paired_forest(name, data, rows, list(compared.values()), unit, side)


def contributions(evidence: PairEvidence, kinds: Kinds, score: Score = FIRST_SCORE) -> Contributions:
    """Return the tokens of each kind, how many (a) and (b) have right, and points.

    The points of all kinds add up to the difference.
    """
    tokens, right = Counter[str](), (Counter[str](), Counter[str]())
    for side, seeds in enumerate((evidence.a, evidence.b)):
        for counts in (fold.scores[score] for seed in seeds for fold in seed):
            pair = evidence.alternative
            split = counts.by_relation(pair) if kinds == "relations" else counts.error_split[pair]
            for kind, (correct, total) in split.items():
                right[side][kind] += correct
                tokens[kind] += 0 if side else total
    all_tokens, (a, b) = sum(tokens.values()), right
    return {kind: (n, a[kind], b[kind], 100 * (a[kind] - b[kind]) / all_tokens) for kind, n in tokens.items()}


def _contribution_table(title: str, note: str, named: Sequence[tuple[str, Contributions]]) -> Table:
    return Table(
        title,
        ("construction", "kind", "tokens", "correct_base", "correct_alternative", "points"),
        tuple((n, kind, *map(format_cell, values)) for n, kinds in named for kind, values in kinds.items()),
        note,
    )


def _parts(compared: Pairs, score: Score) -> Figure:
    name, title = score.name_figure("errors", "Where the difference comes from")
    side = compared[0].row.base
    named = [(pair.name, contributions(pair, "error_split", score)) for pair in compared]
    note = (
        f"Each bar shows how many points a kind of token contributes to the difference. Bars right of the "
        f"line favour {side}. Places are the words that the construction is about. Their phrases are the "
        "other words in the phrases that contain a place. The three bars add up to the difference."
    )
    looks = {
        "place": ("places", Colour.INK, ""),
        "phrase": ("their phrases", Colour.MUTED, ""),
        "elsewhere": ("elsewhere", Colour.PAPER, "////"),
    }

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        for k, part in enumerate(TOKEN_KINDS):
            label, colour, hatch = looks[part]
            axes.barh(
                [i + 0.26 * (k - 1) for i in range(len(named))],
                [kinds[part][3] if part in kinds else 0.0 for _, kinds in named],
                height=0.24, color=colour, edgecolor=Colour.INK, hatch=hatch, linewidth=0.8, label=label,
            )  # fmt: skip
        axes.axvline(0, color=Colour.INK, linewidth=0.8)
        name_rows(axes, [n for n, _ in named])
        axes.set_xlabel(f"← for the alternative\u2003·\u2003{score.upper()}, points\u2003·\u2003for {side} →")
        canvas.legend(loc="outside upper center", ncols=3)

    return Figure.drawn(name, _contribution_table(title, note, named), 1.1 + 0.55 * len(named), draw)


def _relations(compared: Pairs, score: Score) -> Figure:
    row = compared[0].row
    gold = "UD" if row.pair.has_rules else row.base
    return _heat_map_of(
        compared, score, "relations", "Which relations gain and lose", f"each {gold} relation"
    )


def _changes(compared: Pairs, score: Score) -> Figure:
    kinds = "each kind (changed tokens by their relation in both annotations)"
    return _heat_map_of(compared, score, "error_split", "Which changes gain and lose", kinds)


def _heat_map_of(compared: Pairs, score: Score, kinds: Kinds, title: str, described: str) -> Figure:
    name, title = score.name_figure("changes" if kinds == "error_split" else kinds, title)
    shown_kinds = "kinds" if kinds == "error_split" else kinds
    base = compared[0].row.base
    note = (
        f"The map shows how many points {described} contributes to the difference. Each tile names the side "
        f"whose parser got more of these tokens right: {base} (blue; in the data, positive) or the "
        f"alternative (orange, negative). The figure shows the {RELATIONS_SHOWN} {shown_kinds} that "
        "contribute most. The data below the figure lists all of them."
    )
    named = [(pair.name, contributions(pair, kinds, score)) for pair in compared]
    most: dict[str, float] = {}
    for _, by_kind in named:
        for kind, (*_, points) in by_kind.items():
            most[kind] = max(most.get(kind, 0.0), abs(points))
    kept = sorted(most, key=lambda kind: (-most[kind], kind))[:RELATIONS_SHOWN]
    tiles = [[by_kind[kind][3] if kind in by_kind else None for _, by_kind in named] for kind in kept]
    texts = [["" if points is None else _gain(points, base) for points in row] for row in tiles]
    data, size = _contribution_table(title, note, named), (WIDTH, 0.8 + 0.3 * len(kept))
    return heat_map(name, data, kept, [construction for construction, _ in named], tiles, texts, size)


def _gain(points: float, side: str) -> str:
    size = f"{abs(points):.2f}"
    if not float(size):
        return size
    return f"{side if points > 0 else SHORT} +{size}"
