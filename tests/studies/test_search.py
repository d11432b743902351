"""The search: races by hand-made trainings of which the best is known, and whole runs on a small treebank."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learnability.running.plan import Cell, Plan
from learnability.running.recheck import recheck
from learnability.running.runner import Outcome, make_plan, run_experiment
from result_rows import hand_row
from run_data import plan as plan_of
from small_treebanks import cut

from learnability.comparing.annotation import Annotation
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import JointTraining, PairResult, Record
from learnability.comparing.short_trainings import sample
from learnability.errors import InputError
from learnability.evidence.differences import Difference
from learnability.evidence.grouping import by_key
from learnability.evidence.stored_runs import read_run
from learnability.multiref.joint import JointSurvival, SchemeAgreement
from learnability.running.folder import as_json_bytes
from learnability.schemes.toml_file import read_scheme
from learnability.studies.search import outcome as search_report
from learnability.studies.search import study as search
from learnability.studies.search.outcome import Finalist, SearchReport
from learnability.studies.search.section import search_section
from learnability.studies.search.space import Choice, Space, specs_of, together
from learnability.studies.search.study import FINALISTS, SHARES, grown, most_cost, trace
from learnability.support.progress import Stages
from learnability.treebanks.locate import TreebankFiles, locate_treebank

SENTENCES, TOKENS = 160, 12

Quality = Callable[[Annotation], float]
"""How often a parser trained on the annotation is right."""


def space(*specs: str, **lemmas: dict[str, int]) -> Space:
    choices = tuple(Choice(spec, 200, tuple(lemmas.get(spec, {}).items())) for spec in specs)
    return Space(choices, (), SENTENCES, has_lemmas=bool(lemmas))


def search_plan(own: Space) -> Plan:
    """A plan of a treebank that is nowhere, before anything was found."""
    conditions = tuple(choice.spec for choice in own.choices)
    return grown(replace(plan_of("UD_X", conditions=conditions, search=True, seeds=2), space=own), {})


def by_hand(cell: Cell, quality: Quality, own: Space, noise: float = 0.0) -> Record:
    """What a training that has tokens right by chance gives; parsers of one sample err in the same places,
    but for a part of the tokens that is `noise`."""
    if cell.setting == "joint":
        names = sorted(own.constructions)
        sets = [tuple(n for i, n in enumerate(names) if bits >> i & 1) for bits in range(2 ** len(names))]
        schemes = (SchemeAgreement(one, 0.5, 0.5, len(one) / 10) for one in sets)
        found = JointSurvival(1, (), (), tuple(schemes))
        counts = dict.fromkeys(
            ("sentences", "sites", "factors", "largest_factor", "largest_set", "factors_in_parts",
             "factors_cut", "trained_tokens", "iterations"), 1
        )  # fmt: skip
        return cell.record(joint=JointTraining(**counts, kernel_seconds=0.1, survival=found))
    assert cell.setting == "short"
    assert cell.annotation is not None
    tested = sample(SENTENCES, cell.share, cell.seed).test
    shape = len(tested), TOKENS
    common, right = np.random.default_rng(cell.seed).random(shape), []
    for one in (Annotation(), cell.annotation):
        rng = np.random.default_rng([cell.seed, *one.spelling.encode()])
        chances = np.where(rng.random(shape) < noise, rng.random(shape), common)
        right.append([int(n) for n in (chances < quality(one)).sum(axis=1)])
    pair = PairResult(
        iterations=8, kernel_seconds=0.1, trained_tokens=10, tokens=[TOKENS] * len(tested),
        original=right[0], transformed=right[1], changed=5, test_tokens=100,
    )  # fmt: skip
    return cell.record(pair=pair)


def carried_to_the_finalists(
    own: Space, quality: Quality, noise: float = 0.0
) -> tuple[Plan, list[Record], int]:
    """The plan of a search, its records, and how many times it had to grow."""
    plan, records = search_plan(own), dict[str, Record]()
    for rounds in count():
        records |= {
            cell.key: by_hand(cell, quality, own, noise) for cell in plan.searched if cell.key not in records
        }
        if (larger := grown(plan, records)) == plan:
            return plan, list(records.values()), rounds
        assert len(larger.searched) > len(plan.searched) or larger.options.conditions
        plan = larger
    raise AssertionError


def additive(base: float = 0.6, **worth: float) -> Quality:
    """Each transformation (as in specs, other signs as ``_``) adds to what is right."""

    def quality(one: Annotation) -> float:
        names = ["".join(c if c.isalnum() else "_" for c in spec) for spec in specs_of(one)]
        return base + sum(worth.get(name, 0.0) for name in names)

    return quality


FOUR = ("case", "det", "cop", "cop:reattach=clause", "mark")


def outcome_of(own: Space, quality: Quality, noise: float = 0.0) -> search.Trace:
    plan, records, _ = carried_to_the_finalists(own, quality, noise)
    return trace(plan, by_key(records))


def test_the_best_combination_wins() -> None:
    found = outcome_of(space(*FOUR), additive(case=0.05, cop_reattach_clause=0.08, cop=0.03, det=-0.1))
    assert found.finalists is not None
    best = {"case", "cop:reattach=clause"}
    assert {*specs_of(found.finalists[0])} - {"mark"} == best  # mark makes no difference
    assert Annotation("cop:reattach=clause") in found.finalists  # the best single one
    assert 2 <= len(found.finalists) <= FINALISTS - 1
    assert all("det" not in specs_of(one) for one in found.finalists)
    assert found.notes == ("Lemmas: the treebank has no lemmas.",)


def test_where_ud_is_best_it_wins_and_what_is_nearest_is_compared() -> None:
    found = outcome_of(space("case", "det"), additive(case=-0.05, det=-0.2))
    assert found.races[0].leader.is_ud
    assert found.finalists is not None
    assert found.finalists[0] == Annotation("case")
    assert all("det" not in one.spelling for one in found.finalists)


def test_the_best_single_one_stands_beside_the_others() -> None:
    worth = additive(0.5, case=0.02, cop=0.02, det=0.02, mark=0.02)
    found = outcome_of(space("case", "cop", "det", "mark"), worth)
    assert found.finalists is not None
    combined = [one for one in found.finalists if one.is_scheme]
    assert 1 <= len(combined) <= FINALISTS - 1
    assert [one.is_scheme for one in found.finalists].count(False) == 1
    assert search_report._reasons(found)[found.finalists[-1]] == "single"


def test_races_end_when_one_is_left() -> None:
    found = outcome_of(space("case"), additive(case=0.3))
    assert len(found.races[0].rounds) == 1
    (rounds,) = found.races[0].rounds
    assert {one.spelling: s.verdict for one, s in rounds.standings} == {"case": "kept", "ud": "worse"}
    assert found.finalists == (Annotation("case"),)


def test_every_round_halves_what_no_test_drops() -> None:
    found = outcome_of(space(*FOUR, "cc", "cc:style=moscow"), additive())
    race = found.races[0]
    sizes = [len(part.standings) for part in race.rounds]
    assert sizes[0] == 2 * 2 * 3 * 2 * 3
    for size, larger in zip(sizes[1:], sizes, strict=False):
        assert size <= max(FINALISTS, -(-larger // 2)) + 1  # UD stays in the race
    assert all(any(one.is_ud for one, _ in part.standings) for part in race.rounds)
    assert [(part.share, part.seed) for part in race.rounds] == [*zip(SHARES, range(1001, 1007), strict=True)]
    cost = most_cost(search_plan(space(*FOUR, "cc", "cc:style=moscow")))
    assert len(race.cells) <= cost.short
    assert (cost.combinations, cost.variations, cost.full) == (72, 0, 12)


def test_equal_schemes_go_by_the_joint_training() -> None:
    """All are the same: those with more transformations agreed best with what survived (see `by_hand`)."""
    found = outcome_of(space("case", "det", "mark"), additive())
    assert specs_of(found.races[0].entrants[0]) == ("case", "det", "mark")
    assert found.races[0].entrants[-1].is_ud
    assert found.finalists is not None
    assert specs_of(found.finalists[0]) == ("case", "det", "mark")


def test_more_than_so_many_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST", 3)
    own = space(*FOUR)
    found = outcome_of(own, additive())
    start = found.races[0].entrants
    assert [len(specs_of(one)) for one in start] == [4, 4, 3, 1, 1, 1, 1, 1, 0]
    assert found.notes[0] == "15 combinations did not start: 3 at most do."
    assert most_cost(search_plan(own)).combinations == 3


def lemma_quality(base: Quality, **worth: float) -> Quality:
    """Restrictions change what a transformation is worth."""

    def quality(one: Annotation) -> float:
        whole = together([spec.partition(":lemma")[0] for spec in specs_of(one) if ":lemma=" not in spec])
        return base(whole) + sum(value for lemma, value in worth.items() if lemma in one.spelling)

    return quality


LEMMAS = space("case", "det", case={"in": 60, "of": 50}, det={"the": 90, "a": 40})


def test_lemmas_that_are_shown_to_be_better_are_joined() -> None:
    quality = lemma_quality(additive(case=0.1, det=-0.1), **{"lemma!=of": 0.06, "lemma=the": 0.05})
    found = outcome_of(LEMMAS, quality)
    assert found.races[0].leader.spelling == "case"
    assert list(map(str, found.tried)) == [
        "case:lemma!=in", "case:lemma!=of", "det:lemma=the", "det:lemma=a"
    ]  # fmt: skip
    assert list(map(str, found.shown)) == ["case:lemma!=of", "det:lemma=the"]
    assert found.finalists is not None
    joined = found.finalists[1]
    assert joined.spelling == "scheme:case:lemma!=of+det:lemma=the"
    assert [own.name for own in found.races] == ["combinations", "lemmas", "variation"]
    # of equal scores what is not varied is ahead
    assert [own.entrants[0].spelling for own in found.races[1:]] == ["case", "case"]
    samples = [drawn for own in found.races for drawn in own.samples]
    assert len(samples) == len(set(samples))  # none was seen before
    assert found.notes == ("Lemmas: shown to be better are case:lemma!=of, det:lemma=the.",)


def test_lemmas_that_make_no_difference_are_not_joined() -> None:
    found = outcome_of(LEMMAS, lemma_quality(additive(case=0.1, det=-0.1)))
    assert found.shown == ()
    assert found.notes == ("Lemmas: no variation of case is shown to be better; tried: 4.",)
    assert found.finalists is not None
    assert all("lemma" not in one.spelling for one in found.finalists)


def test_what_is_better_in_one_race_only_is_no_finalist() -> None:
    """A quality that depends on the samples, as chance would have it."""
    worth = {1: 0.0, 2: 0.06, 3: -0.06}
    plan, records, races = search_plan(LEMMAS), dict[str, Record](), set[int]()
    while True:
        for cell in plan.searched:
            races.add(cell.seed // 1000)
            of = {"lemma!=of": worth.get(cell.seed // 1000, 0.0)}
            quality = lemma_quality(additive(case=0.1, det=-0.1), **of)
            records.setdefault(cell.key, by_hand(cell, quality, LEMMAS))
        if (larger := grown(plan, records)) == plan:
            break
        plan = larger
    found = trace(plan, records)
    assert races == {0, 1, 2, 3}
    assert found.notes == ("Lemmas: case:lemma!=of made the scheme better in one race, but not in the next.",)
    assert found.finalists is not None
    assert all("lemma" not in one.spelling for one in found.finalists)


def test_copies_are_seldom_found_better() -> None:
    """Of 20 lemmas that make no difference, one is shown to be better in few searches."""
    shown = 0
    for number in range(8):
        names = {f"l{number}-{i}": 20 for i in range(10)}
        own = space("case", "det", case=names, det=names)
        found = outcome_of(own, lambda one: 0.7 if "case" in one.spelling else 0.6, noise=0.2)
        assert len(found.tried) == 20
        shown += bool(found.shown)
    assert shown <= 1


def test_a_search_does_not_depend_on_the_order_of_its_records() -> None:
    own, quality = space(*FOUR), additive(case=0.05, cop=0.05)
    plan, records, rounds = carried_to_the_finalists(own, quality)
    assert rounds >= len(SHARES)
    again = plan
    for _ in range(2):
        again = grown(search_plan(own), by_key(records[::-1]))
        assert again == plan


OPTIONS = ExperimentOptions(("case", "cop", "det", "mark"), seeds=1, iterations=2, search=True)


def run(files: TreebankFiles, out: Path, options: ExperimentOptions = OPTIONS, **more: Any) -> Outcome:
    return run_experiment([files], options, out, {}, **more)


@pytest.fixture(scope="module")
def outcome(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A search that nothing disturbed."""
    return run(locate_treebank(small), tmp_path_factory.mktemp("search"))


