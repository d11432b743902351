"""The tables and figures of the 2018 paper over finished runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from learnability.comparing.criteria import COMPARED_NAMES
from learnability.evidence.survey import Evidence
from learnability.papers.annotation_2018.tables import PAPER as REPORTED
from learnability.papers.annotation_2018.tables import commitment, correlations, differences, table_2, table_3
from learnability.reports.comparison import Supplement, comparison_files
from learnability.reports.content import RunContent
from learnability.reports.figures import ALTERNATIVE, INK, PAPER, UD, WIDTH, Figure, figure, heat_map
from learnability.reports.page import report_files
from learnability.reports.text import Table, number, shown, signed
from learnability.statistics.significance import Side

BIN = 0.5
"""Width of the histogram's bars, in points."""


def tables(evidence: Evidence) -> list[Table]:
    """All tables, as they are printed and put into the page."""
    return [_table_2(evidence), _table_3(evidence), _figures(evidence), _correlations(evidence)]


def _table_2(evidence: Evidence) -> Table:
    return Table.of(
        "Table 2: how often UD wins",
        table_2(evidence),
        (
            ("construction", lambda w: w.construction),
            ("n", lambda w: w.conditions),
            ("UD wins, %", lambda w: number(w.ud_percent, ".1f")),
            ("paper, %", lambda w: w.paper_percent and f"{w.paper_percent:.1f} of {w.paper_conditions}"),
            ("mean difference", lambda w: number(w.mean_delta, "+.2f")),
            ("UD better", lambda w: w.ud_better),
            ("alt. better", lambda w: w.alternative_better),
            ("equal", lambda w: w.equal),
        ),
        "UD wins: UAS on UD is above UAS on the alternative, each against its own reference. UD "
        "(alternative) better: p < 0.05 after Holm's correction over all conditions here. Equal: a "
        "difference of half a point or more is excluded. Mean difference: every treebank counts alike.",
    )


def _table_3(evidence: Evidence) -> Table:
    return Table.of(
        "Table 3: how often a criterion names the winner",
        table_3(evidence),
        (
            ("criterion", lambda a: COMPARED_NAMES[a.criterion]),
            ("n", lambda a: a.conditions),
            ("agrees, %", lambda a: number(a.percent, ".1f")),
            ("picks none", lambda a: a.undecided),
            ("n clear", lambda a: a.significant_conditions),
            ("agrees where clear, %", lambda a: number(a.significant_percent, ".1f")),
            ("paper, %", lambda a: number(a.paper_percent, ".1f")),
        ),
        "Clear: one side is ahead, p < 0.05 after Holm's correction. Picking none counts as wrong. The noise "
        "ceiling: how often one half of the seeds names the winner of the other half. It is what retraining "
        "with half the seeds reaches, not a strict bound: if that names the true winner with probability q, "
        "two agree with probability q² + (1 − q)², and a perfect criterion agrees with one of them with q. "
        "The paper's 62.6 stands under derivation complexity in its table, while its "
        "text defines derivation perplexity.",
    )


def _figures(evidence: Evidence) -> Table:
    d, c = differences(evidence), commitment(evidence)
    rows = (
        ("conditions", str(d.conditions), str(REPORTED["conditions"])),
        ("UD wins / alternative wins / ties", f"{d.ud_wins} / {d.alternative_wins} / {d.ties}",
         f"{REPORTED['ud_wins']} / {REPORTED['alternative_wins']} / –"),
        ("mean difference, UAS", f"{d.mean:+.2f}", f"{REPORTED['mean_difference']:.2f}"),
        ("mean absolute difference", f"{d.mean_absolute:.2f}", ""),
        (f"largest difference ({d.largest_condition})", f"{d.largest:+.2f}",
         f"{REPORTED['largest_difference']:.1f}"),
        ("one scheme survives in > 70 % of the sentences with sites, % of conditions",
         number(c.percent, ".1f"), f"{c.paper_percent:.1f}"),
        ("the same, of all training sentences", number(c.percent_of_all_sentences, ".1f"), ""),
        ("sentences with sites that follow their condition's majority, %",
         number(c.sentence_percent, ".1f"), ""),
    )  # fmt: skip
    return Table("Differences and commitment", ("figure", "here", "paper"), rows)


def _correlations(evidence: Evidence) -> Table:
    return Table.of(
        "Correlation of each measure's difference with the UAS difference",
        correlations(evidence),
        (
            ("measure", lambda c: COMPARED_NAMES[c.criterion]),
            ("n", lambda c: c.conditions),
            ("Pearson", lambda c: number(c.pearson, "+.2f")),
            ("Spearman", lambda c: number(c.spearman, "+.2f")),
        ),
        "Differences are taken so that a positive one favours UD.",
    )


