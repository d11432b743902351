"""The experiments on dynamic oracles: what is compared, counted and refused, and the rows of their tables."""

from __future__ import annotations

import itertools
import random
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from trees import random_tree

from learnability.errors import InputError
from learnability.metrics import attachment_scores
from learnability.parsing.parser import ParserOptions
from learnability.parsing.projectivity import is_projective
from learnability.statistics.holm import holm, holm_factors
from learnability.statistics.inference import interval
from learnability.statistics.significance import compare
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Tree
from research.oracles import oracles, trainings
from research.oracles.rows import SCORES, RegimeRow, average_rows, oracle_rows, over_treebanks
from research.oracles.trainings import (
    GRID_K,
    GRID_P,
    OracleOptions,
    Regime,
    Training,
    Trainings,
    key_of,
    regimes_of,
    sentence_counts,
    train_all,
)

OPTIONS = OracleOptions(systems=("arc-eager", "arc-hybrid"), oracles=("static", "explore"), seeds=3)
TREEBANKS = [TreebankFiles(f"UD_{letter}", "1.3", None) for letter in "ABC"]
STATIC, EXPLORE = Regime("arc-eager", "static"), Regime("arc-eager", "explore", 1, 0.9)
REGIMES = (STATIC, EXPLORE, Regime("arc-hybrid", "static"), Regime("arc-hybrid", "explore", 1, 0.9))

NONPROJECTIVE = """# sent_id = crossing
1	a	_	NOUN	_	_	3	obj	_	_
2	b	_	VERB	_	_	0	root	_	_
3	c	_	VERB	_	_	2	xcomp	_	_
4	d	_	NOUN	_	_	1	nmod	_	_
5	.	_	PUNCT	_	_	2	punct	_	_

"""


def test_by_default_every_system_meets_every_oracle_it_has() -> None:
    assert [(each.system, each.oracle) for each in regimes_of(OracleOptions())] == [
        *(("arc-eager", oracle) for oracle in ("static", "ambiguity", "explore")),
        *(("arc-hybrid", oracle) for oracle in ("static", "ambiguity", "explore")),
        ("arc-standard", "static"),
        *(("easy-first", oracle) for oracle in ("static", "explore")),
        *(("covington", oracle) for oracle in ("static", "ambiguity", "explore")),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": ("arc-standard",), "oracles": ("explore",)}, "not arc-decomposable"),
        ({"systems": ("easy-first",), "oracles": ("ambiguity",)}, "same training"),
        ({"systems": ("arc-lazy",)}, "the transition system 'arc-lazy' is unknown"),
        ({"oracles": ("psychic",)}, "`oracle='psychic'` is not accepted"),
        ({"grid": True, "oracles": ("static", "explore")}, "--grid compares k and p of the oracle explore"),
        ({"oracles": ("static",), "k": 2}, "apply to the oracle explore"),
    ],
)
def test_wrong_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        regimes_of(OracleOptions(**changes))


def test_the_grid_trains_once_where_nothing_is_explored() -> None:
    options = OracleOptions(grid=True, systems=("arc-eager",))
    regimes = regimes_of(options)
    assert [(each.k, each.p) for each in regimes] == list(itertools.product(GRID_K, GRID_P))
    assert len({key_of(TREEBANKS[0], each, options, 1) for each in regimes}) == 1 + 6 * 3
    assert [(each.k, each.p) for each in regimes_of(replace(options, k=2))] == [(2, p) for p in GRID_P]
    assert [(each.k, each.p) for each in regimes_of(replace(options, p=0.9))] == [(k, 0.9) for k in GRID_K]


def test_options_of_the_trainings() -> None:
    assert Regime("arc-eager", "explore", 2, 0.3).parser_options(OracleOptions(), seed=1) == ParserOptions(
        "arc-eager", "explore", 15, labelled=True, features="zn11", k=2, p=0.3
    )
    easy = Regime("easy-first", "static").parser_options(OracleOptions(labelled=False), seed=4)
    assert (easy.iterations, easy.labelled, easy.seed) == (20, False, 4)


def test_counts_add_up_to_the_attachment_scores() -> None:
    dice = random.Random(1)
    labels = ("nsubj", "nsubj:pass", "punct", "punct:x", "obj", "root")
    gold = [random_tree(seed, 1 + seed % 9, labels=labels) for seed in range(60)]
    parsed = [
        tree.with_heads(
            [head if dice.random() < 0.7 else 0 for head in tree.heads],
            [deprel if dice.random() < 0.6 else dice.choice(labels) for deprel in tree.deprels],
        )
        for tree in gold
    ]
    scores = attachment_scores(gold, parsed)
    tokens, words, correct = sentence_counts(gold, parsed, labelled=True)
    assert {*correct} == {*SCORES}
    for name, values in correct.items():
        total = words if name.endswith("without_punctuation") else tokens
        assert 100 * sum(values) / sum(total) == pytest.approx(getattr(scores, name), abs=1e-9)
    _, _, unlabelled = sentence_counts(gold, parsed, labelled=False)
    assert {*unlabelled} == {"uas", "uas_without_punctuation"}


