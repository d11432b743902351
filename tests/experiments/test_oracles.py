"""The experiments on dynamic oracles: what is compared, what is counted, how it is summarised and resumed."""

from __future__ import annotations

import itertools
import json
import random
import statistics
from pathlib import Path
from typing import Any

import pytest
from trees import random_tree

from learnability.errors import InputError, RunError
from learnability.experiments import oracles
from learnability.experiments.options import DataOptions, OracleOptions
from learnability.experiments.oracle_plan import (
    GRID_K,
    GRID_P,
    OracleCell,
    OraclePlan,
    Setting,
    make_oracle_plan,
    parser_options,
    settings_of,
)
from learnability.experiments.oracle_tables import average_rows, oracle_rows, over_treebanks, rows_csv
from learnability.experiments.oracles import run_oracle_cell, run_oracles, sentence_counts
from learnability.experiments.plan import TreebankFacts, label
from learnability.experiments.progress import Silence
from learnability.metrics import attachment_scores, compare, holm
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.projectivity import is_projective
from learnability.parsing.systems import system_named
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Tree

QUICK = OracleOptions(systems=("arc-eager",), labelled=False, iterations=2, seeds=2)

NONPROJECTIVE = """# sent_id = crossing
1	a	_	NOUN	_	_	3	obj	_	_
2	b	_	VERB	_	_	0	root	_	_
3	c	_	VERB	_	_	2	xcomp	_	_
4	d	_	NOUN	_	_	1	nmod	_	_
5	.	_	PUNCT	_	_	2	punct	_	_

"""


@pytest.fixture(scope="module")
def demo() -> TreebankFiles:
    return locate_treebank("demo")


@pytest.fixture
def crossing(tmp_path: Path) -> TreebankFiles:
    """A treebank in which every sentence is the same non-projective one."""
    folder = tmp_path / "UD_Crossing"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / f"x-ud-{split}.conllu").write_text(NONPROJECTIVE * 3)
    return locate_treebank(folder)


# what is compared


def test_by_default_every_system_meets_every_oracle_it_has() -> None:
    assert [(s.system, s.oracle) for s in settings_of(OracleOptions())] == [
        *(("arc-eager", o) for o in ("static", "ambiguity", "explore")),
        *(("arc-hybrid", o) for o in ("static", "ambiguity", "explore")),
        ("arc-standard", "static"),
        *(("easy-first", o) for o in ("static", "explore")),
        *(("covington", o) for o in ("static", "ambiguity", "explore")),
    ]
    assert {(s.k, s.p) for s in settings_of(OracleOptions()) if s.oracle == "explore"} == {(1, 0.9)}
    assert {(s.k, s.p) for s in settings_of(OracleOptions()) if s.oracle != "explore"} == {(None, None)}


def test_oracles_of_each_system() -> None:
    assert system_named("arc-eager").regimes == ("static", "ambiguity", "dynamic", "explore")
    assert system_named("arc-standard").regimes == ("static",)
    assert system_named("easy-first").regimes == ("static", "explore")
    with pytest.raises(InputError, match="unknown transition system"):
        settings_of(OracleOptions(systems=("arc-lazy",)))


def test_what_a_system_lacks_is_said() -> None:
    plan = OraclePlan((), (), OracleOptions(), settings_of(OracleOptions()))
    assert [line.split(":")[0] for line in plan.notes()] == ["arc-standard", "easy-first"]
    assert "no ambiguity, explore" in plan.notes()[0]
    eager = OracleOptions(systems=("arc-eager",))
    assert OraclePlan((), (), eager, settings_of(eager)).notes() == []
    treebanks = TreebankFiles("UD_A", "1.3", None), TreebankFiles("UD_B", "", None)
    facts = TreebankFacts(1, (9,), "dev is made up", {}), TreebankFacts(1, (9,), "", {}, ("no forms",))
    assert OraclePlan(treebanks, facts, eager, settings_of(eager)).notes() == [
        "UD_A@1.3: dev is made up",
        "no forms",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": ("arc-standard",), "oracles": ("explore",)}, "not arc-decomposable"),
        ({"systems": ("easy-first",), "oracles": ("ambiguity",)}, "same training"),
        ({"systems": ("arc-lazy",)}, "unknown transition system"),
        ({"oracles": ("psychic",)}, "unknown oracle"),
        ({"features": "poor"}, "unknown features"),
        ({"seeds": 0}, "--seeds 0: give at least 1"),
        ({"p": 1.5}, "--p 1.5: give a number from 0 to 1"),
        ({"k": -1}, "--k -1: give at least 0"),
    ],
)
def test_wrong_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        settings_of(OracleOptions(**changes))


