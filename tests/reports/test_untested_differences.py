"""No page and no file has a difference that was not tested: it would be quoted without an interval."""

from __future__ import annotations

import csv
import io
import re

from finished_runs import config, content_of, records, row
from result_rows import compared, finished

from learnability.evidence.columns import results_csv, scores_csv
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import ScoringBasis
from learnability.reports.card import card_markdown, card_values
from learnability.reports.page import report_files
from learnability.reports.results import answer_table, comparison_table

BACK = ScoringBasis.CONVERTED


def rows() -> list[ComparisonRow]:
    """A construction with an answer, and one with too few examples: 12.3 and 45.6 points were not tested."""
    few = row(construction="case", test_places=3, uas_base=72.3, uas_alternative=60.0, uas_delta=12.3)
    few |= {
        "converted_back_uas_base": 72.3,
        "converted_back_uas_alternative": 26.7,
        "converted_back_uas_delta": 45.6,
    }
    return list(finished(row(**compared(1.4, 0.4), **compared(0.7, 0.6, BACK)), few))


UNTESTED = re.compile(r"12\.3|45\.6")


def test_the_answer_is_too_few_examples() -> None:
    assert [one["easier"] for one in rows()] == ["UD", "too few examples"]
    assert rows()[1].difference().delta == 12.3  # type: ignore[union-attr]


def test_tables_have_no_untested_difference() -> None:
    for table in (answer_table(rows()), comparison_table(rows())):
        cells = [str(cell) for line in table.rows for cell in line]
        assert "UD" in cells or "own annotation" in cells
        assert not UNTESTED.search(" ".join(cells))
        assert "UD +1.4" in " ".join(cells)


def test_the_page_and_the_card_have_no_untested_difference() -> None:
    content = content_of(rows(), records(), config())
    card = card_values(content)
    texts = [report_files(content)["report.html"].decode(), card_markdown(card).decode(), str(card)]
    for text in texts:
        assert "too few examples" in text
        assert not UNTESTED.search(text)
    assert [c["delta"] for c in card["constructions"][1]["comparisons"]] == [None, None]


def test_files_have_no_untested_difference() -> None:
    for data in (results_csv(rows()), scores_csv(rows())):
        assert not UNTESTED.search(data.decode())
        assert b"72.3" in data  # the scores were measured
    first, second = csv.DictReader(io.StringIO(results_csv(rows()).decode()))
    assert (first["uas_delta"], second["uas_delta"], second["converted_back_uas_delta"]) == ("1.4000", "", "")
