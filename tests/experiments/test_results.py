"""The columns of results.csv, from records written by hand; all values are worked out by hand."""

from __future__ import annotations

import pytest
from result_rows import AGAINST_COLUMNS, COLUMNS, LAS_AGAINST_COLUMNS, LAS_COLUMNS
from run_data import changed, counts, plan, record, survived, trained

from learnability.experiments.columns import Row, columns, results_csv
from learnability.experiments.criteria import pick
from learnability.experiments.plan import Plan
from learnability.experiments.results import breakdown, result_rows
from learnability.experiments.run_records import Record
from learnability.metrics import compare, sentences_needed


def one_seed(p: Plan, condition: str = "case") -> list[Record]:
    """Test sentences of 10, 6 and 4 tokens; (a) has 16 of 20 heads right, (b) 14."""
    a, b = {"site": (3, 4), "nucleus": (0, 0)}, {"site": (1, 4), "nucleus": (0, 0)}
    first = trained([9, 4, 3], [10, 6, 4], 18, condition, error_split={condition: a})
    second = trained([8, 4, 2], [10, 6, 4], 15, condition, error_split={condition: b}, nucleus_correct=4)
    return [
        record(p, "measures", condition, measures=counts()),
        record(p, "a", "", 1, training=first),
        record(p, "b", condition, 1, training=second),
        record(p, "c", condition, 1, survival=survived(0.6, 0.3, 0.75)),
    ]


def test_one_condition() -> None:
    p = plan()
    (row,) = result_rows(p, one_seed(p))
    assert tuple(row) == (*COLUMNS, "test_sentences", "sentences_needed", "error_split", "relations")
    same = compare([9, 4, 3], [8, 4, 2], [10, 6, 4])
    expected = {
        "treebank": "UD_X",
        "release": "1.3",
        "transform": "case",
        "variant": "",
        "sites": 12,
        "sentences": 40,
        "sentences_changed": 10,
        "tokens_changed": 24,
        "test_sites": 3,
        "seeds": 1,
        "iterations": 8,
        "uas_original": pytest.approx(80.0),
        "uas_transformed": pytest.approx(70.0),
        "uas_delta": pytest.approx(10.0),
        "uas_delta_low": same.low,
        "uas_delta_high": same.high,
        "p_value": same.p_value,
        "p_holm": same.p_value,
        "winner": "original",
        "better": same.better,
        "uas_back_transformed": None,
        "back_ceiling": None,
        "back_ceiling_gold_sites": None,
        "nucleus_uas_original": pytest.approx(75.0),
        "nucleus_uas_transformed": pytest.approx(50.0),
        "closest_uas_original": pytest.approx(90.0),
        "closest_uas_transformed": pytest.approx(75.0),
        "closest_uas_multiref": pytest.approx(85.0),
        "multiref_original_share": 0.6,
        "multiref_transformed_share": 0.3,
        "multiref_share_sd": None,
        "multiref_site_original_share": 0.75,
        "predictability_original": 2.5,
        "predictability_transformed": 2.25,
        "perplexity_original": 100.0,
        "perplexity_transformed": 110.0,
        "complexity_original": 5000,
        "complexity_transformed": 5000,
        "pick_multiref": "original",
        "pick_predictability": "transformed",
        "pick_perplexity": "original",
        "pick_complexity": "none",
        "factors_cut": 0,
        "nonprojective_train": 2,
        "train_tokens": 400,
        "test_sentences": 3,
        "sentences_needed": sentences_needed([9, 4, 3], [8, 4, 2], [10, 6, 4]),
        "error_split": {
            "site": {"tokens": 4, "uas_original": 75.0, "uas_transformed": 25.0},
            "nucleus": {"tokens": 0, "uas_original": None, "uas_transformed": None},
        },
        "relations": {"nsubj": {"tokens": 4, "uas_original": 50.0, "uas_transformed": 50.0}},
    }
    assert row == expected
    assert row["sentences_needed"] > 1000


def test_the_bytes_of_the_file() -> None:
    p = plan()
    records = one_seed(p)
    records[2] = record(p, "b", "case", 1, training=trained([9, 4, 3], [10, 6, 4], 15, nucleus_correct=4))
    header, line, end = results_csv(result_rows(p, records)).decode().split("\n")
    assert header == ",".join(COLUMNS)
    assert line == (
        "UD_X,1.3,case,,12,40,10,24,3,1,8.0000,80.0000,80.0000,0.0000,0.0000,0.0000,1.000000,1.000000,none,none,"
        ",,,75.0000,50.0000,90.0000,75.0000,85.0000,0.6000,0.3000,,0.7500,2.5000,2.2500,100.0000,110.0000,"
        "5000,5000,original,transformed,original,none,0,2,400"
    )
    assert end == ""


