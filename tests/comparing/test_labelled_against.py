"""Labelled runs in which setting (a) is another scheme than UD."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out
from result_rows import HandRow, hand_row, hand_rows
from run_data import both_result_of, spelled, stored, training_of

from learnability.comparing.fold import fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.ud import UD
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import read_run
from learnability.metrics.scores import ANSWERED, Score
from learnability.running.records import Record
from learnability.transforms.registry import get_transformation
from learnability.treebanks.locate import TreebankFiles, locate_treebank

QUICK: dict[str, Any] = {"seeds": 2, "iterations": 2}
MOSCOW = "cc:style=moscow"
EXTERNAL = ExperimentOptions.spell_annotations(
    ("scheme:function-heads", "det"), against="case", labels="external", **QUICK
)

Found = tuple[list[HandRow], dict[str, Record], Path]


def run(files: TreebankFiles, options: ExperimentOptions, out: Path) -> Found:
    outcome = carried_out(files, options, out)
    assert not outcome.failed
    return hand_rows(outcome), stored(out), out


@pytest.fixture(scope="module")
def between(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Found:
    return run(locate_treebank(small), EXTERNAL, tmp_path_factory.mktemp("labelled"))


def test_side_a_is_what_side_b_is_in_a_labelled_run_with_that_scheme(
    small_files: TreebankFiles, between: Found, tmp_path: Path
) -> None:
    rows, records, _ = between
    (plain,), other, _ = run(
        small_files, replace(EXTERNAL, alternatives=spelled("case"), against=UD), tmp_path
    )
    for seed in (1, 2):
        a, b = training_of(records[f"a//{seed}/0"]), training_of(other[f"b/case/{seed}/0"])
        assert a.dev_uas == b.dev_uas
        for score in ("uas", "las"):
            for name in ("correct", "words", "phrases", "back", "ceiling", "relations"):
                assert getattr(a.scores[score], name) == getattr(b.scores[score], name)
        own = fold_of(small_files, EXTERNAL, 0).base
        uas, las = (a.scores[score] for score in ("uas", "las"))
        assert (uas.ceiling, las.ceiling) == (own.ceilings[Score.UAS], own.ceilings[Score.LAS])
        # of the same conversion
        assert len(uas.back) == len(las.back) == len(a.tokens)
        assert all(arcs <= heads for arcs, heads in zip(las.back, uas.back, strict=True))
    for row in rows:
        for name in ("uas_base", "las_base", "converted_back_uas_base", "converted_back_las_base"):
            assert row[name] == plain[name.replace("base", "alternative")]
        assert row["converted_back_las_ceiling_base"] == plain["converted_back_las_ceiling"]


def score_bases(score: Score) -> list[ScoringBasis]:
    return [basis for basis in ScoringBasis if score is Score.UAS or basis is not ScoringBasis.PHRASES]


@pytest.mark.parametrize("labels", ["external", "keep"])
def test_swapping_the_sides_mirrors_las(labels: Any, small_files: TreebankFiles, tmp_path: Path) -> None:
    options = replace(EXTERNAL, alternatives=spelled("scheme:function-heads"), labels=labels)
    (row,), _, _ = run(small_files, options, tmp_path / "one")
    (function_heads,) = spelled("scheme:function-heads")
    swapped = replace(options, alternatives=spelled("case"), against=function_heads)
    (mirror,), _, _ = run(small_files, swapped, tmp_path / "other")
    for score in ANSWERED:
        same_labels = [basis for basis in score_bases(score) if basis is not ScoringBasis.LABELS]
        assert [*row.by_basis(score)] == same_labels
        for basis, one in row.by_basis(score).items():
            other = mirror.difference(score, basis)
            assert other is not None
            assert (one.base, one.alternative) == (other.alternative, other.base)
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
            assert one.p_equal == pytest.approx(other.p_equal)
    for name in ("converted_back_uas_ceiling", "converted_back_las_ceiling"):
        assert row[name] == mirror[f"{name}_base"]
        assert row[f"{name}_base"] == mirror[name]
    assert row["las_delta"] == pytest.approx(-mirror["las_delta"], abs=1e-12)
    assert row["las_base"] != row["uas_base"]
    for name in ("las_p_value", "sentences_unmixed"):
        assert row[name] == mirror[name]
    assert row["trained_on_both_base"] == mirror["trained_on_both_alternative"]
    opposite = {"base": "alternative", "alternative": "base", "none": "none", "equal": "equal"}
    assert row["las_winner"] == opposite[mirror["las_winner"]]


def test_columns_of_both_kinds_are_written_and_read(between: Found) -> None:
    rows, _, out = between
    lines = (out / "scores.csv").read_text().splitlines()
    assert [hand_row(pair.row) for pair in read_run(out).pairs] == rows
    for row in rows:
        assert row.pair.against == "case"
        ceiling = row["converted_back_las_ceiling_base"]
        assert f"{row.treebank_label},{row.name},,las,converted_back,ceiling_base,{ceiling:.4f}" in lines


@pytest.mark.parametrize("labels", [None, "external"])
def test_sentences_that_cannot_be_mixed_are_counted(
    labels: Any, small_files: TreebankFiles, tmp_path: Path
) -> None:
    """Two styles of coordination never can; determiners always."""
    options = ExperimentOptions.spell_annotations(
        ("cc", "det"), against=MOSCOW, seeds=1, iterations=1, labels=labels
    )
    (styles, words), records, _ = run(small_files, options, tmp_path)
    fold = fold_of(small_files, options, 0)
    prague, moscow = (get_transformation(name, fold.treebank.conventions) for name in ("cc", MOSCOW))
    differ = [tree for tree in fold.ud.train if prague.apply(tree).heads != moscow.apply(tree).heads]
    both = both_result_of(records["c/cc/1/0"])
    assert styles["sentences_unmixed"] == both.sentences_unmixed == len(differ) > 5
    assert words["sentences_unmixed"] == 0


def test_folds_count_each_sentence_once(small_files: TreebankFiles, tmp_path: Path) -> None:
    data = DataOptions(cross_validate=4)
    files = TreebankFiles(small_files.name, "", None, test=small_files.train)
    options = ExperimentOptions.spell_annotations(
        ("cc",), against=MOSCOW, seeds=1, iterations=1, labels="keep", data=data
    )
    (row,), records, _ = run(files, options, tmp_path)
    results = [both_result_of(records[f"c/cc/1/{fold}"]) for fold in range(4)]
    each = [both.sentences_unmixed or 0 for both in results if both]
    assert len(each) == 4
    assert row["sentences_unmixed"] == sum(each) / 2 == row["sentences_changed"]
    assert 0 < row["converted_back_las_base"] <= row["converted_back_las_ceiling_base"] <= 100