def test_a_treebank_given_twice_is_refused(demo: TreebankFiles) -> None:
    with pytest.raises(InputError, match="UD_Demo is given 2 times"):
        make_oracle_plan([demo, demo], QUICK)
    with pytest.raises(InputError, match="no treebank"):
        make_oracle_plan([], QUICK)


def test_the_grid_trains_once_where_nothing_is_explored(demo: TreebankFiles) -> None:
    plan = make_oracle_plan([demo], OracleOptions(systems=("arc-eager",), grid=True, seeds=3))
    assert [(s.k, s.p) for s in plan.settings] == list(itertools.product(GRID_K, GRID_P))
    keys = [cell.key for cell in plan.cells()]
    assert len(keys) == len(set(keys)) == 3 * (1 + 6 * 3)


def test_without_exploration_k_makes_no_difference(demo: TreebankFiles) -> None:
    def counts(**changes: Any) -> list[int]:
        options = ParserOptions(iterations=3, seed=2, **changes)
        return sentence_counts(test, train_parser(train, options).parser.parse(test), labelled=False)["uas"]

    files = oracles.load(demo, DataOptions())[0]
    train, test = [s.tree for s in files.train[:150]], [s.tree for s in files.test]
    unexplored = counts(oracle="explore", k=0, p=0.0)
    assert unexplored == counts(oracle="explore", k=2, p=0.0) == counts(oracle="dynamic")
    assert unexplored != counts(oracle="explore", k=0, p=1.0)


def test_options_of_the_trainings() -> None:
    explore = Setting("arc-eager", "explore", 2, 0.3)
    assert parser_options(OracleOptions(), explore, 4) == ParserOptions(
        "arc-eager", "explore", 15, labelled=True, k=2, p=0.3, seed=4
    )
    easy = parser_options(OracleOptions(labelled=False), Setting("easy-first", "static"), 1)
    assert (easy.iterations, easy.labelled) == (20, False)
    assert parser_options(OracleOptions(iterations=3), Setting("easy-first", "static"), 1).iterations == 3


# what is counted


def test_counts_add_up_to_the_attachment_scores() -> None:
    dice = random.Random(1)
    labels = ["nsubj", "nsubj:pass", "punct", "punct:x", "obj", "root"]
    gold = [random_tree(seed, 1 + seed % 9, labels=labels) for seed in range(60)]
    parsed = [
        tree.with_heads(
            [h if dice.random() < 0.7 else 0 for h in tree.heads],
            [d if dice.random() < 0.6 else dice.choice(labels) for d in tree.deprels],
        )
        for tree in gold
    ]
    scores = attachment_scores(gold, parsed)
    counts = sentence_counts(gold, parsed, labelled=True)
    assert all(len(values) == 60 for values in counts.values())
    for name, values in counts.items():
        if name in ("tokens", "words"):
            continue
        total = counts["words" if name.endswith("without_punctuation") else "tokens"]
        assert 100 * sum(values) / sum(total) == pytest.approx(getattr(scores, name), abs=1e-9)
    assert counts["uas"] == list(scores.sentence_correct)
    assert set(sentence_counts(gold, parsed, labelled=False)) == {
        "tokens", "words", "uas", "uas_without_punctuation",
    }  # fmt: skip


def test_counts_of_one_sentence() -> None:
    gold = Tree(("a", "b", "c", "."), ("X",) * 4, (2, 0, 2, 2), ("nsubj:pass", "root", "obj", "punct"))
    parse = gold.with_heads((2, 0, 1, 2), ("nsubj", "root", "obj", "obj"))
    assert sentence_counts([gold], [parse], labelled=True) == {
        "tokens": [4],
        "words": [3],
        "uas": [3],
        "uas_without_punctuation": [2],
        "las": [2],
        "las_without_punctuation": [2],
    }


