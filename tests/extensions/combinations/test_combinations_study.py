"""Combinations: races by hand-made trainings of which the best is known, and runs on a small treebank."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carried_out import asked, carried_out, planned, study_of
from result_rows import hand_row
from run_data import plan as plan_of
from run_data import spelled, stored

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds.ud import UD
from learnability.comparing.cells import ShortCell
from learnability.comparing.names import annotation_named, join_transformations
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.short_trainings import ShortResult, sample
from learnability.errors import InputError
from learnability.evidence.questions import Answer
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import read_run
from learnability.reports.story import RunStory
from learnability.running.cell import Cell
from learnability.running.config import as_json_bytes
from learnability.running.records import Record, Records
from learnability.schemes.toml_file import read_scheme
from learnability.statistics.inference import Side
from learnability.studies.combinations import rungs as rungs_of_study
from learnability.studies.combinations.outcome import (
    CombinationsReport,
    Finalist,
    _reasons,
    combinations_report,
)
from learnability.studies.combinations.races import (
    FINALISTS,
    SHARES,
    Race,
    most_short_trainings,
)
from learnability.studies.combinations.rungs import Rungs
from learnability.studies.combinations.section import combinations_section, steps_section
from learnability.studies.combinations.space import Choice, Space, SpaceCell, specs_of
from learnability.studies.combinations.study import CombinationsStudy
from learnability.studies.run import Run
from learnability.treebanks.locate import TreebankFiles, locate_treebank

SENTENCES, TOKENS = 160, 12

COMBINATIONS = asked("combinations")

Quality = Callable[[Annotation], float]
"""How often a parser trained on the annotation is right."""


def space(*specs: str) -> Space:
    return Space(tuple(Choice(spec, 200) for spec in specs), (), SENTENCES)


def study(own: Space) -> CombinationsStudy:
    """A search on a treebank that is nowhere."""
    plan = plan_of("UD_X", alternatives=tuple(choice.spec for choice in own.choices), seeds=2)
    made = study_of(plan, COMBINATIONS)
    assert isinstance(made, CombinationsStudy)
    return made


def by_hand(cell: Cell[Any], quality: Quality, own: Space, noise: float = 0.0) -> Record:
    """What a training that has tokens right by chance gives; parsers of one sample err in the same places,
    but for a part of the tokens that is `noise`."""
    if isinstance(cell, SpaceCell):
        return Record.of(cell, own)
    assert isinstance(cell, ShortCell)
    assert cell.annotation is not None
    tested = sample(range(SENTENCES), cell.share, cell.seed).test
    shape = len(tested), TOKENS
    common, right = np.random.default_rng(cell.seed).random(shape), []
    for one in (UD, cell.annotation):
        rng = np.random.default_rng([cell.seed, *one.spelling.encode()])
        chances = np.where(rng.random(shape) < noise, rng.random(shape), common)
        right.append([int(n) for n in (chances < quality(one)).sum(axis=1)])
    pair = ShortResult(
        iterations=8, kernel_seconds=0.1, trained_tokens=10, tokens=[TOKENS] * len(tested),
        base=right[0], alternative=right[1], changed=5, test_tokens=100,
    )  # fmt: skip
    return Record.of(cell, pair)


def carried_to_the_finalists(
    own: Space, quality: Quality, noise: float = 0.0
) -> tuple[CombinationsStudy, Records, int]:
    """A search, its records, and how many times it wanted more."""
    searching = study(own)
    records = Records()
    for times in count():
        if searching.rungs(records).finalists is not None:
            return searching, records, times
        wanted = [cell for cell in searching.next_cells(records) if cell.key not in records]
        assert wanted
        for cell in wanted:
            records.add(by_hand(cell, quality, own, noise))
    raise AssertionError


def race_of(found: Rungs) -> Race:
    assert found.race is not None
    return found.race


def additive(base: float = 0.6, **worth: float) -> Quality:
    """Each transformation (as in specs, other signs as ``_``) adds to what is right."""

    def quality(one: Annotation) -> float:
        names = ["".join(c if c.isalnum() else "_" for c in spec) for spec in specs_of(one)]
        return base + sum(worth.get(name, 0.0) for name in names)

    return quality


FOUR = ("case", "det", "cop", "cop:reattach=clause", "mark")


def outcome_of(own: Space, quality: Quality, noise: float = 0.0) -> Rungs:
    searching, records, _ = carried_to_the_finalists(own, quality, noise)
    return searching.rungs(records)


def test_the_best_combination_wins() -> None:
    found = outcome_of(space(*FOUR), additive(case=0.05, cop_reattach_clause=0.08, cop=0.03, det=-0.1))
    assert found.finalists is not None
    best = {"case", "cop:reattach=clause"}
    assert {*specs_of(found.finalists[0])} - {"mark"} == best  # mark makes no difference
    assert spelled("cop:reattach=clause")[0] in found.finalists  # the best single one
    assert 2 <= len(found.finalists) <= FINALISTS - 1
    assert all("det" not in specs_of(one) for one in found.finalists)


def test_where_ud_is_best_it_wins_and_what_is_nearest_is_compared() -> None:
    found = outcome_of(space("case", "det"), additive(case=-0.05, det=-0.2))
    assert race_of(found).leader.is_ud
    assert found.finalists is not None
    assert found.finalists[0] == spelled("case")[0]
    assert all("det" not in one.spelling for one in found.finalists)


def test_the_best_single_one_stands_beside_the_others() -> None:
    worth = additive(0.5, case=0.02, cop=0.02, det=0.02, mark=0.02)
    found = outcome_of(space("case", "cop", "det", "mark"), worth)
    assert found.finalists is not None
    combined = [one for one in found.finalists if not one.is_single]
    assert 1 <= len(combined) <= FINALISTS - 1
    assert [one.is_single for one in found.finalists].count(True) == 1
    assert _reasons(race_of(found), found.finalists)[found.finalists[-1]] == "single"


def test_races_end_when_one_is_left() -> None:
    found = outcome_of(space("case"), additive(case=0.3))
    assert len(race_of(found).rounds) == 1
    (rounds,) = race_of(found).rounds
    assert {one.spelling: s.verdict for one, s in rounds.standings} == {"case": "kept", "ud": "worse"}
    assert found.finalists == spelled("case")


def test_every_round_halves_what_no_test_drops() -> None:
    found = outcome_of(space(*FOUR, "cc", "cc:style=moscow"), additive())
    race = race_of(found)
    sizes = [len(part.standings) for part in race.rounds]
    assert sizes[0] == 2 * 2 * 3 * 2 * 3
    for size, larger in zip(sizes[1:], sizes, strict=False):
        assert size <= max(FINALISTS, -(-larger // 2)) + 1  # UD stays in the race
    assert all(any(one.is_ud for one, _ in part.standings) for part in race.rounds)
    assert [(part.share, part.seed) for part in race.rounds] == [*zip(SHARES, range(1001, 1007), strict=True)]
    assert len(race.cells) <= most_short_trainings(sizes[0] - 1)
    asked_now = study_of(study(space(*FOUR, "cc", "cc:style=moscow")).plan, COMBINATIONS)
    (combinations, trainings) = asked_now.notes()
    assert combinations == "at most 72 combinations of 7 variants of 5 constructions"
    most = most_short_trainings(71)
    assert trainings == f"at most {most} short trainings, 12 trainings in full"


def test_of_equal_schemes_the_simplest_is_ahead() -> None:
    found = outcome_of(space("case", "det", "mark"), additive())
    entrants = race_of(found).entrants
    assert [len(specs_of(one)) for one in entrants] == [0, 1, 1, 1, 2, 2, 2, 3]
    assert found.finalists is not None
    assert found.finalists[0] == spelled("case")[0]


def test_more_than_so_many_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of fewest transformations do."""
    monkeypatch.setattr(rungs_of_study, "MOST", 9)
    monkeypatch.setattr("learnability.studies.combinations.study.MOST", 9)
    own = space(*FOUR)
    found = outcome_of(own, additive())
    assert [len(specs_of(one)) for one in race_of(found).entrants] == [0, 1, 1, 1, 1, 1, 2, 2, 2]
    assert len(own.candidates) == 24
    assert study(own).notes()[0] == "at most 9 combinations of 5 variants of 4 constructions"