def test_the_columns_that_some_runs_have() -> None:
    assert ",".join((*LAS_COLUMNS, *AGAINST_COLUMNS, *LAS_AGAINST_COLUMNS)) == (
        "las_original,las_transformed,las_delta,las_delta_low,las_delta_high,las_p_value,las_p_holm,las_winner,"
        "las_better,las_back_transformed,las_back_ceiling,closest_las_original,closest_las_transformed,"
        "closest_las_multiref,against,uas_back_original,back_ceiling_original,las_back_original,"
        "las_back_ceiling_original"
    )
    together = [column.name for column in columns(labelled=True, against=True)]
    assert together == [*COLUMNS, *LAS_COLUMNS, *AGAINST_COLUMNS, *LAS_AGAINST_COLUMNS]


def test_a_row_knows_its_scores() -> None:
    row = Row(dict.fromkeys(COLUMNS)) | {"uas_delta": 1.5, "better": "original", "back_ceiling": 99.0}
    row = Row(row, las_delta=-2.0, las_better="none", las_back_ceiling=98.0, closest_las_multiref=70.0)
    uas, las = row.score("uas"), row.score("las")
    assert (uas.delta, uas.better, uas.back_ceiling, uas.closest_multiref) == (1.5, "original", 99.0, None)
    assert (las.delta, las.better, las.back_ceiling, las.closest_multiref) == (-2.0, "none", 98.0, 70.0)
    assert Row(dict.fromkeys(COLUMNS)).score("uas") is None


def two_seeds(p: Plan, first: tuple[float, float], second: tuple[float, float]) -> list[Record]:
    records = one_seed(p)
    records[3] = changed(records[3], survival=survived(*first, 0.75))
    last = survived(*second, 0.25, closest={"uas": 19})
    return [
        *records,
        record(p, "a", "", 2, training=trained([9, 6, 4], [10, 6, 4], 19, iterations=11)),
        record(p, "b", "case", 2, training=trained([10, 5, 4], [10, 6, 4], 20)),
        record(p, "c", "case", 2, survival=last),
    ]


def test_means_over_seeds() -> None:
    p = plan(seeds=2)
    (row,) = result_rows(p, two_seeds(p, (0.6, 0.3), (0.4, 0.3)))
    assert row["iterations"] == 9.5
    # (a) 16 and 19, (b) 14 and 19 of 20
    assert row["uas_original"] == pytest.approx(87.5)
    assert row["uas_transformed"] == pytest.approx(82.5)
    assert row["uas_delta"] == pytest.approx(5.0)
    assert row["closest_uas_original"] == pytest.approx(100 * 37 / 40)
    assert row["closest_uas_multiref"] == pytest.approx(100 * 36 / 40)
    assert row["multiref_original_share"] == pytest.approx(0.5)
    assert row["multiref_share_sd"] == pytest.approx(0.1 * 2**0.5)
    assert row["multiref_site_original_share"] == pytest.approx(0.5)
    assert row["pick_multiref"] == "original"


@pytest.mark.parametrize(
    ("second", "picked"), [((0.2, 0.5), "none"), ((0.3, 0.3), "none"), ((0.31, 0.3), "original")]
)
def test_seeds_that_disagree_pick_none(second: tuple[float, float], picked: str) -> None:
    p = plan(seeds=2)
    assert result_rows(p, two_seeds(p, (0.9, 0.1), second))[0]["pick_multiref"] == picked


def test_no_sites_leave_the_columns_empty() -> None:
    p = plan()
    records = [
        record(p, "measures", "case", measures=counts(sites=0, values={})),
        record(p, "a", "", 1, training=trained([9, 4, 3], [10, 6, 4], 18)),
        record(p, "b", "case", 1),
        record(p, "c", "case", 1),
    ]
    (row,) = result_rows(p, records)
    assert row["sites"] == 0
    assert row["iterations"] is None
    assert {
        row[name] for name in COLUMNS if name.startswith(("uas", "multiref", "winner", "better", "p_"))
    } == {None}
    assert results_csv([row]).decode().split("\n")[1].count(",") == len(COLUMNS) - 1


def test_sites_that_lifting_took_away_are_not_scored() -> None:
    p = plan()
    records = one_seed(p)
    records[2:] = [record(p, "b", "case", 1), record(p, "c", "case", 1)]
    (row,) = result_rows(p, records)
    assert (row["sites"], row["uas_original"], row["multiref_original_share"]) == (12, None, None)
    assert row["pick_perplexity"] == "original"


@pytest.mark.parametrize(
    ("missing", "empty", "kept"),
    [
        (0, "sites", "iterations"),
        (1, "uas_original", "multiref_original_share"),
        (2, "uas_delta", "iterations"),
        (3, "multiref_original_share", "uas_delta"),
    ],
)
@pytest.mark.parametrize("failed", [True, False])
def test_a_missing_or_failed_cell_empties_its_columns_only(
    missing: int, empty: str, kept: str, failed: bool
) -> None:
    p = plan()
    records = one_seed(p)
    if failed:
        found = records[missing]
        records[missing] = changed(found, failed="why", training=None, survival=None, measures=None)
    else:
        del records[missing]
    (row,) = result_rows(p, records)
    assert row[empty] is None
    assert row[kept] is not None


