"""Combinations: races by hand-made trainings of which the best is known, and a run on a small treebank."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carried_out import asked, carried_out, planned, study_of
from result_rows import described, hand_row
from run_data import plan as plan_of
from run_data import spelled, stored

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import ShortCell
from learnability.comparing.names import annotation_named, join_transformations
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.short_trainings import ShortResult, sample
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.evidence.questions import Answer, AnsweredQuestion, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import read_run
from learnability.metrics.scores import Score
from learnability.reports.story import RunStory
from learnability.running.cell import Cell
from learnability.running.records import Record, Records
from learnability.schemes.toml_file import read_scheme
from learnability.statistics.inference import Side
from learnability.studies.combinations import race as racing
from learnability.studies.combinations.outcome import CombinationsReport, report_combinations
from learnability.studies.combinations.race import FINALISTS, Race, most_short_trainings
from learnability.studies.combinations.space import Choice, Space, SpaceCell
from learnability.studies.combinations.study import CombinationsStudy
from learnability.studies.run import Run
from learnability.treebanks.locate import TreebankFiles, locate_treebank

SENTENCES, TOKENS = 160, 12

COMBINATIONS = asked("combinations")

Quality = Callable[[Annotation], float]
"""How often a parser trained on the annotation is right."""


def space(*specs: str) -> Space:
    return Space(tuple(Choice(spec, 200) for spec in specs), ())


def study(own: Space) -> CombinationsStudy:
    """A search on a treebank that is nowhere."""
    plan = plan_of("UD_X", alternatives=tuple(choice.spec for choice in own.choices), seeds=2)
    made = study_of(plan, COMBINATIONS)
    assert isinstance(made, CombinationsStudy)
    return made


def by_hand(cell: Cell[Any], quality: Quality, own: Space) -> Record:
    """What a training that has tokens right by chance gives; parsers of one sample err in the same places."""
    if isinstance(cell, SpaceCell):
        return Record.of(cell, own)
    assert isinstance(cell, ShortCell)
    assert cell.annotation is not None
    tested = sample(range(SENTENCES), cell.share, cell.seed).test
    chances = np.random.default_rng(cell.seed).random((len(tested), TOKENS))
    base, other = ((chances < quality(one)).sum(axis=1).tolist() for one in (UD, cell.annotation))
    pair = ShortResult(
        iterations=8, kernel_seconds=0.1, trained_tokens=10, tokens=[TOKENS] * len(tested),
        base=base, alternative=other, changed=5, test_tokens=100,
    )  # fmt: skip
    return Record.of(cell, pair)


def race_to_the_end(own: Space, quality: Quality) -> tuple[CombinationsStudy, Records]:
    """A search whose finalists are known, and its records."""
    searching, records = study(own), Records()
    while searching.plan_finalists(records) is None:
        wanted = [cell for cell in searching.next_cells(records) if cell.key not in records]
        assert wanted
        for cell in wanted:
            records.add(by_hand(cell, quality, own))
    return searching, records


def race_of(own: Space, quality: Quality) -> Race:
    searching, records = race_to_the_end(own, quality)
    race = searching.find_race(records)
    assert race is not None
    return race


def specs_of(annotation: Annotation) -> set[str]:
    return {rule.spec for rule in annotation.rules}


def additive(base: float = 0.6, **worth: float) -> Quality:
    """Each transformation (as in specs, other signs as ``_``) adds to what is right."""

    def quality(one: Annotation) -> float:
        names = ["".join(c if c.isalnum() else "_" for c in spec) for spec in specs_of(one)]
        return base + sum(worth.get(name, 0.0) for name in names)

    return quality


FOUR = ("case", "det", "cop", "cop:reattach=clause", "mark")


def test_the_best_combination_wins() -> None:
    race = race_of(space(*FOUR), additive(case=0.05, cop_reattach_clause=0.08, cop=0.03, det=-0.1))
    finalists = race.choose_finalists()
    best = {"case", "cop:reattach=clause"}
    assert specs_of(finalists[0]) - {"mark"} == best  # mark makes no difference
    assert spelled("cop:reattach=clause")[0] in finalists  # the best single one
    assert len(finalists) <= FINALISTS
    assert len(finalists) == len(set(finalists))


def test_where_ud_is_best_what_is_nearest_is_compared() -> None:
    race = race_of(space("case", "det"), additive(case=-0.05, det=-0.2))
    (leader, _), *_ = race.rounds[-1]
    assert leader.is_ud
    assert race.choose_finalists()[0] == spelled("case")[0]


def test_every_round_halves_and_ud_stays() -> None:
    own = space(*FOUR, "cc", "cc:style=moscow")
    race = race_of(own, additive(case=0.1, det=0.1, cop=0.1, mark=0.1))
    sizes = list(map(len, race.rounds))
    assert sizes[0] == 2 * 2 * 3 * 2 * 3
    for size, larger in zip(sizes[1:], sizes, strict=False):
        assert size <= max(FINALISTS, -(-larger // 2)) + 1  # UD stays in the race
    assert sizes[-1] == FINALISTS + 1
    for part in race.rounds:
        assert sum(one.is_ud for one, _ in part) == 1
        scores = [score for _, score in part]
        assert scores == sorted(scores, reverse=True)
    assert len(race.cells) == most_short_trainings(sizes[0])  # UD is never among those that go on
    asked_now = study_of(study(own).plan, COMBINATIONS)
    assert list(asked_now.notes()) == [
        "at most 72 combinations of 7 variants of 5 constructions",
        f"at most {most_short_trainings(72)} short trainings, 12 trainings in full",
    ]


def test_of_equal_schemes_the_simplest_is_ahead() -> None:
    race = race_of(space("case", "det", "mark"), additive())
    assert len(race.rounds[0]) == 8
    assert [len(specs_of(one)) for one, _ in race.rounds[0]] == [0, 1, 1, 1, 2, 2, 2, 3]
    assert race.choose_finalists()[0] == spelled("case")[0]


def test_more_than_so_many_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of fewest transformations do."""
    monkeypatch.setattr(racing, "MOST", 9)
    monkeypatch.setattr("learnability.studies.combinations.study.MOST", 9)
    own = space(*FOUR)
    race = race_of(own, additive())
    assert sorted(len(specs_of(one)) for one, _ in race.rounds[0]) == [0, 1, 1, 1, 1, 1, 2, 2, 2]
    assert len(own.candidates) == 24
    assert study(own).notes()[0] == "at most 9 combinations of 5 variants of 4 constructions"