def test_copies_of_ud_are_seldom_found_better() -> None:
    """Seven annotations that make no difference but for chance: UD seldom leaves the lead with them shown."""
    ahead = 0
    for number in range(8):
        own = space("case", "det", "mark")
        found = outcome_of(own, lambda one: 0.7, noise=0.2 + number / 1000)
        race = race_of(found)
        last = dict(race.rounds[-1].standings)
        ahead += last[UD].verdict == "worse"
    assert ahead <= 1


def test_a_search_wants_the_next_round_when_all_of_the_last_is_there() -> None:
    own, quality = space("case", "det"), additive(case=0.02)
    searching = study(own)
    records = Records()
    (first,) = searching.next_cells(records)
    assert (first.SETTING, first.share) == ("space", max(SHARES))
    records.add(by_hand(first, quality, own))
    rounds = []
    while searching.rungs(records).finalists is None:
        wanted = [cell for cell in searching.next_cells(records) if cell.key not in records]
        assert len({(cell.share, cell.seed) for cell in wanted}) == 1
        for cell in wanted[:-1]:
            records.add(by_hand(cell, quality, own))
        # one is missing: nothing else is wanted yet
        assert [c.key for c in searching.next_cells(records) if c.key not in records] == [wanted[-1].key]
        records.add(by_hand(wanted[-1], quality, own))
        rounds.append((wanted[0].share, wanted[0].seed))
    assert rounds == [*zip(SHARES, range(1001, 1007), strict=True)][: len(rounds)]
    # the finalists are trained as the pairs of any run, but not against both annotations
    finalists = searching.rungs(records).finalists
    assert finalists is not None
    cells = [cell for cell in searching.next_cells(records) if cell.key not in records]
    settings = {(cell.SETTING, cell.subject) for cell in cells}
    assert settings == {("a", "")} | {
        (setting, one.spelling) for one in finalists for setting in ("b", "measures")
    }


