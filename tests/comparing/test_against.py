"""Runs in which setting (a) is another scheme than UD."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out
from finished_runs import ROWS, config, content_of
from finished_runs import records as written_records
from result_rows import HandRow, column, hand_row, hand_rows
from run_data import both_result_of, stored, training_of

from learnability.comparing.annotated_folds import contrast_of
from learnability.comparing.fold import fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.results import TrainingResult
from learnability.errors import InputError
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import read_run, run_of_rows
from learnability.evidence.survey import combine_runs
from learnability.metrics.scores import Score
from learnability.reports.comparison_tables import tables
from learnability.running.records import Record
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles

QUICK: dict[str, Any] = {"seeds": 2, "iterations": 2, "trees": True}
BETWEEN = ExperimentOptions.spell_annotations(("scheme:function-heads", "det", "cc"), against="case", **QUICK)

StoredRecords = dict[str, Record]


def training(records: StoredRecords, key: str) -> TrainingResult:
    return training_of(records[key])


def run(
    files: TreebankFiles, options: ExperimentOptions, out: Path, **more: Any
) -> tuple[list[HandRow], StoredRecords]:
    outcome = carried_out(files, options, out, **more)
    assert not outcome.failed
    return hand_rows(outcome), stored(out)


@pytest.fixture(scope="module")
def between(
    small: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[HandRow], StoredRecords, Path]:
    from learnability.treebanks.locate import locate_treebank

    out = tmp_path_factory.mktemp("against")
    return *run(locate_treebank(small), BETWEEN, out), out


def test_swapping_the_sides_mirrors_everything(small_files: TreebankFiles, tmp_path: Path) -> None:
    # alone, because other alternatives tell how much a text varies
    alone = ExperimentOptions.spell_annotations(("scheme:function-heads",), against="case", **QUICK)
    swapped = ExperimentOptions.spell_annotations(("case",), against="scheme:function-heads", **QUICK)
    (row,), records = run(small_files, alone, tmp_path / "alone")
    (mirror,), others = run(small_files, swapped, tmp_path / "swapped")
    assert row["places"] > 10
    for name in ("places", "sentences_changed", "tokens_changed", "test_places", "factors_cut"):
        assert row[name] == mirror[name]
    bases = row.by_basis()
    assert [*bases] == ScoringBasis.of(Score.UAS)
    for basis, difference in bases.items():
        other = mirror.difference(basis=basis)
        assert other is not None
        assert difference.delta == pytest.approx(-other.delta, abs=1e-12)
        assert (difference.uncorrected_low, difference.uncorrected_high) == pytest.approx(
            (-(other.uncorrected_high or 0), -(other.uncorrected_low or 0))
        )
        assert (difference.p_value, difference.p_equal) == pytest.approx((other.p_value, other.p_equal))
    pairs = [*(column("base", basis).removesuffix("_base") for basis in bases)]
    for name in (*pairs, "converted_back_uas_ceiling"):
        ends = ("base", "" if name == "converted_back_uas_ceiling" else "alternative")
        one, other = (f"{name}_{end}".rstrip("_") for end in ends)
        assert (row[one], row[other]) == (mirror[other], mirror[one])
    assert row["uas_delta"] == pytest.approx(-mirror["uas_delta"], abs=1e-12)
    assert row["trained_on_both_base"] == mirror["trained_on_both_alternative"]
    assert row["trained_on_both_alternative"] == mirror["trained_on_both_base"]
    opposite = {"base": "alternative", "alternative": "base", "none": "none", "equal": "equal"}
    for name in ("uas_winner", "uas_better", "trained_on_both_pick"):
        assert row[name] == opposite[mirror[name]]
    for seed in (1, 2):
        ours = both_result_of(records[f"c/scheme:function-heads/{seed}/0"])
        theirs = both_result_of(others[f"c/case/{seed}/0"])
        assert ours.base_share == theirs.alternative_share
        a, b = training(records, f"a//{seed}/0"), training(others, f"b/case/{seed}/0")
        assert a.scores["uas"].error_split["scheme:function-heads"] == b.scores["uas"].error_split["case"]


def test_counts_compare_the_two_schemes(
    small_files: TreebankFiles, between: tuple[list[HandRow], StoredRecords, Path]
) -> None:
    rows, _, _ = between
    fold = fold_of(small_files, BETWEEN, 0)
    for row, pair in zip(rows, BETWEEN.alternatives, strict=True):
        contrast = contrast_of(Pair(BETWEEN.against, pair), fold.treebank.conventions)
        sides = [contrast.sides(tree) for tree in fold.train]
        moved = [sum(a != b for a, b in zip(one.base, one.alternative, strict=True)) for one in sides]
        assert row["places"] == sum(len(one.places) for one in sides)
        assert (row["tokens_changed"], row["sentences_changed"]) == (sum(moved), sum(m > 0 for m in moved))
        assert (row["between_phrases_uas_base"] is None) == (pair.spelling == "cc")


def test_drawn_sentences_are_those_of_the_two_schemes(
    small_files: TreebankFiles, between: tuple[list[HandRow], StoredRecords, Path]
) -> None:
    _, records, _ = between
    fold = fold_of(small_files, BETWEEN, 0)
    case, det = (get_transformation(name, fold.treebank.conventions) for name in ("case", "det"))
    for key, rule in (("a//1/0", case), ("b/det/1/0", det)):
        examples = training(records, key).examples
        assert examples
        for one in examples:
            tree = rule.apply(fold.ud.test[one.index])
            assert (one.heads, one.deprels) == (list(tree.heads), list(tree.deprels))


def test_results_say_what_they_are_against_and_are_not_put_with_others(
    between: tuple[list[HandRow], StoredRecords, Path],
) -> None:
    _, _, out = between
    finished = read_run(out)
    assert [pair.row.pair.against for pair in finished.pairs] == ["case"] * 3
    others = [replace(c, row=hand_row(c.row) | {"against": "prague"}) for c in finished.pairs]
    with pytest.raises(InputError, match="compare runs that share this annotation"):
        combine_runs([finished, replace(finished, pairs=tuple(others))])


def test_comparisons_name_the_side_that_is_ahead() -> None:
    rows = [row | {"against": "prague"} for row in ROWS]
    content = content_of(rows, written_records(), config())
    run = run_of_rows(Path(), content.config, content.rows)
    evidence = combine_runs([run])
    cells = [str(cell) for table in tables(evidence) for row in table.rows for cell in row]
    assert any(cell.startswith("prague +") for cell in cells)
    assert not any(cell.startswith("UD +") for cell in cells)


def test_ud_itself_can_be_the_other_side_and_folds_work(small_files: TreebankFiles, tmp_path: Path) -> None:
    """UD as the pair: its parses need no conversion, and nothing is lost in one."""
    data = DataOptions(cross_validate=3)
    files = TreebankFiles(small_files.name, "", None, test=small_files.train)
    options = ExperimentOptions.spell_annotations(
        ("scheme:ud",), against="case", seeds=1, iterations=1, data=data
    )
    (row,), records = run(files, options, tmp_path / "case")
    assert len([key for key in records if key.startswith("a/")]) == 3
    assert row["converted_back_uas_alternative"] == row["uas_alternative"]
    assert row["converted_back_uas_ceiling"] == 100
    plain = ExperimentOptions.spell_annotations(("case",), seeds=1, iterations=1, data=data)
    (expected,), _ = run(files, plain, tmp_path / "ud")
    assert (row["places"], row["test_places"]) == (expected["places"], expected["test_places"])
    assert (row["uas_base"], row["uas_alternative"]) == (expected["uas_alternative"], expected["uas_base"])
