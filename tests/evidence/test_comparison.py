"""What runs written by hand say together: which are put together, means, decisions, outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import interrupt
from finished_runs import five_pairs, hand_run, pair, write_run
from result_rows import HandRow, compared, hand_row

from learnability.errors import InputError
from learnability.evidence.questions import Answer, Question, Reason
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import FoundRuns, StoredRun, find_runs, read_run
from learnability.evidence.survey import Construction, Evidence, combine_runs, leave_out
from learnability.metrics.scores import Score
from learnability.reports.comparison_files import as_json, outputs, run_names
from learnability.reports.comparison_tables import print_evidence, remarks, verdict
from learnability.statistics.holm import holm
from learnability.statistics.meta_analysis import RandomEffects
from learnability.treebanks.families import language_of, origin_of
from learnability.treebanks.splits import WITHOUT_WORDS

DECIDING = (ScoringBasis.ANNOTATION, ScoringBasis.WORDS, ScoringBasis.PHRASES, ScoringBasis.CONVERTED)


def change_config(run: Path, **values: Any) -> None:
    """Change entries of the config.json of a run."""
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(config | values))


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    return combine_runs([hand_run(tmp_path / "run")])


def without_words(run: StoredRun, *names: str) -> StoredRun:
    """The run, as if files of these treebanks had no words."""
    warning = f"x-ud-train.conllu: {WITHOUT_WORDS}: words tell the parser nothing"
    treebanks = tuple(
        replace(each, left_out=(warning,) * (each.name in names)) for each in run.config.treebanks
    )
    return replace(run, config=replace(run.config, treebanks=treebanks))


def test_a_treebank_without_words_is_in_no_mean(tmp_path: Path) -> None:
    run = hand_run(tmp_path / "run")
    found = combine_runs([without_words(run, "UD_Y")])
    assert {pair.treebank for pair in found.pairs} == {"UD_X@1.3", "UD_Z@1.3"}
    assert "Left out (the files have no words): UD_Y@1.3." in found.remarks
    assert (
        outputs(found)["differences.csv"] == outputs(combine_runs([run], without=["UD_Y"]))["differences.csv"]
    )
    alone = combine_runs([without_words(run, "UD_X", "UD_Y", "UD_Z")])
    assert len({pair.treebank for pair in alone.pairs}) == 3
    only_tags = replace(run, config=replace(run.config, options={**run.config.options, "tags": "only"}))
    assert combine_runs([without_words(only_tags, "UD_Y")]).remarks == combine_runs([only_tags]).remarks


def test_a_treebank_is_left_out_by_its_name(tmp_path: Path) -> None:
    runs = [hand_run(tmp_path / "a"), hand_run(tmp_path / "b", release="2.16")]
    for name, left in (("UD_Y", 4), ("UD_Y@1.3", 5)):
        assert len({pair.treebank for run in leave_out(runs, [name]) for pair in run.pairs}) == left
    with pytest.raises(InputError, match="there is no treebank 'UD_y'"):
        leave_out(runs, ["UD_y"])


def shown(treebank: str, transform: str, deltas: Sequence[float], half: float = 0.3) -> HandRow:
    """A pair with these differences, ± half points, on the bases that decide."""
    row = pair(treebank, transform, deltas[0])
    for basis, delta in zip(DECIDING, deltas, strict=True):
        row |= compared(delta, half, basis)
    return row


def together(tmp_path: Path, *rows: HandRow) -> Evidence:
    return combine_runs([hand_run(tmp_path / "run", rows=rows)])


def one(tmp_path: Path, *rows: HandRow) -> Construction:
    (construction,) = together(tmp_path, *rows).constructions
    return construction


def test_holm_is_computed_anew_over_all_runs_of_a_treebank(tmp_path: Path) -> None:
    first = hand_run(tmp_path / "1", rows=[pair("UD_0", "det", 2.0, 0.02)])
    names = ("case", "cop", "mark")
    second = hand_run(tmp_path / "2", rows=[pair("UD_0", name, 0.5, 0.8) for name in names])
    other = hand_run(tmp_path / "3", rows=[pair("UD_1", "det", 2.0, 0.02)])
    *same, alone = [
        c.row.differences[Score.UAS, ScoringBasis.ANNOTATION]
        for c in combine_runs([first, second, other]).pairs
    ]
    p_values = [difference.p_value for difference in same]
    assert [difference.p_holm for difference in same] == holm(p_values) != p_values
    assert alone.p_holm == alone.p_value == pytest.approx(0.02, abs=1e-3)


def test_answers_are_those_of_the_run(tmp_path: Path) -> None:
    """Whatever other treebanks are compared; only several runs of a treebank are corrected together.

    p is 0.02 in a run of one construction, and 0.08 among four.
    """
    first = hand_run(tmp_path / "1", rows=[pair("UD_0", "det", 2.0, 0.02)])
    names = ("case", "cop", "mark")
    others = hand_run(tmp_path / "2", rows=[pair("UD_0", name, 0.5, 0.8) for name in names])
    rest = [pair(f"UD_{i}", name, 0.5, 0.04) for i in range(1, 6) for name in names]
    elsewhere = hand_run(tmp_path / "3", rows=rest)

    def answers(*runs: StoredRun) -> dict[tuple[str, str], str]:
        return {
            (c.treebank, c.construction): c.row.name_answer(Question.EASIER) for c in combine_runs(runs).pairs
        }

    of_runs = {
        (c.treebank, c.construction): c.row.name_answer(Question.EASIER)
        for c in (*first.pairs, *elsewhere.pairs)
    }
    assert answers(first, elsewhere) == of_runs
    assert of_runs["UD_0@1.3", "det"] == "UD"
    assert not [remark for remark in combine_runs([first, elsewhere]).remarks if "several runs" in remark]
    assert answers(first, others)["UD_0@1.3", "det"] == "open"
    (told,) = (
        remark for remark in combine_runs([first, others, elsewhere]).remarks if "several runs" in remark
    )
    assert told.startswith("UD_0@1.3: several runs tested constructions.")


def test_what_is_not_counted_is_told(tmp_path: Path) -> None:
    """Without enough data there is a difference at most, which is in no table."""
    untested = dict.fromkeys(("uas_delta_low", "uas_delta_high", "uas_p_value", "uas_p_equal"))
    rows = [
        pair("UD_X", "case", 1.0),
        pair("UD_X", "cop", 5.0) | untested,
        pair("UD_X", "mwe", None, places=0),
        pair("UD_X", "det", None),
    ]
    found = combine_runs([hand_run(tmp_path / "run", rows=rows)])
    assert (found.without_data, found.not_computed) == (2, 1)
    cop = found.constructions[1]
    assert (cop.row.name, easier(cop), cop.without_data) == ("cop", "too few examples", 1)
    assert [easier(c) for c in found.constructions[2:]] == ["too few examples", ""]
    assert verdict(found.constructions[3], Score.UAS) == "not computed."
    assert any("2 comparisons with too few examples" in remark for remark in remarks(found))
    assert any("without scores" in remark for remark in remarks(found))


def test_more_seeds_are_advised_for_test_sets_only(tmp_path: Path) -> None:
    """Where all sentences are tested, each fold adds trainings, and `--seeds` would change nothing."""

    def advises_seeds(folds: int) -> bool:
        row = pair("UD_X", "case", 1.0, seeds=2, folds=folds)
        found = combine_runs([hand_run(tmp_path / f"run{folds}", rows=[row])])
        return any("--seeds" in remark for remark in remarks(found))

    assert advises_seeds(1)
    assert not advises_seeds(5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"parsers": ["arc-eager:explore"]}, "The runs differ in parsers: arc-eager, arc-eager:explore."),
        ({"seeds": 3}, "The runs differ in seeds: 2, 3."),
        ({"iterations": 3}, "The runs differ in iterations: auto, 3."),
        ({"labels": "keep"}, "The runs differ in labels: unlabelled, keep."),
    ],
)
def test_runs_of_different_settings_are_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    first = hand_run(tmp_path / "1", only=("UD_X",))
    second = hand_run(tmp_path / "2", only=("UD_Y",), options=change)
    assert said in combine_runs([first, second]).remarks


def test_a_pair_of_two_runs_counts_once_and_must_have_the_same_scores(tmp_path: Path) -> None:
    first, second = write_run(tmp_path / "1"), write_run(tmp_path / "2", only=("UD_Y",))
    case = next(row for row in five_pairs() if row["construction"] == "case")
    once = combine_runs([read_run(first)])
    again = combine_runs([read_run(first), read_run(second), read_run(first)])
    assert [c.row for c in again.pairs] == [c.row for c in once.pairs]
    other = hand_run(tmp_path / "other", rows=[case, case | {"uas_alternative": 0.5}])
    with pytest.raises(InputError) as error:
        combine_runs([other])
    where = f"is in {other.folder} and in {other.folder} with other scores; compare only one of them"
    assert str(error.value) == f"{case['treebank']}@1.3 case {where}"


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        read_run(tmp_path)
    run = write_run(tmp_path / "run")
    interrupt(run)
    with pytest.raises(InputError, match="holds an unfinished run"):
        read_run(run)
    nothing = write_run(tmp_path / "oracles")
    change_config(nothing, compares=False)
    with pytest.raises(InputError, match="compares no annotations"):
        read_run(nothing)
    empty = hand_run(tmp_path / "empty", rows=[pair("UD_X", "case", None)])
    with pytest.raises(InputError, match="the runs have no construction with a tested UAS difference"):
        combine_runs([empty])


def test_a_run_is_read_from_its_records_alone(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    before = read_run(run)
    (run / "results.csv").write_text("anything\n")
    assert read_run(run) == before
    assert [c.row.difference().delta for c in before.pairs[:2]] == [pytest.approx(1.0), pytest.approx(-2.0)]


def test_means_are_random_effects_over_treebanks_on_every_ground(tmp_path: Path) -> None:
    deltas = {"UD_Irish": (2.0, 1.5, 1.0, -0.5), "UD_Greek": (1.0, 1.2, 0.4, 0.2), "UD_Tamil": (3, 2, 1, 0.1)}
    deltas |= {"UD_Tamil-TTB": (2, 2, 1.5, 0), "UD_Turkish": (0.5, 0, 1, 0), "UD_Kazakh": (1, 1.1, 1, 0.2)}
    halves = (0.4, 0.6, 0.5, 0.5, 0.3, 0.9)
    rows = [shown(name, "case", own, half) for (name, own), half in zip(deltas.items(), halves, strict=True)]
    case = one(tmp_path, *rows)
    errors = [half / 1.959964 for half in halves]
    origins = [origin_of(language_of(name)) for name in deltas]
    for i, basis in enumerate(DECIDING):
        twin = RandomEffects.combine([own[i] for own in deltas.values()], errors, origins)
        mean, difference = case.means[Score.UAS, basis], case.row.difference(Score.UAS, basis)
        assert difference is not None
        assert (mean.treebanks, mean.languages, mean.families) == (6, 5, 4)
        assert mean.mean == pytest.approx(twin.mean, abs=1e-4)
        assert mean.tau == pytest.approx(twin.tau, abs=2e-3)
        assert (difference.delta, difference.error) == (mean.mean, mean.error)
        assert (difference.uncorrected_low, difference.uncorrected_high) == (mean.low, mean.high)
        assert (difference.p_value, difference.p_equal) == (mean.p_value, mean.p_equal)


def test_means_are_corrected_over_the_constructions(tmp_path: Path) -> None:
    """p of the mean of det is below 0.05, and above it among three constructions."""
    own = {"case": (0.1, -0.2, 0, 0.1, 0), "det": (1.1, 1.6, 0.9, 0.2, 0.4), "mark": (0.1, 0.2, -0.4, 0.2, 0)}
    found = together(
        tmp_path,
        *(pair(f"UD_{i}", name, d) | compared(d, 0.9) for name, ds in own.items() for i, d in enumerate(ds)),
    )
    rows = [hand_row(c.row) for c in found.constructions]
    assert [row["uas_p_holm"] for row in rows] == holm([row["uas_p_value"] for row in rows])
    assert rows[1]["uas_p_value"] < 0.05 < rows[1]["uas_p_holm"]
    assert [row["uas_p_equal_holm"] for row in rows] == holm([row["uas_p_equal"] for row in rows])
    assert rows[1]["easier"] == "open"
    alone = together(
        tmp_path / "alone", *(pair(f"UD_{i}", "det", d) | compared(d, 0.9) for i, d in enumerate(own["det"]))
    )
    assert easier(alone.constructions[0]) == "UD"


DISAGREE = (Answer.OPEN, Reason.TREEBANKS_DISAGREE)


@pytest.mark.parametrize(
    ("deltas", "is_easier", "to_train_on"),
    [
        (
            [(2.0, 2.0, 2.0, 2.0), (2.4, 2.2, 2.1, 2.3), (1.9, 1.8, 2.0, 2.2)],
            (Answer.BASE, ""), (Answer.BASE, ""),
        ),
        (
            [(-2.0, -2.0, -2.0, 2.0), (-2.4, -2.2, -2.1, 2.3), (-1.9, -1.8, -2.0, 2.2)],
            (Answer.ALTERNATIVE, ""), (Answer.BASE, ""),
        ),
        ([(0, 0, 0, 0), (0.1, 0.1, 0.1, 0.1), (-0.1, 0, 0, 0)], (Answer.SAME, ""), (Answer.SAME, "")),
        (
            [(0.0, 0.0, 0.0, 0.0), (2.0, 2.0, 2.0, 2.0), (4.0, 0, 0, 0)],
            (Answer.OPEN, Reason.UNCLEAR), (Answer.OPEN, Reason.UNCLEAR),
        ),
        ([(3.0, 3.0, 3.0, 3.0), (3.1, 3.0, 3.0, 3.0), (-2, -2, -2, -2)], DISAGREE, DISAGREE),
        # each question by itself
        ([(3.0, 3.0, 3.0, 3.0), (3.1, 3.0, 3.0, 3.0), (-2, -2, -2, 3)], DISAGREE, (Answer.BASE, "")),
        ([(3.0, 3.0, 3.0, 3.0), (3.1, 3.0, 3.0, 3.0), (3, 3, 3, -2)], (Answer.BASE, ""), DISAGREE),
        # ahead by punctuation alone is no side
        (
            [(3.0, 3.0, 3.0, 3.0), (3.1, 3.0, 3.0, 3.0), (-2, 0, 0, 0)],
            (Answer.OPEN, Reason.UNCLEAR), (Answer.OPEN, Reason.UNCLEAR),
        ),
    ],
)  # fmt: skip
def test_both_questions_are_answered_by_the_means(
    tmp_path: Path,
    deltas: Sequence[Sequence[float]],
    is_easier: tuple[Answer, str],
    to_train_on: tuple[Answer, str],
) -> None:
    five = [*deltas, deltas[0], deltas[2]]
    case = one(tmp_path, *(shown(f"UD_{i}", "case", own) for i, own in enumerate(five)))
    for question, expected in zip(Question, (is_easier, to_train_on), strict=True):
        answered = case.row.answered(question)
        assert (answered.answer, answered.reason) == expected
        mean = case.row.difference(Score.UAS, question.basis)
        assert mean is not None
        assert mean.better == answered.side  # no star where treebanks disagree
    said = verdict(case, Score.UAS)
    if is_easier == DISAGREE:
        assert said.startswith("it is open which is easier to learn, because the treebanks disagree. ")
        sides = "UD is ahead in UD_0@1.3, UD_1@1.3 and UD_3@1.3. The alternative is ahead in UD_2@1.3 and"
        assert sides in said
        assert "The mean over 5 treebanks of 5 languages is UD +1.0 (" in said
        assert "If you need UD trees" in said
    if to_train_on == DISAGREE:
        assert "If you need UD trees, it is open which to train on, because the treebanks disagree" in said
    assert sum(case.answers(Score.UAS).values()) == 5


def easier(construction: Construction, score: Score = Score.UAS) -> str:
    """Which is easier, as tables call it."""
    return construction.row.name_answer(Question.EASIER, score)


def train_on(construction: Construction, score: Score = Score.UAS) -> str:
    """Which to train on, as tables call it."""
    return construction.row.name_answer(Question.TRAIN_ON, score)


LATIN = ("UD_Latin", "UD_Latin-ITTB", "UD_Latin-LLCT", "UD_Latin-PROIEL", "UD_Latin-UDante")


@pytest.mark.parametrize(
    ("treebanks", "told"),
    [
        (["UD_Irish", "UD_Greek"], "2 treebanks of 2 languages"),
        (["UD_Irish", "UD_Greek", "UD_Tamil", "UD_Turkish"], "4 treebanks of 4 languages"),
        (LATIN[:4], "4 treebanks of Latin"),
        ([*LATIN, "UD_Greek"], "6 treebanks of 2 languages"),
    ],
)
def test_few_treebanks_or_languages_have_no_mean(
    tmp_path: Path, treebanks: Sequence[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = together(tmp_path, *(shown(name, "case", [1.5] * 4) for name in treebanks))
    (case,) = found.constructions
    assert easier(case) == train_on(case) == "too few treebanks"
    assert (case.means, case.row.differences, found.means()) == ({}, {}, [])
    needs = "A mean needs treebanks of five languages, or five treebanks of one language."
    assert verdict(case, Score.UAS) == f"too few treebanks. We tested {told}. {needs}"
    assert case.answers(Score.UAS) == {Answer.BASE: len(treebanks)}
    files = outputs(found)
    assert "means.csv" not in files
    assert b"mean of" not in files["uas_case.csv"] + files["compare.html"]
    print_evidence(found, details=True)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"case too few treebanks too few treebanks {len(treebanks)} 0 0 0 " in printed
    assert needs in printed


def test_five_treebanks_of_one_language_have_a_mean_that_is_about_it(tmp_path: Path) -> None:
    case = one(tmp_path, *(shown(name, "case", [1.5 + i] * 4) for i, name in enumerate(LATIN)))
    said = verdict(case, Score.UAS)
    assert said.startswith(
        "UD is easier to learn. On average over 5 treebanks of Latin, it scores 3.5 points"
    )
    assert "In another treebank, expect anything from UD +" in said
    elsewhere = one(tmp_path, *(shown(f"UD_{i}", "case", [1.5 + i] * 4) for i in range(5)))
    assert "In another language, expect anything from UD +" in verdict(elsewhere, Score.UAS)
    of_latin, of_others = case.row.difference(Score.UAS), elsewhere.row.difference(Score.UAS)
    assert of_latin == of_others


def test_one_treebank_speaks_for_itself(tmp_path: Path) -> None:
    found = together(tmp_path, shown("UD_Greek", "case", [1.5, 1.2, 1.1, 0.2]))
    (case,) = found.constructions
    own = found.pairs[0].row
    for basis in DECIDING:
        mine, of_it = case.row.difference(Score.UAS, basis), own.difference(Score.UAS, basis)
        assert mine is not None
        assert of_it is not None
        assert (mine.delta, mine.low, mine.high, mine.p_value) == (
            of_it.delta,
            of_it.low,
            of_it.high,
            of_it.p_value,
        )
        assert mine.better == of_it.better
    assert case.row.answers == own.answers
    assert "In one treebank, UD_Greek@1.3, it scores 1.5 points higher" in verdict(case, Score.UAS)


def test_one_treebank_is_corrected_as_among_the_others(tmp_path: Path) -> None:
    """p is 0.02 by itself, and det has no other treebank: corrected for four pairs it shows nothing."""
    rows = [pair(f"UD_{i}", "case", 0.5, 0.8) for i in range(5)]
    rows += [pair("UD_0", name, 0.5, 0.8) for name in ("cop", "mark")]
    case, *_others, det = together(tmp_path, *rows, pair("UD_0", "det", 2.0, 0.02)).constructions
    own, mean = hand_row(det.pairs[0].row), hand_row(det.row)
    assert own["uas_p_holm"] == pytest.approx(0.08, abs=1e-3)
    assert own["easier"] == "open"
    assert (mean["uas_p_holm"], own["uas_better"]) == (None, "none")  # one of five treebanks makes no mean
    assert hand_row(case.row)["uas_p_holm"] == hand_row(case.row)["uas_p_value"]


def test_means_allow_for_languages_of_one_family(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    italic = ("UD_French", "UD_Italian", "UD_Latin", "UD_Latin-ITTB", "UD_Spanish", "UD_Catalan")
    others = ("UD_Irish", "UD_Greek", "UD_Tamil", "UD_Turkish")
    names = dict.fromkeys(italic, 1.0) | dict.fromkeys(others, -1.0)
    found = together(tmp_path, *(pair(name, "case", d) | compared(d, 0.5) for name, d in names.items()))
    print_evidence(found, details=True, explain=True)
    printed = " ".join(capsys.readouterr().out.split())
    assert (
        "The means allow for treebanks of one language being alike, and languages of one family." in printed
    )


def labelled_row(treebank: str, uas: float, las: float) -> HandRow:
    row = pair(treebank, "case", uas, labelled=True)
    for basis in (ScoringBasis.ANNOTATION, ScoringBasis.WORDS, ScoringBasis.CONVERTED):
        row |= compared(uas, 0.3, basis) | compared(las, 0.3, basis, Score.LAS)
    return row


def test_labelled_runs_are_compared_by_las_too(tmp_path: Path) -> None:
    found = together(tmp_path, *(labelled_row(f"UD_{i}", 2.0, -2.0) for i in range(5)))
    assert [name for name, *_ in found.list_scored()] == ["case UAS", "case LAS"]
    (case,) = found.constructions
    assert (easier(case), train_on(case)) == ("UD", "UD")
    assert easier(case, Score.LAS) == train_on(case, Score.LAS) == "alternative"
    assert verdict(case, Score.LAS).startswith("the alternative is easier to learn. On average over 5")
    files = outputs(found)
    assert {"uas_case.svg", "las_case.svg"} <= set(files)
    assert "case,,las,own_annotation,delta_se,0.1531" in files["scores.csv"].decode()
    labelled = [labelled_row(f"UD_{i}", 2.0, -2.0) for i in range(5)]
    mixed = combine_runs(
        [hand_run(tmp_path / "run", rows=labelled), hand_run(tmp_path / "other", only=("UD_X",))]
    )
    assert mixed.constructions[0].means[Score.UAS, ScoringBasis.ANNOTATION].treebanks == 6
    assert mixed.constructions[0].means[Score.LAS, ScoringBasis.ANNOTATION].treebanks == 5
    assert outputs(mixed)["differences.csv"].count(b"\n") == 8


@pytest.mark.usefixtures("drawn_figures")
def test_the_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = [pair(f"UD_{name}", "case", 0.5, 0.4) for name in ("Irish", "Tamil")]
    evidence = together(tmp_path, *five_pairs(), *more)
    files = outputs(evidence)
    assert files == outputs(evidence)
    assert set(files) == {
        "means.csv", "differences.csv", "scores.csv", "compare.json", "compare.html",
        *(f"uas_{name}.{kind}" for name in ("case", "det") for kind in ("svg", "csv")),
    }  # fmt: skip
    assert files["differences.csv"].decode().splitlines()[1].startswith("UD_X,1.3,case,,,,test set,30,")
    lines = files["means.csv"].decode().splitlines()
    assert lines[0].startswith(
        "construction,score,comparison,positive,easier,train_on,error,degrees,low,high,p_value,p_equal,treebanks,"
        "languages,families,mean,tau"
    )
    assert lines[1].startswith("case,uas,own_annotation,UD ahead,open,")
    page = files["compare.html"].decode()
    assert page.count("<svg") == 2
    assert "http" not in page.replace("http://www.w3.org", "")
    assert json.loads(as_json(evidence)) == json.loads(files["compare.json"])
    print_evidence(evidence)
    printed = capsys.readouterr().out
    for text in (
        "5 treebanks together",
        "case: The treebanks do not differ clearly from each other.",
        "By treebank",
        "mean of 5",
        "UD_Z",
    ):
        assert text in printed
    assert "mean of 5" in files["uas_case.csv"].decode()
    picture = files["uas_case.svg"].decode()
    for text in ("mean of 5", "X@1.3", "Z@1.3", "UAS, points"):
        assert text in picture


def test_the_same_bytes_wherever_the_folders_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    near, far = tmp_path / "here", tmp_path / "far" / "away"
    made = []
    for place, named in ((near, near), (far, Path())):  # by whole paths, and from within the folder
        runs = [write_run(place / "runs" / name, only=(f"UD_{name}",)) for name in "XYZ"]
        (runs[0] / "report.html").write_text("")
        monkeypatch.chdir(place)
        found = combine_runs([read_run(run) for run in find_runs(named / "runs").finished])
        made.append(outputs(found, named / "tables"))
    absolute, relative = made
    assert absolute == relative
    assert b'<a href="../runs/X/report.html">UD_X@1.3</a> (<code>X</code>)' in absolute["compare.html"]


def test_runs_are_named_from_the_folder_that_has_them_all() -> None:
    names = run_names([Path("a/b/c"), Path("a/d"), Path("a/b/c")])
    assert names == {Path("a/b/c"): "b/c", Path("a/d"): "d"}
    assert run_names([Path(os.sep, "some", "run")]) == {Path(os.sep, "some", "run"): "run"}


def test_folders_of_runs(tmp_path: Path) -> None:
    first = write_run(tmp_path / "b" / "deep", only=("UD_X",))
    second = write_run(tmp_path / "a", only=("UD_Y",))
    unfinished = write_run(tmp_path / "c", only=("UD_Z",))
    interrupt(unfinished)
    other = write_run(tmp_path / "oracles", only=("UD_Z",))
    change_config(other, compares=False)
    write_run(tmp_path / "a" / ".next")
    assert find_runs(tmp_path) == FoundRuns((second, first), (unfinished,), (other,))
    assert find_runs(second) == FoundRuns((second,))
    nowhere = tmp_path / "oracles" / "none"
    assert find_runs(nowhere) == FoundRuns((nowhere,))
    found = combine_runs([read_run(second)], [unfinished])
    assert "Left out (unfinished): c." in found.remarks
