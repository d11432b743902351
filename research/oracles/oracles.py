"""The tables of research/oracles, as Markdown, from a finished run of `learnability oracles`.

    python research/oracles/oracles.py runs/oracles
    python research/oracles/oracles.py runs/oracles-grid

For a run with `--grid`: the averages of 2013, Figure 1, and the treebanks. For other runs: the labelled
tables, one section per paper, in the form of its table, treebanks in rows, then the differences to static
training over all treebanks. `*`: p < 0.05, `**`: after Holm's correction over the comparisons of the run as
well.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

Row = dict[str, str]

SECTIONS = (
    (
        "Goldberg & Nivre 2012, Table 2: arc-eager, without punctuation",
        [("arc-eager", oracle) for oracle in ("static", "ambiguity", "explore")],
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
    rows: list[Row],
    averages: list[Row],
) -> Iterator[str]:
    """Yield the lines of a table: for each score the settings in columns, the treebanks in rows."""
    yield f"#### {heading}\n"
    columns = [(score, *setting) for score in scores for setting in settings]
    names = [f"{score[:3].upper()} {system} {oracle}" for score, system, oracle in columns]
    yield f"| treebank | {' | '.join(names)} |"
    yield f"|---|{'--:|' * len(names)}"
    cells = {(treebank(row), row["system"], row["oracle"]): row for row in rows}
    for name in dict.fromkeys(map(treebank, rows)):
        values_of_row = [marked(cells[name, system, oracle], score) for score, system, oracle in columns]
        yield f"| {name} | {' | '.join(values_of_row)} |"
    mean = {(row["system"], row["oracle"]): row for row in averages}
    values = " | ".join(f"**{float(mean[system, oracle][score]):.2f}**" for score, system, oracle in columns)
    yield f"| **average** | {values} |\n"


def marked(row: Row, score: str) -> str:
    """Return a score with the mark of its difference to static."""
    p, corrected = row[f"{score}_p_value"], row[f"{score}_p_holm"]
    mark = "" if not p or float(p) >= 0.05 else r"\*\*" if float(corrected) < 0.05 else r"\*"
    return f"{float(row[score]):.2f}{mark}"


def differences(averages: list[Row]) -> Iterator[str]:
    """Yield the lines of the mean differences to static over the treebanks, with intervals and tests."""
    yield "| | score | difference | 95 % interval | p | treebanks better (p < 0.05) | worse (p < 0.05) |"
    yield "|---|---|--:|---|--:|--:|--:|"
    for row in averages:
        for score in ("uas", "las"):
            if not row[f"{score}_delta"]:
                continue
            delta, low, high = (
                float(row[f"{score}_{name}"]) for name in ("delta", "delta_low", "delta_high")
            )
            better, worse = (
                f"{row[f'{score}_{s}']} ({row[f'{score}_significantly_{s}']})" for s in ("better", "worse")
            )
            p = float(row[f"{score}_p_value"])
            yield (
                f"| {row['system']} {row['oracle']} | {score.upper()} | {delta:+.2f} "
                f"| {low:+.2f} to {high:+.2f} | {p:.4f} | {better} | {worse} |"
            )


def grid(rows: list[Row], averages: list[Row]) -> Iterator[str]:
    """Yield the lines of UAS for k and p, averaged over the treebanks and then per treebank."""
    probabilities = list(dict.fromkeys(row["p"] for row in averages))
    yield f"| k | {' | '.join(f'p = {float(p):g}' for p in probabilities)} |"
    yield f"|--:|{'--:|' * len(probabilities)}"
    mean = {(row["k"], row["p"]): f"{float(row['uas']):.2f}" for row in averages}
    for k in dict.fromkeys(row["k"] for row in averages):
        yield f"| {k} | {' | '.join(mean[k, p] for p in probabilities)} |"
    yield "\n| treebank | p = 0 | k = 1, p = 0.9 | highest | at | lowest with p > 0 | at | sd of seeds |"
    yield "|---|--:|--:|--:|---|--:|---|--:|"
    for name in dict.fromkeys(map(treebank, rows)):
        by_k_and_p = {(int(row["k"]), float(row["p"])): row for row in rows if treebank(row) == name}
        explored = [cell for cell in by_k_and_p if cell[1]]
        cells = [(0, 0.0), (1, 0.9)]
        line = [f"{float(by_k_and_p[cell]['uas']):.2f}" for cell in cells]
        for choose in (max, min):
            found = choose(explored, key=lambda cell: float(by_k_and_p[cell]["uas"]))
            line += [f"{float(by_k_and_p[found]['uas']):.2f}", f"k = {found[0]}, p = {found[1]:g}"]
        deviation = sum(float(row["uas_sd"]) for row in by_k_and_p.values()) / len(by_k_and_p)
        yield f"| {name} | {' | '.join(line)} | {deviation:.2f} |"


def treebank(row: Row) -> str:
    """Return name and release."""
    return f"{row['treebank']} {row['release']}".strip()


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    folder = Path(sys.argv[1])
    rows, averages = read(folder / "results.csv"), read(folder / "averages.csv")
    if any(row["p"] == "0.0" for row in rows):
        print("\n".join(grid(rows, averages)))
        return
    for heading, settings, scores in SECTIONS:
        print("\n".join(section(heading, settings, scores, rows, averages)))
    print("\n".join(differences(averages)))


if __name__ == "__main__":
    main()
