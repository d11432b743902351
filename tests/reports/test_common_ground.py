"""The scores on common ground on the terminal: the columns of the page, whatever the width."""

from __future__ import annotations

import pytest
from result_rows import HandRow, empty_row
from rich.text import Text

from learnability.experiments.columns import columns as columns_in
from learnability.reports.results import COMMON_GROUND, common_ground_section
from learnability.reports.text import print_section

NUMBERED = {column: 10.11 + i for i, (_, column) in enumerate(COMMON_GROUND)}


def row(*, labelled: bool, against: bool) -> HandRow:
    """A row whose scores on common ground are all different."""
    columns = [column.name for column in columns_in(labelled=labelled, against=against)]
    found = empty_row(*columns) | {name: NUMBERED[name] for name in columns if name in NUMBERED}
    more = {"treebank": "UD_X", "transform": "case", "variant": "", "uas_delta": 0.2}
    return found | more | ({"against": "verb-groups"} if against else {})


@pytest.mark.parametrize("columns", [80, 120, 200])
@pytest.mark.parametrize("against", [False, True])
@pytest.mark.parametrize("labelled", [False, True])
def test_all_scores_are_shown_and_nothing_is_cut_off(
    labelled: bool,
    against: bool,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in (
        ("COLUMNS", str(columns)),
        ("FORCE_COLOR", "1"),
        ("TERM", "xterm"),
        ("NO_COLOR", "1"),
    ):
        monkeypatch.setenv(name, value)
    given = row(labelled=labelled, against=against)
    section = common_ground_section([given, given | {"transform": "mwe", "uas_delta": None}])
    assert section is not None
    print_section(section)
    shown = Text.from_ansi(capsys.readouterr().out).plain
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= columns
    assert "mwe" not in shown
    expected = [value for name, value in NUMBERED.items() if name in given]
    assert len(expected) == 10 + 7 * labelled + 2 * against + 2 * (labelled and against)
    positions = [shown.index(f"{value:.2f}") for value in expected]
    assert positions == sorted(positions)
    assert ("verb-groups" in shown) == against
    assert shown.count("Nucleus: arcs") == 1


def test_without_scores_there_is_no_common_ground() -> None:
    assert common_ground_section([row(labelled=False, against=False) | {"uas_delta": None}]) is None
    assert common_ground_section([]) is None
