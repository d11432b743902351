"""The page of a run: complete, well formed, self-contained, the same bytes for the same run."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from finished_runs import CURVES, FINISHED, ROWS, config, records
from result_rows import COLUMNS, LAS_COLUMNS

from learnability.reports.command_line import command_line
from learnability.reports.page import report_files
from learnability.transforms.registry import PAPER

VOID = {"meta", "br", "input"}


def page(rows: Any = ROWS, found: Any = None, about: Any = None) -> str:
    given = records() if found is None else found
    return report_files(rows, given, about or config())["report.html"].decode()


class Tags(HTMLParser):
    """Checks that tags close in order and ids are unique; collects cells and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        self.cells += tag == "td"
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.ids += [dict(attrs)["id"]] if "id" in dict(attrs) else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_complete_escaped_and_self_contained() -> None:
    made = page()
    tags = Tags()
    tags.feed(made)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert {link.removeprefix("#") for link in tags.links if link.startswith("#")} <= set(tags.ids)
    for text in ("made up &lt;here&gt;", "3 × no &lt;such&gt; thing", "0123abcd", *COLUMNS):
        assert text in made
    for picture in ("differences", "agreement", "survival", "errors", "relations"):
        assert f'<figure id="figure-{picture}">' in made
    own = made.replace("http://www.w3.org", "")
    assert not re.search(r"\ssrc\s*=|https?:|@import|url\((?!#)", own)


def test_no_line_ends_within_a_number() -> None:
    text = report_files(ROWS, records(), config())["report.html"].decode()
    verdicts = text.partition('class="verdicts"')[2].partition("</ul>")[0]
    assert verdicts.count("±\N{NO-BREAK SPACE}") >= 2
    assert "95\N{NO-BREAK SPACE}%" in verdicts
    assert not re.search(r" [±=%]|[±=] ", re.sub("<[^>]*>", "", verdicts))


def test_a_page_without_scores_has_no_figures() -> None:
    made = page([FINISHED | {"uas_delta": None, "p_holm": None, "better": None}, *ROWS[1:2], ROWS[2]], [])
    assert '<figure id="figure-differences">' in made
    assert '<figure id="figure-relations">' not in made
    made = page([ROWS[2]], [], config(options=config()["options"] | {"conditions": ["mwe"]}))
    assert "<figure" not in made
    assert "On common ground" not in made


@pytest.mark.parametrize(
    ("seeds", "words"),
    [(1, "One seed"), (2, "2 seeds: the intervals do not include"), (3, "3 seeds: the intervals include")],
)
def test_the_page_says_what_the_intervals_include(seeds: int, words: str) -> None:
    assert words in page(about=config(seeds), found=records(seeds))


def test_scores_on_common_ground_stand_side_by_side() -> None:
    row = FINISHED | {
        "nucleus_uas_original": 81.25,
        "uas_back_transformed": 77.5,
        "closest_uas_multiref": 82.0,
    }
    made = page([row, *ROWS[1:]])
    assert all(f"<td>{value}</td>" in made for value in ("81.25", "77.50", "82.00"))


def test_further_trainings_have_their_section_and_figure() -> None:
    made = report_files(ROWS, records(), config(), curves=CURVES)
    text = made["report.html"].decode()
    assert '<h2 id="curves">How much data does it take?</h2>' in text
    assert '<figure id="figure-learning_curves">' in text
    assert "figures/learning_curves.csv" in made


def test_one_condition_is_singular() -> None:
    one = page(ROWS[:1], about=config(options=config()["options"] | {"conditions": ["det"]}))
    assert "1 condition," in one
    assert "for the 1 comparison of this run" in one
    assert "3 conditions," in page()
    assert "for the 2 comparisons of this run" in page()


def test_labelled_parsers_have_their_columns() -> None:
    assert "LAS" not in page()
    las = dict.fromkeys(LAS_COLUMNS) | {"las_original": 70.5, "las_transformed": 69.0, "las_delta": 1.5}
    las |= {"las_delta_low": 1.0, "las_delta_high": 2.0, "las_back_transformed": 68.25}
    las |= {"las_p_value": 0.01, "las_p_holm": 0.03, "las_better": "original"}
    about = config(options=config()["options"] | {"labels": "external"})
    made = page(
        [ROWS[0] | las, *(row | dict.fromkeys(LAS_COLUMNS) for row in ROWS[1:])],
        records(labelled=True),
        about,
    )
    for text in (
        "LAS difference [95 %]",
        '<td data-value="1.500000">+1.50 [+1.00, +2.00]</td>',
        "<td>68.25</td>",
        "By LAS UD&#39;s annotation is easier: +1.50",
        "<em>LAS</em>",
        "Which relations gain and lose, LAS",
    ):
        assert text in made
    assert ", unlabelled, without" in page().replace("\n", " ")
    assert ", unlabelled" not in made
    assert all(name in made for name in LAS_COLUMNS)


def test_a_system_without_dynamic_oracle_is_said_to_have_none() -> None:
    note = "arc-standard has no dynamic oracle"
    assert note in page(about=config(options=config()["options"] | {"system": "arc-standard"}))
    assert note not in page()


def test_same_input_same_bytes() -> None:
    assert report_files(ROWS, records(), config()) == report_files(ROWS, records(), config())


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({}, ""),
        (
            {"command": "run", "treebank": {"treebank": "UD X"}, "conditions": list(PAPER), "seeds": 1},
            "learnability run --treebank 'UD X'",
        ),
        (
            {
                "command": "run",
                "treebank": {"train": ["a", "b"], "test": [], "split": [8, 1, 1], "missing_train": "error"},
                "conditions": ["cop:reattach=clause", "scheme:all"],
                "system": "arc-hybrid",
                "oracle": "dynamic",
                "iterations": 3,
                "joint": True,
                "data": {"folds": 7},
            },
            "learnability run --train a --train b --split 8:1:1 --transform cop:reattach=clause --scheme all "
            "--system arc-hybrid --iterations 3 --joint",
        ),
        (
            {
                "command": "reproduce",
                "treebank": {"missing_train": "dev", "release": "1.3", "folds": 10},
                "treebanks": ["UD_A"],
                "conditions": ["det"],
                "oracle": "explore",
            },
            "learnability reproduce --treebank UD_A --release 1.3 --transform det --oracle explore --out DIR",
        ),
        (
            {
                "command": "run",
                "treebank": {"treebank": "X"},
                "conditions": list(PAPER),
                "labels": "external",
            },
            "learnability run --treebank X --labelled",
        ),
        (
            {"command": "run", "treebank": {"treebank": "X"}, "conditions": ["det"], "labels": "keep"},
            "learnability run --treebank X --transform det --labelled --labels keep",
        ),
        (
            {"command": "reproduce", "treebank": {"missing_train": "error"}, "conditions": list(PAPER)},
            "learnability reproduce --missing-train error --out DIR",
        ),
    ],
)
def test_the_command_can_be_given_again(arguments: dict[str, Any], command: str) -> None:
    assert command_line(arguments) == command
