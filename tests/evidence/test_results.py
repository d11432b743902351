"""The columns of results.csv, from records written by hand; all values are worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from result_rows import AGAINST_COLUMNS, COLUMNS, LAS_AGAINST_COLUMNS, LAS_COLUMNS, empty_row
from run_data import changed, counts, plan, record, survived, trained

from learnability.comparing.criteria import pick
from learnability.comparing.results import Ceiling, Record, Training
from learnability.evidence.columns import Difference, Ground, columns, results_csv
from learnability.evidence.grouping import by_key
from learnability.evidence.rows import breakdown, result_rows
from learnability.metrics.scores import Score
from learnability.running.plan import Plan
from learnability.statistics.significance import Comparison, compare, side

TOKENS, WORDS, NUCLEI = [5, 4, 3, 4, 2, 2], [4, 3, 3, 3, 2, 1], [2, 2, 1, 2, 1, 0]
"""Six test sentences: 20 tokens, 16 of them no punctuation, 8 nuclei."""

FIRST = {
    Ground.OWN: [5, 3, 2, 3, 2, 1],  # 16 of 20
    Ground.WORDS: [4, 2, 2, 2, 2, 1],  # 13 of 16
    Ground.NUCLEI: [2, 1, 1, 1, 1, 0],  # 6 of 8
    Ground.BACK: [4, 3, 2, 3, 1, 1],  # 14 of 20, with --against
    Ground.CLOSEST: [5, 4, 3, 3, 2, 1],  # 18 of 20
}
SECOND = {
    Ground.OWN: [4, 3, 2, 2, 2, 1],  # 14 of 20
    Ground.WORDS: [3, 3, 2, 2, 1, 1],  # 12 of 16
    Ground.NUCLEI: [1, 1, 1, 1, 0, 0],  # 4 of 8
    Ground.BACK: [4, 3, 2, 4, 2, 2],  # 17 of 20
    Ground.CLOSEST: [4, 3, 2, 3, 2, 1],  # 15 of 20
}
"""What (a) and (b) have right."""


def scored(
    right: dict[Ground, list[int]], condition: str, site: tuple[int, int], ceiling: Ceiling | None = None
) -> Training:
    """A training with these right tokens per sentence, `site` of them on the tokens of sites."""
    own = {
        "correct": right[Ground.OWN],
        "words": right[Ground.WORDS],
        "nuclei": right[Ground.NUCLEI],
        "back": right[Ground.BACK] if ceiling else [],
        "closest": {condition: right[Ground.CLOSEST]},
        "ceiling": ceiling,
        "error_split": {condition: {"site": site, "nucleus": (0, 0)}},
    }
    return trained(own["correct"], TOKENS, condition, right=own, words=WORDS, nuclei=NUCLEI)


def one_seed(p: Plan, condition: str = "case", **measures: Any) -> list[Record]:
    """(a) has 16 of 20 heads right, (b) 14."""
    ceiling = Ceiling(found_sites=19, gold_sites=20)
    return [
        record(p, "measures", condition, measures=counts(**measures)),
        record(p, "a", "", 1, training=scored(FIRST, condition, (3, 4))),
        record(p, "b", condition, 1, training=scored(SECOND, condition, (1, 4), ceiling)),
        record(p, "c", condition, 1, survival=survived(0.6, 0.3, 0.75)),
    ]


def values_of(ground: Ground, score: Score, compared: Comparison) -> dict[str, Any]:
    """The columns of this ground that only `compare` can tell, of a run with one condition."""
    names = ("delta_se", "delta_low", "delta_high", "p_value", "p_holm", "p_equal", "better")
    shown = side(compared.winner, compared.p_value, compared.p_equal)
    p_values = (compared.p_value, compared.p_value, compared.p_equal)
    values = (compared.error, compared.low, compared.high, *p_values, shown)
    return {ground.column(score, name): value for name, value in zip(names, values, strict=True)}


def test_one_condition() -> None:
    p = plan()
    (row,) = result_rows(p, by_key(one_seed(p)))
    assert tuple(row) == (*COLUMNS, "test_sentences", "sentences_needed", "error_split", "relations")
    own = compare([5, 3, 2, 3, 2, 1], [4, 3, 2, 2, 2, 1], [5, 4, 3, 4, 2, 2])
    expected = {
        "treebank": "UD_X",
        "release": "1.3",
        "transform": "case",
        "variant": "",
        "sites": 12,
        "sentences": 40,
        "sentences_changed": 10,
        "tokens_changed": 24,
        "test_sites": 10,
        "seeds": 1,
        "iterations": 8,
        "decision": "undecided",
        "uas_original": pytest.approx(80.0),
        "uas_transformed": pytest.approx(70.0),
        "uas_delta": pytest.approx(10.0),
        "winner": "original",
        **values_of(Ground.OWN, Score.UAS, own),
        "uas_without_punctuation_original": pytest.approx(81.25),
        "uas_without_punctuation_transformed": pytest.approx(75.0),
        "uas_without_punctuation_delta": pytest.approx(6.25),
        **values_of(
            Ground.WORDS, Score.UAS,
            compare([4, 2, 2, 2, 2, 1], [3, 3, 2, 2, 1, 1], [4, 3, 3, 3, 2, 1]),
        ),
        "nucleus_uas_original": pytest.approx(75.0),
        "nucleus_uas_transformed": pytest.approx(50.0),
        "nucleus_uas_delta": pytest.approx(25.0),
        **values_of(
            Ground.NUCLEI, Score.UAS,
            compare([2, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], [2, 2, 1, 2, 1, 0]),
        ),
        # (a) is UD, and needs no conversion: 16 of 20 against 17 of 20
        "uas_back_original": pytest.approx(80.0),
        "uas_back_transformed": pytest.approx(85.0),
        "uas_back_delta": pytest.approx(-5.0),
        **values_of(
            Ground.BACK, Score.UAS,
            compare([5, 3, 2, 3, 2, 1], [4, 3, 2, 4, 2, 2], [5, 4, 3, 4, 2, 2]),
        ),
        "back_ceiling": pytest.approx(95.0),
        "back_ceiling_gold_sites": pytest.approx(100.0),
        "closest_uas_original": pytest.approx(90.0),
        "closest_uas_transformed": pytest.approx(75.0),
        "closest_uas_delta": pytest.approx(15.0),
        **values_of(
            Ground.CLOSEST, Score.UAS,
            compare([5, 4, 3, 3, 2, 1], [4, 3, 2, 3, 2, 1], [5, 4, 3, 4, 2, 2]),
        ),
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
        "test_sentences": 6,
        "sentences_needed": own.sentences_needed,
        "error_split": {
            "site": {"tokens": 4, "uas_original": 75.0, "uas_transformed": 25.0},
            "nucleus": {"tokens": 0, "uas_original": None, "uas_transformed": None},
        },
        "relations": {"nsubj": {"tokens": 4, "uas_original": 50.0, "uas_transformed": 50.0}},
    }  # fmt: skip
    assert row == expected


def test_what_is_compared_with_another_scheme_is_converted_on_both_sides() -> None:
    p = plan(conditions=("det",), against="case")
    records = one_seed(p, "det")
    records[1] = record(p, "a", "", 1, training=scored(FIRST, "det", (3, 4), Ceiling(found_sites=18)))
    (row,) = result_rows(p, by_key(records))
    assert row["against"] == "case"
    back = compare(FIRST[Ground.BACK], SECOND[Ground.BACK], TOKENS)
    expected = {
        "uas_back_original": pytest.approx(70.0),
        "uas_back_transformed": pytest.approx(85.0),
        "uas_back_delta": pytest.approx(-15.0),
        **values_of(Ground.BACK, Score.UAS, back),
        "back_ceiling_original": pytest.approx(90.0),
        "back_ceiling": pytest.approx(95.0),
    }
    assert {name: row[name] for name in expected} == expected


def test_las_has_every_ground_but_the_nuclei() -> None:
    """Of the labelled counts one arc fewer is right in the first sentence, on both sides and every ground."""

    def labelled(training: Training) -> Training:
        uas = training.scores["uas"]

        def fewer(right: list[int]) -> list[int]:
            return [right[0] - 1, *right[1:]] if right else []

        las = changed(
            uas,
            correct=fewer(uas.correct),
            words=fewer(uas.words),
            nuclei=[],
            back=fewer(uas.back),
            closest={name: fewer(own) for name, own in uas.closest.items()},
            ceiling=uas.ceiling and Ceiling(found_sites=17),
        )
        return changed(training, scores={"uas": uas, "las": las})

    p = plan(labels="keep")
    measures, a, b, c = one_seed(p)
    a, b = (changed(own, training=labelled(own.training)) for own in (a, b))
    c = changed(c, survival=survived(0.6, 0.3, 0.75, closest={"uas": 17, "las": 12}))
    (row,) = result_rows(p, by_key([measures, a, b, c]))
    assert [name for name in row if "nucle" in name and "las" in name] == []
    own = compare([4, 3, 2, 3, 2, 1], [3, 3, 2, 2, 2, 1], TOKENS)
    expected = {
        "las_decision": "undecided",
        "las_original": pytest.approx(75.0),
        "las_transformed": pytest.approx(65.0),
        "las_delta": pytest.approx(10.0),
        "las_winner": "original",
        **values_of(Ground.OWN, Score.LAS, own),
        "las_without_punctuation_original": pytest.approx(75.0),
        "las_without_punctuation_transformed": pytest.approx(68.75),
        "las_without_punctuation_delta": pytest.approx(6.25),
        **values_of(
            Ground.WORDS, Score.LAS, compare([3, 2, 2, 2, 2, 1], [2, 3, 2, 2, 1, 1], WORDS)
        ),
        "las_back_original": pytest.approx(75.0),
        "las_back_transformed": pytest.approx(80.0),
        "las_back_delta": pytest.approx(-5.0),
        **values_of(
            Ground.BACK, Score.LAS, compare([4, 3, 2, 3, 2, 1], [3, 3, 2, 4, 2, 2], TOKENS)
        ),
        "closest_las_original": pytest.approx(85.0),
        "closest_las_transformed": pytest.approx(70.0),
        "closest_las_delta": pytest.approx(15.0),
        **values_of(
            Ground.CLOSEST, Score.LAS, compare([4, 4, 3, 3, 2, 1], [3, 3, 2, 3, 2, 1], TOKENS)
        ),
        "las_back_ceiling": pytest.approx(85.0),
        "closest_las_multiref": pytest.approx(60.0),
    }  # fmt: skip
    assert tuple(expected.keys() - {*LAS_COLUMNS}) == ()
    assert {name: row[name] for name in LAS_COLUMNS} == expected
    assert row["las_sentences_needed"] == own.sentences_needed
    assert row["las_error_split"]["site"] == {"tokens": 4, "las_original": 75.0, "las_transformed": 25.0}
    # UAS is as it is without labels
    (plain,) = result_rows(plan(), by_key(one_seed(plan())))
    assert {name: row[name] for name in COLUMNS} == {name: plain[name] for name in COLUMNS}


def test_the_bytes_of_the_file() -> None:
    p = plan()
    records = one_seed(p)
    same = {**FIRST, Ground.CLOSEST: SECOND[Ground.CLOSEST], Ground.BACK: FIRST[Ground.OWN]}
    records[2] = record(
        p, "b", "case", 1, training=scored(same, "case", (3, 4), Ceiling(found_sites=19, gold_sites=20))
    )
    records[1] = record(p, "a", "", 1, training=scored({**same, Ground.CLOSEST: TOKENS}, "case", (3, 4)))
    header, line, end = results_csv(result_rows(p, by_key(records))).decode().split("\n")
    assert header == ",".join(COLUMNS)
    row = result_rows(p, by_key(records))[0]
    closest = [row[f"closest_uas_{name}"] for name in ("delta_se", "delta_low", "delta_high")]
    p_value, p_equal = row["closest_uas_p_value"], row["closest_uas_p_equal"]

    def alike(tokens: list[int]) -> str:
        same = compare(tokens, tokens, tokens)
        interval = f"{same.error:.4f},{same.low:.4f},{same.high:.4f}"
        return f"0.0000,{interval},1.000000,1.000000,{same.p_equal:.6f}"

    own, words, nuclei = alike(TOKENS), alike(WORDS), alike(NUCLEI)
    assert line == (
        "UD_X,1.3,case,,12,40,10,24,10,1,8.0000,undecided,"
        f"80.0000,80.0000,{own},none,none,81.2500,81.2500,{words},none,75.0000,75.0000,{nuclei},none,"
        f"80.0000,80.0000,{own},none,100.0000,75.0000,25.0000,{closest[0]:.4f},{closest[1]:.4f},"
        f"{closest[2]:.4f},{p_value:.6f},{p_value:.6f},{p_equal:.6f},original,"
        "95.0000,100.0000,85.0000,0.6000,0.3000,,0.7500,"
        "2.5000,2.2500,100.0000,110.0000,5000,5000,original,transformed,original,none,0,2,400"
    )
    assert end == ""


def test_the_columns_that_some_runs_have() -> None:
    value = [
        "original",
        "transformed",
        "delta",
        "delta_se",
        "delta_low",
        "delta_high",
        "p_value",
        "p_holm",
        "p_equal",
        "better",
    ]
    own = [*(f"uas_{name}" for name in value[:6]), *value[6:9], "winner", "better"]
    grounds = ("uas_without_punctuation", "nucleus_uas", "uas_back", "closest_uas")
    start = COLUMNS.index("decision") + 1
    scores = [*own, *(f"{ground}_{name}" for ground in grounds for name in value)]
    assert [*COLUMNS[start : start + len(scores)]] == scores
    las = [*(f"las_{name}" for name in value[:9]), "las_winner", "las_better"]
    grounds = ("las_without_punctuation", "las_back", "closest_las")
    las += [f"{ground}_{name}" for ground in grounds for name in value]
    assert [*LAS_COLUMNS] == ["las_decision", *las, "las_back_ceiling", "closest_las_multiref"]
    assert AGAINST_COLUMNS == ("against", "back_ceiling_original")
    assert LAS_AGAINST_COLUMNS == ("las_back_ceiling_original",)
    together = [column.name for column in columns(labelled=True, against=True)]
    assert together == [*COLUMNS, *LAS_COLUMNS, *AGAINST_COLUMNS, *LAS_AGAINST_COLUMNS]


def test_a_row_knows_its_differences() -> None:
    row = empty_row(*COLUMNS, *LAS_COLUMNS) | {"p_value": 0.25} | {"uas_delta": 1.5, "better": "original"}
    row |= {"las_delta": -2.0, "las_better": "none", "las_back_delta": 0.5, "las_back_p_holm": 0.125}
    uas, las, back = (row.difference(*of) for of in ((), (Score.LAS,), ("las", Ground.BACK)))
    assert isinstance(uas, Difference)
    assert isinstance(las, Difference)
    assert isinstance(back, Difference)
    assert (uas.delta, uas.p_value, uas.better, uas.low) == (1.5, 0.25, "original", None)
    assert (las.delta, las.p_value, las.better) == (-2.0, None, "none")
    assert (back.delta, back.p_holm) == (0.5, 0.125)
    assert row.differences() == [(Ground.OWN, uas)]
    assert row.differences("las") == [(Ground.OWN, las), (Ground.BACK, back)]
    assert empty_row().difference() is None
    assert empty_row().differences() == []


def two_seeds(p: Plan, first: tuple[float, float], second: tuple[float, float]) -> list[Record]:
    records = one_seed(p)
    records[3] = changed(records[3], survival=survived(*first, 0.75))
    last = survived(*second, 0.25, closest={"uas": 19})
    a = {**FIRST, Ground.OWN: [*TOKENS[:4], 1, 2], Ground.CLOSEST: [*TOKENS[:4], 1, 2]}
    b = {**SECOND, Ground.OWN: [5, 4, 3, 3, 2, 2], Ground.BACK: TOKENS, Ground.CLOSEST: TOKENS}
    return [
        *records,
        record(p, "a", "", 2, training=changed(scored(a, "case", (3, 4)), iterations=11)),
        record(p, "b", "case", 2, training=scored(b, "case", (1, 4), Ceiling(found_sites=17))),
        record(p, "c", "case", 2, survival=last),
    ]


def test_means_over_seeds() -> None:
    p = plan(seeds=2)
    (row,) = result_rows(p, by_key(two_seeds(p, (0.6, 0.3), (0.4, 0.3))))
    assert row["iterations"] == 9.5
    # (a) 16 and 19, (b) 14 and 19 of 20
    assert row["uas_original"] == pytest.approx(87.5)
    assert row["uas_transformed"] == pytest.approx(82.5)
    assert row["uas_delta"] == pytest.approx(5.0)
    # 13 and 13, 12 and 12 of 16; 6 and 6, 4 and 4 of 8
    assert row["uas_without_punctuation_delta"] == pytest.approx(100 / 16)
    assert row["nucleus_uas_delta"] == pytest.approx(25.0)
    # (a) as above, (b) 17 and 20
    assert row["uas_back_transformed"] == pytest.approx(100 * 37 / 40)
    assert row["uas_back_delta"] == pytest.approx(-5.0)
    assert row["back_ceiling"] == pytest.approx(100 * 36 / 40)
    assert row["closest_uas_original"] == pytest.approx(100 * 37 / 40)
    assert row["closest_uas_delta"] == pytest.approx(100 * 2 / 40)
    assert row["closest_uas_multiref"] == pytest.approx(100 * 36 / 40)
    # seeds are rows of counts, paired in order
    a, b = [FIRST[Ground.OWN], [5, 4, 3, 4, 1, 2]], [SECOND[Ground.OWN], [5, 4, 3, 3, 2, 2]]
    both = compare(a, b, TOKENS)
    assert (row["uas_delta_low"], row["p_value"]) == (both.low, both.p_value)
    assert row["multiref_original_share"] == pytest.approx(0.5)
    assert row["multiref_share_sd"] == pytest.approx(0.1 * 2**0.5)
    assert row["multiref_site_original_share"] == pytest.approx(0.5)
    assert row["pick_multiref"] == "original"


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [({"test_sites": 9}, 6), ({"test_sites": 0}, 6), ({"test_sites": 10}, 5), ({"test_sites": 10}, 6)],
)
def test_without_enough_data_nothing_is_tested(changes: dict[str, int], sentences: int) -> None:
    """Ten sites in six sentences are the fewest; of what has less there are scores only."""
    p = plan()
    records = one_seed(p, **changes)
    for i, each in ((1, FIRST), (2, SECOND)):
        training = records[i].training
        assert training is not None
        cut = {ground: right[:sentences] for ground, right in each.items()}
        kept = scored(cut, "case", (3, 4), training.scores["uas"].ceiling)
        lists = {name: getattr(kept, name)[:sentences] for name in ("tokens", "words", "nuclei")}
        records[i] = changed(records[i], training=changed(kept, **lists))
    (row,) = result_rows(p, by_key(records))
    differences = dict(row.differences())
    assert [*differences] == [*Ground]
    enough = changes["test_sites"] >= 10 and sentences >= 6
    assert (row["decision"] == "not enough data") != enough
    assert (row["winner"] is None) != enough
    for one in differences.values():
        told = (one.low, one.high, one.p_value, one.p_holm, one.p_equal, one.better)
        assert all((value is None) != enough for value in told)
        assert one.delta == pytest.approx(one.original - one.transformed)


@pytest.mark.parametrize(
    ("second", "picked"),
    [((0.2, 0.5), "original"), ((0.1, 0.9), "none"), ((0.31, 0.3), "original"), ((0.05, 0.9), "transformed")],
)
def test_the_side_that_survives_is_picked_by_the_mean_over_seeds(
    second: tuple[float, float], picked: str
) -> None:
    p = plan(seeds=2)
    assert result_rows(p, by_key(two_seeds(p, (0.9, 0.1), second)))[0]["pick_multiref"] == picked


def test_earlier_iterations_count_for_the_pick_but_not_for_the_shares() -> None:
    p = plan()
    records = one_seed(p)
    survival = survived(0.4, 0.6, 0.5, original_share=[0.9, 0.4], transformed_share=[0.1, 0.6])
    records[3] = changed(records[3], survival=survival)
    (row,) = result_rows(p, by_key(records))
    assert (row["pick_multiref"], row["multiref_original_share"]) == ("original", 0.4)


def test_no_sites_leave_the_columns_empty() -> None:
    p = plan()
    records = [
        record(p, "measures", "case", measures=counts(sites=0, values={})),
        record(p, "a", "", 1, training=scored(FIRST, "case", (3, 4))),
        record(p, "b", "case", 1),
        record(p, "c", "case", 1),
    ]
    (row,) = result_rows(p, by_key(records))
    assert row["sites"] == 0
    assert row["iterations"] is None
    assert {
        row[name] for name in COLUMNS if name.startswith(("uas", "multiref", "winner", "better", "p_"))
    } == {None}
    assert row["decision"] == "not enough data"
    assert results_csv([row]).decode().split("\n")[1].count(",") == len(COLUMNS) - 1


def test_sites_that_lifting_took_away_are_not_scored() -> None:
    p = plan()
    records = one_seed(p)
    records[2:] = [record(p, "b", "case", 1), record(p, "c", "case", 1)]
    (row,) = result_rows(p, by_key(records))
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
    (row,) = result_rows(p, by_key(records))
    assert row[empty] is None
    assert row[kept] is not None


def test_one_seed_of_two_gives_no_score() -> None:
    p = plan(seeds=2)
    (row,) = result_rows(p, by_key(two_seeds(p, (0.6, 0.3), (0.4, 0.3))[:-2]))
    assert row["uas_delta"] is None
    assert row["multiref_original_share"] is None


def test_holm_over_all_rows_of_the_run() -> None:
    """Each ground is a family of its own; a condition without enough data is in none of them."""
    p = plan("UD_X", "UD_Y", "UD_Z", conditions=("case",))
    tokens = [100] * 40
    records = []
    for t, (worse, sites) in enumerate([(10, 10), (6, 10), (20, 9)]):
        other = [5] * worse + [6] * (40 - worse)
        back = [6] * (40 - worse) + [7] * worse
        right = {"back": back, "words": [6] * 40}
        first, second = trained([6] * 40, tokens), trained(other, tokens, right=right)
        records += [
            record(p, "measures", "case", treebank=t, measures=counts(test_sites=sites)),
            record(p, "a", "", 1, treebank=t, training=first),
            record(p, "b", "case", 1, treebank=t, training=second),
        ]
    first, second, third = result_rows(p, by_key(records))
    assert first["p_value"] < 0.01 < second["p_value"] < 0.05
    counts_of = ([6] * 40, [5] * 6 + [6] * 34, tokens)
    needed = compare(*counts_of).sentences_needed
    assert needed
    assert second["sentences_needed"] == needed
    for ground in ("", "uas_back_"):
        assert first[f"{ground}p_holm"] == pytest.approx(2 * first[f"{ground}p_value"])
        assert second[f"{ground}p_holm"] == second[f"{ground}p_value"]
    assert (first["better"], second["better"]) == ("original", "original")
    assert (first["uas_back_better"], first["uas_without_punctuation_better"]) == ("transformed", "equal")
    assert (third["p_value"], third["p_holm"], third["better"]) == (None, None, None)
    assert [row["decision"] for row in (first, second, third)] == [
        "only punctuation differs", "only punctuation differs", "not enough data",
    ]  # fmt: skip


def test_what_the_correction_takes_away_has_no_side() -> None:
    """p is below 0.05 for each of ten conditions, and for none after Holm's correction."""
    names = [f"UD_{letter}" for letter in "ABCDEFGHIJ"]
    p = plan(*names, conditions=("case",))
    tokens, other = [10] * 40, [5] * 6 + [6] * 34
    records = [
        one
        for t in range(10)
        for one in (
            record(p, "measures", "case", treebank=t, measures=counts()),
            record(p, "a", "", 1, treebank=t, training=trained([6] * 40, tokens)),
            record(p, "b", "case", 1, treebank=t, training=trained(other, tokens)),
        )
    ]
    for row in result_rows(p, by_key(records)):
        assert row["p_value"] < 0.05 < row["p_holm"] == pytest.approx(10 * row["p_value"])
        assert row["uas_delta_low"] > 0
        assert (row["winner"], row["better"], row["decision"]) == ("original", "none", "undecided")


