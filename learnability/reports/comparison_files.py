"""Write what finished runs say together as CSV, JSON, figures and a page."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from learnability.evidence.all_parsers import all_parsers_csv
from learnability.evidence.columns import RESULTS, result_values, row_values, scores_csv
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredPair
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import ANSWERED, FIRST_SCORE, Score
from learnability.reports.comparison_tables import (
    COUNTED,
    evidence_of,
    leave_out_statistics,
    remarks,
    tables,
    verdict,
    verdicts,
)
from learnability.reports.definitions import describe_annotation
from learnability.reports.figures import Figure, axis_of, forest
from learnability.reports.next_steps import find_more_trainings
from learnability.reports.page import FIGURES, REPORT, report_files
from learnability.reports.rendering import render
from learnability.reports.results import SHORT, name_treebanks
from learnability.reports.story import RunStory
from learnability.reports.text import Table, TableCell, format_cell, join_names, json_text
from learnability.reports.verdicts import name_leader
from learnability.statistics.inference import Side
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
        "differences": [{**pair_values(c, runs), "seed_deltas": list(c.seed_deltas)} for c in evidence.pairs],
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


def figures(evidence: Evidence) -> list[Figure]:
    """Return for each score a forest plot of all constructions, then one for each construction."""
    drawn = []
    for score in ANSWERED:
        tested = [c for c in evidence.constructions if c.list_tested(score)]
        means = [(c, mean) for c in tested if (mean := c.row.difference(score)) is not None]
        if means:
            drawn.append(_constructions_figure(means, score))
        drawn += treebanks_figures([(c, score) for c in tested])
    return drawn


def _constructions_figure(means: Sequence[tuple[Construction, Difference]], score: Score) -> Figure:
    data = Table(
        f"The constructions, {score.upper()}",
        ("construction", "treebanks", *_ESTIMATES),
        tuple(
            (c.row.title, str(len(c.list_tested(score))), *_estimate(difference)) for c, difference in means
        ),
        "The mean difference of each construction over its treebanks with its interval, "
        f"{_read(means[0][0])} A filled marker shows a "
        "clear difference.",
    )
    rows = [(c.row.title, difference) for c, difference in means]
    axis, side = axis_of([difference for _, difference in rows]), means[0][0].row.base
    return forest(f"{score}_constructions", data, rows, score.upper(), side, axis)


def treebanks_figures(scored: Sequence[tuple[Construction, Score]]) -> list[Figure]:
    """Return the forest plots of the constructions that several treebanks tested, on one axis."""
    several = [(c, score) for c, score in scored if len(c.list_tested(score)) > 1]
    differences = [difference for c, score in several for _, difference in c.list_tested(score)]
    means = [mean for c, score in several if (mean := c.row.difference(score)) is not None]
    expected = [reach for c, score in several if (reach := _find_expected_range(c, score)) is not None]
    axis = axis_of([*differences, *means], expected)
    return [_treebanks_figure(c, score, axis) for c, score in several]


def _find_expected_range(construction: Construction, score: Score) -> tuple[float, float] | None:
    mean = construction.mean(score)
    if mean is None or mean.expected_low is None or mean.expected_high is None:
        return None
    return mean.expected_low, mean.expected_high


def _treebanks_figure(construction: Construction, score: Score, axis: tuple[float, float]) -> Figure:
    name, of_mean = construction.row.title, construction.row.difference(score)
    tested = sorted(construction.list_tested(score), key=lambda pair: -pair[1].delta)
    lines = [(c.treebank, c.family, *_estimate(d)) for c, d in tested]
    side = construction.row.base
    note = f"Each treebank with its interval, in points; to the right, {side} is easier. Filled: clear."
    mean = None
    if of_mean is not None:
        mean = (f"mean of {len(tested)}", of_mean)
        lines.append((mean[0], "", *_estimate(of_mean)))
        note += (
            " Diamond: the mean, as wide as its interval; thin line: what another language may have (95 %)."
        )
    data = Table(
        f"{name} by treebank, {score.upper()}",
        ("treebank", "family", *_ESTIMATES),
        tuple(lines),
        f"{note} Arrow: the interval goes on.",
    )
    rows = [(c.treebank.removeprefix("UD_"), d) for c, d in tested]
    slug = re.sub(r"[^\w-]+", "-", name)
    expected = _find_expected_range(construction, score)
    return forest(f"{score}_{slug}", data, rows, score.upper(), side, axis, mean=mean, expected=expected)


_ESTIMATES = ("delta", "delta_low", "delta_high", "better")


def _read(construction: Construction) -> str:
    base = construction.row.base
    return f"in points. To the right of the line, {base} is easier; to the left, the alternative is easier."


def _estimate(difference: Difference) -> list[str | TableCell]:
    return [format_cell(v) for v in (difference.delta, difference.low, difference.high, difference.better)]


def outputs(evidence: Evidence, out: Path | None = None) -> dict[str, bytes]:
    """Return the files of `compare --out`, by name; the page links runs from `out`, where they go."""
    drawn_figures, means = figures(evidence), evidence.means()
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
    evidence = evidence_of(story)
    return report_files(story, tables(evidence)[0], evidence.left_out)


def comparison_files(story: RunStory) -> dict[str, bytes]:
    """Return report.html of a run over many treebanks: what they say together."""
    evidence = evidence_of(story)
    drawn_figures = figures(evidence)
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
        matrix=matrix_of(evidence),
        read_tiles=READ_TILES,
        figures=drawn_figures,
        tables=list(map(leave_out_statistics, others)),
        by_treebank=by_treebank,
        remarks=remarks(evidence),
        next_step=find_more_trainings(evidence),
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
    """Return each run's content, its name, and a relative link to its report (or nothing)."""
    runs = []
    for folder, name in run_names([c.folder for c in evidence.pairs]).items():
        constructions_compared = join_names(
            dict.fromkeys(c.treebank for c in evidence.pairs if c.folder == folder), "treebank"
        )
        report = folder / REPORT
        link = quote(Path(os.path.relpath(report, out)).as_posix()) if report.exists() else ""
        runs.append((constructions_compared, name, link))
    return runs