def outputs(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".csv", ".json", ".toml")
    }


def test_a_whole_search(outcome: Outcome) -> None:
    assert outcome.failed == []
    report = outcome.search
    assert report is not None
    titles = [own.annotation.title for own in report.ranked]
    assert "UD" in titles
    rows = {row.title: hand_row(row) for row in outcome.rows}
    assert {*titles} == {"UD", *rows}
    assert [own.uas for own in report.ranked] == sorted((own.uas for own in report.ranked), reverse=True)
    m = len(rows)
    for own in report.ranked:
        if own.annotation.is_ud:
            assert (own.from_ud, own.why) == (None, "UD")
            continue
        row = rows[own.annotation.title]
        assert (own.uas, own.decision) == (pytest.approx(row["uas_transformed"]), row["uas_decision"])
        assert own.back == pytest.approx(row["back_uas_transformed"])
        assert own.from_ud is not None
        assert own.from_ud.delta == row["uas_delta"]
        assert (own.from_ud.p_holm, own.from_ud.better) == (row["uas_p_holm"], row["uas_better"])
        assert own.from_ud.low is not None
        wider = (own.from_ud.delta - own.from_ud.low) / (row["uas_delta"] - row["uas_delta_low"])
        assert wider > 1 if m > 1 else wider == pytest.approx(1)
    assert report.ranked[0].from_best is None
    assert all(own.from_best is not None for own in report.ranked[1:])
    stored = json.loads((outcome.folder / "search.json").read_bytes())
    assert [own["scheme"] for own in stored["ranked"]] == titles
    assert stored["races"][0]["rounds"][0]["competitors"][0]["verdict"] == "kept"
    assert as_json_bytes(stored) == as_json_bytes(report.as_json())