def test_nucleus_scores_are_not_defined_for_cc() -> None:
    p = plan(conditions=("cc:style=moscow",))
    records = one_seed(p, "cc:style=moscow")
    (row,) = result_rows(p, by_key(records))
    assert (row["transform"], row["variant"]) == ("cc", "style=moscow")
    assert row.difference(ground=Ground.NUCLEI) is None
    assert row["nucleus_uas_original"] is None
    assert row["uas_original"] == pytest.approx(80.0)


def folded(test_sites: int = 1) -> tuple[Plan, list[Record]]:
    """Three folds; every sentence trains in one of them. The third fold trains without sites."""
    p = plan(folds=3)
    records = []
    for fold, (right, sites, share) in enumerate([(7, 4, 1.0), (5, 2, 0.25), (3, 0, float("nan"))]):
        values = {"predictability": (2.5, 2.25), "complexity": (10 + fold, 10)}
        measures = counts(sites=sites, sentences=10, test_sites=test_sites, values=values)
        first = trained([right, 0], [9, 1], iterations=6 + fold)
        ceiling = Ceiling(found_sites=9 - fold)
        given = {"back": [right + 1, 0], "words": [right, 0], "ceiling": ceiling}
        second = trained([right - 1, 0], [9, 1], right=given)
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
    (row,) = result_rows(p, by_key(records))
    # 3 folds: a sentence trains in 3 - 2 = 1 of them
    assert (row["sites"], row["sentences"], row["test_sites"], row["factors_cut"]) == (6, 30, 3, 3)
    assert row["iterations"] == 7
    assert row["uas_original"] == pytest.approx(100 * 15 / 30)
    assert row["uas_transformed"] == pytest.approx(100 * 12 / 30)
    assert row["complexity_original"] == 11
    # (b) converted has 8, 6 and 4 of 30 right, its gold trees 9, 8 and 7
    assert row["uas_back_transformed"] == pytest.approx(100 * 18 / 30)
    assert row["uas_back_delta"] == pytest.approx(-10.0)
    assert row["back_ceiling"] == pytest.approx(100 * 24 / 30)
    assert row["uas_without_punctuation_delta"] == pytest.approx(0)
    assert (row["test_sentences"], row["decision"]) == (6, "not enough data")
    # weighted by the sentences with sites: (4 * 1 + 2 * 0.25) / 6; the fold without sites says nothing
    assert row["multiref_original_share"] == pytest.approx(0.75)
    assert row["closest_uas_multiref"] == pytest.approx(90.0)