def test_the_next_round_waits_for_all_of_the_last() -> None:
    own, quality = space("case", "det"), additive(case=0.02)
    searching, records = study(own), Records()
    (first,) = searching.next_cells(records)
    assert first.SETTING == "space"
    records.add(by_hand(first, quality, own))
    of_round = list(searching.next_cells(records))
    assert [cell.subject for cell in of_round] == ["case", "det", "scheme:case+det"]
    for cell in of_round[:-1]:
        records.add(by_hand(cell, quality, own))
    assert [cell.key for cell in searching.next_cells(records) if cell.key not in records] == [
        of_round[-1].key
    ]
    searching, records = race_to_the_end(own, quality)
    plan = searching.plan_finalists(records)
    assert plan is not None
    cells = [cell for cell in searching.next_cells(records) if cell.key not in records]
    settings = {(cell.SETTING, cell.subject) for cell in cells}
    assert settings == {("a", "")} | {
        (setting, one.spelling) for one in plan.options.alternatives for setting in ("b", "measures")
    }
    turned = Records(list(records.values())[::-1])
    assert study(own).find_race(turned) == searching.find_race(records)


OPTIONS = ExperimentOptions.spell_annotations(("case", "cop", "det", "mark"), seeds=1, iterations=2)


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS, **more: Any) -> RunStory:
    return carried_out(files, options, out, COMBINATIONS, **more)


@pytest.fixture(scope="module")
def outcome(small: Path, tmp_path_factory: pytest.TempPathFactory) -> RunStory:
    """A search that nothing disturbed."""
    return run(locate_treebank(small), tmp_path_factory.mktemp("search"))


def test_a_whole_search(outcome: RunStory) -> None:
    assert not outcome.failed
    written = json.loads((outcome.folder / "combinations.json").read_bytes())
    rows = {row.title: hand_row(row) for row in outcome.rows}
    assert {own["scheme"] for own in written["finalists"]} == {*rows}
    scores = [own["uas"] for own in written["finalists"]]
    assert scores == sorted(scores, reverse=True)
    for own in written["finalists"]:
        row, difference = rows[own["scheme"]], own["from_ud"]
        assert own["uas"] == pytest.approx(row["uas_alternative"])
        assert (own["easier"], own["train_on"]) == (row["easier"], row["train_on"])
        assert own["uas_back"] == pytest.approx(row["converted_back_uas_alternative"])
        assert difference["delta"] == row["uas_delta"]
        assert (difference["p_holm"], difference["better"]) == (row["uas_p_holm"], row["uas_better"])
        assert (difference["low"], difference["high"]) == (row["uas_delta_low"], row["uas_delta_high"])
    records = list(outcome.records.values())
    assert {record.setting for record in records} == {"space", "short", "a", "b", "measures"}
    full = {record.subject for record in records if record.setting == "b"}
    assert {join_transformations(name.split("+")).spelling for name in rows} == full
    seeds = {record.seed for record in records if record.setting == "short"}
    assert min(seeds) > OPTIONS.seeds


def test_its_finalists_are_pairs_for_others_to_compare(outcome: RunStory, tmp_path: Path) -> None:
    """Also where they are as many as the transformations that were combined."""
    out = shutil.copytree(outcome.folder, tmp_path / "run")
    pairs = read_run(out).pairs
    assert {own.row.title: own.row for own in pairs} == {row.title: row for row in outcome.rows}