def test_setting_c_and_other_conditions_are_not_trained(outcome: Outcome) -> None:
    settings = {record.setting for record in outcome.records}
    assert settings == {"joint", "short", "a", "b", "measures"}
    full = {record.condition for record in outcome.records if record.setting == "b"}
    assert full == set(outcome.plan.options.conditions)
    seeds = {record.seed for record in outcome.records if record.setting == "short"}
    assert min(seeds) > OPTIONS.seeds


def test_its_finalists_are_conditions_for_others_to_compare(outcome: Outcome, tmp_path: Path) -> None:
    """Also where they are as many as the transformations that were combined."""
    out = shutil.copytree(outcome.folder, tmp_path / "run")
    stored = read_run(out).conditions
    assert {own.row.title: own.row for own in stored} == {row.title: row for row in outcome.rows}
    for own in stored:
        difference = own.row.difference()
        assert difference is not None
        assert own.seed_deltas == (pytest.approx(difference.delta),)


@pytest.mark.parametrize("kept", [0.0, 0.02, 0.4, 0.97])
def test_interrupted_and_resumed_it_is_the_same(
    outcome: Outcome, small: Path, tmp_path: Path, kept: float
) -> None:
    out = tmp_path / "cut"
    shutil.copytree(outcome.folder, out)
    for path in out.iterdir():
        if path.name not in ("config.json", "records.jsonl", ".lock"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    lines = (out / "records.jsonl").read_bytes().splitlines(keepends=True)
    first = lines[: int(kept * len(lines))]
    (out / "records.jsonl").write_bytes(b"".join([*first, lines[len(first)][:20]]))
    again = run(locate_treebank(small), out, resume=True)
    assert outputs(out).keys() == outputs(outcome.folder).keys()
    differ = {name for name, data in outputs(out).items() if data != outputs(outcome.folder)[name]}
    assert differ == set()
    assert len((out / "records.jsonl").read_bytes().splitlines()) == len(lines)
    assert again.search == outcome.search


def test_it_can_be_rechecked(outcome: Outcome, small_files: TreebankFiles) -> None:
    done = recheck(
        outcome.folder, dict(outcome.config), [small_files], share=0.1, seed=1, jobs=1, stages=Stages()
    )
    assert done.differences == ()
    assert done.cells == len(outcome.records)
    assert done.repeated == -(-done.cells // 10)


def test_a_change_is_seen_by_a_recheck(outcome: Outcome, small_files: TreebankFiles, tmp_path: Path) -> None:
    out = tmp_path / "run"
    shutil.copytree(outcome.folder, out)
    path = out / "search.json"
    path.write_bytes(path.read_bytes().replace(b'"agreement": 0.', b'"agreement": 1.', 1))
    done = recheck(out, dict(outcome.config), [small_files], share=0.01, seed=1, jobs=1, stages=Stages())
    assert done.differences == ("search.json: is not what the records give",)


def test_other_data_are_seen_by_a_recheck(
    outcome: Outcome, small_files: TreebankFiles, tmp_path: Path
) -> None:
    short = tmp_path / small_files.train[0].name
    cut(small_files.train[0], short, 0, 30)
    files = replace(small_files, train=(short,))
    done = recheck(outcome.folder, dict(outcome.config), [files], share=0.1, seed=1, jobs=1, stages=Stages())
    assert done.repeated == 0
    assert len(done.differences) == 1
    assert "is not the file it was" in done.differences[0]


def test_one_treebank_at_a_time(small_files: TreebankFiles) -> None:
    with pytest.raises(InputError, match="--search: give one treebank, not 2"):
        make_plan([small_files, replace(small_files, name="UD_Other")], OPTIONS)


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({"quick": True}, "--quick"),
        ({"joint": True}, "--joint"),
        ({"learning_curve": True}, "--learning-curve"),
        ({"labels": "external"}, "--labelled"),
        ({"judges": ("arc-eager",)}, "--judge"),
        ({"against": "scheme:all"}, "--against"),
        ({"conditions": ("scheme:all",)}, "--scheme"),
        ({"conditions": ("treebank:B",), "against": "treebank:A"}, "--alternative"),
    ],
)
def test_what_does_not_go_with_a_search(changes: Mapping[str, Any], asked: str) -> None:
    with pytest.raises(InputError, match=f"--search .* leave out {asked}"):
        search.check_search(replace(OPTIONS, **changes))
    search.check_search(replace(OPTIONS, **changes, search=False))


