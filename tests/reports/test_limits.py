"""What the numbers of a run do not tell."""

from __future__ import annotations

import pytest
from finished_runs import config, content_of, records, row
from result_rows import compared, finished

from learnability.reports.card import card_values
from learnability.reports.page import report_files
from learnability.statistics.text_variance import ENOUGH_SENTENCES


@pytest.mark.parametrize("sentences", [ENOUGH_SENTENCES - 1, ENOUGH_SENTENCES])
def test_few_sentences_may_have_too_narrow_intervals(sentences: int) -> None:
    """In the report and in the card; a construction that was not tested does not count."""
    rows = list(
        finished(
            row(**compared(1.4, 0.4), test_sentences=sentences),
            row(construction="case", test_places=3, test_sentences=3),
        )
    )
    content = content_of(rows, records(), config())
    few = "intervals may be too narrow" in report_files(content)["report.html"].decode()
    assert few == (sentences < ENOUGH_SENTENCES)
    said = [text for text in card_values(content)["caveats"] if "too narrow" in text]
    assert len(said) == few
    assert not few or f"here {sentences}," in said[0]
