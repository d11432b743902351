"""The evidence of finished runs as text, CSV, JSON and HTML."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from learnability.experiments.columns import TABLE, Row, csv_bytes
from learnability.experiments.columns import Column as FileColumn
from learnability.experiments.comparison import (
    PAPER,
    Evidence,
    commitment,
    correlations,
    differences,
    gather,
    table_2,
    table_3,
)
from learnability.experiments.criteria import COMPARED_NAMES, CRITERIA, Criterion
from learnability.experiments.folder import FIGURES, REPORT
from learnability.experiments.joint import JointReport
from learnability.experiments.learning_curve import LearningCurve
from learnability.experiments.run_records import Record
from learnability.experiments.stored_runs import StoredCondition, run_of
from learnability.reports.comparison_figures import comparison_figures
from learnability.reports.figures import Figure
from learnability.reports.page import render, report_files
from learnability.reports.results import SYMBOL
from learnability.reports.text import Column, Table, console, counted, drawn, number, signed

DIFFERENCE_COLUMNS = (
    *("treebank", "release", "transform", "variant", "uas_delta", "uas_delta_low", "uas_delta_high"),
    *("p_value", "p_holm", "p_equal", "winner", "better", "decision"),
    *(criterion.pick_column for criterion in CRITERIA),
    *("multiref_original_share", "multiref_transformed_share"),
)
"""The columns of differences.csv: those of results.csv, then the run's folder."""


def tables(evidence: Evidence) -> list[Table]:
    """All tables, as they are printed and put into the page."""
    return [_table_2(evidence), _table_3(evidence), _figures(evidence), _correlations(evidence)]