@pytest.mark.parametrize(
    ("system", "lifted"), [("arc-eager", True), ("easy-first", True), ("covington", False)]
)
def test_training_trees_are_lifted_for_projective_systems_only(
    crossing: TreebankFiles, monkeypatch: pytest.MonkeyPatch, system: str, lifted: bool
) -> None:
    seen: dict[str, Any] = {}

    class Trained:
        iterations, features, seconds, forced = 2, 7, 0.5, 0

        class parser:
            @staticmethod
            def parse(trees: Any) -> Any:
                seen["test"] = trees
                return trees

    def train(trees: Any, options: ParserOptions, dev: Any = None) -> type[Trained]:
        seen.update(train=trees, dev=dev)
        return Trained

    monkeypatch.setattr(oracles, "train_parser", train)
    cell = OracleCell(label(crossing), Setting(system, "static"), 1)
    record = run_oracle_cell(crossing, OracleOptions(), cell)
    assert not is_projective((3, 0, 2, 1, 2))
    assert [is_projective(tree.heads) for tree in seen["train"]] == [lifted] * 3
    assert [tree.heads for tree in seen["test"]] == [(3, 0, 2, 1, 2)] * 3
    assert seen["dev"] is None
    assert record["nonprojective_train"] == 3
    assert record["uas"] == record["tokens"] == [5, 5, 5]
    assert record["words"] == [4, 4, 4]
    assert record["key"] == f"UD_Crossing/{system}/static/None/None/1/0"


# how it is summarised


def plan_of(
    names: tuple[str, ...], settings: tuple[Setting, ...], *, seeds: int, folds: int = 1
) -> OraclePlan:
    treebanks = tuple(TreebankFiles(name, "1.3", None) for name in names)
    facts = (TreebankFacts(folds, (100,) * folds, "", {}),) * len(names)
    return OraclePlan(treebanks, facts, OracleOptions(seeds=seeds), settings)


def record_of(cell: OracleCell, dice: random.Random, quality: float) -> dict[str, Any]:
    sizes = random.Random(cell.treebank + str(cell.fold))
    tokens = [sizes.randint(3, 12) for _ in range(20)]
    words = [n - 1 for n in tokens]
    record: dict[str, Any] = {"key": cell.key, "tokens": tokens, "words": words, "iterations": 15}
    record.update(train_sentences=40, train_tokens=100 + cell.fold, nonprojective_train=2)
    for score, total in (("uas", tokens), ("las", tokens)):
        record[score] = [sum(dice.random() < quality for _ in range(n)) for n in total]
        record[f"{score}_without_punctuation"] = [
            sum(dice.random() < quality for _ in range(n)) for n in words
        ]
    return record


STATIC, EXPLORE = Setting("arc-eager", "static"), Setting("arc-eager", "explore", 1, 0.9)
HYBRID = Setting("arc-hybrid", "explore", 1, 0.9)


@pytest.fixture(scope="module")
def summarised() -> tuple[OraclePlan, dict[str, dict[str, Any]], list[dict[str, Any]]]:
    plan = plan_of(("UD_A", "UD_B", "UD_C"), (STATIC, EXPLORE, HYBRID), seeds=3, folds=2)
    dice = random.Random(3)
    quality = {STATIC: 0.6, EXPLORE: 0.75, HYBRID: 0.7}
    records = {c.key: record_of(c, dice, quality[c.setting]) for c in plan.cells()}
    return plan, records, oracle_rows(plan, list(records.values()))


def test_rows_are_means_over_seeds_of_all_folds(summarised: Any) -> None:
    _, records, rows = summarised
    assert [(r["treebank"], r["system"], r["oracle"]) for r in rows] == [
        (f"UD_{t}", s.system, s.oracle) for t in "ABC" for s in (STATIC, EXPLORE, HYBRID)
    ]
    row = rows[4]
    values = []
    for seed in (1, 2, 3):
        folds = [records[OracleCell("UD_B@1.3", EXPLORE, seed, fold).key] for fold in (0, 1)]
        correct = sum(sum(fold["las_without_punctuation"]) for fold in folds)
        values.append(100 * correct / sum(sum(fold["words"]) for fold in folds))
    assert row["las_without_punctuation"] == pytest.approx(statistics.fmean(values))
    assert row["las_without_punctuation_sd"] == pytest.approx(statistics.stdev(values))
    assert (row["test_sentences"], row["train_tokens"], row["iterations"]) == (40, 100.5, 15)
    assert row["test_tokens"] - row["test_words"] == 40


def test_rows_compare_with_static_of_the_same_system_and_treebank(summarised: Any) -> None:
    _, records, rows = summarised

    def correct(setting: Setting) -> list[list[int]]:
        return [
            [n for fold in (0, 1) for n in records[OracleCell("UD_B@1.3", setting, s, fold).key]["uas"]]
            for s in (1, 2, 3)
        ]

    folds = [records[OracleCell("UD_B@1.3", STATIC, 1, fold).key] for fold in (0, 1)]
    expected = compare(correct(EXPLORE), correct(STATIC), [n for fold in folds for n in fold["tokens"]])
    row = rows[4]
    assert row["uas_delta"] == pytest.approx(row["uas"] - rows[3]["uas"])
    assert (row["uas_delta"], row["uas_delta_low"], row["uas_delta_high"], row["uas_p_value"]) == (
        expected.delta, expected.low, expected.high, expected.p_value,
    )  # fmt: skip
    assert row["uas_delta"] > 0
    for other in (rows[3], rows[5]):  # static itself, and a system without static training
        assert other["uas"] is not None
        assert other["uas_delta"] is other["uas_p_value"] is other["uas_p_holm"] is None


