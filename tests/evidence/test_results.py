"""The columns of results.csv, from records written by hand; all values are worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from result_rows import column, rows_of
from run_data import (
    both_result_of,
    changed,
    counts,
    plan,
    record,
    survived,
    trained,
    training_of,
    with_result,
)

from learnability.comparing.plan import RunPlan
from learnability.comparing.results import Ceiling, Measures, TrainingResult
from learnability.evidence.columns import (
    LONG,
    RESULTS,
    SCORES,
    STATISTICS,
    results_csv,
    row_details,
    row_values,
    scores_csv,
)
from learnability.evidence.questions import Question
from learnability.evidence.rows import PartScores
from learnability.evidence.rows_from_records import breakdown
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics.scores import Score
from learnability.running.records import NOTHING, Record, Records
from learnability.statistics import significance
from learnability.statistics.inference import interval, side
from learnability.statistics.significance import Comparison

compare = partial(significance.compare, moderated=True)
"""As rows compare annotations."""

TOKENS, WORDS, NUCLEI = [5, 4, 3, 4, 2, 2], [4, 3, 3, 3, 2, 1], [2, 2, 1, 2, 1, 0]
"""Six test sentences: 20 tokens, 16 of them no punctuation, 8 phrases."""

FIRST = {
    ScoringBasis.ANNOTATION: [5, 3, 2, 3, 2, 1],  # 16 of 20
    ScoringBasis.WORDS: [4, 2, 2, 2, 2, 1],  # 13 of 16
    ScoringBasis.PHRASES: [2, 1, 1, 1, 1, 0],  # 6 of 8
    ScoringBasis.CONVERTED: [4, 3, 2, 3, 1, 1],  # 14 of 20, with --against
}
SECOND = {
    ScoringBasis.ANNOTATION: [4, 3, 2, 2, 2, 1],  # 14 of 20
    ScoringBasis.WORDS: [3, 3, 2, 2, 1, 1],  # 12 of 16
    ScoringBasis.PHRASES: [1, 1, 1, 1, 0, 0],  # 4 of 8
    ScoringBasis.CONVERTED: [4, 3, 2, 4, 2, 2],  # 17 of 20
}
"""What (a) and (b) have right."""


def scored(
    right: dict[ScoringBasis, list[int]],
    alternative: str,
    place: tuple[int, int],
    ceiling: Ceiling | None = None,
) -> TrainingResult:
    """A training with these right tokens per sentence, `place` of them on the tokens of places."""
    own = {
        "correct": right[ScoringBasis.ANNOTATION],
        "words": right[ScoringBasis.WORDS],
        "phrases": right[ScoringBasis.PHRASES],
        "back": right[ScoringBasis.CONVERTED] if ceiling else [],
        "ceiling": ceiling,
        "error_split": {alternative: {"place": place, "phrase": (0, 0)}},
    }
    return trained(own["correct"], TOKENS, alternative, right=own, words=WORDS, phrases=NUCLEI)


def one_seed(p: RunPlan, alternative: str = "case", **measures: Any) -> list[Record]:
    """(a) has 16 of 20 heads right, (b) 14."""
    ceiling = Ceiling(found_places=19, gold_places=20)
    return [
        record(p, "measures", alternative, result=counts(**measures)),
        record(p, "a", "", 1, result=scored(FIRST, alternative, (3, 4))),
        record(p, "b", alternative, 1, result=scored(SECOND, alternative, (1, 4), ceiling)),
        record(p, "c", alternative, 1, result=survived(0.6, 0.3, 0.75)),
    ]


def values_of(basis: ScoringBasis, score: Score, compared: Comparison) -> dict[str, Any]:
    """The columns of this basis that only `compare` can tell, of a run with one pair.

    The run has half of the level, because `settle` may test its question again.
    """
    bounds = ("low", "high", "uncorrected_low", "uncorrected_high")
    names = ("delta_se", "delta_degrees", *(f"delta_{bound}" for bound in bounds))
    names += ("p_value", "p_holm", "p_equal", "p_equal_holm", "better")
    p_holm, p_equal_holm = min(1, 2 * compared.p_value), min(1, 2 * compared.p_equal)
    shown = side(compared.winner, p_holm, p_equal_holm)
    p_values = (compared.p_value, p_holm, compared.p_equal, p_equal_holm)
    of_answer = interval(compared.delta, compared.error, compared.degrees, 2)
    alone = (compared.low, compared.high)
    values = (compared.error, compared.degrees, *of_answer, *alone, *p_values, shown)
    return {column(name, basis, score): value for name, value in zip(names, values, strict=True)}


def test_one_pair() -> None:
    p = plan()
    (row,) = rows_of(p, Records(one_seed(p)))
    own = compare([5, 3, 2, 3, 2, 1], [4, 3, 2, 2, 2, 1], [5, 4, 3, 4, 2, 2])
    expected = {
        "treebank": "UD_X",
        "release": "1.3",
        "construction": "case",
        "variant": "",
        "tested_on": "test set",
        "converted_back_uas_restored": None,
        "places": 12,
        "sentences": 40,
        "sentences_changed": 10,
        "tokens_changed": 24,
        "test_places": 10,
        "test_copies": None,
        "uas_base_without_copies": None,
        "uas_alternative_without_copies": None,
        "uas_delta_without_copies": None,
        "seeds": 1,
        "iterations": 8,
        "easier": "open",
        "easier_reason": "the interval includes 0",
        "train_on": "open",
        "train_on_reason": "the interval includes 0",
        "uas_base": pytest.approx(80.0),
        "uas_alternative": pytest.approx(70.0),
        "uas_delta": pytest.approx(10.0),
        "uas_winner": "base",
        **values_of(ScoringBasis.ANNOTATION, Score.UAS, own),
        "without_punctuation_uas_base": pytest.approx(81.25),
        "without_punctuation_uas_alternative": pytest.approx(75.0),
        "without_punctuation_uas_delta": pytest.approx(6.25),
        **values_of(
            ScoringBasis.WORDS, Score.UAS,
            compare([4, 2, 2, 2, 2, 1], [3, 3, 2, 2, 1, 1], [4, 3, 3, 3, 2, 1]),
        ),
        "between_phrases_uas_base": pytest.approx(75.0),
        "between_phrases_uas_alternative": pytest.approx(50.0),
        "between_phrases_uas_delta": pytest.approx(25.0),
        **values_of(
            ScoringBasis.PHRASES, Score.UAS,
            compare([2, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], [2, 2, 1, 2, 1, 0]),
        ),
        # (a) is UD, and needs no conversion: 16 of 20 against 17 of 20
        "converted_back_uas_base": pytest.approx(80.0),
        "converted_back_uas_alternative": pytest.approx(85.0),
        "converted_back_uas_delta": pytest.approx(-5.0),
        **values_of(
            ScoringBasis.CONVERTED, Score.UAS,
            compare([5, 3, 2, 3, 2, 1], [4, 3, 2, 4, 2, 2], [5, 4, 3, 4, 2, 2]),
        ),
        "converted_back_uas_ceiling": pytest.approx(95.0),
        "converted_back_uas_ceiling_gold_places": pytest.approx(100.0),
        "trained_on_both_base": 0.6,
        "trained_on_both_alternative": 0.3,
        "trained_on_both_pick": "base",
        "factors_cut": 0,
        "nonprojective_train": 2,
        "lost_arcs_base": 0.0,
        "lost_arcs_alternative": 0.0,
        "train_tokens": 400,
        "test_sentences": 6,
        "against": "",
        "parser": "",
        "converted_back_uas_ceiling_base": None,
        "sentences_unmixed": None,
    }  # fmt: skip
    winners = {f"{basis}_uas_winner": "base" for basis in ("without_punctuation", "between_phrases")}
    reasons = dict.fromkeys(name for name in row_values(row) if name.endswith(("_undefined", "_conditional")))
    taggers = dict.fromkeys(name for name in row_values(row) if name.startswith("tagging_"))
    assert row_values(row) == {
        **expected,
        **winners,
        **reasons,
        **taggers,
        "converted_back_uas_winner": "alternative",
    }
    assert row_details(row) == {
        "uas_error_split": {
            "place": {"tokens": 4, "base": 75.0, "alternative": 25.0},
            "phrase": {"tokens": 0, "base": None, "alternative": None},
        },
        "uas_relations": {"nsubj": {"tokens": 4, "base": 50.0, "alternative": 50.0}},
    }


def test_what_is_compared_with_another_scheme_is_converted_on_both_sides() -> None:
    p = plan(alternatives=("det",), against="case")
    records = one_seed(p, "det")
    records[1] = record(p, "a", "", 1, result=scored(FIRST, "det", (3, 4), Ceiling(found_places=18)))
    (row,) = rows_of(p, Records(records))
    assert row["against"] == "case"
    back = compare(FIRST[ScoringBasis.CONVERTED], SECOND[ScoringBasis.CONVERTED], TOKENS)
    expected = {
        "converted_back_uas_base": pytest.approx(70.0),
        "converted_back_uas_alternative": pytest.approx(85.0),
        "converted_back_uas_delta": pytest.approx(-15.0),
        **values_of(ScoringBasis.CONVERTED, Score.UAS, back),
        "converted_back_uas_ceiling_base": pytest.approx(90.0),
        "converted_back_uas_ceiling": pytest.approx(95.0),
    }
    assert {name: row[name] for name in expected} == expected


def test_las_has_every_ground_but_the_phrases() -> None:
    """Of the labelled counts one arc fewer is right in the first sentence, on both sides and every basis."""

    def labelled(training: TrainingResult) -> TrainingResult:
        uas = training.scores["uas"]

        def fewer(right: list[int]) -> list[int]:
            return [right[0] - 1, *right[1:]] if right else []

        las = changed(
            uas,
            correct=fewer(uas.correct),
            words=fewer(uas.words),
            phrases=[],
            back=fewer(uas.back),
            ceiling=uas.ceiling and Ceiling(found_places=17),
        )
        return changed(training, scores={"uas": uas, "las": las})

    p = plan(labels="keep")
    measures, a, b, c = one_seed(p)
    a, b = (with_result(own, labelled(training_of(own))) for own in (a, b))
    c = with_result(c, survived(0.6, 0.3, 0.75))
    (row,) = rows_of(p, Records([measures, a, b, c]))
    assert row.difference(Score.LAS, ScoringBasis.PHRASES) is None
    own = compare([4, 3, 2, 3, 2, 1], [3, 3, 2, 2, 2, 1], TOKENS)
    expected = {
        "las_easier": "open",
        "las_base": pytest.approx(75.0),
        "las_alternative": pytest.approx(65.0),
        "las_delta": pytest.approx(10.0),
        "las_winner": "base",
        **values_of(ScoringBasis.ANNOTATION, Score.LAS, own),
        "without_punctuation_las_base": pytest.approx(75.0),
        "without_punctuation_las_alternative": pytest.approx(68.75),
        "without_punctuation_las_delta": pytest.approx(6.25),
        **values_of(
            ScoringBasis.WORDS, Score.LAS, compare([3, 2, 2, 2, 2, 1], [2, 3, 2, 2, 1, 1], WORDS)
        ),
        "converted_back_las_base": pytest.approx(75.0),
        "converted_back_las_alternative": pytest.approx(80.0),
        "converted_back_las_delta": pytest.approx(-5.0),
        **values_of(
            ScoringBasis.CONVERTED, Score.LAS, compare([4, 3, 2, 3, 2, 1], [3, 3, 2, 4, 2, 2], TOKENS)
        ),
        "converted_back_las_ceiling": pytest.approx(85.0),
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected
    assert row["las_error_split"]["place"] == {"tokens": 4, "base": 75.0, "alternative": 25.0}
    # UAS is as it is without labels
    (plain,) = rows_of(plan(), Records(one_seed(plan())))
    assert {name: row[name] for name in row_values(plain)} == row_values(plain)


def test_the_bytes_of_the_files() -> None:
    p = plan()
    records = one_seed(p)
    same = {**FIRST, ScoringBasis.CONVERTED: FIRST[ScoringBasis.ANNOTATION]}
    records[2] = record(
        p, "b", "case", 1, result=scored(same, "case", (3, 4), Ceiling(found_places=19, gold_places=20))
    )
    records[1] = record(p, "a", "", 1, result=scored(same, "case", (3, 4)))
    rows = rows_of(p, Records(records))
    same_heads = compare(TOKENS, TOKENS, TOKENS)
    low, high = interval(0.0, same_heads.error, same_heads.degrees, 2)
    header, line, end = results_csv(rows).decode().split("\n")
    assert header == (
        "treebank,release,construction,variant,against,parser,tested_on,places,test_places,seeds,"
        "easier,train_on,uas_base,uas_alternative,uas_delta,uas_delta_low,uas_delta_high,uas_p_holm,"
        "converted_back_uas_delta,"
        "las_easier,las_train_on,las_base,las_alternative,las_delta,las_delta_low,las_delta_high,las_p_holm,"
        "converted_back_las_delta"
    )
    assert line == (
        "UD_X,1.3,case,,,,test set,12,10,1,open,open,80.0000,80.0000,0.0000,"
        f"{low:.4f},{high:.4f},1.000000,0.0000,,,,,,,,,"
    )
    assert end == ""
    header, *lines, end = scores_csv(rows).decode().split("\n")
    assert header == "treebank,construction,parser,score,comparison,statistic,value"
    assert all(line.startswith("UD_X@1.3,case,,") for line in lines)
    values = [line.removeprefix("UD_X@1.3,case,,") for line in lines]
    expected = [
        (",,sentences", "40"), (",,iterations", "8.0000"), ("uas,,easier", "open"),
        ("uas,,easier_reason", "the interval includes 0"), ("uas,,train_on", "open"),
        ("uas,own_annotation,delta_se", f"{same_heads.error:.4f}"), ("uas,own_annotation,winner", "none"),
        ("uas,own_annotation,better", "none"),
        ("uas,without_punctuation,base", "81.2500"), ("uas,between_phrases,alternative", "75.0000"),
        ("uas,converted_back,ceiling", "95.0000"), ("uas,converted_back,ceiling_gold_places", "100.0000"),
        (",trained_on_both,base", "0.6000"),
        (",trained_on_both,pick", "base"), (",,factors_cut", "0"), (",,train_tokens", "400"),
    ]  # fmt: skip
    assert [f"{name},{value}" for name, value in expected if f"{name},{value}" not in values] == []
    # what has no value has no line, and results.csv alone has the counts that it has
    left_out = ("ceiling_base", "sentences_unmixed", ",,places", ",,seeds", "las,")
    assert [line for line in values if any(name in line for name in left_out)] == []
    assert len(values) == len(set(values))
    assert end == ""


def test_every_value_stands_in_one_of_the_two_files() -> None:
    """Once in scores.csv, but for what says which row it is, and the counts of results.csv."""
    names = [statistic.name for statistic in STATISTICS]
    assert len(names) == len(set(names))
    assert {*RESULTS, *LONG} == {*STATISTICS}
    assert len(RESULTS) == 28
    assert len(SCORES) == 7
    twice = {statistic for statistic in RESULTS if statistic in LONG}
    assert {statistic.score for statistic in twice} == {"uas", "las"}
    places = [(own.score, own.basis, own.statistic) for own in LONG]
    assert len(places) == len(set(places))


def test_names_of_columns_follow_one_rule() -> None:
    """Score and value; before them the comparison, unless it is that on the own annotation.

    The answers by UAS are called as the questions.
    """
    for statistic in STATISTICS:
        is_answer = statistic.statistic.removesuffix("_reason") in set(Question)
        score = "" if is_answer and statistic.score == "uas" else statistic.score
        parts = (statistic.basis, score, statistic.statistic)
        assert statistic.name == "_".join(part for part in parts if part not in ("", "own_annotation"))


def two_seeds(p: RunPlan, first: tuple[float, float], second: tuple[float, float]) -> list[Record]:
    records = one_seed(p)
    records[3] = with_result(records[3], survived(*first, 0.75))
    last = survived(*second, 0.25)
    a = {**FIRST, ScoringBasis.ANNOTATION: [*TOKENS[:4], 1, 2]}
    b = {**SECOND, ScoringBasis.ANNOTATION: [5, 4, 3, 3, 2, 2], ScoringBasis.CONVERTED: TOKENS}
    return [
        *records,
        record(p, "a", "", 2, result=changed(scored(a, "case", (3, 4)), iterations=11)),
        record(p, "b", "case", 2, result=scored(b, "case", (1, 4), Ceiling(found_places=17))),
        record(p, "c", "case", 2, result=last),
    ]


def test_means_over_seeds() -> None:
    p = plan(seeds=2)
    (row,) = rows_of(p, Records(two_seeds(p, (0.6, 0.3), (0.4, 0.3))))
    assert row["iterations"] == 9.5
    # (a) 16 and 19, (b) 14 and 19 of 20
    assert row["uas_base"] == pytest.approx(87.5)
    assert row["uas_alternative"] == pytest.approx(82.5)
    assert row["uas_delta"] == pytest.approx(5.0)
    # 13 and 13, 12 and 12 of 16; 6 and 6, 4 and 4 of 8
    assert row["without_punctuation_uas_delta"] == pytest.approx(100 / 16)
    assert row["between_phrases_uas_delta"] == pytest.approx(25.0)
    # (a) as above, (b) 17 and 20
    assert row["converted_back_uas_alternative"] == pytest.approx(100 * 37 / 40)
    assert row["converted_back_uas_delta"] == pytest.approx(-5.0)
    assert row["converted_back_uas_ceiling"] == pytest.approx(100 * 36 / 40)
    # seeds are rows of counts, paired in order
    a, b = (
        [FIRST[ScoringBasis.ANNOTATION], [5, 4, 3, 4, 1, 2]],
        [SECOND[ScoringBasis.ANNOTATION], [5, 4, 3, 3, 2, 2]],
    )
    both = compare(a, b, TOKENS)
    assert (row["uas_delta_uncorrected_low"], row["uas_p_value"]) == (both.low, both.p_value)
    assert row["trained_on_both_base"] == pytest.approx(0.5)
    assert row["trained_on_both_pick"] == "base"


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [({"test_places": 9}, 6), ({"test_places": 0}, 6), ({"test_places": 10}, 5), ({"test_places": 10}, 6)],
)
def test_without_enough_data_nothing_is_tested(changes: dict[str, int], sentences: int) -> None:
    """Ten places in six sentences are the fewest; of what has less there are scores only."""
    p = plan()
    records = one_seed(p, **changes)
    for i, each in ((1, FIRST), (2, SECOND)):
        training = training_of(records[i])
        cut = {basis: right[:sentences] for basis, right in each.items()}
        kept = scored(cut, "case", (3, 4), training.scores["uas"].ceiling)
        lists = {name: getattr(kept, name)[:sentences] for name in ("tokens", "words", "phrases")}
        records[i] = with_result(records[i], changed(kept, **lists))
    (row,) = rows_of(p, Records(records))
    differences = row.by_basis()
    assert [*differences] == ScoringBasis.of(Score.UAS)
    enough = changes["test_places"] >= 10 and sentences >= 6
    assert (row["easier"] == "too few examples") != enough
    assert (row["uas_winner"] is None) != enough
    for one in differences.values():
        told = (one.low, one.high, one.p_value, one.p_holm, one.p_equal, one.better)
        assert all((value is None) != enough for value in told)
        assert one.delta == pytest.approx(one.base - one.alternative)


@pytest.mark.parametrize(
    ("second", "picked"),
    [((0.2, 0.5), "base"), ((0.1, 0.9), "none"), ((0.31, 0.3), "base"), ((0.05, 0.9), "alternative")],
)
def test_the_side_that_survives_is_picked_by_the_mean_over_seeds(
    second: tuple[float, float], picked: str
) -> None:
    p = plan(seeds=2)
    assert rows_of(p, Records(two_seeds(p, (0.9, 0.1), second)))[0]["trained_on_both_pick"] == picked


def test_earlier_iterations_count_for_the_pick_but_not_for_the_shares() -> None:
    p = plan()
    records = one_seed(p)
    result = survived(0.4, 0.6, 0.5, base_share=[0.9, 0.4], alternative_share=[0.1, 0.6])
    records[3] = with_result(records[3], result)
    (row,) = rows_of(p, Records(records))
    assert (row["trained_on_both_pick"], row["trained_on_both_base"]) == ("base", 0.4)


def test_no_places_leave_the_columns_empty() -> None:
    p = plan()
    records = [
        record(p, "measures", "case", result=counts(places=0)),
        record(p, "a", "", 1, result=scored(FIRST, "case", (3, 4))),
        record(p, "b", "case", 1),
        record(p, "c", "case", 1),
    ]
    (row,) = rows_of(p, Records(records))
    assert row["places"] == 0
    assert row["iterations"] is None
    kept = {
        "places",
        "sentences",
        "sentences_changed",
        "tokens_changed",
        "train_tokens",
        "nonprojective_train",
    }
    kept |= {"treebank", "release", "construction", "seeds", "test_places", "tested_on", "easier", "train_on"}
    assert {name for name, value in row_values(row).items() if value not in (None, "")} == kept
    assert row["easier"] == "too few examples"
    assert results_csv([row]).decode().split("\n")[1].count(",") == 27


def test_places_that_lifting_took_away_are_not_scored() -> None:
    p = plan()
    records = one_seed(p)
    records[2:] = [record(p, "b", "case", 1), record(p, "c", "case", 1)]
    (row,) = rows_of(p, Records(records))
    assert (row["places"], row["uas_base"], row["trained_on_both_base"]) == (12, None, None)


@pytest.mark.parametrize(
    ("missing", "empty", "kept"),
    [
        (0, "places", "iterations"),
        (1, "uas_base", "trained_on_both_base"),
        (2, "uas_delta", "iterations"),
        (3, "trained_on_both_base", "uas_delta"),
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
        records[missing] = changed(found, failed="why", result=NOTHING)
    else:
        del records[missing]
    (row,) = rows_of(p, Records(records))
    assert row[empty] is None
    assert row[kept] is not None


def test_one_seed_of_two_gives_no_score() -> None:
    p = plan(seeds=2)
    (row,) = rows_of(p, Records(two_seeds(p, (0.6, 0.3), (0.4, 0.3))[:-2]))
    assert row["uas_delta"] is None
    assert row["trained_on_both_base"] is None


def large(**changes: Any) -> Measures:
    """The measures of a pair in a training set much larger than the test set."""
    return counts(train_tokens=40_000, **changes)


def test_holm_over_the_constructions_of_a_treebank() -> None:
    """Each basis is a family of its own; a pair without enough data is in none of them.

    Other treebanks are families of their own. Every p value is doubled, because `settle` may test again.
    """
    names = ("case", "det", "cop")
    p = plan("UD_X", "UD_Y", alternatives=names)
    tokens = [100] * 40
    records = []
    for t in range(2):
        of_ud = trained([6] * 40, tokens, documents=[1] * 40)
        records.append(record(p, "a", "", 1, treebank=t, result=of_ud))
        for name, worse, places in zip(names, (10, 8, 20), (10, 10, 9), strict=True):
            other = [5] * worse + [6] * (40 - worse)
            back = [6] * (40 - worse) + [7] * worse
            right = {"back": back, "words": [6] * 40}
            records += [
                record(p, "measures", name, treebank=t, result=large(test_places=places)),
                record(p, "b", name, 1, treebank=t, result=trained(other, tokens, name, right=right)),
            ]
    first, second, third, *others = rows_of(p, Records(records))
    assert [replace(row, treebank="UD_X") for row in others] == [first, second, third]
    assert first["uas_p_value"] < second["uas_p_value"] < 0.025
    first_p, second_p = (row["converted_back_uas_p_value"] for row in (first, second))
    assert first["converted_back_uas_p_holm"] == pytest.approx(4 * first_p)
    assert second["converted_back_uas_p_holm"] == pytest.approx(2 * second_p)
    assert (first["uas_better"], second["uas_better"]) == ("equal", "equal")  # ahead only with punctuation
    equal = [row["without_punctuation_uas_p_equal"] for row in (first, second)]
    assert first["without_punctuation_uas_p_equal_holm"] == pytest.approx(4 * equal[0])
    assert second["without_punctuation_uas_p_equal_holm"] == pytest.approx(max(4 * equal[0], 2 * equal[1]))
    assert (first["converted_back_uas_better"], first["without_punctuation_uas_better"]) == (
        "alternative",
        "equal",
    )
    assert (third["uas_p_value"], third["uas_p_holm"], third["uas_better"]) == (None, None, None)
    answers = [(row["easier"], row["train_on"]) for row in (first, second, third)]
    settled = "no difference that matters", "alternative"
    assert answers == [settled, settled, ("too few examples", "too few examples")]
    assert first["easier_reason"] == "only punctuation"


def test_relations_of_its_own_give_no_score_that_reads_relations_of_ud() -> None:
    p = plan()
    relations = {"SUBJ": (2, 60), "punct": (1, 40)}
    records = []
    for known in one_seed(p, "case"):
        if known.setting in ("a", "b"):
            training = training_of(known)
            scores = {name: changed(counts, relations=relations) for name, counts in training.scores.items()}
            known = with_result(known, changed(training, scores=scores))
        records.append(known)
    (row,) = rows_of(p, Records(records))
    assert row.difference() is not None
    assert row.difference(basis=ScoringBasis.PHRASES) is None
    assert row.difference(basis=ScoringBasis.WORDS) is None
    assert row.undefined["between_phrases"] == "most relations of this treebank are not those of UD"


def test_nucleus_scores_are_not_defined_for_cc() -> None:
    p = plan(alternatives=("cc:style=moscow",))
    records = one_seed(p, "cc:style=moscow")
    (row,) = rows_of(p, Records(records))
    assert (row["construction"], row["variant"]) == ("cc", "style=moscow")
    assert row.difference(basis=ScoringBasis.PHRASES) is None
    assert row["between_phrases_uas_base"] is None
    assert row["uas_base"] == pytest.approx(80.0)


def folded(test_places: int = 1) -> tuple[RunPlan, list[Record]]:
    """Three folds; every sentence trains in one of them. The third fold trains without places."""
    p = plan(folds=3)
    records = []
    for fold, (right, places, share) in enumerate([(7, 4, 1.0), (5, 2, 0.25), (3, 0, float("nan"))]):
        measures = counts(places=places, sentences=10, test_places=test_places)
        first = trained([right, 0], [9, 1], iterations=6 + fold)
        ceiling = Ceiling(found_places=9 - fold)
        given = {"back": [right + 1, 0], "words": [right, 0], "ceiling": ceiling}
        second = trained([right - 1, 0], [9, 1], right=given)
        result = survived(
            share, 1 - share, share, places=places, sentences_with_places=places, factors_cut=1,
        )  # fmt: skip
        records += [
            record(p, "measures", "case", fold=fold, result=measures),
            record(p, "a", "", 1, fold, result=first),
            record(p, "b", "case", 1, fold, result=second),
            record(p, "c", "case", 1, fold, result=result),
        ]
    return p, records


def test_folds_are_pooled_and_each_sentence_counts_once() -> None:
    p, records = folded()
    (row,) = rows_of(p, Records(records))
    # 3 folds: a sentence trains in 3 - 2 = 1 of them
    assert (row["places"], row["sentences"], row["test_places"], row["factors_cut"]) == (6, 30, 3, 3)
    assert row["iterations"] == 7
    assert row["uas_base"] == pytest.approx(100 * 15 / 30)
    assert row["uas_alternative"] == pytest.approx(100 * 12 / 30)
    # (b) converted has 8, 6 and 4 of 30 right, its gold trees 9, 8 and 7
    assert row["converted_back_uas_alternative"] == pytest.approx(100 * 18 / 30)
    untested = row.by_basis(Score.UAS)  # too few examples: columns have no difference
    assert untested[ScoringBasis.CONVERTED].delta == pytest.approx(-10.0)
    assert row["converted_back_uas_delta"] is row["without_punctuation_uas_delta"] is None
    assert row["converted_back_uas_ceiling"] == pytest.approx(100 * 24 / 30)
    assert untested[ScoringBasis.WORDS].delta == pytest.approx(0)
    assert (row["test_sentences"], row["easier"]) == (6, "too few examples")
    # weighted by the sentences with places: (4 * 1 + 2 * 0.25) / 6; the fold without places says nothing
    assert row["trained_on_both_base"] == pytest.approx(0.75)


def test_folds_are_sentences_of_one_sample_and_of_one_family_of_seeds() -> None:
    p, records = folded(test_places=10)
    (row,) = rows_of(p, Records(records))
    folds = [0, 0, 1, 1, 2, 2]
    whole = compare([7, 0, 5, 0, 3, 0], [6, 0, 4, 0, 2, 0], [9, 1] * 3, folds=folds)
    assert (row["uas_delta_uncorrected_low"], row["uas_p_value"], row["uas_p_equal"]) == (
        whole.low,
        whole.p_value,
        whole.p_equal,
    )
    assert row["converted_back_uas_p_holm"] == row["converted_back_uas_p_value"]  # nothing is left to settle
    back = compare([7, 0, 5, 0, 3, 0], [8, 0, 6, 0, 4, 0], [9, 1] * 3, folds=folds)
    assert (row["converted_back_uas_delta_low"], row["converted_back_uas_p_value"]) == (
        back.low,
        back.p_value,
    )


def test_documents_and_folds_say_which_sentences_are_alike() -> None:
    """Errors of sentences of the same document count once; other folds have other documents."""
    p = plan(alternatives=("case",), folds=3)
    tokens, right = [10] * 20, [8] * 20
    worse = [[7] * 10 + [8] * 10, [8] * 20, [8] * 20]
    found = {}
    for documents in ([10, 10], [1] * 20):
        records = []
        for fold in range(3):
            first = trained(right, tokens, documents=documents)
            second = trained(worse[fold], tokens, documents=documents)
            records += [
                record(p, "measures", "case", fold=fold, result=counts(test_places=9)),
                record(p, "a", "", 1, fold, result=first),
                record(p, "b", "case", 1, fold, result=second),
            ]
        (row,) = rows_of(p, Records(records))
        numbers = [n for n, length in enumerate(documents * 3) for _ in range(length)]
        expected = compare(
            right * 3,
            [*worse[0], *worse[1], *worse[2]],
            tokens * 3,
            documents=numbers,
            folds=[0] * 20 + [1] * 20 + [2] * 20,
        )
        assert row["uas_p_value"] == pytest.approx(expected.p_value)
        found[len(documents)] = expected.p_value
    assert found[20] < found[2] / 10


def test_folds_may_train_differently_long() -> None:
    """Ahead by 1, 1 and 1, and by 0, -1 with half the weight: (4 * 1 - 2 * 0.5) / 6."""
    p, records = folded()
    for fold, base, alternative in ((0, [1.0] * 3, [0.0] * 3), (1, [0.5, 0.0], [0.5, 1.0])):
        at = 4 * fold + 3
        shares = {"base_share": base, "alternative_share": alternative}
        result = changed(both_result_of(records[at]), iterations=len(base), **shares)
        records[at] = with_result(records[at], result)
    assert rows_of(p, Records(records))[0]["trained_on_both_pick"] == "base"
    records[3] = with_result(records[3], changed(both_result_of(records[3]), base_share=[0.0, 0.25, 0.5]))
    assert rows_of(p, Records(records))[0]["trained_on_both_pick"] == "none"


def test_folds_count_a_sentence_of_five_folds_once() -> None:
    p = plan(folds=5)
    records = [record(p, "measures", "case", fold=fold, result=counts(places=30)) for fold in range(5)]
    assert rows_of(p, Records(records))[0]["places"] == 50


def test_a_missing_fold_gives_no_score() -> None:
    p, records = folded()
    (row,) = rows_of(p, Records([r for r in records if not r.key.endswith("/b/case/1/2/parser=arc-eager")]))
    assert row["uas_delta"] is None
    assert row["trained_on_both_base"] is not None


def test_breakdown_over_seeds_and_folds() -> None:
    """Two seeds of two folds; a relation that one fold does not have."""
    a = [{"x": (1, 4)}, {"x": (2, 4), "y": (3, 10)}] * 2
    b = [{"x": (4, 4)}, {"x": (0, 4), "y": (10, 10)}, {"x": (3, 4)}, {"x": (1, 4), "y": (0, 10)}]
    assert breakdown(a, b, 2) == {"x": PartScores(8, 37.5, 50.0), "y": PartScores(10, 30.0, 50.0)}