def values(evidence: Evidence) -> dict[str, Any]:
    """What the tables show, unrounded."""
    return {
        **files(evidence),
        "differences": asdict(differences(evidence)),
        "commitment": asdict(commitment(evidence)),
        "paper": REPORTED,
    }


def files(evidence: Evidence) -> dict[str, list[dict[str, Any]]]:
    """The rows of the tables that are files of their own, by name."""
    made: dict[str, Callable[[Evidence], Sequence[Any]]] = {
        "table_2": table_2,
        "table_3": table_3,
        "correlations": correlations,
    }
    return {name: [asdict(row) for row in table(evidence)] for name, table in made.items()}


def figures(evidence: Evidence) -> list[Figure]:
    """Heat map and distribution."""
    return [_heat_map(evidence), _distribution(evidence)]


def _distribution(evidence: Evidence) -> Figure:
    """Figure 2 of the paper."""
    import numpy as np

    values = np.array([d.delta for c in evidence.conditions if (d := c.row.difference())], dtype=np.float64)
    low = BIN * np.floor(values.min() / BIN)
    high = BIN * (np.floor(values.max() / BIN) + 1)
    edges = np.arange(low, high + BIN / 2, BIN)
    counts, _ = np.histogram(values, edges)
    data = Table(
        "Distribution of the differences (Figure 2 of the paper)",
        ("from", "to", "conditions"),
        tuple(
            (shown(float(edge)), shown(float(edge + BIN)), str(count))
            for edge, count in zip(edges[:-1], counts, strict=True)
        ),
        f"How many conditions have which UAS difference, in steps of {BIN} points: right of 0 UD is easier, "
        "left of it the alternative. The dashed line is the mean.",
    )

    def draw(canvas: Any) -> None:
        axes = canvas.subplots()
        *_, bars = axes.hist(values, bins=edges, edgecolor=PAPER)
        for left, bar in zip(edges, bars, strict=False):
            bar.set_facecolor(UD if left >= 0 else ALTERNATIVE)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.axvline(values.mean(), color=INK, linewidth=0.8, linestyle="--")
        axes.set_ylim(0, 1.15 * counts.max())
        at = (float(values.mean()), 1.06 * float(counts.max()))
        axes.annotate(f"mean {signed(values.mean())}", at, (4, 0), textcoords="offset points")
        axes.set_xlabel("← alternative easier\u2003·\u2003UAS, points\u2003·\u2003UD easier →")
        axes.set_ylabel("conditions")

    return figure("figure2", data, WIDTH, 3.0, draw)


def _heat_map(evidence: Evidence) -> Figure:
    differences = {(c.treebank, c.construction): c.row.difference() for c in evidence.conditions}
    treebanks, names = sorted({treebank for treebank, _ in differences}), evidence.transforms
    grid = [[differences.get((treebank, name)) for name in names] for treebank in treebanks]
    values = [[None if difference is None else difference.delta for difference in line] for line in grid]
    data = Table(
        "Differences by treebank and transformation",
        ("treebank", *names),
        tuple((name, *map(shown, line)) for name, line in zip(treebanks, values, strict=True)),
        "UAS on UD minus UAS on the alternative, in points: positive (blue) where UD is easier, negative "
        "(orange) where the alternative is. A star: one side is ahead, p < 0.05 after Holm's correction. "
        "Empty: not enough data, or not computed.",
    )
    stars = {Side.UD: "*", Side.ALTERNATIVE: "*"}
    texts = [
        [signed(own.delta, 1) + stars.get(own.better or Side.NONE, "") if own else "" for own in line]
        for line in grid
    ]
    bare = [treebank.removeprefix("UD_") for treebank in treebanks]
    size = (WIDTH, 0.8 + 0.26 * len(bare))
    return heat_map("heatmap", data, bare, names, values, texts, size)


def supplement(evidence: Evidence) -> Supplement:
    """Return the tables and figures of the paper over these runs."""
    return Supplement(
        "The tables of the 2018 paper",
        tables(evidence),
        figures(evidence),
        values(evidence),
        {name.replace("_", ""): rows for name, rows in files(evidence).items()},
    )


def report_of(
    arguments: Mapping[str, Any], treebanks: int, studies: int = 1
) -> Callable[[RunContent], Mapping[str, bytes]]:
    """Return what makes the report of a run: over many treebanks the page of a comparison, with the tables of
    the paper; else, and where further studies have to be told of, that of one run.

    Args:
        arguments: of the run, as config.json has them.
        treebanks: how many it has.
        studies: how many were asked of it.
    """
    command = arguments.get("command")
    many = command == "reproduce" or (command == "run_conditions" and treebanks > 1)
    if many and studies == 1:
        return partial(comparison_files, supplement_of=supplement)
    return report_files
