"""CLAS as a score of runs: the official score of the same parses, and a difference of two ratios."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest
from carried_out import carried_out
from result_rows import described
from trees import random_tree

from learnability.comparing.fold import Fold
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.results import Measures, ScoreCounts, TrainingResult
from learnability.comparing.scoring import score_training
from learnability.comparing.trainings import train_and_test
from learnability.evidence.columns import row_values, score_lines
from learnability.evidence.grouping import PairRecords
from learnability.evidence.rows_from_records import row_of
from learnability.evidence.score_differences import ScoringBasis
from learnability.metrics import attachment_scores
from learnability.metrics.scores import Score, sentence_counts
from learnability.running.config import ParserDesign, TreebankDesign
from learnability.statistics.significance import as_of_tokens, compare
from learnability.statistics.spread import SEED_RATIO
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree
from learnability.treebanks.splits import read_treebank

CONTENT = {
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl",
    "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound",
    "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep",
}  # fmt: skip
"""The relations of content words, written out (Zeman et al. 2018, section 2.4)."""

LABELS = (
    "nsubj",
    "obj",
    "obl",
    "nmod:poss",
    "aux",
    "case",
    "det",
    "punct",
    "advmod",
    "comp:case",
    "foo",
    "neg",
)


def parses(seed: int, labels: tuple[str, ...] = LABELS) -> tuple[list[Tree], list[Tree]]:
    """Gold trees and parses of the same words; about half of the parses have the gold heads."""
    draw = Random(seed)
    gold = [random_tree(100 * seed + i, draw.randint(1, 9), labels=labels) for i in range(12)]
    parsed = []
    for i, tree in enumerate(gold):
        other = random_tree(100 * seed + 50 + i, len(tree), labels=labels)
        heads = draw.choice([tree.heads, other.heads])
        deprels = [
            "root" if head == 0 else draw.choice([label, draw.choice(labels)])
            for head, label in zip(heads, tree.deprels, strict=True)
        ]
        parsed.append(tree.with_heads(heads, deprels))
    return gold, parsed


def slow_clas(gold: list[Tree], parsed: list[Tree]) -> float:
    """F1, by precision and recall of content words; v2 labels only."""
    plain = [
        (head == parsed_head, deprel.partition(":")[0], other.partition(":")[0])
        for tree, parse in zip(gold, parsed, strict=True)
        for head, parsed_head, deprel, other in zip(
            tree.heads, parse.heads, tree.deprels, parse.deprels, strict=True
        )
    ]
    correct = sum(same and first == second and first in CONTENT for same, first, second in plain)
    recall = correct / sum(first in CONTENT for _, first, _ in plain)
    precision = correct / sum(second in CONTENT for *_, second in plain)
    return 200 * precision * recall / (precision + recall)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_official_score(seed: int) -> None:
    gold, parsed = parses(seed)
    right, counted = sentence_counts(gold, parsed, Score.CLAS)
    assert counted is not None
    clas = 100 * right.sum() / counted.sum()
    assert clas == pytest.approx(attachment_scores(gold, parsed).clas)
    gold, parsed = parses(seed, tuple(label for label in LABELS if label != "neg"))
    right, counted = sentence_counts(gold, parsed, Score.CLAS)
    assert counted is not None
    assert 100 * right.sum() / counted.sum() == pytest.approx(slow_clas(gold, parsed))


def test_merged_relations_are_those_of_content_words_if_one_is() -> None:
    gold, parsed = parses(1, ("nsubj", "aux", "case"))

    def merged(deprel: str) -> str:
        return "aux/nsubj" if deprel in ("aux", "nsubj") else deprel

    right, counted = sentence_counts(gold, parsed, Score.CLAS, merged)
    assert counted is not None
    names = [[merged(deprel) for deprel in tree.deprels] for tree in (*gold, *parsed)]
    assert counted.sum() == sum(name != "case" for tree in names for name in tree)
    pairs = zip(gold, parsed, names[: len(gold)], names[len(gold) :], strict=True)
    assert right.sum() == 2 * sum(
        head == other and label == parsed_label != "case"
        for tree, parse, labels, parsed_labels in pairs
        for head, other, label, parsed_label in zip(
            tree.heads, parse.heads, labels, parsed_labels, strict=True
        )
    )


def test_a_run_has_the_official_score_of_its_parses(small_files: TreebankFiles) -> None:
    options = ExperimentOptions((annotation_spelled("det"),), seeds=1, iterations=2, labels="keep")
    fold = Fold(read_treebank(small_files), options, cross_validated=False)
    tested = train_and_test(fold, fold.base.sets, 1)
    result = score_training(tested)
    of_evaluate = attachment_scores(tested.gold, tested.parsed)
    assert result.percent(Score.CLAS) == pytest.approx(of_evaluate.clas)
    assert result.percent(Score.LAS) == pytest.approx(of_evaluate.las)
    assert 0 < of_evaluate.clas < 100
    assert Score.CLAS in fold.scores


def test_a_labelled_run_has_it_in_scores_and_nowhere_in_results(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    det = annotation_spelled("det")
    options = ExperimentOptions((det,), seeds=2, iterations=1, labels="external")
    outcome = carried_out(small_files, options, tmp_path / "out")
    (row,) = outcome.rows
    a = [
        result.percent(Score.CLAS)
        for record in outcome.records.values()
        if record.setting == "a" and (result := record.result_as(TrainingResult)) is not None
    ]
    own = row.difference(Score.CLAS)
    assert own is not None
    assert own.base == pytest.approx(sum(a) / 2)
    assert row.difference(Score.CLAS, ScoringBasis.CONVERTED) is not None
    assert not row.easier(Score.CLAS).answer
    found = {(line.score, line.basis) for line, _ in score_lines(row)}
    assert {key for key in found if key[0] == "clas"} == {
        ("clas", "own_annotation"),
        ("clas", "converted_back"),
    }
    assert row_values(row)["clas_base"] == own.base
    assert "clas" not in (tmp_path / "out" / "results.csv").read_text()
    unlabelled = carried_out(
        small_files, ExperimentOptions((det,), seeds=1, iterations=1), tmp_path / "unlabelled"
    )
    assert not [name for name in row_values(unlabelled.rows[0]) if "clas" in name]
    assert b"clas" not in (tmp_path / "unlabelled" / "records.jsonl").read_bytes()


def test_a_test_set_without_content_words_has_none() -> None:
    plain = ScoreCounts(correct=[1] * 9, words=[1] * 9)
    empty = ScoreCounts(correct=[0] * 9, counted=[0] * 9)
    result = TrainingResult(
        iterations=1, kernel_seconds=0, trained_tokens=1, tokens=[2] * 9, words=[2] * 9, phrases=[2] * 9,
        scores={"uas": plain, "las": plain, "clas": empty},
    )  # fmt: skip
    assert math.isnan(result.percent(Score.CLAS))
    measures = Measures(
        places=50, sentences=9, sentences_changed=9, tokens_changed=9, test_places=50, train_tokens=99,
        nonprojective_train=0,
    )  # fmt: skip
    records = PairRecords("det", [measures], [[result]], [[result]], [])
    parser = ParserDesign("arc-eager", "arc-eager", SEED_RATIO)
    row = row_of(records, TreebankDesign("T", "T"), described("det"), parser, seeds=[1], labelled=True)
    assert row.difference(Score.LAS) is not None
    assert row.difference(Score.CLAS) is None
    assert row_values(row)["clas_base"] is None
    assert not [line for line, _ in score_lines(row) if line.score == "clas"]


def test_the_error_of_a_ratio_is_that_of_leaving_sentences_out() -> None:
    """The jackknife is the slow twin of the linear approximation; one seed, sentences in random order."""
    rng = np.random.default_rng(2)
    tokens = rng.integers(5, 25, 400)
    counted = tuple(rng.binomial(tokens, share)[None] for share in (0.5, 0.6))
    a, b = (rng.binomial(each[0], share)[None] for each, share in zip(counted, (0.8, 0.7), strict=True))
    found = compare(a, b, tokens, counted=counted, seed_ratio=0, documents=range(400))
    ratios = [100 * right.sum() / each.sum() for right, each in zip((a, b), counted, strict=True)]
    assert [found.score_a, found.score_b] == pytest.approx(ratios)
    without = np.array(
        [
            (right.sum() - right[0]) / (each.sum() - each[0])
            for right, each in zip((a, b), counted, strict=True)
        ]
    )
    deltas = 100 * (without[0] - without[1])
    jackknife = math.sqrt(399 / 400 * ((deltas - deltas.mean()) ** 2).sum())
    assert found.error == pytest.approx(jackknife, rel=0.05)
    assert as_of_tokens(a, counted[0], tokens).sum() == pytest.approx(ratios[0] / 100 * tokens.sum())
