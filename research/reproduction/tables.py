"""Make the tables and figures of Wisniewski, Lacroix & Yvon (2018) from finished runs that compare with UD.

    python research/reproduction/tables.py RUN... [--out DIR]

RUN is the folder of a run, or one with runs below it. The figures of the paper stand beside ours. As in the
paper, answers are those on test sets. With `--out` the tables are also files: `table_2.csv`, `table_3.csv`,
`correlations.csv`, `tables.json`, `figure2.svg` and `heatmap.svg`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.evidence.columns import Column
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import runs_to_compare
from learnability.evidence.survey import Evidence, combine_runs
from learnability.reports.figures import WIDTH, Colour, Figure, name_rows
from learnability.reports.results import SHORT, star_difference
from learnability.reports.text import (
    Table,
    TableCell,
    format_cell,
    format_signed,
    json_text,
    number,
    print_table,
)
from learnability.reports.verdicts import name_leader
from learnability.statistics.inference import Side
from learnability.support.terminal import console
from learnability.support.values import JsonObject
from research.reproduction.indicators import INDICATORS, Values, measure_runs
from research.reproduction.paper_tables import PAPER as REPORTED
from research.reproduction.paper_tables import (
    Wins,
    commitment,
    correlations,
    differences,
    read_trained_run,
    table_2,
    table_3,
)

COMPARED_NAMES = {indicator.key: indicator.title for indicator in INDICATORS} | {
    "trained_on_both": "multiple references",
    "always_ud": "always UD",
    "majority": "majority of the other languages, per construction",
    "noise_ceiling": "noise ceiling: two halves of the seeds name the same winner",
}
"""What tables call the indicators, and what is set beside them."""

SIDES = {Side.FIRST: "UD", Side.SECOND: SHORT}
"""What tables and tiles call the two annotations."""

BIN = 0.5
"""Width of the histogram's bars, in points."""


def tables(evidence: Evidence, measured: Values) -> list[Table]:
    """Return all tables, as they are printed and put into the page."""
    return [
        _table_2(evidence),
        _table_3(evidence, measured),
        _figures(evidence),
        _correlations(evidence, measured),
    ]


def _table_2(evidence: Evidence) -> Table:
    return Table.of(
        "Table 2: how often UD wins",
        table_2(evidence),
        (
            ("construction", lambda wins: wins.construction),
            ("n", lambda wins: wins.pairs),
            ("UD wins, %", lambda wins: number(wins.ud_percent, ".1f")),
            ("paper, %", _paper_wins),
            ("mean difference", _mean_of_wins),
            ("UD better", lambda wins: wins.ud_better),
            ("alt. better", lambda wins: wins.alternative_better),
            ("equal", lambda wins: wins.equal),
        ),
        "UD wins: the UD parser scores higher in UAS, each parser tested on its own annotation. Better: "
        "p < 0.05 after Holm's correction for all comparisons here. Equal: the difference, if any, is under "
        "half a point. In the mean difference every treebank counts alike.",
    )


def _mean_of_wins(wins: Wins) -> TableCell:
    return TableCell(name_leader(wins.mean_delta, SIDES), f"{wins.mean_delta:.6f}")


def _paper_wins(wins: Wins) -> str:
    """Return how often UD wins in the paper; empty if the paper does not say it."""
    return f"{wins.paper_percent:.1f} of {wins.paper_pairs}" if wins.paper_percent else ""


def _table_3(evidence: Evidence, measured: Values) -> Table:
    return Table.of(
        "Table 3: how often an indirect indicator names the winner",
        table_3(evidence, measured),
        (
            ("indicator", lambda agreement: COMPARED_NAMES[agreement.indicator]),
            ("n", lambda agreement: agreement.pairs),
            ("agrees, %", lambda agreement: number(agreement.percent, ".1f")),
            ("picks none", lambda agreement: agreement.undecided),
            ("n clear", lambda agreement: agreement.significant_pairs),
            ("agrees where clear, %", lambda agreement: number(agreement.significant_percent, ".1f")),
            ("paper, %", lambda agreement: number(agreement.paper_percent, ".1f")),
        ),
        "Clear: one side is ahead, p < 0.05 after Holm's correction. An indicator that picks none counts as "
        "wrong. The noise ceiling says how often one half of the seeds names the winner of the other half. "
        "It is what retraining with half the seeds reaches, not a strict bound. If a half names the true "
        "winner with probability q, two halves agree with probability q² + (1 − q)², and a perfect indicator "
        "agrees with a half with probability q. The paper's table puts 62.6 under derivation complexity; its "
        "text defines derivation perplexity.",
    )


