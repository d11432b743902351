"""`run --expect`: a run says what its trees let us expect, and whether its results agree."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from invoking import Call, Result
from small_treebanks import small_treebank

pytestmark = pytest.mark.usefixtures("model")

PAIRS = ("--transform", "case", "--transform", "det", "--seeds", 2, "--iterations", 2, "--jobs", 1)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def run(call: Call, at: Path, *words: object, treebank: str = "UD_New", out: str = "run") -> Result:
    done = call(
        *("run", "--treebank", at / "ud" / treebank, *PAIRS, "--expect", "--quiet", "--out", at / out),
        *(words or ("--test-set",)),
    )
    assert done.code == 0, done.errors
    return done


@pytest.fixture
def at(tmp_path: Path) -> Path:
    """A folder with two treebanks, one of which the model knows."""
    small_treebank(tmp_path / "ud", "UD_Known")
    small_treebank(tmp_path / "ud", "UD_New", first=90)
    return tmp_path


def test_expectations_stand_beside_the_results(call: Call, at: Path) -> None:
    done = run(call, at)
    text = " ".join(done.text.split())
    for construction, side in (("case", "UD"), ("det", "alt.")):
        assert f"{construction}: the trees alone let us expect {side} +" in text
    assert "The model was fitted to results of this treebank" not in text
    (results,) = [{row["construction"]: row for row in rows_of(at / "run" / "results.csv")}]
    for row in rows_of(at / "run" / "agreement.csv"):
        delta = float(results[row["construction"]]["uas_delta"])
        assert float(row["measured_delta"]) == pytest.approx(delta, abs=1e-4)
        assert row["agrees"] == ("yes" if (row["expected"] == "base") == (delta > 0) else "no")
    page = (at / "run" / "report.html").read_text(encoding="utf-8")
    assert "the trees alone let us expect" in page


def test_they_are_those_of_the_command(call: Call, at: Path) -> None:
    """The trees of all folds are those of the files."""
    run(call, at)
    run(call, at, "--test-set", "--cross-validate", 3, out="folds")
    written = call("expect", "--treebank", at / "ud" / "UD_New", "--jobs", 1, "--out", at / "alone")
    assert written.code == 0, written.errors
    alone = (at / "alone" / "expectations.csv").read_bytes()
    assert (at / "run" / "expectations.csv").read_bytes() == alone
    assert (at / "folds" / "expectations.csv").read_bytes() == alone


def test_the_page_is_made_again_from_records_alone(call: Call, at: Path) -> None:
    run(call, at)
    names = ("report.html", "expectations.csv", "agreement.csv")
    before = {name: (at / "run" / name).read_bytes() for name in names}
    (at / "ud").rename(at / "elsewhere")
    assert call("report", at / "run", "--quiet").code == 0
    assert {name: (at / "run" / name).read_bytes() for name in names} == before


def test_the_final_answers_are_compared(call: Call, at: Path) -> None:
    """What all sentences say takes the place of what the test set said."""
    done = run(call, at, "--budget", "30s")
    results = {row["construction"]: row for row in rows_of(at / "run" / "results.csv")}
    assert "all sentences" in {row["tested_on"] for row in results.values()}
    for row in rows_of(at / "run" / "agreement.csv"):
        result = results[row["construction"]]
        assert float(row["measured_delta"]) == pytest.approx(float(result["uas_delta"]), abs=1e-4)
    assert done.code == 0


def test_a_known_treebank_proves_nothing(call: Call, at: Path) -> None:
    text = " ".join(run(call, at, treebank="UD_Known").text.split())
    assert "So it is no proof of the model if they agree." in text


def test_a_construction_that_the_model_does_not_know(call: Call, at: Path) -> None:
    text = " ".join(run(call, at, "--test-set", "--transform", "punct").text.split())
    assert "The model does not know punct." in text


def test_without_comparisons_expectations_stand_alone(call: Call, at: Path) -> None:
    done = run(call, at, "--quick")
    text = " ".join(done.text.split())
    assert "We expect a side for 2 constructions of 1 treebank" in text
    assert not (at / "run" / "agreement.csv").exists()


def test_it_is_asked_of_a_finished_run(call: Call, at: Path) -> None:
    words = ("run", "--test-set", "--treebank", at / "ud" / "UD_New", *PAIRS, "--quiet", "--out", at / "run")
    assert call(*words).code == 0
    before = (at / "run" / "records.jsonl").read_bytes()
    done = call(*words, "--resume", "--expect")
    assert done.code == 0, done.errors
    after = (at / "run" / "records.jsonl").read_bytes()
    assert after.startswith(before)
    added = [json.loads(line)["setting"] for line in after[len(before) :].splitlines()]
    assert added == ["properties", "properties"]
    checked = call("report", at / "run", "--verify", 1, "--jobs", 1, "--quiet")
    assert checked.code == 0, checked.errors


def test_another_base_is_refused(call: Call, at: Path) -> None:
    words = ("run", "--treebank", at / "ud" / "UD_New", *PAIRS, "--against", "sud", "--out", at / "run")
    refused = call(*words, "--expect")
    assert (refused.code, refused.errors.count("\n")) == (2, 1)
    assert "we expect differences from UD only; leave out --against, or --expect" in refused.errors