def test_a_search_does_not_depend_on_the_order_of_its_records() -> None:
    own, quality = space(*FOUR), additive(case=0.05, cop=0.05)
    searching, records, times = carried_to_the_finalists(own, quality)
    assert times >= len(SHARES)
    turned = Records(list(records.values())[::-1])
    assert study(own).rungs(turned) == searching.rungs(records)


OPTIONS = ExperimentOptions.spell_annotations(("case", "cop", "det", "mark"), seeds=1, iterations=2)


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS, **more: Any) -> RunStory:
    return carried_out(files, options, out, COMBINATIONS, **more)


def report_of(outcome: RunStory) -> CombinationsReport:
    searching = study_of(outcome.plan, COMBINATIONS)
    assert isinstance(searching, CombinationsStudy)
    records = outcome.records
    found = searching.rungs(records)
    assert found.space is not None
    assert found.finalists is not None
    plan = outcome.plan.replace_alternatives(found.finalists)
    report = combinations_report(plan, found, records, outcome.rows)
    assert report is not None
    return report


@pytest.fixture(scope="module")
def outcome(small: Path, tmp_path_factory: pytest.TempPathFactory) -> RunStory:
    """A search that nothing disturbed."""
    return run(locate_treebank(small), tmp_path_factory.mktemp("search"))


def test_a_whole_search(outcome: RunStory) -> None:
    assert not outcome.failed
    report = report_of(outcome)
    titles = [own.annotation.title for own in report.ranked]
    assert "UD" in titles
    rows = {row.title: hand_row(row) for row in outcome.rows}
    assert {*titles} == {"UD", *rows}
    assert [own.uas for own in report.ranked] == sorted((own.uas for own in report.ranked), reverse=True)
    for own in report.ranked:
        if own.annotation.is_ud:
            assert (own.from_ud, own.why) == (None, "UD")
            continue
        row = rows[own.annotation.title]
        assert own.uas == pytest.approx(row["uas_alternative"])
        answers = own.easier.named("UD"), own.train_on.named("UD")
        assert answers == (row["easier"], row["train_on"])
        assert own.back == pytest.approx(row["converted_back_uas_alternative"])
        assert own.from_ud is not None
        assert own.from_ud.delta == row["uas_delta"]
        assert (own.from_ud.p_holm, own.from_ud.better) == (row["uas_p_holm"], row["uas_better"])
        assert (own.from_ud.low, own.from_ud.high) == (row["uas_delta_low"], row["uas_delta_high"])
    assert report.ranked[0].from_best is None
    assert all(own.from_best is not None for own in report.ranked[1:])
    written = json.loads((outcome.folder / "combinations.json").read_bytes())
    assert [own["scheme"] for own in written["ranked"]] == titles
    assert written["race"][0]["competitors"][0]["verdict"] == "kept"
    assert as_json_bytes(written) == as_json_bytes(report.as_json())


