"""The rows of a run that was recorded stay what they were, whatever columns have been added."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from finished_runs import content_of
from recorded_run import FOLDER

from learnability import compare_runs
from learnability.cli import run
from learnability.errors import InputError
from learnability.evidence.columns import results_csv, scores_csv
from learnability.evidence.stored_runs import read_run
from learnability.reports.page import report_files
from learnability.running.records import read_records


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A copy of the run, whose results.csv and scores.csv are empty: nothing is read from them."""
    folder = shutil.copytree(FOLDER, tmp_path / "run")
    for name in ("results.csv", "scores.csv"):
        (folder / name).write_bytes(b"")
    return folder


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def rewritten(folder: Path, **changes: Any) -> None:
    """Change entries of config.json; None takes them away."""
    config = json.loads((folder / "config.json").read_text()) | changes
    kept = {name: value for name, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(kept))


def test_its_rows_are_what_they_were(recorded: Path) -> None:
    """Columns and lines may have been added. Neither the treebank nor the file of the scheme is needed."""
    rows = [pair.row for pair in read_run(recorded).pairs]
    for kept, now in zip(table((FOLDER / "results.csv").read_bytes()), table(results_csv(rows)), strict=True):
        assert kept.items() <= now.items()
    lines = table(scores_csv(rows))
    assert [line for line in table((FOLDER / "scores.csv").read_bytes()) if line not in lines] == []
    assert [row.name for row in rows] == ["det", "words"]


def test_it_is_compared_and_reported(recorded: Path) -> None:
    assert compare_runs(recorded).differences["construction"].unique().tolist() == ["det", "words"]
    stored = read_run(recorded)
    records = read_records(recorded / "records.jsonl").values()
    content = content_of([pair.row for pair in stored.pairs], records, stored.config)
    page = report_files(content)["report.html"].decode()
    assert ">det: it is open which is easier to learn</h3>" in page
    assert "Where the differences come from" in page


def test_a_result_that_cannot_be_read_is_refused_with_the_name_of_its_record(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = (recorded / "records.jsonl").read_text()
    assert records.count('"places":169,"sentences":40') == 1
    (recorded / "records.jsonl").write_text(
        records.replace('"places":169,"sentences":40', '"places":"many","sentences":40')
    )
    assert run(["compare", str(recorded)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"learnability: {recorded}: record UD_Small/measures/det/0/0: its result cannot be read ("
    )
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "changes", [{"pairs": None}, {"parsers": None}, {"pairs": [{"spelling": 3}]}, {"seeds": [7]}]
)
def test_a_configuration_that_does_not_tell_enough(recorded: Path, changes: dict[str, Any]) -> None:
    """Seeds without records leave rows without scores; all else is refused in one line."""
    rewritten(recorded, **changes)
    if "seeds" in changes:
        assert {pair.row.difference() for pair in read_run(recorded).pairs} == {None}
        return
    with pytest.raises(InputError, match=r"with `force=True`$|choose another folder$") as error:
        read_run(recorded)
    assert "\n" not in str(error.value)