def test_one_seed_of_two_gives_no_score() -> None:
    p = plan(seeds=2)
    (row,) = result_rows(p, two_seeds(p, (0.6, 0.3), (0.4, 0.3))[:-2])
    assert row["uas_delta"] is None
    assert row["multiref_original_share"] is None


def test_holm_over_all_rows_of_the_run() -> None:
    p = plan("UD_X", "UD_Y", conditions=("case",))
    tokens = [10] * 40
    records = [record(p, "measures", "case", treebank=t, measures=counts()) for t in (0, 1)]
    for t, worse in ((0, 10), (1, 1)):
        better = [6] * 40
        other = [5] * worse + [6] * (40 - worse)
        records.append(record(p, "a", "", 1, treebank=t, training=trained(better, tokens, 18)))
        records.append(record(p, "b", "case", 1, treebank=t, training=trained(other, tokens, 15)))
    first, second = result_rows(p, records)
    assert first["p_value"] < 0.01 < second["p_value"]
    assert first["p_holm"] == pytest.approx(2 * first["p_value"])
    assert second["p_holm"] == second["p_value"]


def test_nucleus_scores_are_not_defined_for_cc() -> None:
    p = plan(conditions=("cc:style=moscow",))
    records = one_seed(p, "cc:style=moscow")
    (row,) = result_rows(p, records)
    assert (row["transform"], row["variant"]) == ("cc", "style=moscow")
    assert row["nucleus_uas_original"] is None
    assert row["uas_original"] == pytest.approx(80.0)


def folded() -> tuple[Plan, list[Record]]:
    """Three folds; every sentence trains in one of them. The third fold trains without sites."""
    p = plan(folds=3)
    records = []
    for fold, (right, sites, share) in enumerate([(7, 4, 1.0), (5, 2, 0.25), (3, 0, float("nan"))]):
        values = {"predictability": (2.5, 2.25), "complexity": (10 + fold, 10)}
        measures = counts(sites=sites, sentences=10, test_sites=fold, values=values)
        first, second = trained([right], [10], 9, iterations=6 + fold), trained([right - 1], [10], 8)
        survival = survived(
            share, 1 - share, share, sites=sites, sentences_with_sites=sites, factors_cut=1,
            closest={"uas": 9}, tokens=10,
        )  # fmt: skip
        records += [
            record(p, "measures", "case", fold=fold, measures=measures),
            record(p, "a", "", 1, fold, training=first),
            record(p, "b", "case", 1, fold, training=second),
            record(p, "c", "case", 1, fold, survival=survival),
        ]
    return p, records


def test_folds_are_pooled_and_each_sentence_counts_once() -> None:
    p, records = folded()
    (row,) = result_rows(p, records)
    # 3 folds: a sentence trains in 3 - 2 = 1 of them
    assert (row["sites"], row["sentences"], row["test_sites"], row["factors_cut"]) == (6, 30, 3, 3)
    assert row["iterations"] == 7
    assert row["uas_original"] == pytest.approx(100 * 15 / 30)
    assert row["uas_transformed"] == pytest.approx(100 * 12 / 30)
    assert row["complexity_original"] == 11
    # weighted by the sentences with sites: (4 * 1 + 2 * 0.25) / 6; the fold without sites says nothing
    assert row["multiref_original_share"] == pytest.approx(0.75)
    assert row["closest_uas_multiref"] == pytest.approx(90.0)


def test_folds_count_a_sentence_of_five_folds_once() -> None:
    p = plan(folds=5)
    records = [record(p, "measures", "case", fold=fold, measures=counts(sites=30)) for fold in range(5)]
    assert result_rows(p, records)[0]["sites"] == 50


def test_a_missing_fold_gives_no_score() -> None:
    p, records = folded()
    (row,) = result_rows(p, [r for r in records if not r.key.endswith("/b/case/1/2")])
    assert row["uas_delta"] is None
    assert row["multiref_original_share"] is not None


@pytest.mark.parametrize(
    ("value", "name"),
    [(0.1, "original"), (-0.1, "transformed"), (0.0, "none"), (1e-15, "none"), (float("nan"), "none")],
)
def test_pick(value: float, name: str) -> None:
    assert pick(value) == name


def test_breakdown_over_seeds_and_folds() -> None:
    """Two seeds of two folds; a relation that one fold does not have."""
    a = [{"x": (1, 4)}, {"x": (2, 4), "y": (3, 10)}] * 2
    b = [{"x": (4, 4)}, {"x": (0, 4), "y": (10, 10)}, {"x": (3, 4)}, {"x": (1, 4), "y": (0, 10)}]
    assert breakdown(a, b, 2) == {
        "x": {"tokens": 8, "uas_original": 37.5, "uas_transformed": 50.0},
        "y": {"tokens": 10, "uas_original": 30.0, "uas_transformed": 50.0},
    }
