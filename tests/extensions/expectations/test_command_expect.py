"""`learnability expect`: expectations are written first, and then held against a run."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from invoking import Call
from small_treebanks import small_treebank

pytestmark = pytest.mark.usefixtures("model")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory, call: Call) -> Path:
    """A folder with two treebanks, one of which the model knows, and a run over both."""
    folder = tmp_path_factory.mktemp("expect")
    small_treebank(folder / "ud", "UD_Known")
    small_treebank(folder / "ud", "UD_New", first=90)
    done = call(
        *("run", "--test-set", "--ud-home", folder / "ud", "--all", "--transform", "case", "--transform"),
        *("det", "--seeds", 2, "--iterations", 2, "--jobs", 1, "--out", folder / "run"),
    )
    assert done.code == 0, done.errors
    return folder


def test_one_treebank_gets_a_line_for_each_construction(call: Call, at: Path) -> None:
    done = call("expect", "--treebank", at / "ud" / "UD_New", "--jobs", 1)
    assert done.code == 0, done.errors
    assert "We expect a side for 2 constructions of 1 treebank, from the trees alone." in done.text
    assert "The model of 2026-01-02 knows 1 treebank of UD 2.16 and 11 properties." in done.text
    assert "They clearly helped on unseen families for case." in done.text
    lines = [line.split() for line in done.text.splitlines() if line.startswith(("case ", "det "))]
    assert [(line[0], line[1]) for line in lines] == [("case", "UD"), ("det", "alt.")]


def test_expectations_are_a_file_of_all_treebanks(call: Call, at: Path) -> None:
    done = call("expect", "--ud-home", at / "ud", "--all", "--jobs", 1, "--out", at / "new")
    assert done.code == 0, done.errors
    rows = rows_of(at / "new" / "expectations.csv")
    named = [(row["treebank"], row["construction"], row["is_fitted"], row["expected"]) for row in rows]
    assert named == [
        ("UD_Known", "case", "yes", "base"),
        ("UD_Known", "det", "yes", "alternative"),
        ("UD_New", "case", "", "base"),
        ("UD_New", "det", "", "alternative"),
    ]
    for row in rows:
        low, middle, high = (float(row[f"expected_{name}"]) for name in ("low", "delta", "high"))
        assert low < middle < high
        assert (float(row["probability"]) > 0.5) == (row["expected"] == "base")
    assert "The model was fitted to 1 treebank of these" in done.text


def test_results_are_read_after_expectations_are_written(
    call: Call, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be compared leaves complete expectations."""
    done = call(
        *("expect", "--ud-home", at / "ud", "--all", "--jobs", 1, "--run", at / "nothing"),
        *("--out", at / "first"),
    )
    assert done.code == 2
    assert "nothing holds no run" in done.errors
    assert len(rows_of(at / "first" / "expectations.csv")) == 4
    assert not (at / "first" / "agreement.csv").exists()


def test_expectations_are_held_against_treebanks_that_the_model_has_not_seen(call: Call, at: Path) -> None:
    done = call(
        *("expect", "--ud-home", at / "ud", "--all", "--jobs", 1, "--run", at / "run", "--out", at / "both")
    )
    assert done.code == 0, done.errors
    rows = rows_of(at / "both" / "agreement.csv")
    assert len(rows) == 4
    results = {(row["treebank"], row["construction"]): row for row in rows_of(at / "run" / "results.csv")}
    for row in rows:
        delta = float(row["measured_delta"])
        assert delta == pytest.approx(
            float(results[row["treebank"], row["construction"]]["uas_delta"]), abs=1e-4
        )
        assert row["agrees"] == ("yes" if (row["expected"] == "base") == (delta > 0) else "no")
    hits = sum(row["agrees"] == "yes" for row in rows if not row["is_fitted"])
    assert f"The expected side is ahead in {50 * hits} % of 2 results" in done.text
    assert "Left out: 1 treebank that the model was fitted to." in done.text


