"""What finished runs say together, as text, CSV, JSON and a page."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from learnability.evidence.answers import TREEBANKS_DISAGREE
from learnability.evidence.columns import RESULTS, csv_bytes, result_values, row_values, scores_csv
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.differences import ComparisonKind, Difference
from learnability.evidence.estimates import COLUMNS as ESTIMATED
from learnability.evidence.estimates import Estimate, Estimates, estimates
from learnability.evidence.panel import panel_csv
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import StoredCondition, run_of_rows
from learnability.evidence.survey import Construction, Evidence, gather
from learnability.metrics.scores import Score
from learnability.reports.content import RunContent
from learnability.reports.figures import Figure, forest
from learnability.reports.page import FIGURES, REPORT, render, report_files
from learnability.reports.panel import constructions_table, panel_figure, panel_table
from learnability.reports.results import BASES, SHORT, interval
from learnability.reports.text import (
    Table,
    TableCell,
    counted,
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
from learnability.reports.verdicts import ahead, few_seeds, reason, side_names, treebanks_few
from learnability.statistics.significance import Side
from learnability.support.terminal import console

FEW = 5
"""Treebanks below which their mean says little of other ones."""


def verdict(construction: Construction, score: Score, *, meaning: bool = False) -> str:
    """Return the answer for a construction over all treebanks, and its evidence.

    `meaning`: also say how many words a point is.
    """
    answer, row = construction.answer(score), construction.row
    if not construction.tested(score):
        return "not computed." if not answer else f"{answer}. No treebank has enough examples."
    sentences, mean = [f"{answer}."], construction.means[score, ComparisonKind.ANNOTATION]
    if answer == TREEBANKS_DISAGREE:
        ud, other = (", ".join(construction.ahead(side, score)) for side in (Side.UD, Side.ALTERNATIVE))
        sentences.append(f"{row.original} is ahead in {ud}, the alternative in {other}.")
    if mean.treebanks == 1:
        only = construction.tested(score)[0][0].treebank
        return " ".join([*sentences, *reason(row, score, where=f"In one treebank, {only}", meaning=meaning)])
    where = f"On average over {mean.treebanks} treebanks"
    sentences += reason(row, score, where=where, meaning=meaning)
    if mean.treebanks < FEW:
        return " ".join([*sentences, treebanks_few(mean.treebanks)])
    return " ".join([*sentences, _heterogeneity(construction, score)])


def _heterogeneity(construction: Construction, score: Score) -> str:
    """Return whether the results vary between treebanks, and where that of another treebank may lie."""
    mean = construction.means[score, ComparisonKind.ANNOTATION]
    if mean.p_homogeneous is None or mean.p_homogeneous >= 0.05:
        return "The treebanks do not differ clearly from each other."
    if mean.expected_low is None or mean.expected_high is None:
        return "Results really do vary between treebanks."
    names = {**side_names(construction.row), Side.ALTERNATIVE: "the alternative"}
    reach = [ahead(value, names) for value in (mean.expected_high, mean.expected_low)]
    return f"Results really do vary between treebanks: expect {reach[0]} to {reach[1]} in another one."


def verdicts(evidence: Evidence) -> list[tuple[str, str, str]]:
    """Return name, answer with evidence, and side (for the page) of each construction and score."""
    scored = evidence.scored()
    first = next((c for _, c, score in scored if c.tested(score)), None)
    return [
        (name, unbroken(verdict(c, score, meaning=c is first)), _shown(c.row.difference(score)))
        for name, c, score in scored
    ]


def _shown(difference: Difference | None) -> str:
    return (difference and difference.better) or ""


def tables(evidence: Evidence) -> list[Table]:
    """Return all tables, as they are printed and put into the page, the answers first."""
    made = [_answers(evidence), _treebanks(evidence), _means(evidence), _families(evidence)]
    judged = evidence.panels()
    if judged:
        made += [constructions_table(judged), panel_table(judged), _agreement(evidence)]
    return [table for table in made if table.rows]


def _agreement(evidence: Evidence) -> Table:
    agreement = evidence.agreement()
    scores = {row["score"] for row in agreement}
    return Table(
        "How far the parsers agree",
        ("parser", "with", "conditions", "same\nsign", "clear", "same\nside", "rank\ncorrelation"),
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
        "Conditions: treebanks and constructions in which both were tested. Same sign: how often the "
        "same side "
        "scores higher. Clear: conditions in which both find a side clearly ahead; same side: how often "
        "it is "
        "the same side. The others: the mean of their differences, and the side that more than half of them "
        "favour if none opposes it. The indirect indicators are compared with all parsers in the same way.",
        "<<>",
    )


def _answers(evidence: Evidence) -> Table:
    sides, ud = (Side.UD, Side.ALTERNATIVE, Side.EQUAL, Side.NONE), evidence.original
    rows = tuple(
        (
            name,
            c.answer(score) or "not computed",
            " / ".join(str(counts[side]) for side in sides) if counts else "",
            interval(c.row.difference(score), c.row),
            interval(c.row.difference(score, ComparisonKind.CONVERTED), c.row, brief=True),
        )
        for name, c, score in evidence.scored()
        for counts in [c.sides(score)]
    )
    note = (
        f"Treebanks: those in which {ud} is clearly ahead, the alternative is, neither is (under half a "
        "point), "
        "and those that are open; each taken alone. Mean difference over treebanks in points, with the side "
        "that is ahead and its interval; *: the difference is clear (the interval excludes 0)."
    )
    return Table(
        f"{counted(len({c.treebank for c in evidence.conditions}), 'treebank')} together",
        (
            *("construction", "answer", f"treebanks\n{ud} / alt. /\nequal / open"),
            *("mean difference in\ncorrect heads", "converted\nback to UD"),
        ),
        rows,
        " ".join([note, *_same_language(evidence)]),
        "<",
    )


def _same_language(evidence: Evidence) -> list[str]:
    """Return that treebanks of one language are not independent, where there are some."""
    of: dict[str, set[str]] = {}
    for c in evidence.conditions:
        of.setdefault(c.language, set()).add(c.treebank)
    several = [f"{language.replace('_', ' ')} ({len(own)})" for language, own in of.items() if len(own) > 1]
    if not several:
        return []
    return [
        f"Some languages have several treebanks: {', '.join(several)}. They are not independent, so the "
        "intervals are narrower than they should be."
    ]


def _treebanks(evidence: Evidence) -> Table:
    """Return the treebanks by construction, with the mean of several below them."""
    rows: list[tuple[str | TableCell, ...]] = []
    known = estimates(evidence)
    for name, construction, score in evidence.scored():
        lines = [(c.treebank, c.row) for c, _ in construction.tested(score)]
        if len(lines) > 1:
            lines.append((f"mean of {len(lines)}", construction.row))
        rows += [
            (
                *(name, label, row.answer(score)),
                *(interval(row.difference(score, comparison), row) for comparison in ComparisonKind),
                _given_all(known.get((label, construction.row.title, score)), row),
            )
            for label, row in lines
        ]
    return Table(
        "By treebank",
        (
            *("construction", "treebank", "answer"),
            *(BASES[comparison] for comparison in ComparisonKind),
            "given all\ntreebanks",
        ),
        tuple(rows),
        "Differences in points, with the side that is ahead and the interval. Between phrases: not defined "
        "with cc, conj, punct. Best of both: compared with the mixture of both annotations to which a "
        "parse is "
        "closest; the answer does not use it. Given all treebanks: the difference of the treebank, estimated "
        "from its own measurement and those of all others, with its 95 % interval.",
        "<",
        groups=[row[0] for row in rows],
    )


def _given_all(estimate: Estimate | None, row: ComparisonRow) -> str:
    """Return the estimate of a difference given those of all treebanks, with its interval."""
    if estimate is None or estimate.given_all is None:
        return ""
    found, names = estimate.given_all, {**side_names(row), Side.ALTERNATIVE: SHORT}
    return f"{ahead(found.delta, names)} ± {(found.high - found.low) / 2:.1f}"


def false_discoveries(evidence: Evidence) -> list[str]:
    """Return how many differences are clear at a false discovery rate of 5 %, where several are compared."""
    sentences = []
    known = estimates(evidence)
    for score in Score:
        of_score = [estimate for (*_, by), estimate in known.items() if by is score]
        if len(of_score) > 1 and len({c.treebank for c in evidence.conditions}) > 1:
            clear = sum(estimate.clear for estimate in of_score)
            sentences.append(
                f"{clear} of {len(of_score)} differences in {score.upper()} are clear if we accept that one "
                "in twenty clear ones is a false alarm (false discovery rate, over all treebanks)."
            )
    return sentences


def _means(evidence: Evidence) -> Table:
    rows = tuple(
        (
            *(name, BASES[basis], str(mean.treebanks), interval(difference, c.row)),
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
        "Means of every comparison",
        (
            "construction",
            "comparison",
            "n",
            "mean difference",
            "τ",
            "I²",
            "in another\ntreebank",
            "p\n(Holm)",
        ),
        rows,
        "n: treebanks. τ: standard deviation of the true differences between treebanks, in points. I²: "
        "share of "
        "the variance between treebanks that is not measurement error. In another treebank: the range of its "
        "difference, UD minus alternative, in 95 % of the cases. p (Holm): adjusted for the "
        "constructions with "
        "several treebanks; with one treebank it is the p value of that treebank.",
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
            half = (mean.high - mean.low) / 2
            spread = f"{ahead(mean.mean, {**side_names(c.row), Side.ALTERNATIVE: SHORT})} ± {half:.1f}"
            rows.append((name, family, str(mean.treebanks), spread, "" if i else probability(p_value)))
    return Table(
        "By family of languages",
        ("construction", "family", "treebanks", "mean difference", "p of no difference\nbetween families"),
        tuple(rows),
        "For Indo-European languages: the branch. Mean difference ± 95 %, over the treebanks of the "
        "family; a "
        "mean of two or three treebanks says little. Constructions without a family of several treebanks are "
        "left out. p: analysis of variance with the weights of the overall mean, not corrected.",
        "<<>",
        groups=[row[0] for row in rows],
    )


def changes_of_answers(evidence: Evidence) -> list[str]:
    """Return one sentence for each treebank whose answer differs from that of its run."""
    return [
        f'{change.treebank} {change.construction}: was "{change.before}" in its run, is '
        f'"{change.after}" here; changes because {change.comparisons} comparisons are now allowed for.'
        for change in evidence.changed
    ]


def remarks(evidence: Evidence) -> list[str]:
    """Return what limits the comparison, one line each."""
    found = []
    if evidence.without_data:
        found.append(f"Left out: {counted(evidence.without_data, 'condition')} with too few examples.")
    if evidence.not_computed:
        found.append(
            f"Left out: {counted(evidence.not_computed, 'condition')} without scores (not computed, or "
            "failed)."
        )
    whole = [c for c in evidence.conditions if c.row.tests_all_places]
    if whole and len(whole) < len(evidence.conditions):
        found.append(
            f"{len(whole)} of {len(evidence.conditions)} differences are about whole treebanks, the others "
            "about test sets."
        )
    found += false_discoveries(evidence)
    seeds = {c.row.seeds for c in evidence.conditions if c.row.seeds}
    return [*found, *evidence.remarks, *(few_seeds(min(seeds)) if seeds else ())]


@dataclass(frozen=True)
class Supplement:
    """What is shown beside: tables under a heading, figures, values for JSON, and rows of CSV files."""

    heading: str
    tables: Sequence[Table]
    figures: Sequence[Figure]
    values: Mapping[str, Any]
    files: Mapping[str, Sequence[Mapping[str, Any]]]


def print_evidence(
    evidence: Evidence, supplement: Supplement | None = None, *, details: bool = False
) -> None:
    """Print the answers, and with `details` every comparison."""
    on = console()
    first, by_treebank, *others = tables(evidence)
    print_table(first, on, "bold", tight=True)
    on.print()
    print_sentences([f"{name}: {text}" for name, text, _ in verdicts(evidence)])
    print_sentences(changes_of_answers(evidence))
    if not details:
        note = "--details shows every comparison; --json and --out have every score of each treebank."
        by_treebank = replace(by_treebank.only([0, 1, 2, 3, 6]), note=note)
    for table in (by_treebank, *(others if details else ()), *(supplement.tables if supplement else ())):
        on.print()
        print_table(table, on, "bold", tight=True)
    on.print()
    print_sentences(remarks(evidence))


def as_json(evidence: Evidence, supplement: Supplement | None = None) -> str:
    """Everything, unrounded."""
    runs = run_names([c.folder for c in evidence.conditions])
    known = estimates(evidence)
    value: dict[str, Any] = {
        "constructions": [
            {
                "construction": c.row.title,
                "score": str(score),
                "answer": c.answer(score),
                "sentences": verdict(c, score),
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
        "changed": [asdict(change) for change in evidence.changed],
        "remarks": remarks(evidence),
        "conditions": [
            {
                **row_values(c.row),
                "family": c.family,
                "run": runs[c.folder],
                "seed_deltas": list(c.seed_deltas),
                **_estimated(known, c),
            }
            for c in evidence.conditions
        ],
    }
    return json_text(value)


def _differences_csv(evidence: Evidence) -> bytes:
    """Return the tested conditions as CSV, with the columns of results.csv, family, run and estimates."""
    runs = run_names([c.folder for c in evidence.conditions])
    known = estimates(evidence)
    rows = [
        {
            **result_values(c.row),
            "family": c.family,
            "run": runs[c.folder],
            **_estimated(known, c),
        }
        for c in evidence.conditions
    ]
    estimated = [FileColumn(name, "number") for name in ESTIMATED]
    return csv_bytes([*RESULTS, FileColumn("family", "text"), FileColumn("run", "text"), *estimated], rows)


def _estimated(known: Estimates, condition: StoredCondition) -> dict[str, float | None]:
    """Return what other treebanks add to the difference of a condition."""
    estimate = known.get((condition.treebank, condition.construction, Score.UAS))
    return dict.fromkeys(ESTIMATED) if estimate is None else estimate.columns()


def run_names(folders: Sequence[Path]) -> dict[Path, str]:
    """Return the names of runs: their paths from the folder that contains them all."""
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
    """Return each run's content, its name, and a relative link to its report (or nothing)."""
    runs = []
    for folder, name in run_names([c.folder for c in evidence.conditions]).items():
        what = listed(
            dict.fromkeys(c.treebank for c in evidence.conditions if c.folder == folder), "treebank"
        )
        report = folder / REPORT
        link = quote(Path(os.path.relpath(report, out)).as_posix()) if report.exists() else ""
        runs.append((what, name, link))
    return runs
