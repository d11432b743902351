"""The page of a run: verdicts, rows, nothing from outside."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from learnability.experiments.results import COLUMNS
from learnability.reports.page import report_page, verdict

CONFIG: dict[str, Any] = {
    "seeds": [1],
    "options": {"oracle": "dynamic"},
    "treebanks": [{"name": "UD_X", "split_policy": "no dev split: made up <here>"}],
}


def row(**values: Any) -> dict[str, Any]:
    base = dict.fromkeys(COLUMNS) | {"treebank": "UD_X", "transform": "det", "variant": "", "sites": 12}
    return base | values


FINISHED = row(
    uas_original=80.0,
    uas_transformed=78.6,
    uas_delta=1.4,
    uas_delta_low=1.0,
    uas_delta_high=1.8,
    p_value=0.001,
    p_holm=0.007,
    winner="original",
    better="original",
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "det: UD's annotation is easier (+1.40 UAS, 95 % interval 1.00 to 1.80; p = 0.001"),
        (
            {"better": "transformed", "uas_delta": -1.4},
            "det: the alternative annotation is easier (-1.40 UAS",
        ),
        ({"better": "none"}, "det: no difference found (+1.40 UAS"),
        ({"variant": "x=y"}, "det:x=y: UD's annotation"),
    ],
)
def test_the_verdict_names_the_side_only_if_it_is_sure(values: dict[str, Any], expected: str) -> None:
    assert verdict(FINISHED | values).startswith(expected)


def test_a_transformation_without_sites_is_said_to_have_none() -> None:
    assert verdict(row(sites=0)) == "det: the treebank has no place where it applies."
    assert verdict(row()) == "det: not computed."


class Tags(HTMLParser):
    """Checks that tags close in order; collects cells."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "td":
            self.cells += 1
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_complete_escaped_and_self_contained() -> None:
    records = [{"setting": "measures", "condition": "det", "skipped": {"no <such> thing": 3}}]
    page = report_page([FINISHED, row(sites=0)], records, CONFIG).decode()
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.cells == 33  # two rows of results, one of scores on common ground
    assert "made up &lt;here&gt;" in page
    assert "3 × no &lt;such&gt; thing" in page
    assert "One seed" in page
    assert not re.search(r"(src|href)\s*=|https?:|@import", page)


@pytest.mark.parametrize(
    ("seeds", "words"), [(2, "do not include the variance"), (3, "include the variance")]
)
def test_the_page_says_what_the_intervals_include(seeds: int, words: str) -> None:
    page = report_page([FINISHED], [], CONFIG | {"seeds": list(range(1, seeds + 1))}).decode()
    assert f"{seeds} seeds: the intervals {words}" in page


def test_rows_of_several_treebanks_are_named() -> None:
    page = report_page([FINISHED, FINISHED | {"treebank": "UD_Y"}], [], CONFIG).decode()
    assert "UD_Y, det: UD&#39;s annotation is easier" in page
    assert page.count("<td>UD_Y, det</td>") == 2


def test_scores_on_common_ground_stand_side_by_side() -> None:
    row = FINISHED | {
        "nucleus_uas_original": 81.25,
        "uas_back_transformed": 77.5,
        "closest_uas_multiref": 82.0,
    }
    page = report_page([row], [], CONFIG).decode()
    assert all(f"<td>{value}</td>" in page for value in ("81.25", "77.50", "82.00"))


def test_same_input_same_bytes() -> None:
    assert report_page([FINISHED], [], CONFIG) == report_page([FINISHED], [], CONFIG)
