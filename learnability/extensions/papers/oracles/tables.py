"""Show the experiments on dynamic oracles in the form of the papers' tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from learnability.extensions.papers.oracles.rows import (
    SCORES,
    WITHOUT_PUNCTUATION,
    Average,
    RegimeRow,
    TreebankScore,
)
from learnability.metrics.scores import ANSWERED
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, number
from learnability.support.nouns import count_noun

TITLES = {
    f"{score}{tokens}": f"{score.upper()}, {title}"
    for tokens, title in (("", "punctuation included"), (WITHOUT_PUNCTUATION, "without punctuation"))
    for score in ANSWERED
}


def oracles_section(rows: Sequence[RegimeRow], averages: Sequence[Average], notes: Sequence[str]) -> Section:
    """Return a table per score (2012, Table 2; 2013, Table 1), and one of the differences to static."""
    tables = [
        score_table(rows, averages, score)
        for score in TITLES
        if any(row.scores[score].mean is not None for row in rows)
    ]
    sentences = []
    if any(score.delta is not None for row in rows for score in row.scores.values()):
        sentences.append(
            "* marks a difference from static training of the same system (p < 0.05), ** one that is also "
            "clear after Holm's correction for all comparisons of the score."
        )
        tables.append(difference_table(rows, averages))
        if averages[0].treebanks > 1:
            sentences.append(
                "Interval: bootstrap over treebanks; p: sign-flip permutation test over treebanks; neither "
                "is corrected for several tests. Better, worse: number of treebanks, in brackets those with "
                "p < 0.05."
            )
        else:
            sentences.append(
                "Intervals and p values allow for other seeds, other test sentences and all comparisons of "
                "the score (Holm)."
            )
    for k, p in sorted({(row.regime.k, row.regime.p) for row in rows if row.regime.oracle == "explore"}):
        sentences.append(
            f"explore: after iteration k = {k}, training follows a wrong prediction with probability p = "
            f"{p:g}."
        )
    return Section("Static and dynamic oracles", (*sentences, *notes), tuple(tables))


def grid_section(rows: Sequence[RegimeRow], averages: Sequence[Average], notes: Sequence[str]) -> Section:
    """Return a table of k x p per system and treebank and one of their averages (2013, Figure 1), UAS."""
    tables = []
    for system in dict.fromkeys(row.regime.system for row in rows):
        explored = [row for row in rows if row.regime.system == system and row.regime.oracle == "explore"]
        treebanks = dict.fromkeys(map(treebank_name, explored))
        for name in treebanks:
            cells = [row for row in explored if treebank_name(row) == name]
            tables.append(grid_table(f"{system}, {name}", cells))
        if len(treebanks) > 1:
            means = [
                average
                for average in averages
                if average.regime.system == system and average.regime.oracle == "explore"
            ]
            tables.append(grid_table(f"{system}, average of {count_noun(len(treebanks), 'treebank')}", means))
    return Section("Exploration: k and p", tuple(notes), tuple(tables))


def score_table(rows: Sequence[RegimeRow], averages: Sequence[Average], score: str) -> Table:
    """Return the scores with regimes in rows and treebanks in columns, the average last."""
    names = list(dict.fromkeys(map(treebank_name, rows)))
    cells = {(row.regime, treebank_name(row)): _mark_score(row, score) for row in rows}
    if len(names) > 1:
        cells |= {(mean.regime, "average"): number(mean.scores[score].mean) for mean in averages}
        names.append("average")
    regimes = list(dict.fromkeys(row.regime for row in rows))
    return Table(
        f"{TITLES[score]}, mean over {count_noun(rows[0].seeds, 'seed')}",
        ("system: oracle", *("\n".join(re.split("[ -]", name)) for name in names)),
        tuple((str(regime), *(cells[regime, name] for name in names)) for regime in regimes),
        align="<",
        groups=[regime.system for regime in regimes],
    )


def difference_table(rows: Sequence[RegimeRow], averages: Sequence[Average]) -> Table:
    """Return the differences to static training, with the scores of a regime below each other.

    With one treebank, interval and p are corrected for all comparisons of the score (Holm); over several
    treebanks they are not corrected.
    """
    treebanks = averages[0].treebanks
    over = f"average over {count_noun(treebanks, 'treebank')}" if treebanks > 1 else treebank_name(rows[0])
    tested: Sequence[RegimeRow | Average] = averages if treebanks > 1 else rows
    cells: list[tuple[str, ...]] = []
    regimes: list[str] = []
    for row, average in zip(tested, averages, strict=True):
        for score, mean in average.scores.items():
            if mean.delta is None:
                continue
            tested_score, name = row.scores[score], str(average.regime)
            low, high = number(tested_score.delta_low, "+.2f"), number(tested_score.delta_high, "+.2f")
            counts = (
                f"{mean.better} ({mean.significantly_better})",
                f"{mean.worse} ({mean.significantly_worse})",
            )
            p_value = tested_score.p_holm if isinstance(tested_score, TreebankScore) else tested_score.p_value
            delta, p = number(mean.delta, "+.2f"), number(p_value, ".4f")
            shown, interval = "" if name in regimes else name, f"{low} to {high}" if low else ""
            cells.append((shown, TITLES[score], delta, interval, p, *counts, number(mean.sd)))
            regimes.append(name)
    title = f"Difference to static, {over}"
    tests = ("95 % interval", "p") if treebanks > 1 else ("95 % interval\n(Holm)", "p\n(Holm)")
    headings = ("system: oracle", "score", "difference", *tests, "better", "worse", "sd of seeds")
    note = "Positive differences mean that the oracle is better than static."
    return Table(title, headings, tuple(cells), note, "<<>", regimes)


def grid_table(title: str, rows: Sequence[RegimeRow | Average]) -> Table:
    """Return the table of UAS, k in rows, p in columns, the highest in bold."""
    values = {(row.regime.k, row.regime.p): row.scores[SCORES[0]].mean for row in rows}
    highest = max((value for value in values.values() if value is not None), default=None)
    cells = {
        at: TableCell(number(mean), bold=mean is not None and mean == highest) for at, mean in values.items()
    }
    ks, ps = (tuple(dict.fromkeys(at)) for at in zip(*values, strict=True))
    return Table(
        f"UAS, {title}",
        ("k", *(f"p = {p:g}" for p in ps)),
        tuple((str(k), *(cells[k, p] for p in ps)) for k in ks),
        align=">",
    )


def treebank_name(row: RegimeRow) -> str:
    """Return `Greek-GDT 2.16` for UD_Greek-GDT of release 2.16.

    Headings break it into lines at the space.
    """
    return f"{row.treebank.removeprefix('UD_')} {row.release}".strip()


def _mark_score(row: RegimeRow, score: str) -> str:
    """Return the score with the mark of its difference to static."""
    values = row.scores[score]
    alone, corrected = (p is not None and p < 0.05 for p in (values.p_value, values.p_holm))
    return number(values.mean) + ("**" if alone and corrected else "*" if alone else "")