def finalist(name: str, delta: float, better: str, back: str, uas: float, **more: Any) -> Finalist:
    own = Difference(70, 70 - delta, delta, 0.5, delta - 1, delta + 1, 0.01, 0.02, 1.0, better)
    in_ud = Difference(70, 69.5, 0.5, 0.5, -0.5, 1.5, 0.3, 0.3, 0.3, back)
    return Finalist(together(name.split("+")), "left", uas, 69.5, own, in_ud, None, "decided", **more)


def report(*finalists: Finalist) -> SearchReport:
    """What is said of these; the trace is that of another search."""
    found = outcome_of(space("case"), additive(case=0.3))
    ud = Finalist(Annotation(), "UD", 70.0, 70.0)
    ranked = tuple(sorted((ud, *finalists), key=lambda own: -own.uas))
    return SearchReport("UD_X", "1.3", space("case"), found, ranked, 5)


def test_what_was_found_can_be_given_as_a_scheme(tmp_path: Path) -> None:
    own = finalist("case:lemma!=of|c+cop:passive=guess,reattach=clause", -2, "transformed", "none", 72)
    found = report(replace(own, is_easier=True))
    data = found.best_scheme()
    assert data is not None
    path = tmp_path / "best.toml"
    path.write_bytes(data)
    assert read_scheme(path).name == "best"
    assert specs_of(Annotation.named(str(path))) == specs_of(own.annotation)
    assert Annotation.named(str(path)).same_as(own.annotation)


