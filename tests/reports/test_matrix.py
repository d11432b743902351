"""The matrix with which the page of a comparison opens: treebanks (by each parser) against constructions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from finished_runs import hand_run, pair, row
from result_rows import HandRow, compared

from learnability.evidence.survey import Evidence, combine_runs
from learnability.metrics.scores import Score
from learnability.reports.comparison_files import coloured, matrix_of, outputs

CASE = {"UD_Irish": 3.0, "UD_Greek": -2.0, "UD_Tamil": 0.0}
"""Differences that name UD and the alternative, and that cannot matter."""


def rows() -> list[HandRow]:
    found = [pair(name, "case", d) | compared(d, 0.3) for name, d in CASE.items()]
    return [*found, pair("UD_Irish", "det", 0.2) | compared(0.2, 1.0)]


def evidence_of(*found: HandRow) -> Evidence:
    return combine_runs([hand_run(Path("run"), rows=found)])


def test_each_tile_names_the_side_that_is_ahead() -> None:
    matrix = matrix_of(evidence_of(*rows()))
    assert matrix is not None
    assert matrix.columns == ["case", "det"]
    assert matrix.lines[:2] == [
        ("Irish", [("UD +3.0*", "base", 55), ("(UD +0.2)", "", 0)]),
        ("Greek", [("alt. +2.0*", "alternative", 37), ("", "", 0)]),
    ]
    assert [name for name, _ in matrix.lines] == ["Irish", "Greek", "Tamil"]
    assert matrix.lines[2][1][0][0] == "="


def test_parsers_have_lines_of_their_own() -> None:
    run = hand_run(Path("run"), rows=rows())
    pairs = [replace(each, parser=parser) for parser in ("arc-eager", "graph") for each in run.pairs]
    matrix = matrix_of(combine_runs([replace(run, pairs=tuple(pairs))]))
    assert matrix is not None
    names = [name for name, _ in matrix.lines]
    assert len(names) == 6
    assert {"Irish by arc-eager", "Irish by graph"} <= {*names}


def test_one_treebank_has_no_matrix() -> None:
    assert matrix_of(evidence_of(*(row for row in rows() if row.treebank == "UD_Irish"))) is None


def test_the_page_opens_with_it() -> None:
    found = outputs(evidence_of(*rows()))
    page = found["compare.html"].decode()
    assert page.index('id="matrix"') < page.index('id="verdicts"')


def test_a_cell_with_too_few_examples_has_no_number() -> None:
    *found, few = rows()
    dropped = {key: each.drop_test() for key, each in few.differences.items()}
    few = replace(few | {"test_places": 0}, differences=dropped)
    matrix = matrix_of(evidence_of(*found, few))
    assert matrix is not None
    assert [tiles[1][0] for _, tiles in matrix.lines] == ["few", "", ""]


def test_open_tiles_have_no_colour_and_few_examples_are_named() -> None:
    few = row(treebank="UD_Tamil", construction="det", places=0, test_places=0)
    matrix = matrix_of(evidence_of(*rows(), few))
    assert matrix is not None
    assert [tiles[1][0] for _, tiles in matrix.lines] == ["(UD +0.2)", "", "few"]
    colours = [coloured(found.row, Score.UAS) for found in evidence_of(*rows()).pairs]
    assert sorted(colour for colour in colours if colour is not None) == pytest.approx([-2.0, 0.0, 3.0])