def test_counts_of_one_sentence() -> None:
    gold = Tree(("a", "b", "c", "."), ("X",) * 4, (2, 0, 2, 2), ("nsubj:pass", "root", "obj", "punct"))
    parse = gold.with_heads((2, 0, 1, 2), ("nsubj", "root", "obj", "obj"))
    correct = {"uas": [3], "uas_without_punctuation": [2], "las": [2], "las_without_punctuation": [2]}
    assert sentence_counts([gold], [parse], labelled=True) == ([4], [3], correct)


@pytest.mark.parametrize(
    ("system", "lifted"), [("arc-eager", True), ("easy-first", True), ("covington", False)]
)
def test_training_trees_are_lifted_for_projective_systems_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, lifted: bool
) -> None:
    seen: dict[str, Any] = {}

    class Trained:
        class parser:
            @staticmethod
            def parse(trees: Any) -> Any:
                return trees

    def train(trees: Any, options: ParserOptions, dev: Any = None) -> type[Trained]:
        seen.update(train=trees, dev=dev)
        return Trained

    for split in ("train", "dev", "test"):
        (tmp_path / f"x-ud-{split}.conllu").write_text(NONPROJECTIVE * 3)
    monkeypatch.setattr(trainings, "train_parser", train)
    work = (locate_treebank(tmp_path), Regime(system, "static"), 1)
    training = trainings.train_once(work, OracleOptions())
    assert not is_projective((3, 0, 2, 1, 2))
    assert [is_projective(tree.heads) for tree in seen["train"]] == [lifted] * 3
    assert seen["dev"] is None
    assert training.correct["uas"] == training.tokens == [5, 5, 5]
    assert training.words == [4, 4, 4]


def test_trainings_that_a_file_has_are_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []

    def train_once(work: Any, options: OracleOptions) -> Training:
        trained.append(work[1:])
        return Training([work[2]], [1], [0], {"uas": [1]})

    monkeypatch.setattr(trainings, "train_once", train_once)
    kept, few = tmp_path / "trainings.jsonl", replace(OPTIONS, systems=("arc-eager",), seeds=2)
    first = train_all(TREEBANKS[:1], few, 1, kept)
    assert trained == [(STATIC, 1), (STATIC, 2), (EXPLORE, 1), (EXPLORE, 2)]
    assert train_all(TREEBANKS[:1], few, 1, kept) == first
    more = train_all(TREEBANKS[:1], replace(few, seeds=3), 1, kept)
    assert trained[4:] == [(STATIC, 3), (EXPLORE, 3)]
    assert more[key_of(TREEBANKS[0], STATIC, few, 3)].tokens == [3]
    train_all(TREEBANKS[:1], replace(few, iterations=7), 1, kept)  # others
    assert len(trained) == 10


@pytest.fixture(scope="module")
def found() -> Trainings:
    """Trainings with scores drawn at random: a parser has 60 % right, one with exploration 75 %."""
    dice, quality = random.Random(3), {"static": 0.6, "explore": 0.75}
    drawn: Trainings = {}
    for files, regime, seed in itertools.product(TREEBANKS, REGIMES, (1, 2, 3)):
        sizes = random.Random(files.name)
        tokens = [sizes.randint(3, 12) for _ in range(40)]
        words = [n - 1 for n in tokens]
        correct = {}
        for score in SCORES:
            totals = words if score.endswith("without_punctuation") else tokens
            right = quality[regime.oracle]
            correct[score] = [sum(dice.random() < right for _ in range(n)) for n in totals]
        drawn[key_of(files, regime, OPTIONS, seed)] = Training(tokens, words, [0] * 40, correct)
    return drawn


@pytest.fixture(scope="module")
def rows(found: Trainings) -> list[RegimeRow]:
    return oracle_rows(TREEBANKS, OPTIONS, found)