def test_the_best_that_is_shown_to_be_easier_is_found() -> None:
    first = finalist("case+cop", -3, "none", "none", 73)
    second = finalist("case", -2, "transformed", "original", 72, is_easier=True)
    third = finalist("cop", -1, "transformed", "transformed", 71, is_easier=True)
    found = report(first, second, third)
    assert found.found == second
    said = search_section(found, details=False)
    assert said.sentences == (
        "Found: case is easier to learn than UD, by its own reference: +2.00 UAS against UD (+1.00 to "
        "+3.00). So is cop.",
        "An own reference may just have fewer decisions to get wrong. Converted to UD, its parses are worse "
        "than UD's: −0.50 UAS against UD (−1.50 to +0.50). Decision: decided.",
        "Shown to be better than UD after conversion: cop.",
    )
    assert [str(row[0]) for row in said.tables[0].rows] == ["case+cop", "case", "cop", "UD"]
    whole = search_section(found)
    assert len(whole.tables) == 2
    assert whole.sentences[:3] == said.sentences
    assert whole.sentences[3].startswith("2 combinations started, UD among them; 1 short training left three")


def test_nothing_found_is_said() -> None:
    found = report(finalist("case", -2, "none", "none", 72), finalist("cop", 2, "original", "none", 68))
    assert (found.found, found.best_scheme(), found.as_json()["found"]) == (None, None, None)
    said = search_section(found, details=False)
    assert said.sentences == (
        "Nothing found: no scheme is shown to be easier to learn than UD. The first of them, case, has +2.00 "
        "UAS against UD (+1.00 to +3.00).",
    )


def test_too_little_to_test_is_said() -> None:
    own = replace(finalist("case", -2, "none", "none", 72), from_ud=None, back_from_ud=None)
    (sentence,) = search_section(report(own), details=False).sentences
    assert sentence.endswith("case, has too little in the test part to be compared with UD.")
