"""A run that was recorded is read by later versions, whatever optional fields and columns have been added."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import content_of
from recorded_run import FOLDER, other_fields

from learnability import compare_runs, read_results
from learnability.cli import run
from learnability.errors import InputError
from learnability.evidence.columns import results_csv, scores_csv
from learnability.evidence.stored_runs import StoredRun, read_run
from learnability.metrics.scores import Score
from learnability.reports.page import report_files
from learnability.running.config import read_config
from learnability.running.folder import RunFolder
from learnability.running.records import read_records


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A copy of the run, whose results.csv and scores.csv are empty: nothing is read from them."""
    folder = shutil.copytree(FOLDER, tmp_path / "run")
    for name in ("results.csv", "scores.csv"):
        (folder / name).write_bytes(b"")
    return folder


@pytest.fixture
def other(recorded: Path) -> StoredRun:
    """The run as a version with other optional fields recorded it."""
    (recorded / "records_other_fields.jsonl").replace(recorded / "records.jsonl")
    return read_run(recorded)


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
    assert '<figure id="figure-trained_on_both">' in page


def test_unknown_fields_are_ignored_and_missing_ones_have_their_defaults(
    other: StoredRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was not recorded is missing; everything else is as it was."""
    whole = read_run(FOLDER)
    for pair, expected in zip(other.pairs, whole.pairs, strict=True):
        assert pair.row.differences == expected.row.differences
        assert len(pair.row.differences) == 4 + 3 + 2
        assert pair.row.ceiling(Score.UAS).alternative is None
        assert set(expected.row.error_split[Score.UAS]) == {"place", "phrase", "elsewhere"}
        same = ("ceilings", "error_split", "relations", "differences")
        blank: dict[str, Any] = {name: {} for name in same}
        assert replace(pair.row, **blank) == replace(expected.row, **blank)
    assert run(["compare", str(other.folder)]) == 0
    assert "1 treebank together" in capsys.readouterr().out


def test_the_other_records_are_these_with_other_fields() -> None:
    records = (FOLDER / "records.jsonl").read_bytes()
    data = (FOLDER / "records_other_fields.jsonl").read_bytes()
    assert data == other_fields(records)
    assert b"invented" in data
    assert b"error_split" in records
    assert b"error_split" not in data


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


def test_a_field_that_a_record_lacks_is_no_option(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = (recorded / "records.jsonl").read_text()
    (recorded / "records.jsonl").write_text(records.replace('"places":169,"sentences":40', '"sentences":40'))
    assert run(["compare", str(recorded)]) == 2
    assert "(Object missing required field places" in capsys.readouterr().err


@pytest.mark.parametrize("found", [None, 2, 4])
def test_another_format_is_refused_in_one_line(
    recorded: Path, found: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    config = read_config(recorded / "config.json")
    rewritten(recorded, format=found)
    said = (
        f"{recorded} holds a run of another version of learnability, whose records have another format; "
        "make it again in another folder"
    )
    for words in (["compare", str(recorded)], ["report", str(recorded), "--verify", "1"]):
        assert run(words) == 2
        assert capsys.readouterr().err == f"learnability: {said}\n"
    with pytest.raises(InputError) as error:
        read_results(recorded)
    assert str(error.value) == said
    folder = RunFolder(recorded)
    for resume in (True, False):
        with pytest.raises(InputError) as error:
            folder.begin(config, resume=resume)
        assert str(error.value) == said
    folder.begin(config, resume=False, force=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"pairs": None},
        {"parsers": None},
        {"pairs": [{"spelling": 3}]},
        {"seeds": [7]},
    ],
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
