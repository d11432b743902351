"""What finished runs say together, as text, CSV, JSON and a page."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from learnability.evidence.answers import TREEBANKS_DISAGREE
from learnability.evidence.columns import RESULTS, csv_bytes, result_values, row_values, scores_csv
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.panel import panel_csv
from learnability.evidence.stored_runs import run_of_rows
from learnability.evidence.survey import Construction, Evidence, gather
from learnability.metrics.scores import Score
from learnability.reports.content import RunContent
from learnability.reports.figures import Figure, forest
from learnability.reports.page import FIGURES, REPORT, render, report_files
from learnability.reports.panel import constructions_table, panel_figure, panel_table
from learnability.reports.results import BASES, interval, shown_side
from learnability.reports.text import (
    Table,
    TableCell,
    counted,
    estimate,
    in_words,
    json_text,
    listed,
    number,
    print_sentences,
    print_table,
    probability,
    shown,
    span,
    unbroken,
)
from learnability.reports.verdicts import few_seeds, reason
from learnability.statistics.significance import Side
from learnability.support.terminal import console

FEW = 5
"""Treebanks below which their mean says little of other ones."""


def verdict(construction: Construction, score: Score) -> str:
    """The decision on a construction over all treebanks, and why."""
    decision, row = construction.answer(score), construction.row
    if not construction.tested(score):
        return "not computed." if not decision else f"{decision}. No treebank has enough of it."
    said, mean = [f"{decision}."], construction.means[score, ComparisonKind.ANNOTATION]
    if decision == TREEBANKS_DISAGREE:
        ud, other = (", ".join(construction.ahead(side, score)) for side in (Side.UD, Side.ALTERNATIVE))
        said.append(f"{row.original} is ahead in {ud}, the alternative in {other}.")
    if mean.treebanks == 1:
        only = construction.tested(score)[0][0].treebank
        return " ".join([*said, *reason(row, score, f"In one treebank, {only}, ")])
    said += reason(row, score, f"In the mean over {mean.treebanks} treebanks ")
    if mean.treebanks < FEW:
        count = in_words(mean.treebanks).capitalize()
        said.append(f"{count} treebanks hardly tell how much treebanks differ, so the interval is wide.")
    return " ".join([*said, _heterogeneity(construction, score)])


def _heterogeneity(construction: Construction, score: Score) -> str:
    """Whether the treebanks differ by more than their errors, and where another one may be."""
    mean = construction.means[score, ComparisonKind.ANNOTATION]
    figures = f"τ {number(mean.tau)} points, I² {number(mean.i2 and 100 * mean.i2, '.0f', ' %')}"
    if mean.p_homogeneous is None or mean.p_homogeneous >= 0.05:
        return f"No differences between treebanks are shown beyond the errors of measuring ({figures})."
    said = f"Treebanks differ by more than the errors of measuring ({figures})"
    if mean.expected_low is None or mean.expected_high is None:
        return f"{said}."
    expected = span(mean.expected_low, mean.expected_high)
    return f"{said}: in another treebank a difference of {expected} is to be expected."


def verdicts(evidence: Evidence) -> list[tuple[str, str, str]]:
    """Name, verdict and side (for the page) of each construction and score."""
    return [
        (name, unbroken(verdict(c, score)), _shown(c.row.difference(score)))
        for name, c, score in evidence.scored()
    ]


def _shown(difference: Difference | None) -> str:
    return (difference and difference.better) or ""


def tables(evidence: Evidence) -> list[Table]:
    """All tables, as they are printed and put into the page, the decisions first."""
    made = [_decisions(evidence), _treebanks(evidence), _means(evidence), _families(evidence)]
    judged = evidence.panels()
    if judged:
        made += [constructions_table(judged), panel_table(judged), _agreement(evidence)]
    return [table for table in made if table.rows]


def _agreement(evidence: Evidence) -> Table:
    agreement = evidence.agreement()
    scores = {row["score"] for row in agreement}
    return Table(
        "How far the judges agree",
        ("judge", "with", "conditions", "same\nsign", "clear", "same\nside", "rank\ncorrelation"),
        tuple(
            (
                f"{row['parser']} {row['score'].upper()}" if len(scores) > 1 else row["parser"],
                row["other"],
                str(row["conditions"]),
                number(row["same_sign"], ".0f", " %"),
                str(row["clear"]),
                number(row["same_side"], ".0f", " %"),
                number(row["rank_correlation"]),
            )
            for row in agreement
        ),
        "Conditions: treebanks and constructions in which both were tested. Same sign: of the differences. "
        "Clear: in which both show a side to be ahead, and same side: how often it is the same one. The "
        "others: the mean of their differences, and the side of their panel (more than half for it, none for "
        "the other side). Criteria are held against all judges in the same way.",
        "<<>",
    )


def _decisions(evidence: Evidence) -> Table:
    sides, ud = (Side.UD, Side.ALTERNATIVE, Side.EQUAL, Side.NONE), evidence.original
    rows = tuple(
        (
            name,
            c.answer(score) or "not computed",
            str(counts.total()),
            " / ".join(str(counts[side]) for side in sides) if counts else "",
            str(c.without_data),
            interval(c.row.difference(score)),
            interval(c.row.difference(score, ComparisonKind.CONVERTED)),
        )
        for name, c, score in evidence.scored()
        for counts in [c.sides(score)]
    )
    judges = Counter(c.row.parser for c in evidence.conditions)
    of_judge = " of its judge" if len(judges) > 1 else ""
    compared = "conditions of its judge" if of_judge else counted(len(evidence.conditions), "condition")
    several = Counter(c.row.parser for c in evidence.constructions if len(c.conditions) > 1)
    means = "means" + of_judge if of_judge else counted(several.total(), "mean")
    means = means if several else "these conditions"
    note = (
        f"n: treebanks. {ud} / alt / equal / open: those in which {ud} or the alternative is ahead by itself "
        f"(p < 0.05 after correction for the {compared}; not by punctuation alone), in which half a point or "
        "more is excluded, and in which nothing is shown. No data: too little to be tested. "
        f"Mean: {ud} minus alternative, each against its own reference, over treebanks (random effects); of "
        f"one treebank its own. *: p < 0.05 after correction for {means}. "
        "Converted to UD: the same against UD's trees."
    )
    return Table(
        "What the treebanks say together",
        (
            *("construction", "answer", "n", f"{ud} / alt /\nequal / open", "no\ndata"),
            *("mean\n± 95 %", "converted\nto UD"),
        ),
        rows,
        " ".join([note, *_same_language(evidence)]),
        "<<>",
    )


def _same_language(evidence: Evidence) -> list[str]:
    """That treebanks of one language are not independent, where there are some."""
    of: dict[str, set[str]] = {}
    for c in evidence.conditions:
        of.setdefault(c.language, set()).add(c.treebank)
    several = [f"{language.replace('_', ' ')} ({len(own)})" for language, own in of.items() if len(own) > 1]
    if not several:
        return []
    return [
        f"Several treebanks are of one language: {', '.join(several)}. They are not independent, but are "
        "weighed as if they were, so intervals are narrower than they should be."
    ]


def _treebanks(evidence: Evidence) -> Table:
    """The conditions by construction; the mean of several treebanks stands below them."""
    rows: list[tuple[str | TableCell, ...]] = []
    for name, construction, score in evidence.scored():
        lines = [(c.treebank, c.row) for c, _ in construction.tested(score)]
        if len(lines) > 1:
            lines.append((f"mean of {len(lines)}", construction.row))
        rows += [
            (
                *(name, label, row.answer(score)),
                *(interval(row.difference(score, basis)) for basis in ComparisonKind),
            )
            for label, row in lines
        ]
    return Table(
        "By treebank",
        ("construction", "treebank", "answer", *(BASES[basis] for basis in ComparisonKind)),
        tuple(rows),
        f"Differences, {evidence.original} minus alternative, ± 95 %, by what the heads of parses are held "
        "against. Between nuclei: arcs between phrases (not defined with cc, conj, punct). "
        "Converted to UD: against UD's trees. Closest "
        "reference: against the nearest mixture of both annotations; it decides nothing.",
        "<<<>",
        groups=[row[0] for row in rows],
    )


def _means(evidence: Evidence) -> Table:
    rows = tuple(
        (
            *(name, BASES[basis], str(mean.treebanks), interval(difference)),
            shown_side(c.row, difference.better),
            number(mean.tau),
            number(mean.i2 and 100 * mean.i2, ".0f", " %"),
            span(mean.expected_low, mean.expected_high),
            probability(difference.p_holm),
        )
        for name, c, score in evidence.scored()
        for basis, difference in c.row.by_comparison(score).items()
        if (mean := c.means.get((score, basis))) is not None
    )
    return Table(
        "Means on every ground",
        ("construction", "scored", "n", "mean\n± 95 %", "shows", "τ", "I²", "to be\nexpected", "p\nHolm"),
        rows,
        "n: treebanks. τ: standard deviation of the treebanks' own differences, in points. I²: the share of "
        "what differs between treebanks that is not error of measuring. To be expected: where the difference "
        "of another treebank lies in 95 % of the cases. p is corrected for the constructions that "
        "have several treebanks; of one treebank it is that of the condition.",
        "<<>",
        groups=[row[0] for row in rows],
    )


def _families(evidence: Evidence) -> Table:
    rows: list[tuple[str | TableCell, ...]] = []
    for name, c, score in evidence.scored():
        means, p_value = c.families(score)
        if len(means) < 2 or max(mean.treebanks for mean in means.values()) < 2:
            continue
        for i, (family, mean) in enumerate(means.items()):
            spread = str(estimate(mean.mean, mean.low, mean.high))
            rows.append((name, family, str(mean.treebanks), spread, "" if i else probability(p_value)))
    return Table(
        "By family of languages",
        ("construction", "family", "treebanks", "mean\n± 95 %", "p of no difference\nbetween families"),
        tuple(rows),
        "Of Indo-European languages the branch. Each mean is over the treebanks of the family; of one "
        "treebank it is its own difference, and of two or three it says little. Constructions without a "
        "family of several treebanks are left out. p: analysis of variance, treebanks weighed as in the mean "
        "of all; it is not corrected.",
        "<<>",
        groups=[row[0] for row in rows],
    )


def remarks(evidence: Evidence) -> list[str]:
    """What a reader must know, one line each."""
    said = []
    if evidence.without_data:
        said.append(f"{counted(evidence.without_data, 'condition')} without enough data: not counted")
    if evidence.not_computed:
        said.append(f"{evidence.not_computed} conditions have sites but no score: not computed, or failed")
    seeds = {c.row.seeds for c in evidence.conditions if c.row.seeds}
    runs = "these runs" if len(seeds) == 1 else "some of these runs"
    return [*said, *evidence.remarks, *(few_seeds(min(seeds), runs) if seeds else ())]


@dataclass(frozen=True)
class Supplement:
    """What is shown beside: tables under a heading, figures, values for JSON, and rows of CSV files."""

    heading: str
    tables: Sequence[Table]
    figures: Sequence[Figure]
    values: Mapping[str, Any]
    files: Mapping[str, Sequence[Mapping[str, Any]]]


def print_evidence(evidence: Evidence, supplement: Supplement | None = None) -> None:
    """Print all of it for people."""
    on = console()
    first, by_treebank, *others = tables(evidence)
    print_table(first, on, "bold", tight=True)
    on.print()
    print_sentences([f"{name}: {said}" for name, said, _ in verdicts(evidence)])
    if on.width < 120:  # its eight columns would be too narrow to read
        note = (
            f"Differences, {evidence.original} minus alternative, ± 95 %. "
            "--json and --out have every score of each treebank."
        )
        by_treebank = replace(by_treebank.only([0, 1, 2, 3, 6]), note=note)  # what decisions rest on most
    for table in (by_treebank, *others, *(supplement.tables if supplement else ())):
        on.print()
        print_table(table, on, "bold", tight=True)
    on.print()
    print_sentences(remarks(evidence))


def as_json(evidence: Evidence, supplement: Supplement | None = None) -> str:
    """Everything, unrounded."""
    runs = run_names([c.folder for c in evidence.conditions])
    value: dict[str, Any] = {
        "constructions": [
            {
                "construction": c.row.title,
                "score": str(score),
                "answer": c.answer(score),
                "verdict": verdict(c, score),
                "treebanks": len(c.tested(score)),
                "shown": {
                    side: c.sides(score)[side] for side in (Side.UD, Side.ALTERNATIVE, Side.EQUAL, Side.NONE)
                },
                "without_data": c.without_data,
                "not_computed": c.not_computed,
            }
            for _, c, score in evidence.scored()
        ],
        "means": evidence.means(),
        "families": evidence.families(),
        **({"agreement": agreement} if (agreement := evidence.agreement()) else {}),
        **({"parsers": [own.values() for own in judged]} if (judged := evidence.panels()) else {}),
        **(supplement.values if supplement else {}),
        "remarks": remarks(evidence),
        "conditions": [
            {
                **row_values(c.row),
                "family": c.family,
                "run": runs[c.folder],
                "seed_deltas": list(c.seed_deltas),
            }
            for c in evidence.conditions
        ],
    }
    return json_text(value)


def _differences_csv(evidence: Evidence) -> bytes:
    """The conditions that were tested, with the columns of results.csv, the family and the run of each."""
    runs = run_names([c.folder for c in evidence.conditions])
    rows = [{**result_values(c.row), "family": c.family, "run": runs[c.folder]} for c in evidence.conditions]
    return csv_bytes([*RESULTS, FileColumn("family", "text"), FileColumn("run", "text")], rows)


def run_names(folders: Sequence[Path]) -> dict[Path, str]:
    """What the runs are called: their paths from the folder that has them all, wherever that is."""
    absolute = {folder: Path(os.path.abspath(folder)) for folder in folders}
    above = os.path.commonpath([folder.parent for folder in absolute.values()])
    return {folder: own.relative_to(above).as_posix() for folder, own in absolute.items()}


def figures(evidence: Evidence) -> list[Figure]:
    """By score a forest plot of the constructions, then one of the treebanks of each construction."""
    made = [panel_figure(judged)] if (judged := evidence.panels()) else []
    for score in Score:
        own = [c for c in evidence.constructions if c.tested(score)]
        if own:
            made.append(_constructions_figure(own, score))
        made += [_treebanks_figure(c, score) for c in own if len(c.tested(score)) > 1]
    return made


def _constructions_figure(constructions: Sequence[Construction], score: Score) -> Figure:
    compared = [(c.row.title, c.row.difference(score)) for c in constructions]
    rows = [(name, difference) for name, difference in compared if difference is not None]
    data = Table(
        f"The constructions, {score.upper()}",
        ("construction", "treebanks", *_ESTIMATES),
        tuple(
            (name, str(len(c.tested(score))), *_estimate(difference))
            for c, (name, difference) in zip(constructions, rows, strict=True)
        ),
        "The mean difference of each construction over its treebanks with its 95 % interval, "
        f"{_read(constructions[0])} Of one treebank it is its own. A filled marker: shown, after Holm's "
        "correction.",
    )
    return forest(f"{score}_constructions", data, rows, score.upper(), constructions[0].row.original)


def _treebanks_figure(construction: Construction, score: Score) -> Figure:
    name, mean = construction.row.title, construction.means[score, ComparisonKind.ANNOTATION]
    tested = sorted(construction.tested(score), key=lambda own: -own[1].delta)
    own = construction.row.difference(score)
    assert own is not None
    label = f"mean of {len(tested)}"
    data = Table(
        f"{name} by treebank, {score.upper()}",
        ("treebank", "family", *_ESTIMATES),
        (*((c.treebank, c.family, *_estimate(d)) for c, d in tested), (label, "", *_estimate(own))),
        f"The difference in each treebank with its 95 % interval, {_read(construction)} "
        "A filled marker: shown, after Holm's correction. "
        "The diamond is the mean, as wide as its interval; a "
        "thin line through it reaches as far as the difference of another treebank may be expected (95 %).",
    )
    expected = None
    if mean.expected_low is not None and mean.expected_high is not None:
        expected = (mean.expected_low, mean.expected_high)
    rows = [(c.treebank.removeprefix("UD_"), d) for c, d in tested]
    slug, side = re.sub(r"[^\w-]+", "-", name), construction.row.original
    return forest(f"{score}_{slug}", data, rows, score.upper(), side, mean=(label, own), expected=expected)


_ESTIMATES = ("delta", "delta_low", "delta_high", "better")


def _read(construction: Construction) -> str:
    ud = construction.row.original
    return f"in points: right of the line {ud} is easier, left of it the alternative."


def _estimate(difference: Difference) -> list[str | TableCell]:
    return [shown(v) for v in (difference.delta, difference.low, difference.high, difference.better)]


def outputs(
    evidence: Evidence, out: Path | None = None, supplement: Supplement | None = None
) -> dict[str, bytes]:
    """Return the files of `compare --out`, by name; the page links runs from `out`, where they go."""
    drawn_figures = figures(evidence)
    files: dict[str, Sequence[Mapping[str, Any]]] = {
        "means": evidence.means(),
        "families": evidence.families(),
        "agreement": evidence.agreement(),
        **(supplement.files if supplement else {}),
    }
    judged = evidence.panels()
    every_figure = [*drawn_figures, *(supplement.figures if supplement else ())]
    return {
        **{
            f"{name}.csv": csv_bytes(list(map(FileColumn, rows[0])), rows)
            for name, rows in files.items()
            if rows
        },
        **({"parsers.csv": panel_csv(judged)} if judged else {}),
        "differences.csv": _differences_csv(evidence),
        "scores.csv": scores_csv([c.row for c in evidence.conditions]),
        **{name: data for figure in every_figure for name, data in figure.files().items()},
        "compare.json": as_json(evidence, supplement).encode(),
        "compare.html": _page(evidence, drawn_figures, supplement, out),
    }


def comparison_files(
    content: RunContent, supplement_of: Callable[[Evidence], Supplement] | None = None
) -> dict[str, bytes]:
    """Return report.html of a run over many treebanks: what they say together.

    It is the report of a single run if nothing was tested.

    Args:
        content: of the run.
        supplement_of: what is shown beside, where the runs compare with UD.
    """
    if not any(row.tested for row in content.rows):
        return report_files(content)
    evidence = gather([run_of_rows(Path(), content.config, content.design, content.rows, content.records)])
    supplement = supplement_of(evidence) if supplement_of and evidence.original == "UD" else None
    drawn_figures = figures(evidence)
    files: dict[str, bytes] = {}
    for figure in (*drawn_figures, *(supplement.figures if supplement else ())):
        files |= figure.files(f"{FIGURES}/")
    return {REPORT: _page(evidence, drawn_figures, supplement), **files}


def _page(
    evidence: Evidence,
    drawn_figures: Sequence[Figure],
    supplement: Supplement | None,
    out: Path | None = None,
) -> bytes:
    """Return verdicts, tables and figures as one self-contained page."""
    answers, by_treebank, *others = tables(evidence)
    return render(
        "compare.html.jinja",
        original=evidence.original,
        answers=answers,
        verdicts=verdicts(evidence),
        figures=drawn_figures,
        tables=others,
        supplement=supplement,
        by_treebank=by_treebank,
        remarks=remarks(evidence),
        treebanks=counted(len({c.treebank for c in evidence.conditions}), "treebank"),
        conditions=counted(len({(c.treebank, c.row.name) for c in evidence.conditions}), "condition"),
        runs=_runs(evidence, out) if out is not None else [],
        version=version("learnability"),
    )


def _runs(evidence: Evidence, out: Path) -> list[tuple[str, str, str]]:
    """The runs compared: what is in each, what it is called, a relative link to its report (or nothing)."""
    runs = []
    for folder, name in run_names([c.folder for c in evidence.conditions]).items():
        what = listed(
            dict.fromkeys(c.treebank for c in evidence.conditions if c.folder == folder), "treebank"
        )
        report = folder / REPORT
        link = quote(Path(os.path.relpath(report, out)).as_posix()) if report.exists() else ""
        runs.append((what, name, link))
    return runs