def _figures(evidence: Evidence) -> Table:
    measured, committed = differences(evidence), commitment(evidence)
    wins = f"{measured.ud_wins} / {measured.alternative_wins} / {measured.ties}"
    wins_in_paper = f"{REPORTED['ud_wins']} / {REPORTED['alternative_wins']} / –"
    largest = f"{REPORTED['largest_difference']:.1f}"
    preferred = number(committed.percent, ".1f"), f"{committed.paper_percent:.1f}"
    rows = (
        ("comparisons", str(measured.pairs), str(REPORTED["pairs"])),
        ("UD wins / alternative wins / ties", wins, wins_in_paper),
        ("mean difference, UAS", name_leader(measured.mean, SIDES), f"UD +{REPORTED['mean_difference']:.2f}"),
        ("mean absolute difference", f"{measured.mean_absolute:.2f}", ""),
        (f"largest difference ({measured.largest_pair})", name_leader(measured.largest, SIDES), largest),
        ("comparisons that prefer one annotation in > 70 % of the sentences with places, %", *preferred),
        ("the same, of all training sentences", number(committed.percent_of_all_sentences, ".1f"), ""),
        (
            "sentences with places that follow the majority of their comparison, %",
            number(committed.sentence_percent, ".1f"),
            "",
        ),
    )
    return Table("Differences, and what is preferred when trained on both", ("figure", "here", "paper"), rows)


def _correlations(evidence: Evidence, measured: Values) -> Table:
    return Table.of(
        "Correlation of each measure's difference with the UAS difference",
        correlations(evidence, measured),
        (
            ("measure", lambda correlation: COMPARED_NAMES[correlation.indicator]),
            ("n", lambda correlation: correlation.pairs),
            ("Pearson", lambda correlation: number(correlation.pearson, "+.2f")),
            ("Spearman", lambda correlation: number(correlation.spearman, "+.2f")),
        ),
        "A positive difference favours UD.",
    )


def values(evidence: Evidence, measured: Values) -> JsonObject:
    """Return what the tables show, unrounded."""
    return {
        **files(evidence, measured),
        "summary": asdict(differences(evidence)),
        "commitment": asdict(commitment(evidence)),
        "paper": REPORTED,
    }


def files(evidence: Evidence, measured: Values) -> dict[str, list[JsonObject]]:
    """Return the rows of the tables that are files, by name."""
    by_name: dict[str, Sequence[Any]] = {
        "table_2": table_2(evidence),
        "table_3": table_3(evidence, measured),
        "correlations": correlations(evidence, measured),
    }
    return {name: [asdict(row) for row in rows] for name, rows in by_name.items()}


def figures(evidence: Evidence) -> list[Figure]:
    """Return the heat map and the distribution."""
    return [_heat_map(evidence), _distribution(evidence)]


def _distribution(evidence: Evidence) -> Figure:
    """Return Figure 2 of the paper."""
    import numpy as np

    compared = [c.row.difference() for c in evidence.pairs]
    deltas = np.array([difference.delta for difference in compared if difference], dtype=np.float64)
    low = BIN * np.floor(deltas.min() / BIN)
    high = BIN * (np.floor(deltas.max() / BIN) + 1)
    edges = np.arange(low, high + BIN / 2, BIN)
    counts, _ = np.histogram(deltas, edges)
    bars = zip(edges[:-1], counts, strict=True)
    data = Table(
        "Distribution of the differences (Figure 2 of the paper)",
        ("from", "to", "comparisons"),
        tuple((format_cell(float(edge)), format_cell(float(edge + BIN)), str(count)) for edge, count in bars),
        f"The number of comparisons by UAS difference, in steps of {BIN} points: right of 0 UD is easier, "
        "left of it the alternative. The dashed line is the mean.",
    )
    return Figure.drawn("figure2", data, 3.0, lambda canvas: _draw_histogram(canvas, deltas, edges, counts))


def _draw_histogram(canvas: Any, deltas: Any, edges: Any, counts: Any) -> None:
    """Draw the differences in bars of the side that is ahead, and their mean."""
    axes, mean = canvas.subplots(), float(deltas.mean())
    *_, bars = axes.hist(deltas, bins=edges, edgecolor=Colour.PAPER)
    for left, bar in zip(edges, bars, strict=False):
        bar.set_facecolor(Colour.BASE if left >= 0 else Colour.ALTERNATIVE)
    axes.axvline(0, color=Colour.INK, linewidth=0.8)
    axes.axvline(mean, color=Colour.INK, linewidth=0.8, linestyle="--")
    axes.set_ylim(0, 1.15 * counts.max())
    axes.annotate(
        f"mean {name_leader(mean, SIDES)}",
        (mean, 1.06 * float(counts.max())),
        (4, 0),
        textcoords="offset points",
    )
    axes.set_xlabel("← alternative easier\u2003·\u2003UAS, points\u2003·\u2003UD easier →")
    axes.set_ylabel("comparisons")


