"""The paper's tables from runs written by hand; all figures are worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from finished_runs import SEED_DELTAS, hand_run, pair, write_run
from result_rows import compared
from run_data import record_of, survived

from learnability.evidence.stored_runs import StoredRun
from learnability.evidence.survey import Evidence, combine_runs
from learnability.running.records import encode
from research.reproduction import tables
from research.reproduction.paper_tables import (
    PAPER,
    PAPER_TABLE_2,
    TrainedPair,
    commitment,
    correlations,
    differences,
    leave_one_out_majority,
    read_trained_run,
    sentences_with_places,
    table_2,
    table_3,
)

Deltas = Mapping[tuple[str, str], Sequence[float]]

MEASURED = {
    ("UD_X@1.3", "case"): {"perplexity": (9.0, 10.0)},
    ("UD_Y@1.3", "case"): {"perplexity": (10.0, 9.0)},
}
"""What was measured without a parser."""


def trained_run(folder: Path, deltas: Deltas = SEED_DELTAS, **others: Any) -> StoredRun:
    """A finished run with these differences of its seeds."""
    run = hand_run(folder, seed_deltas=deltas, **others)
    of_pairs = [deltas.get((pair.row.treebank, pair.row.name), ()) for pair in run.pairs]
    pairs = (
        TrainedPair(**vars(pair), seed_deltas=tuple(map(float, found)))
        for pair, found in zip(run.pairs, of_pairs, strict=True)
    )
    return replace(run, pairs=tuple(pairs))


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    return combine_runs([trained_run(tmp_path / "run")])


def test_table_2(evidence: Evidence) -> None:
    case, det, both = table_2(evidence)
    assert (case.construction, case.pairs, case.ud_wins) == ("case", 3, 2)
    assert case.ud_percent == pytest.approx(200 / 3)
    assert case.mean_delta == pytest.approx((1 + 3 - 1) / 3)
    assert (case.paper_percent, case.paper_pairs) == (44.7, 38)
    assert (det.pairs, det.ud_wins, det.ties) == (2, 1, 0)
    assert (both.construction, both.pairs, both.ud_percent) == ("total", 5, 60.0)
    assert both.paper_percent == pytest.approx(100 * 129 / 222)
    # Holm over the two of UD_X, the two of UD_Y, and the one of UD_Z
    assert [(wins.ud_better, wins.alternative_better, wins.equal) for wins in (case, det, both)] == [
        (2, 0, 0), (0, 1, 0), (2, 1, 0),
    ]  # fmt: skip


def test_what_is_shown_to_be_equal_is_counted_so(tmp_path: Path) -> None:
    """No difference of half a point or more: 0.1 ± 0.2 shows it, 0.1 ± 0.6 does not, 0.3 ± 0.1 is a side."""
    rows = [
        pair(f"UD_{i}", "case", delta) | compared(delta, half)
        for i, (delta, half) in enumerate([(0.1, 0.2), (0.1, 0.6), (0.3, 0.1), (-0.1, 0.2)])
    ]
    case, _ = table_2(combine_runs([hand_run(tmp_path / "run", rows=rows)]))
    assert (case.ud_wins, case.ud_better, case.alternative_better, case.equal) == (3, 1, 0, 2)


def test_table_3(evidence: Evidence) -> None:
    found = {a.indicator: a for a in table_3(evidence, MEASURED)}
    # picks of multiref: right, right, none, right, wrong
    multiref = found["trained_on_both"]
    assert (multiref.pairs, multiref.percent, multiref.undecided) == (5, 60.0, 1)
    # clear are X case and X det (right), and Y case (none)
    assert multiref.significant_pairs == 3
    assert multiref.significant_percent == pytest.approx(200 / 3)
    assert multiref.paper_percent == 76.3
    # perplexity was computed for two pairs only, one right
    assert (found["perplexity"].pairs, found["perplexity"].percent) == (2, 50.0)
    assert found["complexity"].percent is None
    assert found["always_ud"].percent == 60.0
    assert found["always_ud"].significant_percent == pytest.approx(200 / 3)
    # X case: Y and Z are even; X det: Y says original; Y case: even; Y det: X; Z case: X and Y
    assert (found["majority"].percent, found["majority"].undecided) == (0.0, 2)


def test_the_majority_leaves_the_language_out(tmp_path: Path, evidence: Evidence) -> None:
    assert leave_one_out_majority(evidence) == {
        ("UD_X@1.3", "case"): "none",
        ("UD_X@1.3", "det"): "base",
        ("UD_Y@1.3", "case"): "none",
        ("UD_Y@1.3", "det"): "alternative",
        ("UD_Z@1.3", "case"): "base",
    }
    another = hand_run(tmp_path / "another", only=("UD_X",), release="2.16")
    both = combine_runs([hand_run(tmp_path / "run"), another])
    majority = leave_one_out_majority(both)
    assert majority["UD_X@1.3", "det"] == "base"  # not asked: UD_X of release 2.16
    assert majority["UD_Z@1.3", "case"] == "base"
    assert majority["UD_Y@1.3", "case"] == "none"  # UD_X has one vote, as UD_Z has


def test_a_renamed_treebank_is_no_other_language(tmp_path: Path) -> None:
    """UD_Greek of 1.3 is UD_Greek-GDT of 2.16; Ancient Greek is another language."""
    deltas = {"UD_Greek": 1.0, "UD_Greek-GDT": 2.0, "UD_Ancient_Greek-PROIEL": -1.0, "UD_Irish": -1.0}
    rows = [pair(name, "case", delta) for name, delta in deltas.items()]
    majority = leave_one_out_majority(combine_runs([hand_run(tmp_path / "run", rows=rows)]))
    assert majority["UD_Greek@1.3", "case"] == majority["UD_Greek-GDT@1.3", "case"] == "alternative"
    assert majority["UD_Irish@1.3", "case"] == "none"  # Greek against Ancient Greek


def test_the_noise_ceiling(evidence: Evidence) -> None:
    ceiling = table_3(evidence, {})[-1]
    # the two seeds agree on X case, Y case and Z case, not on X det and Y det
    assert (ceiling.indicator, ceiling.pairs, ceiling.percent) == ("noise_ceiling", 5, 60.0)
    assert ceiling.significant_pairs == 3
    assert ceiling.significant_percent == pytest.approx(200 / 3)


def test_halves_of_four_seeds(tmp_path: Path) -> None:
    """1 - 1 is even and 2 + 3 is not; 1 + 2 against 3 - 1 agree, so do 1 + 3 and 2 - 1."""
    run = trained_run(tmp_path / "run", {("UD_X", "case"): [1, 2, 3, -1]}, only=("UD_X",))
    assert table_3(combine_runs([run]), {})[-1].percent == pytest.approx(200 / 3)
    run = trained_run(tmp_path / "other", {("UD_X", "case"): [1, 2, 3, -5]}, only=("UD_X",))
    assert table_3(combine_runs([run]), {})[-1].percent == 0.0


def test_commitment(evidence: Evidence) -> None:
    found = commitment(evidence)
    # survival 0.8/0.1, 0.2/0.75, 0.7/0.3, 0.5/0.4, none computed for the last
    assert found.pairs == 4
    assert found.percent == 50.0
    # 20 of 50 sentences have places: 0.8 * 0.4 and less
    assert found.percent_of_all_sentences == 0.0
    assert found.sentences == 80
    assert found.sentence_percent == pytest.approx(100 * (0.8 + 0.75 + 0.7 + 0.5) / 4)


def test_commitment_counts_the_sentences_trained_on(tmp_path: Path) -> None:
    """Lifting leaves 15 of the 30 changed sentences of UD_X case a place; of UD_Y a fold is missing."""
    run = write_run(tmp_path / "run")
    with open(run / "records.jsonl", "ab") as file:
        for treebank, folds in (("UD_X@1.3", (9, 4, 2)), ("UD_Y@1.3", (6, 6))):
            for seed, (fold, sentences) in product((1, 2), enumerate(folds)):
                result = survived(0.8, 0.1, 0.5, sentences_with_places=sentences)
                file.write(encode(record_of(treebank, "c", "case", seed, fold, result=result)))
    evidence = combine_runs([read_trained_run(run)])
    x_case, x_det, *_ = evidence.pairs
    assert list(map(sentences_with_places, (x_case, x_det))) == [15, 30]
    found = commitment(evidence)
    assert (found.pairs, found.sentences) == (1, 15)
    assert found.sentence_percent == pytest.approx(80.0)


def test_differences(evidence: Evidence) -> None:
    found = differences(evidence)
    assert (found.pairs, found.ud_wins, found.alternative_wins, found.ties) == (5, 3, 2, 0)
    assert found.mean == pytest.approx((1 - 2 + 3 + 0.5 - 1) / 5)
    assert found.mean_absolute == pytest.approx((1 + 2 + 3 + 0.5 + 1) / 5)
    assert (found.largest, found.largest_pair) == (3.0, "UD_Y@1.3 case")


def test_correlations_are_positive_where_a_measure_favours_the_winner(tmp_path: Path) -> None:
    deltas = {f"UD_{i}": delta for i, delta in enumerate([-2.0, -1.0, 0.5, 2.0])}
    rows = [pair(name, "case", delta) for name, delta in deltas.items()]
    measured = {
        (f"{name}@1.3", "case"): {
            "predictability": (3.0 - delta, 3.0), "perplexity": (9 + delta**3, 9.0), "complexity": (100, 100),
        }
        for name, delta in deltas.items()
    }  # fmt: skip
    evidence = combine_runs([hand_run(tmp_path / "run", rows=rows)])
    found = {c.indicator: c for c in correlations(evidence, measured)}
    assert found["predictability"].pearson == pytest.approx(1.0)
    assert found["perplexity"].spearman == pytest.approx(-1.0)
    assert -1 < (found["perplexity"].pearson or 0) < 0
    assert found["complexity"].pearson is None  # never differs
    assert found["trained_on_both"].pairs == 4


def test_ties_have_no_winner_to_name(tmp_path: Path) -> None:
    rows = [pair("UD_X", "case", 0.0), pair("UD_Y", "case", 1.0)]
    found = combine_runs([hand_run(tmp_path / "run", rows=rows)])
    assert (table_2(found)[0].pairs, table_2(found)[0].ties, table_2(found)[0].ud_percent) == (2, 1, 50.0)
    assert {a.indicator: a.pairs for a in table_3(found, {})}["always_ud"] == 1


def test_one_command_prints_and_writes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, out = write_run(tmp_path / "run"), tmp_path / "new" / "tables"
    monkeypatch.setattr("sys.argv", ["tables.py", str(run), "--out", str(out)])
    monkeypatch.setattr(tables, "measure_runs", lambda evidence: MEASURED)  # the run has no treebank
    tables.main()
    printed = capsys.readouterr().out
    for text in ("66.7", "44.7 of 38", "multiple references", "noise ceiling", "Table 2", "Pearson"):
        assert text in printed
    assert {path.name for path in out.iterdir()} == {
        "table_2.csv", "table_3.csv", "correlations.csv", "tables.json",
        "figure2.svg", "figure2.csv", "heatmap.svg", "heatmap.csv",
    }  # fmt: skip
    lines = (out / "table_2.csv").read_text().splitlines()
    assert lines[0].startswith("construction,pairs,ud_wins,ties,ud_percent,mean_delta")
    assert lines[1].startswith("case,3,2,0,66.6667,1.0000,")
    assert json.loads((out / "tables.json").read_text())["table_2"][0]["ud_wins"] == 2


def test_runs_that_do_not_compare_with_ud_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run")
    monkeypatch.setattr("sys.argv", ["tables.py", str(run)])
    monkeypatch.setattr(tables, "combine_runs", lambda runs, unfinished: SimpleNamespace(base="cop"))
    with pytest.raises(SystemExit, match="these runs compare with cop"):
        tables.main()


@pytest.mark.usefixtures("drawn_figures")
def test_the_heat_map_shows_every_difference(evidence: Evidence) -> None:
    drawn = {name: data for each in tables.figures(evidence) for name, data in each.files().items()}
    picture = drawn["heatmap.svg"].decode()
    for text in ("X@1.3", "Z@1.3", ">case<", ">det<", "+3.0", "-2.0", "+0.5"):
        assert text in picture.replace("\N{MINUS SIGN}", "-")


def test_the_paper_adds_up() -> None:
    """Percentages of Table 2, truncated, times languages give the 129 wins of 222 pairs."""
    wins = [round(percent * n / 100) for percent, n in PAPER_TABLE_2.values()]
    assert sum(wins) == PAPER["ud_wins"]
    assert sum(n for _, n in PAPER_TABLE_2.values()) == PAPER["pairs"]


def test_what_was_not_tested_is_in_no_table(tmp_path: Path) -> None:
    """Without enough data there is a difference at most."""
    untested = dict.fromkeys(("uas_delta_low", "uas_delta_high", "uas_p_value", "uas_p_equal"))
    rows = [pair("UD_X", "case", 1.0), pair("UD_X", "cop", 5.0) | untested, pair("UD_X", "det", None)]
    found = combine_runs([hand_run(tmp_path / "run", rows=rows)])
    assert [(wins.construction, wins.pairs) for wins in table_2(found)] == [("case", 1), ("total", 1)]
    assert table_3(found, {})[0].pairs == 0
    assert differences(found).largest == 1.0