def test_holm_is_over_the_comparisons_of_a_score(summarised: Any) -> None:
    _, _, rows = summarised
    for score in ("uas", "las"):
        p_values = [row[f"{score}_p_value"] for row in rows]
        assert [row[f"{score}_p_holm"] for row in rows] == holm(p_values)
        assert sum(p is not None for p in p_values) == 3


def test_a_row_with_a_missing_training_is_empty(summarised: Any) -> None:
    plan, records, _ = summarised
    gone = OracleCell("UD_A@1.3", EXPLORE, 2, 1).key
    rows = oracle_rows(plan, list({**records, gone: {"key": gone, "failed": "no"}}.values()))
    assert rows[1]["uas"] is None
    assert rows[0]["uas"] is not None
    averages = average_rows(rows)
    assert averages[0]["uas"] is not None
    assert averages[1]["uas"] is None


def test_unlabelled_and_unpunctuated_rows() -> None:
    plan = plan_of(("UD_A",), (STATIC,), seeds=1)
    cell = plan.cells()[0]
    record = record_of(cell, random.Random(1), 0.5)
    for name in ("las", "las_without_punctuation"):
        del record[name]
    record.update(words=[0] * 20, uas_without_punctuation=[0] * 20)
    row = oracle_rows(plan, [record])[0]
    assert row["uas"] is not None
    assert [row[s] for s in ("uas_sd", "las", "uas_without_punctuation")] == [None] * 3
    assert rows_csv([row]).decode().splitlines()[1].startswith("UD_A,1.3,arc-eager,static,,,1,15,40,")


def test_averages_count_every_treebank_once(summarised: Any) -> None:
    _, _, rows = summarised
    average = average_rows(rows)[1]
    own = rows[1::3]
    deltas = [row["uas_delta"] for row in own]
    assert average["treebanks"] == 3
    assert average["uas"] == pytest.approx(sum(row["uas"] for row in own) / 3)
    assert average["uas_sd"] == pytest.approx(sum(row["uas_sd"] for row in own) / 3)
    assert average["uas_delta"] == pytest.approx(sum(deltas) / 3)
    assert average["uas_better"] == sum(d > 0 for d in deltas)
    assert average["uas_significantly_better"] == sum(
        row["uas_delta"] > 0 and row["uas_p_value"] < 0.05 for row in own
    )
    assert min(deltas) <= average["uas_delta_low"] < average["uas_delta_high"] <= max(deltas)
    assert average_rows(rows)[0]["uas_delta"] is None


def test_averages_count_significant_differences(summarised: Any) -> None:
    _, _, rows = summarised
    changes = [(1.5, 0.04), (-0.5, 0.05), (-1.0, 0.001)]
    changed = [
        {**row, "las_delta": delta, "las_p_value": p}
        for row, (delta, p) in zip(rows[1::3], changes, strict=True)
    ]
    (average,) = average_rows(changed)
    counted = ("better", "worse", "significantly_better", "significantly_worse")
    assert [average[f"las_{name}"] for name in counted] == [1, 2, 1, 1]
    assert average["las_delta"] == pytest.approx(0)
    assert average["las_p_value"] == 1


@pytest.mark.parametrize(
    "deltas", [[0.5, 1.25, -0.2, 0.9], [1.0, 1.0, 1.0], [0.3, -0.4, 0.1, 0.25, 0.6, 0.7]]
)
def test_the_permutation_test_over_treebanks_is_exact(deltas: list[float]) -> None:
    observed = abs(sum(deltas))
    signs = list(itertools.product((1, -1), repeat=len(deltas)))
    sums = [abs(sum(s * d for s, d in zip(sign, deltas, strict=True))) for sign in signs]
    expected = sum(s >= observed - 1e-12 for s in sums) / len(signs)
    assert over_treebanks(deltas)[2] == pytest.approx(expected)


