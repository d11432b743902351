"""A star, a word and an interval never contradict each other: rows drawn at random, in every output."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from html import unescape
from pathlib import Path

from drawn_rows import families
from finished_runs import config, content_of, run_config
from hypothesis import given, settings
from invariants import contradictions, side_of
from result_rows import print_rows

from learnability.evidence.columns import results_csv, scores_csv
from learnability.evidence.questions import PUNCTUATION, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import combine_runs
from learnability.metrics.scores import Score
from learnability.reports.atlas.page_parts import CellOutcome, interval_text, strip
from learnability.reports.card import card_markdown, card_values
from learnability.reports.comparison_tables import tables
from learnability.reports.figures import Colour, _look
from learnability.reports.page import report_files
from learnability.reports.results import answer_table, comparison_table, shorten_answer
from learnability.reports.verdicts import describe_easier, side_names, verdict
from learnability.statistics.inference import AHEAD, Side

NUMBER = r"[+−]?\d+(?:\.\d+)?"

INTERVAL = re.compile(rf"[\d.]+ \((?P<low>{NUMBER}) to (?P<high>{NUMBER})\)(?P<star>\*?)(?=[ <|│\n])")
"""A difference with its interval in a table: not followed by a full stop, as in sentences."""

FOLDED = re.compile(rf"(?m)^\| [UL]AS \|.*\| (?:({NUMBER}) to ({NUMBER}))? ?\| ([<.\d]*) ?\|$")
"""The interval and p of a comparison in the folded table of a card."""


def side(row: ComparisonRow, score: Score) -> Side | None:
    """Which side is easier by the answer of a row."""
    return side_of(row.name_answer(Question.EASIER, score), row.base)


def has_shown_side(row: ComparisonRow, score: Score) -> Side | None:
    """What the difference shows: only with punctuation, an answer is not that of its difference."""
    only = row.easier(score).reason == Reason.ONLY_PUNCTUATION
    difference = row.difference(score)
    return difference.better if only and difference else side(row, score)


def lines_of(rows: Sequence[ComparisonRow]) -> list[tuple[ComparisonRow, Score]]:
    return [(row, score) for row in rows for score in row.scores]


@given(families())
def test_rows_contradict_themselves_nowhere(rows: list[ComparisonRow]) -> None:
    assert contradictions(rows) == []


@given(families())
def test_a_star_stands_exactly_where_the_answer_names_a_side(rows: list[ComparisonRow]) -> None:
    """On the terminal, on the page and in the card, which share their tables."""
    for (row, score), cells in zip(lines_of(rows), answer_table(rows).rows, strict=True):
        _, easier, own, train_on = map(str, cells)
        assert easier == shorten_answer(row.name_answer(Question.EASIER, score))
        assert own.endswith("*") == (side(row, score) in AHEAD)
        found = row.train_on(score)
        assert train_on.startswith(shorten_answer(row.name_answer(Question.TRAIN_ON, score)))
        assert train_on.endswith("*") == (found.side in AHEAD)
        if easier == "open":
            assert "*" not in own
    named = {
        f"{row.title} {score.upper()}" if rows[0].labelled else row.title: (row, score)
        for row, score in lines_of(rows)
    }
    for name, comparison, *_, difference, _p, _p_holm in comparison_table(rows).rows:
        row, score = named[str(name)]
        if comparison == "own annotation":
            assert str(difference).endswith("*") == (side(row, score) in AHEAD)


@settings(max_examples=20)
@given(families(treebank="UD_X"))
def test_printed_intervals_have_a_star_exactly_where_they_exclude_0(rows: list[ComparisonRow]) -> None:
    """As they are printed: on the terminal, in the report, and in the card, also in its folded tables."""
    content = content_of(rows, [], config(pairs=[asdict(row.pair) for row in rows]))
    values = card_values(content)
    card, page = card_markdown(values).decode(), report_files(content)["report.html"].decode()
    with redirect_stdout(io.StringIO()) as printed:
        print_rows(rows, details=True)
    stars = [side(row, score) in AHEAD for row, score in lines_of(rows)]
    for text in (card, page, printed.getvalue()):
        found = list(INTERVAL.finditer(unescape(text)))
        assert len(found) >= sum(side(row, score) is not None for row, score in lines_of(rows))
        for match in found:
            low, high = (float(match[name].replace("−", "-")) for name in ("low", "high"))
            if low and high:  # a bound that is printed as 0 may lie on either side of it
                assert bool(match["star"]) == (low > 0 or high < 0), match[0]
        assert ("*" in "".join(match["star"] for match in found)) >= any(stars)
    comparisons = [one for construction in values["constructions"] for one in construction["comparisons"]]
    for one, (low, high, p_holm) in zip(comparisons, FOLDED.findall(card), strict=True):
        if one["low"] is None:
            continue
        clear = one["better"] in AHEAD
        bounds = float(low.replace("−", "-")), float(high.replace("−", "-"))
        if all(bounds):
            assert (bounds[0] > 0 or bounds[1] < 0) == clear
        assert (p_holm.startswith("<") or float(p_holm) < 0.05) == clear


@given(families())
def test_sentences_say_what_the_answer_says(rows: list[ComparisonRow]) -> None:
    for row in rows:
        said = verdict(row)
        first, _, las = said.partition("With relations (LAS): ")
        for text, score in ((first.partition(": ")[2], Score.UAS), (las, Score.LAS)):
            if not text or row.name_answer(Question.EASIER, score) == "too few examples":
                continue
            answer, evidence, *_ = text.split(". ")
            assert answer == describe_easier(row.easier(score), side_names(row))
            shown, by_punctuation = side(row, score), row.easier(score).reason in PUNCTUATION
            assert ("is ahead only with punctuation" in evidence) == by_punctuation
            assert (" points higher (" in evidence) == (shown in AHEAD)
            assert ("under half a point" in evidence) == (shown is Side.EQUAL and not by_punctuation)
            is_open = shown is Side.NONE and not by_punctuation
            assert (" at most " in evidence) == is_open
            if f"{row.base} is easier" in answer:
                assert side(row, score) is Side.FIRST
            needs = [part for part in text.split(". ") if part.startswith("If you need UD trees, train on")]
            assert bool(needs) == (row.train_on(score).side in AHEAD)


@given(families())
def test_columns_say_what_the_answer_says(rows: list[ComparisonRow]) -> None:
    values = {}
    for line in csv.DictReader(io.StringIO(scores_csv(rows).decode())):
        values[line["construction"], line["score"], line["comparison"], line["statistic"]] = line["value"]
    for row, line in zip(rows, csv.DictReader(io.StringIO(results_csv(rows).decode())), strict=True):
        for score in row.scores:
            low, high = line[f"{score}_delta_low"], line[f"{score}_delta_high"]
            shown = side_of(line[Question.EASIER.column(score)], "UD")
            assert side_of(line[Question.TRAIN_ON.column(score)], "UD") is row.train_on(score).side
            if shown is None:
                assert (low, high, line[f"{score}_p_holm"]) == ("", "", "")
                continue
            ahead = Side.FIRST if float(low) > 0 else Side.SECOND if float(high) < 0 else None
            edge = min(abs(float(low)), abs(float(high))) < 1e-4 and row.difference(score).p_holm != 1  # type: ignore[union-attr]
            if not edge:
                assert ahead == (shown if shown in AHEAD else None)
                assert (float(line[f"{score}_p_holm"]) < 0.05) == (shown in AHEAD)
            shown = has_shown_side(row, score)
            if shown is Side.EQUAL:
                assert -0.5 <= float(low) <= 0 <= float(high) <= 0.5
            assert values[row.name, str(score), "own_annotation", "better"] == shown
            if row.easier(score).side is Side.NONE:
                assert values[row.name, str(score), "", "easier_reason"]


@given(families())
def test_atlas_and_comparison_say_what_the_answer_says(rows: list[ComparisonRow]) -> None:
    outcomes = {
        Side.FIRST: CellOutcome.BASE,
        Side.SECOND: CellOutcome.ALTERNATIVE,
        Side.EQUAL: CellOutcome.EQUAL,
        Side.NONE: CellOutcome.OPEN,
        None: CellOutcome.FEW,
    }
    folder = Path("run")
    pairs = tuple(StoredPair(row, folder, "arc-eager") for row in rows)
    config = run_config(["UD_Irish"], "", 3)
    run = StoredRun(folder, config, pairs)
    evidence = combine_runs([run])
    assert [c.row for c in evidence.pairs] == [row for row in rows if row.tested]
    for pair in (pair for c in evidence.constructions for pair in (*c.pairs, *c.untested)):
        (row,) = [row for row in rows if row.name == pair.row.name]
        for score in row.scores:
            outcome, shown = CellOutcome.of(row, score), side(row, score)
            assert outcome is outcomes[shown]
            text = interval_text(pair.row, score)
            assert text.endswith("*") == (shown in AHEAD)
            drawing = strip(row.difference(score), outcome, 1.0)
            assert not drawing or f'class="strip {outcome}"' in drawing
            difference = row.difference(score)
            assert difference is not None
            colour, filled = _look(difference)
            assert filled == (has_shown_side(row, score) in (*AHEAD, Side.EQUAL))
            assert (colour == Colour.BASE) == (shown is Side.FIRST)
    answers, *_ = tables(evidence)
    for cells in answers.rows:
        construction = next(c for c in evidence.constructions if c.row.title == str(cells[0]).split(" ")[0])
        score = Score(str(cells[0]).split(" ")[1].lower()) if rows[0].labelled else Score.UAS
        assert str(cells[2]).endswith("*") == (side(construction.row, score) in AHEAD)