def test_setting_c_and_other_pairs_are_not_trained(outcome: RunStory) -> None:
    records = list(outcome.records.values())
    assert {record.setting for record in records} == {"space", "short", "a", "b", "measures"}
    full = {record.subject for record in records if record.setting == "b"}
    assert full == {own.annotation.spelling for own in report_of(outcome).ranked if not own.annotation.is_ud}
    seeds = {record.seed for record in records if record.setting == "short"}
    assert min(seeds) > OPTIONS.seeds


def test_its_finalists_are_pairs_for_others_to_compare(outcome: RunStory, tmp_path: Path) -> None:
    """Also where they are as many as the transformations that were combined."""
    out = shutil.copytree(outcome.folder, tmp_path / "run")
    pairs = read_run(out).pairs
    assert {own.row.title: own.row for own in pairs} == {row.title: row for row in outcome.rows}
    for own in pairs:
        difference = own.row.difference()
        assert difference is not None
        assert own.seed_deltas == (pytest.approx(difference.delta),)


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


def finalist(name: str, delta: float, better: str, back: str, uas: float, **more: Any) -> Finalist:
    own = Difference(70, 70 - delta, delta, low=delta - 1, high=delta + 1, better=Side(better))
    in_ud = Difference(70, 69.5, 0.5, low=-0.5, high=1.5, better=Side(back))
    return Finalist(
        join_transformations(name.split("+")),
        "left",
        uas,
        69.5,
        own,
        in_ud,
        train_on=Answer.of_side(Side(back)),
        **more,
    )


def report(*finalists: Finalist) -> CombinationsReport:
    """What is said of these; the race is that of another search."""
    found = outcome_of(space("case"), additive(case=0.3))
    ud = Finalist(UD, "UD", 70.0, 70.0)
    ranked = tuple(sorted((ud, *finalists), key=lambda own: -own.uas))
    return CombinationsReport("UD_X", "1.3", space("case"), race_of(found), ranked, 5)


def test_what_was_found_can_be_given_as_a_scheme(tmp_path: Path) -> None:
    own = finalist("case:lemma!=of|c+cop:passive=guess,reattach=clause", -2, "alternative", "none", 72)
    found = report(replace(own, easier=Answer.ALTERNATIVE))
    data = found.best_scheme()
    assert data is not None
    path = tmp_path / "best.toml"
    path.write_bytes(data)
    assert read_scheme(path).name == "best"
    assert specs_of(annotation_named(str(path))) == specs_of(own.annotation)
    assert annotation_named(str(path)).same_as(own.annotation)


def test_the_best_that_is_shown_to_be_easier_is_found() -> None:
    first = finalist("case+cop", -3, "none", "none", 73)
    second = finalist("case", -2, "alternative", "base", 72, easier=Answer.ALTERNATIVE)
    third = finalist("cop", -1, "alternative", "alternative", 71, easier=Answer.ALTERNATIVE)
    found = report(first, second, third)
    assert found.found == second
    said = combinations_section(found)
    assert said.sentences == (
        "case is easier to learn than UD: the scheme scores 2.0 points higher (1.0 to 3.0), each parser "
        "tested "
        "on its own annotation. Also clearly easier than UD: cop.",
        "A scheme can score higher simply because it offers fewer ways to be wrong. If you need UD trees, "
        "train on UD: converted back to UD, the UD parser scores 0.5 points higher (−0.5 to 1.5).",
        "Clearly better than UD after conversion back to UD: cop.",
    )
    assert [str(row[0]) for row in said.tables[0].rows] == ["case+cop", "case", "cop", "UD"]
    race = steps_section(found)
    course = "2 combinations started, including UD. After 1 short training, we trained three"
    assert any(sentence.startswith(course) for sentence in race.sentences)


def test_nothing_found_is_said() -> None:
    found = report(finalist("case", -2, "none", "none", 72), finalist("cop", 2, "base", "none", 68))
    assert (found.found, found.best_scheme(), found.as_json()["found"]) == (None, None, None)
    said = combinations_section(found)
    assert said.sentences == (
        "No scheme is clearly easier to learn than UD. For the best of them, case, the scheme is 2.0 points "
        "ahead, but not clearly (1.0 to 3.0).",
    )


def test_too_little_to_test_is_said() -> None:
    own = replace(finalist("case", -2, "none", "none", 72), from_ud=None, back_from_ud=None)
    (sentence,) = combinations_section(report(own)).sentences
    assert sentence.endswith("case, the test set has too few examples.")