def test_intervals_over_treebanks() -> None:
    low, high, p = over_treebanks([1.0, 1.0])
    assert (low, high, p) == (1.0, 1.0, 0.5)
    assert over_treebanks([0.0, 0.0]) == (0.0, 0.0, 1.0)
    low, high, _ = over_treebanks([0.1 * i for i in range(21)])
    # of the mean of 21 numbers with standard deviation 0.606 (population), 1.96 standard errors are 0.259
    assert (low, high) == (pytest.approx(1.0 - 0.259, abs=0.03), pytest.approx(1.0 + 0.259, abs=0.03))


# how it runs


def run(demo: TreebankFiles, out: Path, options: OracleOptions = QUICK, **more: Any) -> oracles.OracleOutcome:
    return run_oracles([demo], options, out, {"command": "oracles"}, **more)


def test_a_run_leaves_its_files(demo: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(demo, tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir() if path.name[0] != ".") == [
        "averages.csv", "config.json", "records.jsonl", "results.csv",
    ]  # fmt: skip
    assert not outcome.failed
    assert len((tmp_path / "run" / "records.jsonl").read_text().splitlines()) == 3 * 2
    assert all(60 < row["uas"] < 100 for row in outcome.rows)
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["seeds"] == [1, 2]
    assert all(len(digest) == 64 for t in config["treebanks"] for digest in t["sha256"].values())


def test_neither_processes_nor_interruptions_change_the_tables(demo: TreebankFiles, tmp_path: Path) -> None:
    run(demo, tmp_path / "one")
    run(demo, tmp_path / "two", jobs=2)
    wanted = (tmp_path / "one" / "results.csv").read_bytes()
    assert (tmp_path / "two" / "results.csv").read_bytes() == wanted

    class Counter(Silence):
        trained = 0

        def advance(self, amount: float = 1, *, what: str = "", speed: str = "", count: str = "") -> None:
            self.trained += "/6" in count

    class Killer(Counter):
        def advance(self, amount: float = 1, *, what: str = "", speed: str = "", count: str = "") -> None:
            super().advance(count=count)
            if self.trained == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(demo, tmp_path / "three", progress=Killer())
    assert not (tmp_path / "three" / "results.csv").exists()
    with pytest.raises(InputError, match="--resume"):
        run(demo, tmp_path / "three")
    with pytest.raises(InputError, match="other arguments"):
        run_oracles([demo], QUICK, tmp_path / "three", {"command": "other"}, resume=True)
    counter = Counter()
    run(demo, tmp_path / "three", resume=True, progress=counter)
    assert counter.trained == 4
    assert (tmp_path / "three" / "results.csv").read_bytes() == wanted
    averages = (tmp_path / "one" / "averages.csv").read_bytes()
    assert (tmp_path / "three" / "averages.csv").read_bytes() == averages


def test_a_failed_training_is_recorded_and_tried_again(
    demo: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(trees: Any, options: ParserOptions, dev: Any = None) -> Any:
        if options.oracle == "explore" and options.seed == 2:
            raise ValueError("no\nway")
        return train_parser(trees, options, dev)

    monkeypatch.setattr(oracles, "train_parser", fails)
    outcome = run(demo, tmp_path / "run")
    assert [r["failed"] for r in outcome.failed] == ["ValueError: no way"]
    assert [row["uas"] is None for row in outcome.rows] == [False, False, True]
    assert not (tmp_path / "run" / "results.csv").exists()
    monkeypatch.undo()
    assert not run(demo, tmp_path / "run", resume=True).failed
    assert (tmp_path / "run" / "results.csv").exists()


def test_a_dead_worker_is_one_line(
    demo: TreebankFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pool:
        def __init__(self, **_: Any) -> None: ...

        def __call__(self, tasks: Any) -> Any:
            raise OSError("killed\nby the system")

    monkeypatch.setattr("joblib.Parallel", Pool)
    with pytest.raises(RunError, match=r"a worker process died .killed by the system.; .* --resume"):
        run(demo, tmp_path / "run", jobs=2)


def test_cross_validation_tests_every_sentence(demo: TreebankFiles, tmp_path: Path) -> None:
    only = TreebankFiles("UD_Test", "", None, test=demo.test)
    options = OracleOptions(
        systems=("arc-eager",), oracles=("static",), labelled=False, iterations=1, seeds=1,
        data=DataOptions(missing_train="fold", folds=3),
    )  # fmt: skip
    row = run(only, tmp_path / "run", options).rows[0]
    sentences = oracles.load(demo, DataOptions())[0].test
    assert row["test_sentences"] == len(sentences)
    assert row["test_tokens"] == sum(map(len, sentences))
    with pytest.raises(InputError, match="--missing-train"):
        run(only, tmp_path / "other", QUICK)
