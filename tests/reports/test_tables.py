"""The tables of a run on terminals of different width: decisions, and with --details every score."""

from __future__ import annotations

import pytest
from result_rows import HandRow, compared, empty_row, finished, print_rows
from rich.text import Text

from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.reports.results import answer_table, comparison_table, title_of

PICKS = {
    "trained_on_both_base": 0.94,
    "trained_on_both_alternative": 0.02,
    "trained_on_both_pick": "base",
}


def pair(name: str, score: Score = Score.UAS, **values: object) -> HandRow:
    """A pair that is compared on every basis, UD ahead after conversion; all scores are different."""
    row = empty_row() | {"treebank": "UD_X", "release": "1.3", "construction": name}
    row |= {"labelled": score is Score.LAS}
    row |= {"places": 4122, "test_places": 412} | PICKS
    for one in dict.fromkeys((Score.UAS, score)):
        first = 79.53 if one is Score.UAS else 69.17
        for i, basis in enumerate(ScoringBasis.of(one)):
            half = 0.5 if basis is ScoringBasis.CONVERTED else 3.4
            row |= compared(0.99 + i / 100, half, basis, one, base=first - i)
    return row | values


PLAIN = finished(pair("case"), pair("cc"))
LABELLED = finished(pair("case", Score.LAS), pair("cc", Score.LAS))
AGAINST = finished(*(row | {"against": "verb-groups"} for row in LABELLED))
KINDS = pytest.mark.parametrize("rows", [PLAIN, LABELLED, AGAINST], ids=["plain", "las", "against"])


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    return monkeypatch


@pytest.mark.parametrize("columns", [80, 120])
@KINDS
def test_nothing_is_cut_off_on_a_terminal(
    rows: list[HandRow],
    columns: int,
    terminal: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal.setenv("COLUMNS", str(columns))
    print_rows(rows, details=True)
    shown = Text.from_ansi(capsys.readouterr().out).plain.replace("\N{NO-BREAK SPACE}", " ")
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= columns
    labelled, side = rows[0].labelled, rows[0].base
    assert side in shown
    for score in ("uas", *(["las"] if labelled else [])):
        for basis in ScoringBasis.of(Score(score)):
            one = rows[0].difference(Score(score), basis)
            assert one is not None
            assert f"{one.base:.2f} {one.alternative:.2f} " in " ".join(shown.split())
    assert "94 % / 2 %" in shown
    assert "Every comparison" in shown


@KINDS
def test_the_table_of_answers_has_four_columns(rows: list[HandRow]) -> None:
    table = answer_table(rows)
    assert len(table.headings) == 4
    assert table.headings[1:] == (
        "easier",
        "by how many points\n(interval)",
        "train on\n(for UD trees)",
    )
    labelled, side = rows[0].labelled, rows[0].base
    names = ["case (412)", "cc (412)"]
    if labelled:
        names = ["case UAS (412)", "case LAS (412)", "cc UAS (412)", "cc LAS (412)"]
    assert [row[0] for row in table.rows] == names
    assert table.rows[0][1] == "open"
    assert str(table.rows[0][3]).startswith(f"{side} +")


@pytest.mark.parametrize(
    ("delta", "half", "note"),
    [
        (1.4, 0.4, "(1,412): places in the test set; *: interval excludes 0."),
        (0.4, 0.9, "(1,412): places in the test set."),
        (-1.4, 0.4, "(1,412): places in the test set; alt.: the alternative; *: interval excludes 0."),
    ],
)
def test_the_legend_explains_the_signs_that_occur_in_one_line(delta: float, half: float, note: str) -> None:
    (row,) = finished(empty_row() | {"places": 40, "test_places": 1412} | compared(delta, half))
    assert answer_table([row]).note == note
    assert len(note) <= 80


def test_the_last_column_says_which_to_train_on() -> None:
    row = empty_row() | {"places": 40, "test_places": 30} | compared(0.4, 0.9)
    back = [compared(delta, half, ScoringBasis.CONVERTED) for delta, half in ((1.4, 0.4), (-1.4, 0.4))]
    back += [compared(delta, half, ScoringBasis.CONVERTED) for delta, half in ((-0.6, 1.2), (0.1, 0.2))]
    shown = [str(answer_table(finished(row | values)).rows[0][3]) for values in back]
    assert shown == ["UD +1.4*", "alternative +1.4*", "open", "no difference"]
    changed = {"has_conversion_back": False, "changed_columns": ("upos",)}
    without, with_rule = finished(row | changed | {"construction": "tags"}, row | back[0])
    assert answer_table([without, with_rule]).rows[0][3] == "undefined"
    assert len(answer_table([without]).headings) == 3


def test_the_title_says_how_much_was_measured() -> None:
    row = empty_row() | {"treebank": "UD_X", "release": "1.3", "construction": "det"}
    many = row | {"test_sentences": 150, "seeds": 3}
    assert title_of([many]) == "UD_X 1.3 · 150 test sentences · 3 trainings each"
    assert title_of([many | {"seeds": 1}]) == "UD_X 1.3 · 150 test sentences · 1 training each"
    assert title_of([many, many | {"treebank": "UD_Y"}]) == "UD_X 1.3, UD_Y 1.3 · 3 trainings each"
    assert title_of([row]) == "UD_X 1.3"


def test_every_score_of_a_pair_has_its_row_and_pairs_are_set_apart() -> None:
    bare = empty_row() | {
        "treebank": "UD_X",
        "release": "1.3",
        "construction": "det",
        "variant": "",
        "places": 9,
    }
    table = comparison_table(finished(*PLAIN, bare))
    assert [row[0] for row in table.rows] == ["case"] * 4 + ["cc"] * 4
    assert table.ruled == {3, 7}
    assert [row[1] for row in table.rows[:4]] == [
        "own annotation",
        "without punctuation",
        "between phrases",
        "converted back to UD",
    ]
    assert [str(row[4]).endswith("*") for row in table.rows[:4]] == [False, False, False, True]
    assert [row[0] for row in comparison_table(LABELLED).rows] == (
        ["case UAS"] * 4 + ["case LAS"] * 4 + ["cc UAS"] * 4 + ["cc LAS"] * 4
    )
    assert all(str(row[4]).startswith("verb-groups +") for row in comparison_table(AGAINST).rows)
    assert comparison_table([bare]).rows == comparison_table([]).rows == ()


def test_treebanks_are_named_or_counted() -> None:
    several = [PLAIN[0] | {"treebank": f"UD_{name}"} for name in "ABCD"]
    assert answer_table(several[:3]).title == "UD_A 1.3, UD_B 1.3, UD_C 1.3"
    assert answer_table(several).title == "4 treebanks"
    assert answer_table(several).rows[0][0] == "UD_A case (412)"
    two_releases = [PLAIN[0], PLAIN[0] | {"release": "1.4"}]
    assert [row[0] for row in answer_table(two_releases).rows] == [
        "UD_X@1.3 case (412)",
        "UD_X@1.4 case (412)",
    ]