def _heat_map(evidence: Evidence) -> Figure:
    """Return the differences of all treebanks by construction."""
    by_place = {(c.treebank, c.construction): c.row.difference() for c in evidence.pairs}
    treebanks = sorted({treebank for treebank, _ in by_place})
    names = [c.row.title for c in evidence.constructions if c.pairs]
    grid = [[by_place.get((treebank, name)) for name in names] for treebank in treebanks]
    deltas = [[None if cell is None else cell.delta for cell in line] for line in grid]
    data = Table(
        "Differences by treebank and construction",
        ("treebank", *names),
        tuple((name, *map(format_cell, line)) for name, line in zip(treebanks, deltas, strict=True)),
        "The difference in UAS, in points: positive (blue) where UD is ahead, negative (orange) where the "
        "alternative is. *: the difference is clear, p < 0.05 after Holm's correction. Empty: too few "
        "examples, or not computed.",
    )
    texts = [list(map(_star_difference, line)) for line in grid]
    bare = [treebank.removeprefix("UD_") for treebank in treebanks]
    return draw_heat_map("heatmap", data, bare, names, deltas, texts, (WIDTH, 0.8 + 0.26 * len(bare)))


DEEPEST = 0.55
"""The opacity of the largest value of a heat map: text on it stays readable in both themes."""


def draw_heat_map(
    name: str,
    data: Table,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
    size: tuple[float, float],
) -> Figure:
    """Return a heat map: the deeper the colour of the base (positive) or of the alternative (negative), the
    further a value is from 0.

    `texts`: what is written on each tile, so that nothing depends on colour alone.
    """
    from matplotlib.patches import Rectangle

    largest = max((abs(v) for row in values for v in row if v is not None), default=0.0) or 1.0

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                if value:
                    colour = Colour.BASE if value > 0 else Colour.ALTERNATIVE
                    depth = DEEPEST * abs(value) / largest
                    tile = Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=colour, alpha=depth, linewidth=0)
                    axes.add_patch(tile)
                axes.text(j, i, texts[i][j], ha="center", va="center", fontsize=9)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        crowded = max(map(len, columns), default=0) * len(columns) > 44
        rotation, side = (30, "left") if crowded else (0, "center")
        axes.set_xticks(range(len(columns)), columns, rotation=rotation, ha=side)
        axes.xaxis.tick_top()
        name_rows(axes, rows)
        axes.tick_params(length=0)
        axes.spines["bottom"].set_visible(False)

    return Figure.drawn(name, data, size[1], draw, size[0])


def _star_difference(difference: Difference | None) -> str:
    """Return a difference with a star if it is clear; empty if nothing was compared."""
    return "" if difference is None else str(star_difference(format_signed(difference.delta, 1), difference))


def write_files(out: Path, evidence: Evidence, measured: Values) -> None:
    """Write tables and figures into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in files(evidence, measured).items():
        (out / f"{name}.csv").write_bytes(Column.csv(list(map(Column, rows[0])), rows))
    (out / "tables.json").write_text(json_text(values(evidence, measured)), encoding="utf-8")
    for drawn in figures(evidence):
        for name, data in drawn.files().items():
            (out / name).write_bytes(data)


def read_evidence(runs: Sequence[Path]) -> Evidence:
    """Return what finished runs say on their test sets.

    Raises:
        InputError: there is no finished run, or the runs compare with another annotation than UD.
    """
    found = runs_to_compare(runs)
    evidence = combine_runs(list(map(read_trained_run, found.finished)), found.unfinished)
    if evidence.base != "UD":
        raise InputError(f"the paper compares with UD, but these runs compare with {evidence.base}")
    return evidence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, metavar="DIR")
    asked = parser.parse_args()
    try:
        evidence = read_evidence(asked.runs)
    except InputError as error:
        sys.exit(str(error))
    on = console()
    measured = measure_runs(evidence)
    for table in tables(evidence, measured):
        print_table(table, on, "bold", tight=True, explain=True)
        on.print()
    if asked.out:
        write_files(asked.out, evidence, measured)


if __name__ == "__main__":
    main()