def test_rows_are_means_over_seeds(found: Trainings, rows: list[RegimeRow]) -> None:
    assert [(row.name, row.regime) for row in rows] == [
        (f"UD_{letter} 1.3", regime) for letter in "ABC" for regime in REGIMES
    ]
    of_seeds = [found[key_of(TREEBANKS[1], EXPLORE, OPTIONS, seed)] for seed in (1, 2, 3)]
    name = "las_without_punctuation"
    values = [100 * sum(each.correct[name]) / sum(each.words) for each in of_seeds]
    score = rows[5].scores[name]
    assert score.mean == pytest.approx(statistics.fmean(values))
    assert score.sd == pytest.approx(statistics.stdev(values))


def test_rows_compare_with_static_of_the_same_system_and_treebank(
    found: Trainings, rows: list[RegimeRow]
) -> None:
    def correct(regime: Regime) -> list[list[int]]:
        return [found[key_of(TREEBANKS[1], regime, OPTIONS, seed)].correct["uas"] for seed in (1, 2, 3)]

    totals = found[key_of(TREEBANKS[1], STATIC, OPTIONS, 1)].tokens
    factors = holm_factors([row.scores["uas"].p_value for row in rows])
    for explored in (5, 7):
        score, static = rows[explored].scores["uas"], rows[explored - 1].scores["uas"]
        expected = compare(correct(REGIMES[explored - 4]), correct(REGIMES[explored - 5]), totals)
        factor = factors[explored]
        assert factor is not None
        bounds = interval(expected.delta, expected.error, expected.degrees, factor)
        assert (score.delta_low, score.delta_high) == pytest.approx(bounds)
        assert (score.delta, score.p_value) == pytest.approx((expected.delta, expected.p_value))
        assert score.delta == pytest.approx((score.mean or 0) - (static.mean or 0))
        assert static.delta is static.p_value is static.p_holm is None


def test_intervals_and_p_are_corrected_over_the_comparisons_of_a_score(rows: list[RegimeRow]) -> None:
    for name in SCORES:
        scores = [row.scores[name] for row in rows]
        assert [score.p_holm for score in scores] == holm([score.p_value for score in scores])
        tested = [score for score in scores if score.delta is not None]
        assert len(tested) == 6
        for score in tested:
            excludes_zero = (score.delta_low or 0) > 0 or (score.delta_high or 0) < 0
            assert excludes_zero == ((score.p_holm or 0) < 0.05)


def test_without_static_training_nothing_is_compared(found: Trainings) -> None:
    alone = oracle_rows(TREEBANKS, replace(OPTIONS, oracles=("explore",)), found)
    assert [row.regime for row in alone] == [REGIMES[1], REGIMES[3]] * 3
    assert all(row.scores["uas"].delta is None for row in alone)


def test_averages_count_every_treebank_once(rows: list[RegimeRow]) -> None:
    average = average_rows(rows)[1]
    uas, single = average.scores["uas"], [row.scores["uas"] for row in rows[1 :: len(REGIMES)]]
    deltas = [score.delta or 0 for score in single]
    assert average.treebanks == len(deltas) == 3
    assert uas.mean == pytest.approx(statistics.fmean(score.mean or 0 for score in single))
    assert uas.delta == pytest.approx(sum(deltas) / 3)
    assert uas.better == sum(delta > 0 for delta in deltas)
    assert uas.significantly_better == sum((score.p_value or 1) < 0.05 for score in single)
    assert uas.delta_low is not None
    assert uas.delta_high is not None
    assert min(deltas) <= uas.delta_low < uas.delta_high <= max(deltas)


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


def test_tables_have_treebanks_in_rows_and_leave_out_what_was_not_computed(rows: list[RegimeRow]) -> None:
    heading, settings, scores = oracles.SECTIONS[1]
    lines = list(oracles.section(heading, settings, scores, rows, average_rows(rows)))
    assert lines[1].startswith("| treebank | UAS arc-eager static | UAS arc-eager explore | UAS arc-hybrid ")
    assert [line.split(" | ")[0] for line in lines[3:]] == [
        "| UD_A 1.3", "| UD_B 1.3", "| UD_C 1.3", "| **average**",
    ]  # fmt: skip
    mean = rows[0].scores["uas"].mean
    assert lines[3].split(" | ")[1] == f"{mean:.2f}"
    assert list(oracles.section(*oracles.SECTIONS[2], rows, average_rows(rows))) == []  # no Covington


def test_marks_are_of_p_before_and_after_correction(rows: list[RegimeRow]) -> None:
    row = rows[1]
    for p_value, p_holm, mark in ((0.2, 0.3, ""), (0.04, 0.08, r"\*"), (0.01, 0.04, r"\*\*")):
        score = replace(row.scores["uas"], mean=70.0, p_value=p_value, p_holm=p_holm)
        assert oracles.mark_score(replace(row, scores={"uas": score}), "uas") == f"70.00{mark}"
