"""Static and dynamic oracles: train parsers of every transition system by every oracle, and make the tables.

    python research/oracles/oracles.py UD_Greek UD_Turkish --release 1.3 --trainings trainings.jsonl
    python research/oracles/oracles.py UD_Greek --grid --trainings trainings.jsonl

The tables of Goldberg & Nivre (2012, 2013) and Gómez-Rodríguez & Fernández-González (2015), as Markdown, in
the form of their papers, treebanks in rows; then the differences to static training over all treebanks. With
`--grid`: UAS for k = 0 to 5 and p = 0, .3, .6, .9 (2013, Figure 1). `*`: p < 0.05, `**`: after Holm's
correction over the comparisons of the score as well. Trainings that the file has are not repeated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from learnability.errors import InputError
from learnability.treebanks.locate import locate_treebank
from research.oracles.rows import SCORES, Average, AverageScore, RegimeRow, average_rows, oracle_rows
from research.oracles.trainings import OracleOptions, Regime, regimes_of, train_all

SECTIONS = (
    (
        "Goldberg & Nivre 2012, Table 2: arc-eager, without punctuation",
        [
            (system, oracle)
            for system in ("arc-eager", "arc-eager-root-first")
            for oracle in ("static", "ambiguity", "explore")
        ],
        ("uas_without_punctuation", "las_without_punctuation"),
    ),
    (
        "Goldberg & Nivre 2013, Table 1: static and exploration, with punctuation",
        [
            (system, oracle)
            for system in ("arc-eager", "arc-hybrid", "easy-first")
            for oracle in ("static", "explore")
        ],
        ("uas", "las"),
    ),
    (
        "Gómez-Rodríguez & Fernández-González 2015, Table 2: Covington, with punctuation",
        [("covington", oracle) for oracle in ("static", "ambiguity", "explore")],
        ("uas", "las"),
    ),
    (
        "The others: arc-standard, and arc-hybrid with ambiguity only, with punctuation",
        [("arc-standard", "static"), ("arc-hybrid", "ambiguity")],
        ("uas", "las"),
    ),
)
"""Heading, settings (system, oracle) in columns, scores."""


def section(
    heading: str,
    settings: Sequence[tuple[str, str]],
    scores: Sequence[str],
    rows: Sequence[RegimeRow],
    averages: Sequence[Average],
) -> Iterator[str]:
    """Yield the lines of a table: for each score the settings in columns, the treebanks in rows.

    Settings and scores that were not computed are left out; a table without any is empty.
    """
    regimes = [each.regime for setting in settings for each in averages if _setting(each.regime) == setting]
    computed = [score for score in scores if averages[0].scores[score].mean is not None]
    if not regimes or not computed:
        return
    yield f"#### {heading}\n"
    columns = [(score, regime) for score in computed for regime in regimes]
    names = [f"{score[:3].upper()} {regime}" for score, regime in columns]
    yield f"| treebank | {' | '.join(names)} |"
    yield f"|---|{'--:|' * len(names)}"
    cells = {(row.name, row.regime): row for row in rows}
    for name in dict.fromkeys(row.name for row in rows):
        values = [mark_score(cells[name, regime], score) for score, regime in columns]
        yield f"| {name} | {' | '.join(values)} |"
    scores_of = {each.regime: each.scores for each in averages}
    means = [f"**{scores_of[regime][score].mean:.2f}**" for score, regime in columns]
    yield f"| **average** | {' | '.join(means)} |\n"


def _setting(regime: Regime) -> tuple[str, str]:
    return regime.system, regime.oracle


def mark_score(row: RegimeRow, score: str) -> str:
    """Return a score with the mark of its difference to static; `–` if it was not computed."""
    found = row.scores[score]
    if found.mean is None:
        return "–"
    p, corrected = found.p_value, found.p_holm
    is_clear = corrected is not None and corrected < 0.05
    mark = "" if p is None or p >= 0.05 else r"\*\*" if is_clear else r"\*"
    return f"{found.mean:.2f}{mark}"


def differences(averages: Sequence[Average]) -> Iterator[str]:
    """Yield the lines of the mean differences to static over the treebanks, with intervals and tests."""
    yield "| | score | difference | 95 % interval | p | treebanks better (p < 0.05) | worse (p < 0.05) |"
    yield "|---|---|--:|---|--:|--:|--:|"
    for average in averages:
        for score in SCORES:
            found = average.scores[score]
            if found.delta is not None:
                title = score[:3].upper() + " without punctuation" * (score not in ("uas", "las"))
                yield f"| {average.regime} | {title} | {' | '.join(_difference(found))} |"


def _difference(found: AverageScore) -> Iterator[str]:
    yield f"{found.delta:+.2f}"
    if found.delta_low is None or found.delta_high is None:  # one treebank
        yield from ("", "")
    else:
        yield f"{found.delta_low:+.2f} to {found.delta_high:+.2f}"
        yield f"{found.p_value:.4f}"
    yield f"{found.better} ({found.significantly_better})"
    yield f"{found.worse} ({found.significantly_worse})"


def grid(rows: Sequence[RegimeRow], averages: Sequence[Average]) -> Iterator[str]:
    """Yield the lines of UAS for k and p, averaged over the treebanks, then of each treebank."""
    for system in dict.fromkeys(each.regime.system for each in averages):
        of_system = [each for each in averages if each.regime.system == system]
        yield from _grid_table(f"UAS, {system}, average of all treebanks", of_system)
        for name in dict.fromkeys(row.name for row in rows):
            of_treebank = [row for row in rows if row.name == name and row.regime.system == system]
            yield from _grid_table(f"UAS, {system}, {name}", of_treebank)


def _grid_table(heading: str, rows: Sequence[RegimeRow | Average]) -> Iterator[str]:
    probabilities = list(dict.fromkeys(row.regime.p for row in rows))
    values = {(row.regime.k, row.regime.p): row.scores["uas"].mean for row in rows}
    yield f"#### {heading}\n"
    yield f"| k | {' | '.join(f'p = {p:g}' for p in probabilities)} |"
    yield f"|--:|{'--:|' * len(probabilities)}"
    for k in dict.fromkeys(row.regime.k for row in rows):
        yield f"| {k} | {' | '.join(f'{values[k, p]:.2f}' for p in probabilities)} |"
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("treebanks", nargs="+", metavar="TREEBANK")
    parser.add_argument("--ud-home")
    parser.add_argument("--release")
    parser.add_argument("--system", action="append", default=[], metavar="S", help="repeatable")
    parser.add_argument("--oracle", action="append", default=[], metavar="R", help="repeatable")
    parser.add_argument("--unlabelled", action="store_true")
    parser.add_argument("--grid", action="store_true", help="try k = 0 to 5 and p = 0, .3, .6, .9")
    parser.add_argument("--k", type=int, help="iteration after which wrong predictions may be followed")
    parser.add_argument("--p", type=float, help="how often they are (2012: 1 - p)")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, help="default: 15, of easy-first 20")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--trainings", type=Path, required=True, metavar="FILE", help="keeps the trainings")
    asked = parser.parse_args()
    options = OracleOptions(
        systems=tuple(asked.system),
        oracles=tuple(asked.oracle),
        labelled=not asked.unlabelled,
        k=asked.k,
        p=asked.p,
        grid=asked.grid,
        iterations=asked.iterations,
        seeds=asked.seeds,
    )
    try:
        regimes_of(options)
        treebanks = [
            locate_treebank(name, ud_home=asked.ud_home, release=asked.release) for name in asked.treebanks
        ]
        trainings = train_all(treebanks, options, asked.jobs, asked.trainings)
    except InputError as error:
        sys.exit(str(error))
    rows = oracle_rows(treebanks, options, trainings)
    averages = average_rows(rows)
    if options.grid:
        print("\n".join(grid(rows, averages)))
        return
    for heading, settings, scores in SECTIONS:
        for line in section(heading, settings, scores, rows, averages):
            print(line)
    print("\n".join(differences(averages)))


if __name__ == "__main__":
    main()
