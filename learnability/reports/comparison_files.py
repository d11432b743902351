"""Write what finished runs say together as CSV, JSON, figures and a page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from learnability.evidence.all_parsers import all_parsers_csv
from learnability.evidence.columns import RESULTS, result_values, row_values, scores_csv
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.questions import Question
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredPair
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.reports.comparison_tables import (
    COUNTED,
    combine_treebanks,
    leave_out_statistics,
    remarks,
    tables,
    verdict,
    verdicts,
)
from learnability.reports.figures import Figure, axis_of, forest
from learnability.reports.page import FIGURES, REPORT, report_files
from learnability.reports.paths import link_names
from learnability.reports.rendering import render
from learnability.reports.story import RunStory, describe_annotation
from learnability.reports.text import Table, TableCell, format_cell, join_names, json_text
from learnability.support.nouns import count_noun
from learnability.support.values import JsonObject


def _construction_json(c: Construction, score: Score) -> JsonObject:
    return {
        "construction": c.row.title,
        "score": str(score),
        **{str(question): c.row.name_answer(question, score) for question in Question},
        **{f"{question}_reason": c.row.answered(question, score).reason for question in Question},
        "sentences": verdict(c, score),
        "treebanks": len(c.list_tested(score)),
        "shown": {str(answer.side): c.answers(score)[answer] for answer in COUNTED},
        "without_data": c.without_data,
        "not_computed": c.not_computed,
    }


def as_json(evidence: Evidence) -> str:
    """Return everything, unrounded."""
    runs = run_names([c.folder for c in evidence.pairs])
    value: JsonObject = {
        "constructions": [_construction_json(c, score) for _, c, score in evidence.list_scored()],
        "means": evidence.means(),
        **(
            {"parsers": [all_parsers.values() for all_parsers in pairs]}
            if (pairs := evidence.combine_parsers())
            else {}
        ),
        "remarks": remarks(evidence),
        "differences": [pair_values(c, runs) for c in evidence.pairs],
    }
    return json_text(value)


def pair_values(pair: StoredPair, runs: Mapping[Path, str]) -> JsonObject:
    return {**row_values(pair.row), "family": pair.family, "run": runs[pair.folder]}


def _differences_csv(evidence: Evidence) -> bytes:
    runs = run_names([c.folder for c in evidence.pairs])
    columns = [*RESULTS, FileColumn("family", "text"), FileColumn("run", "text")]
    rows = [{**result_values(c.row), "family": c.family, "run": runs[c.folder]} for c in evidence.pairs]
    return FileColumn.csv(columns, rows)


def run_names(folders: Sequence[Path]) -> dict[Path, str]:
    """Return the names of runs: their paths from the folder that contains them all."""
    absolute = {folder: Path(os.path.abspath(folder)) for folder in folders}
    above = os.path.commonpath([folder.parent for folder in absolute.values()])
    return {folder: path.relative_to(above).as_posix() for folder, path in absolute.items()}


def treebanks_figures(evidence: Evidence) -> list[Figure]:
    """Return the forest plots of the constructions that several treebanks tested, on one axis."""
    several = [(c, score) for _, c, score in evidence.list_scored() if len(c.list_tested(score)) > 1]
    differences = [difference for c, score in several for _, difference in c.list_tested(score)]
    means = [mean for c, score in several if (mean := c.row.difference(score)) is not None]
    expected = [reach for c, score in several if (reach := _find_expected_range(c, score)) is not None]
    axis = axis_of([*differences, *means], expected)
    files = link_names(construction.row.title for construction, _ in several)
    return [_treebanks_figure(c, score, f"{score}_{files[c.row.title]}", axis) for c, score in several]


def _find_expected_range(construction: Construction, score: Score) -> tuple[float, float] | None:
    mean = construction.mean(score)
    if mean is None or mean.expected_low is None or mean.expected_high is None:
        return None
    return mean.expected_low, mean.expected_high


def _treebanks_figure(
    construction: Construction, score: Score, file: str, axis: tuple[float, float]
) -> Figure:
    name, of_mean = construction.row.title, construction.row.difference(score)
    tested = sorted(construction.list_tested(score), key=lambda pair: -pair[1].delta)
    lines = [(c.treebank, c.family, *_estimate(d)) for c, d in tested]
    side = construction.row.base
    note = f"Each treebank with its interval, in points; to the right, {side} is easier. Filled: clear."
    mean = None
    if of_mean is not None:
        mean = (f"mean of {len(tested)}", of_mean)
        lines.append((mean[0], "", *_estimate(of_mean)))
        note += " Diamond: the mean, as wide as its interval; thin line: what another language may have."
    data = Table(
        f"{name} by treebank, {score.upper()}",
        ("treebank", "family", *_ESTIMATES),
        tuple(lines),
        f"{note} Arrow: the interval goes on.",
    )
    rows = [(c.treebank.removeprefix("UD_"), [d]) for c, d in tested]
    expected = _find_expected_range(construction, score)
    return forest(file, data, rows, score.upper(), side, axis=axis, mean=mean, expected=expected)


_ESTIMATES = ("delta", "delta_low", "delta_high", "better")


def _estimate(difference: Difference) -> list[str | TableCell]:
    return [format_cell(v) for v in (difference.delta, difference.low, difference.high, difference.better)]


def outputs(evidence: Evidence, out: Path | None = None) -> dict[str, bytes]:
    """Return the files of `compare --out`, by name; the page links runs from `out`, where they go."""
    drawn_figures, means = treebanks_figures(evidence), evidence.means()
    pairs = evidence.combine_parsers()
    return {
        **({"means.csv": FileColumn.csv(list(map(FileColumn, means[0])), means)} if means else {}),
        **({"parsers.csv": all_parsers_csv(pairs)} if pairs else {}),
        "differences.csv": _differences_csv(evidence),
        "scores.csv": scores_csv([c.row for c in evidence.pairs]),
        **{name: data for figure in drawn_figures for name, data in figure.files().items()},
        "compare.json": as_json(evidence).encode(),
        "compare.html": _page(evidence, drawn_figures, out),
    }


def report_of(story: RunStory) -> dict[str, bytes]:
    """Return report.html of a run, and its figures.

    Where a run has too many comparisons to list, and no other answers, the report is the page of a
    comparison: what the treebanks say together.
    """
    says_more = bool(story.answers or story.header) or not any(row.tested for row in story.rows)
    if not says_more and story.is_survey:
        return comparison_files(story)
    if len({row.treebank_label for row in story.rows if row.tested}) < 2:
        return report_files(story)
    evidence = combine_treebanks(story)
    return report_files(story, tables(evidence)[0], evidence.left_out)


def comparison_files(story: RunStory) -> dict[str, bytes]:
    """Return report.html of a run over many treebanks: what they say together."""
    evidence = combine_treebanks(story)
    drawn_figures = treebanks_figures(evidence)
    files: dict[str, bytes] = {}
    for figure in drawn_figures:
        files |= figure.files(f"{FIGURES}/")
    return {REPORT: _page(evidence, drawn_figures), **files}


def _page(
    evidence: Evidence,
    drawn_figures: Sequence[Figure],
    out: Path | None = None,
) -> bytes:
    answers, by_treebank, *others = tables(evidence)
    return render(
        "compare.html.jinja",
        base=evidence.base,
        answers=answers,
        verdicts=verdicts(evidence),
        described=_describe_constructions(evidence),
        figures=drawn_figures,
        tables=list(map(leave_out_statistics, others)),
        by_treebank=by_treebank,
        remarks=remarks(evidence),
        treebanks=count_noun(len({c.treebank for c in evidence.pairs}), "treebank"),
        pairs=count_noun(len({(c.treebank, c.row.name) for c in evidence.pairs}), "comparison"),
        runs=_runs(evidence, out) if out is not None else [],
        version=version("learnability"),
    )


def _describe_constructions(evidence: Evidence) -> list[tuple[str, str]]:
    rows = [construction.row for construction in evidence.constructions if construction.row.pair.base.is_ud]
    named = {row.name: describe_annotation(row.pair.alternative) for row in rows}
    return [(name, text) for name, text in named.items() if text]


def _runs(evidence: Evidence, out: Path) -> list[tuple[str, str, str]]:
    runs = []
    for folder, name in run_names([c.folder for c in evidence.pairs]).items():
        constructions_compared = join_names(
            dict.fromkeys(c.treebank for c in evidence.pairs if c.folder == folder), "treebank"
        )
        report = folder / REPORT
        link = quote(Path(os.path.relpath(report, out)).as_posix()) if report.exists() else ""
        runs.append((constructions_compared, name, link))
    return runs