def test_one_treebank_at_a_time(small_files: TreebankFiles) -> None:
    with pytest.raises(InputError, match="combinations works on one treebank, not 2"):
        planned([small_files, replace(small_files, name="UD_Other")], OPTIONS, COMBINATIONS)


def test_a_scheme_cannot_be_combined() -> None:
    with pytest.raises(InputError, match="combinations are of constructions, but all is a scheme"):
        Run(
            treebanks=[],
            options=ExperimentOptions.spell_annotations(("case", "scheme:all")),
            studies=[COMBINATIONS],
        )
    Run(treebanks=[], options=OPTIONS, studies=[COMBINATIONS])


def test_a_failed_training_leaves_the_search_open(
    small_files: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise MemoryError("too large")

    with monkeypatch.context() as patch:
        patch.setattr("learnability.comparing.cells.train_short", broken)
        outcome = run(small_files, tmp_path)
    assert {record.setting for record in outcome.failed} == {"short"}
    succeeded = {record.setting for record in stored(tmp_path).values() if record.failed is None}
    assert succeeded == {"space"}
    assert not (tmp_path / "combinations.json").exists()
    with pytest.raises(InputError, match="unfinished run"):
        run(small_files, tmp_path)


SIDES = {Answer.BASE: Side.FIRST, Answer.ALTERNATIVE: Side.SECOND, Answer.NONE: Side.NONE}


def compared_with_ud(
    name: str, delta: float, easier: Answer, train_on: Answer, *, tested: bool = True
) -> tuple[Annotation, ComparisonRow]:
    """A finalist by hand."""
    low = delta - 1 if tested else None
    own = Difference(70, 70 - delta, delta, low=low, high=delta + 1, better=SIDES[easier])
    converted = Difference(70, 69.5, 0.5, low=-0.5, high=1.5, better=SIDES[train_on])
    row = ComparisonRow(
        treebank="UD_X",
        pair=described("case"),
        differences={
            (Score.UAS, ScoringBasis.ANNOTATION): own,
            (Score.UAS, ScoringBasis.CONVERTED): converted,
        },
        answers={
            (Score.UAS, Question.EASIER): AnsweredQuestion(easier),
            (Score.UAS, Question.TRAIN_ON): AnsweredQuestion(train_on),
        },
    )
    return join_transformations(name.split("+")), row


def report(*finalists: tuple[Annotation, ComparisonRow]) -> CombinationsReport:
    """What is said of these."""
    found = report_combinations("UD_X", "1.3", (), dict(finalists))
    assert found is not None
    return found


ALTERNATIVE, NONE = Answer.ALTERNATIVE, Answer.NONE


def test_what_was_found_can_be_given_as_a_scheme(tmp_path: Path) -> None:
    own = compared_with_ud("case:lemma!=of|c+cop:reattach=clause", -2, ALTERNATIVE, NONE)
    data = report(own).best_scheme()
    assert data is not None
    path = tmp_path / "best.toml"
    path.write_bytes(data)
    assert read_scheme(path).name == "best"
    assert annotation_named(str(path)).same_as(own[0])


def test_the_best_that_is_shown_to_be_easier_is_found() -> None:
    found = report(
        compared_with_ud("cop", -1, ALTERNATIVE, ALTERNATIVE),
        compared_with_ud("case+cop", -3, NONE, NONE),
        compared_with_ud("case", -2, ALTERNATIVE, Answer.BASE),
    )
    answer = found.section()
    assert answer.sentences == (
        "case is easier to learn than UD: the scheme scores 2.0 points higher (1.0 to 3.0), each parser "
        "tested on its own annotation. Also clearly easier than UD: cop.",
        "A scheme can score higher simply because it offers fewer ways to be wrong. If you need UD trees, "
        "train on UD: converted back to UD, the UD parser scores 0.5 points higher (−0.5 to 1.5).",
        "Clearly better than UD after conversion back to UD: cop.",
    )
    assert [str(row[0]) for row in answer.tables[0].rows] == ["case+cop", "case", "cop"]
    assert found.as_json()["found"] == "case"


def test_nothing_found_is_said() -> None:
    found = report(compared_with_ud("case", -2, NONE, NONE), compared_with_ud("cop", 2, Answer.BASE, NONE))
    assert (found.found, found.best_scheme(), found.as_json()["found"]) == (None, None, None)
    assert found.section().sentences == (
        "No scheme is clearly easier to learn than UD. For the best of them, case, the scheme is 2.0 points "
        "ahead, but not clearly (1.0 to 3.0).",
    )


def test_too_little_to_test_is_said() -> None:
    (sentence,) = report(compared_with_ud("case", -2, NONE, NONE, tested=False)).section().sentences
    assert sentence.endswith("case, the test set has too few examples.")