def test_a_file_of_expectations_is_compared_as_it_is(call: Call, at: Path) -> None:
    written = call("expect", "--ud-home", at / "ud", "--all", "--jobs", 1, "--out", at / "old", "--quiet")
    assert written.code == 0
    path = at / "old" / "expectations.csv"
    fresh = call("expect", "--ud-home", at / "ud", "--all", "--jobs", 1, "--run", at / "run", "--json")
    stored = call("expect", "--expected", path, "--run", at / "run", "--json")
    assert stored.code == 0, stored.errors
    first, second = (json.loads(done.text)["agreement"] for done in (fresh, stored))
    assert len(first) == 4
    for one, other in zip(first, second, strict=True):
        assert one["expected_delta"] == pytest.approx(other["expected_delta"], abs=1e-3)
        assert one["probability"] == pytest.approx(other["probability"], abs=1e-3)
        assert one["agrees"] == other["agrees"]
    rows = rows_of(path)
    for row in rows:
        row["expected_delta"] = str(-float(row["expected_delta"]))
    with (at / "turned.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    turned = call("expect", "--expected", at / "turned.csv", "--run", at / "run", "--json")
    for one, other in zip(first, json.loads(turned.text)["agreement"], strict=True):
        assert {one["agrees"], other["agrees"]} == {"yes", "no"}


def test_other_expectations_do_not_take_the_place_of_earlier_ones(call: Call, at: Path) -> None:
    words = ("expect", "--treebank", at / "ud" / "UD_New", "--jobs", 1, "--out", at / "kept")
    assert call(*words).code == 0
    assert call(*words).code == 0
    path = at / "kept" / "expectations.csv"
    path.write_text("mine")
    refused = call(*words)
    assert (refused.code, path.read_text()) == (2, "mine")
    assert "exists and would change; use another --out, or --force" in refused.errors
    assert call(*words, "--force").code == 0
    assert len(rows_of(path)) == 2


def test_a_treebank_that_cannot_be_read_is_left_out(call: Call, at: Path, tmp_path: Path) -> None:
    small_treebank(tmp_path, "UD_Good")
    (small_treebank(tmp_path, "UD_Bad") / "xx-ud-dev.conllu").write_text("1\tbroken\n")
    done = call("expect", "--ud-home", tmp_path, "--all", "--jobs", 1)
    assert done.code == 0
    assert "UD_Bad was left out: " in done.errors
    alone = call("expect", "--treebank", tmp_path / "UD_Bad", "--jobs", 1)
    assert (alone.code, alone.errors.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "no treebank is named"),
        (("--treebank", "demo", "--all"), "leave out --treebank"),
        (("--treebank", "demo", "--expected", "x.csv"), "leave out --treebank and --all"),
        (("--expected", "x.csv"), "add --run DIR"),
        (("--expected", "x.csv", "--run", "r"), "x.csv cannot be read"),
    ],
)
def test_options_that_do_not_go_together(call: Call, words: tuple[str, ...], problem: str) -> None:
    refused = call("expect", *words)
    assert (refused.code, refused.errors.count("\n")) == (2, 1)
    assert problem in refused.errors


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("expected_error", "error"), "has no column expected_error"),
        (("1.0000", "one"), "line 2: a number is broken"),
    ],
)
def test_a_broken_file_of_expectations(
    call: Call, at: Path, tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    text = (
        "treebank,release,construction,variant,against,family,is_fitted,expected,probability,expected_delta,"
        "expected_low,expected_high,expected_error,mean_delta,mean_error,promoted,changed,before,"
        "order_entropy,distance,stretch,form_entropy,bare,marked,governor_marked,length,size\n"
        "UD_New,,case,,,Family,,base,0.9,1.0000,0,2,0.5,1.0,0.5,20,,,,,,,,,,,\n"
    )
    path = tmp_path / "expectations.csv"
    path.write_text(text.replace(*change))
    refused = call("expect", "--expected", path, "--run", at / "run")
    assert (refused.code, refused.errors.count("\n")) == (2, 1)
    assert problem in refused.errors


def test_results_about_which_nothing_is_expected(call: Call, at: Path) -> None:
    small_treebank(at / "other", "UD_Other")
    refused = call("expect", "--treebank", at / "other" / "UD_Other", "--jobs", 1, "--run", at / "run")
    assert refused.code == 2
    assert "has no tested result about which we expect anything" in refused.errors