SAME_SIGN = "="
"""What a tile shows where there is no difference that matters."""

READ_TILES = (
    f"Tiles name the side that is ahead on the parsers' own annotations, in points ({SHORT}: the "
    f"alternative). In brackets: open. *: interval excludes 0; {SAME_SIGN}: no difference that matters; "
    "few: too few examples; empty: not compared."
)


@dataclass(frozen=True)
class Matrix:
    """Hold a line for each treebank (and parser) and a column for each construction.

    Attributes:
        columns: the names of the constructions.
        lines: the name of each treebank, and for each construction what its tile shows, and the side that
            colours it with how deeply (in percent); no side for what is open.
    """

    columns: Sequence[str]
    lines: Sequence[tuple[str, Sequence[tuple[str, str, int]]]]


def matrix_of(evidence: Evidence) -> Matrix | None:
    """Return every answer; None where there is only one line: then the table of answers says the same."""
    several_parsers = len({pair.row.parser for pair in evidence.pairs}) > 1
    untested = [pair for construction in evidence.constructions for pair in construction.untested]
    scored = [(pair.row, score) for pair in (*evidence.pairs, *untested) for score in pair.row.scores]
    several_scores = len({score for _, score in scored}) > 1
    known = name_treebanks(row for row, _ in scored)
    found: dict[str, dict[str, tuple[ComparisonRow, Score]]] = {}
    columns = dict.fromkeys(name for name, *_ in evidence.list_scored())
    for row, score in scored:
        if row.difference(score) is None and row.easier(score).answer is not Answer.TOO_FEW_EXAMPLES:
            continue
        treebank = known[row.treebank_label] or row.treebank_label
        line = f"{treebank} by {row.parser}" if several_parsers else treebank
        column = f"{row.name} {score.upper()}" if several_scores else row.name
        columns.setdefault(column)
        found.setdefault(line, {})[column] = (row, score)
    if len(found) < 2:
        return None
    columns = {column: None for column in columns if any(column in cells for cells in found.values())}
    values = [
        [coloured(*cell) if (cell := cells.get(c)) else None for c in columns] for cells in found.values()
    ]
    texts = [[_text(*cell) if (cell := cells.get(c)) else "" for c in columns] for cells in found.values()]
    names = [line.removeprefix("UD_") for line in found]
    deepest = max((abs(value) for row in values for value in row if value), default=1.0)
    tiles = [
        [
            (
                text,
                "" if not value else "base" if value > 0 else "alternative",
                round(55 * abs(value or 0) / deepest),
            )
            for text, value in zip(*line, strict=True)
        ]
        for line in zip(texts, values, strict=True)
    ]
    return Matrix(list(columns), list(zip(names, tiles, strict=True)))


def _delta(row: ComparisonRow, score: Score = FIRST_SCORE) -> float | None:
    difference = row.difference(score)
    return None if difference is None else difference.shown


def coloured(row: ComparisonRow, score: Score) -> float | None:
    """Return the difference that colours a tile; None where the answer is open, or has too few examples."""
    uncoloured = (Answer.OPEN, Answer.TOO_FEW_EXAMPLES)
    return None if row.easier(score).answer in uncoloured else _delta(row, score)


def _text(row: ComparisonRow, score: Score) -> str:
    """Return what a tile shows: `UD +1.4*`, `=`, or `few` where there are too few examples."""
    difference, answer = row.difference(score), row.easier(score).answer
    if difference is None or answer is Answer.TOO_FEW_EXAMPLES:
        return "few" if answer is Answer.TOO_FEW_EXAMPLES else ""
    if answer is Answer.SAME:
        return SAME_SIGN
    leader = name_leader(difference.delta, {Side.FIRST: row.base, Side.SECOND: SHORT})
    shown = leader + ("*" if difference.is_clear else "")
    return f"({shown})" if answer is Answer.OPEN else shown