def _table_2(evidence: Evidence) -> Table:
    return Table.of(
        "Table 2: how often UD wins",
        table_2(evidence),
        (
            ("transform", lambda w: w.transform),
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
        "difference of half a point or more is excluded.",
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
        ("conditions", str(d.conditions), str(PAPER["conditions"])),
        ("UD wins / alternative wins / ties", f"{d.ud_wins} / {d.alternative_wins} / {d.ties}",
         f"{PAPER['ud_wins']} / {PAPER['alternative_wins']} / –"),
        ("mean difference, UAS", f"{d.mean:+.2f}", f"{PAPER['mean_difference']:.2f}"),
        ("mean absolute difference", f"{d.mean_absolute:.2f}", ""),
        (f"largest difference ({d.largest_condition})", f"{d.largest:+.2f}",
         f"{PAPER['largest_difference']:.1f}"),
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


def remarks(evidence: Evidence) -> list[str]:
    """What a reader must know, one line each."""
    said = [f"{counted(evidence.without_data, 'condition')} without enough data: not counted"]
    if evidence.not_computed:
        said.append(f"{evidence.not_computed} conditions have sites but no score: not computed, or failed")
    if not any(len(c.seed_deltas) > 1 for c in evidence.conditions):
        said.append("one seed per scheme: without a second the noise of the winners is unknown")
    return [*said, *evidence.remarks]


def print_evidence(evidence: Evidence) -> None:
    """Print all tables for people."""
    on = console()
    for table in tables(evidence):
        on.print(drawn(table, framed=True, wraps=True, title="left"))
    for remark in remarks(evidence):
        on.print(remark, markup=False)


def as_json(evidence: Evidence) -> str:
    """Everything, unrounded."""
    value: dict[str, Any] = {
        "table_2": list(map(asdict, table_2(evidence))),
        "table_3": list(map(asdict, table_3(evidence))),
        "differences": asdict(differences(evidence)),
        "commitment": asdict(commitment(evidence)),
        "correlations": list(map(asdict, correlations(evidence))),
        "paper": PAPER,
        "without_data": evidence.without_data,
        "not_computed": evidence.not_computed,
        "remarks": remarks(evidence),
        "conditions": [_difference(c, seed_deltas=list(c.seed_deltas)) for c in evidence.conditions],
    }
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _difference(condition: StoredCondition, **more: Any) -> dict[str, Any]:
    row = {name: condition.row[name] for name in DIFFERENCE_COLUMNS}
    return {**row, **more, "run": str(condition.folder)}


def outputs(evidence: Evidence, out: Path | None = None) -> dict[str, bytes]:
    """The files of `compare --out`, by name; `out` is where they go, so that the page can link the runs."""
    figures = comparison_figures(evidence)
    return {
        "table2.csv": _csv(list(map(asdict, table_2(evidence)))),
        "table3.csv": _csv(list(map(asdict, table_3(evidence)))),
        "correlations.csv": _csv(list(map(asdict, correlations(evidence)))),
        "differences.csv": _csv(list(map(_difference, evidence.conditions))),
        **{name: data for figure in figures for name, data in figure.files().items()},
        "compare.json": as_json(evidence).encode(),
        "compare.html": _page(evidence, figures, out),
    }


def _csv(rows: Sequence[dict[str, Any]]) -> bytes:
    """Four decimals (p values six), empty where there is no value."""
    known = {column.name: column for column in TABLE}
    return csv_bytes([known.get(name, FileColumn(name)) for name in rows[0]], rows)


def comparison_files(
    rows: Sequence[Row],
    records: Sequence[Record],
    config: dict[str, Any],
    joint: JointReport | None = None,
    curves: Sequence[LearningCurve] = (),
) -> dict[str, bytes]:
    """report.html of a run over many treebanks: the page of `compare` over this run alone."""
    if all(row["uas_delta"] is None for row in rows):
        return report_files(rows, records, config, joint, curves)
    evidence = gather([run_of(Path(), config, rows, records)])
    figures = comparison_figures(evidence)
    files = {name: data for figure in figures for name, data in figure.files(f"{FIGURES}/").items()}
    return {REPORT: _page(evidence, figures), **files}


def _page(evidence: Evidence, figures: Sequence[Figure], out: Path | None = None) -> bytes:
    """The tables and figures as one self-contained page."""
    return render(
        "compare.html.jinja",
        tables=tables(evidence),
        remarks=remarks(evidence),
        treebanks=len({c.treebank for c in evidence.conditions}),
        conditions=len(evidence.conditions),
        figures=figures,
        runs=_runs(evidence, out),
        all_conditions=_condition_table(evidence),
        version=version("learnability"),
    )


def _condition_table(evidence: Evidence) -> Table:
    def picked(criterion: Criterion) -> Column[StoredCondition]:
        return criterion.heading, lambda c: SYMBOL[c.row[criterion.pick_column]]

    def interval(condition: StoredCondition) -> str:
        low, high = (condition.row[f"uas_delta_{end}"] for end in ("low", "high"))
        return f"{signed(low)} to {signed(high)}"

    return Table.of(
        "One row per treebank and transformation",
        evidence.conditions,
        (
            ("treebank", lambda c: c.treebank),
            ("transform", lambda c: c.transform),
            ("UAS UD", lambda c: number(c.row["uas_original"])),
            ("UAS alternative", lambda c: number(c.row["uas_transformed"])),
            ("difference", lambda c: signed(c.row["uas_delta"])),
            ("95 % interval", interval),
            ("p", lambda c: number(c.row["p_value"], ".4f")),
            ("p corrected", lambda c: number(c.row["p_holm"], ".4f")),
            ("better", lambda c: SYMBOL[c.row["better"]]),
            ("decision", lambda c: c.row["decision"]),
            *map(picked, CRITERIA),
        ),
        align="<<>>>>>>><>",
    )


def _runs(evidence: Evidence, out: Path | None) -> list[tuple[str, str, str]]:
    """The runs compared: what is in each, its folder, a relative link to its report (or nothing)."""
    runs = []
    for folder in dict.fromkeys(c.folder for c in evidence.conditions) if out is not None else ():
        names = dict.fromkeys(c.treebank for c in evidence.conditions if c.folder == folder)
        what = ", ".join(names) if len(names) < 4 else f"{len(names)} treebanks"
        report = folder / REPORT
        link = quote(Path(os.path.relpath(report, out)).as_posix()) if out and report.exists() else ""
        runs.append((what, str(folder), link))
    return runs