def test_folds_are_sentences_of_one_sample_and_of_one_family_of_seeds() -> None:
    p, records = folded(test_sites=10)
    (row,) = result_rows(p, by_key(records))
    whole = compare([7, 0, 5, 0, 3, 0], [6, 0, 4, 0, 2, 0], [9, 1] * 3)
    assert (row["uas_delta_low"], row["p_value"], row["p_equal"]) == (whole.low, whole.p_value, whole.p_equal)
    back = compare([7, 0, 5, 0, 3, 0], [8, 0, 6, 0, 4, 0], [9, 1] * 3)
    assert (row["uas_back_delta_low"], row["uas_back_p_value"]) == (back.low, back.p_value)


def test_folds_may_train_differently_long() -> None:
    """Ahead by 1, 1 and 1, and by 0, -1 with half the weight: (4 * 1 - 2 * 0.5) / 6."""
    p, records = folded()
    for fold, original, transformed in ((0, [1.0] * 3, [0.0] * 3), (1, [0.5, 0.0], [0.5, 1.0])):
        at = 4 * fold + 3
        shares = {"original_share": original, "transformed_share": transformed}
        survival = changed(records[at].survival, iterations=len(original), **shares)
        records[at] = changed(records[at], survival=survival)
    assert result_rows(p, by_key(records))[0]["pick_multiref"] == "original"
    records[3] = changed(records[3], survival=changed(records[3].survival, original_share=[0.0, 0.25, 0.5]))
    assert result_rows(p, by_key(records))[0]["pick_multiref"] == "none"


def test_folds_count_a_sentence_of_five_folds_once() -> None:
    p = plan(folds=5)
    records = [record(p, "measures", "case", fold=fold, measures=counts(sites=30)) for fold in range(5)]
    assert result_rows(p, by_key(records))[0]["sites"] == 50


def test_a_missing_fold_gives_no_score() -> None:
    p, records = folded()
    (row,) = result_rows(p, by_key([r for r in records if not r.key.endswith("/b/case/1/2")]))
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
