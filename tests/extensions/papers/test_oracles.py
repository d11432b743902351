"""The experiments on dynamic oracles: what is counted, and how they are run, killed and resumed."""

from __future__ import annotations

import json
import os
import random
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import asked, carried_out, planned
from disturbing import records_in, start, wait_for_records, workers_of
from trees import random_tree

from learnability.comparing.cells import run_cell, task_of
from learnability.comparing.fold import read_folds
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.comparing.plan import RunPlan
from learnability.errors import InputError
from learnability.extensions.papers.oracles import trainings
from learnability.extensions.papers.oracles.declaration import OracleOptions
from learnability.extensions.papers.oracles.rows import RegimeRow, oracle_rows
from learnability.extensions.papers.oracles.trainings import (
    OracleCell,
    OracleTraining,
    Regime,
    oracle_cell,
    sentence_counts,
)
from learnability.metrics import attachment_scores
from learnability.parsing.parser import ParserOptions, train_parser
from learnability.parsing.projectivity import is_projective
from learnability.studies.runner import RunOutcome
from learnability.support.progress import Stages
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Tree

QUICK = OracleOptions(systems=("arc-eager",), labelled=False)
TWICE = ExperimentOptions((), iterations=2, seeds=2)

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


def test_counts_add_up_to_the_attachment_scores() -> None:
    dice = random.Random(1)
    labels = ("nsubj", "nsubj:pass", "punct", "punct:x", "obj", "root")
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


def cell_on(files: TreebankFiles, regime: Regime) -> tuple[RunPlan, OracleCell]:
    """A plan over a treebank, and its training of a regime with the first seed."""
    study = asked("oracles", systems=(regime.system,))
    plan = planned(files, ExperimentOptions((), seeds=1), study)
    (name,) = plan.by_label
    return plan, oracle_cell(plan, study.options, regime, name, seed=1)


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

    monkeypatch.setattr(trainings, "train_parser", train)
    plan, cell = cell_on(crossing, Regime(system, "static"))
    record = task_of(plan, cell)()
    training = record.result_as(OracleTraining)
    assert training is not None
    assert not is_projective((3, 0, 2, 1, 2))
    assert [is_projective(tree.heads) for tree in seen["train"]] == [lifted] * 3
    assert [tree.heads for tree in seen["test"]] == [(3, 0, 2, 1, 2)] * 3
    assert seen["dev"] is None
    assert training.nonprojective_train == 3
    assert training.uas == training.tokens == [5, 5, 5]
    assert training.words == [4, 4, 4]
    assert record.key == f"UD_Crossing/oracle/static/1/0/parser={system}"


def test_without_exploration_k_makes_no_difference(demo: TreebankFiles) -> None:
    def counts(**changes: Any) -> list[int]:
        options = ParserOptions(iterations=3, seed=2, **changes)
        return sentence_counts(test, train_parser(train, options).parser.parse(test), labelled=False)["uas"]

    files = read_folds(demo, DataOptions())[0]
    train, test = [s.tree for s in files.train[:150]], [s.tree for s in files.test]
    unexplored = counts(oracle="explore", k=0, p=0.0)
    assert unexplored == counts(oracle="explore", k=2, p=0.0) == counts(oracle="dynamic")
    assert unexplored != counts(oracle="explore", k=0, p=1.0)


def run(
    files: TreebankFiles,
    out: Path,
    options: ExperimentOptions = TWICE,
    study: OracleOptions = QUICK,
    **more: Any,
) -> RunOutcome:
    return carried_out(files, options, out, replace(asked("oracles"), options=study), **more)


def rows_of(outcome: RunOutcome, study: OracleOptions = QUICK) -> list[RegimeRow]:
    rows = oracle_rows(outcome.plan, study, outcome.content.records)
    assert rows is not None
    return rows


def test_a_run_leaves_its_files(demo: TreebankFiles, tmp_path: Path) -> None:
    outcome = run(demo, tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir() if path.name[0] != ".") == [
        "averages.csv", "config.json", "records.jsonl", "results.csv",
    ]  # fmt: skip
    assert not outcome.failed
    assert len((tmp_path / "run" / "records.jsonl").read_text().splitlines()) == 3 * 2
    assert all(60 < (row.scores["uas"].mean or 0) < 100 for row in rows_of(outcome))
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["seeds"] == [1, 2]
    assert config["finished"] == {"oracles": ["averages.csv", "results.csv"]}
    assert not config["compares"]
    assert all(len(digest) == 64 for t in config["treebanks"] for digest in t["sha256"].values())


def test_neither_processes_nor_interruptions_change_the_tables(demo: TreebankFiles, tmp_path: Path) -> None:
    run(demo, tmp_path / "one")
    run(demo, tmp_path / "two", jobs=2)
    wanted = (tmp_path / "one" / "results.csv").read_bytes()
    assert (tmp_path / "two" / "results.csv").read_bytes() == wanted

    class Counter(Stages):
        trained = 0

        def advance(self, amount: float = 1, *, count: str = "", **texts: Any) -> None:
            self.trained += "title" in texts and "/6" in count

    class Killer(Counter):
        def advance(self, amount: float = 1, *, count: str = "", **texts: Any) -> None:
            super().advance(amount, count=count, **texts)
            if self.trained == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(demo, tmp_path / "three", stages=Killer())
    assert not (tmp_path / "three" / "results.csv").exists()
    with pytest.raises(InputError, match="`resume=True`"):
        run(demo, tmp_path / "three")
    with pytest.raises(InputError, match="other arguments"):
        run(demo, tmp_path / "three", arguments={"command": "other"}, resume=True)
    counter = Counter()
    run(demo, tmp_path / "three", resume=True, stages=counter)
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

    monkeypatch.setattr(trainings, "train_parser", fails)
    outcome = run(demo, tmp_path / "run")
    assert [record.failed for record in outcome.failed] == ["ValueError: no way"]
    assert not outcome.content.answers
    assert not (tmp_path / "run" / "results.csv").exists()
    monkeypatch.undo()
    assert not run(demo, tmp_path / "run", resume=True).failed
    assert (tmp_path / "run" / "results.csv").exists()


def test_cross_validation_tests_every_sentence(demo: TreebankFiles, tmp_path: Path) -> None:
    only = TreebankFiles("UD_Test", "", None, test=demo.test)
    static = replace(QUICK, oracles=("static",))
    once = ExperimentOptions((), iterations=1, seeds=1, data=DataOptions(cross_validate=3))
    (row,) = rows_of(run(only, tmp_path / "run", once, static), static)
    sentences = read_folds(demo, DataOptions())[0].test
    assert row.test_sentences == len(sentences)
    assert row.test_tokens == sum(map(len, sentences))
    with pytest.raises(InputError, match="`splits"):
        run(only, tmp_path / "other")


def begin(out: Path, *more: str) -> Any:
    """The run as a command."""
    quick = ("--system", "arc-eager", "--unlabelled", "--iterations", "2", "--seeds", "2")
    return start("oracles", "--treebank", "demo", "--out", out, *quick, *more)


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(demo: TreebankFiles, tmp_path: Path) -> None:
    run(demo, tmp_path / "undisturbed")
    with begin(tmp_path / "run", "--jobs", "2") as process:
        assert wait_for_records(process, tmp_path / "run", 1)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        _output, errors = process.communicate()
        assert (process.returncode, errors) == (0, b"")
    assert records_in(tmp_path / "run") == 6  # nothing was computed twice
    for name in ("results.csv", "averages.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()


@pytest.mark.slow
def test_a_killed_run_is_resumed_on_a_cluster(demo: TreebankFiles, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    run(demo, tmp_path / "undisturbed")
    with begin(tmp_path / "run", "--jobs", "2") as process:
        assert wait_for_records(process, tmp_path / "run", 2)
        os.killpg(process.pid, signal.SIGKILL)
    kept = records_in(tmp_path / "run")
    assert 2 <= kept < 6
    with begin(tmp_path / "run", "--jobs", "local:2", "--resume") as process:
        _output, errors = process.communicate()
        assert (process.returncode, errors) == (0, b"")
    assert records_in(tmp_path / "run") == 6
    for name in ("results.csv", "averages.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()


def test_data_that_changed_under_the_run_is_a_failure(crossing: TreebankFiles) -> None:
    plan, cell = cell_on(crossing, Regime("arc-eager", "static"))
    with pytest.raises(InputError, match="has changed since the run began"):
        run_cell(crossing, plan.options, cell, {})
