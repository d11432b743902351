"""Runs of two treebanks that annotate the same sentences."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out, interrupt
from result_rows import HandRow, hand_rows
from run_data import spelled
from small_treebanks import DEMO

import learnability
from learnability.comparing.annotation_kinds import TreebankAnnotation
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.results import Measures, ScoreCounts, TrainingResult
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.evidence.grouping import PairRecords
from learnability.evidence.rows_from_records import corrected_rows, row_of
from learnability.evidence.stored_runs import read_run
from learnability.evidence.survey import combine_runs
from learnability.metrics.scores import Score
from learnability.reports.change_kinds import changes_section
from learnability.reports.verdicts import verdict
from learnability.running.config import ParserDesign, TreebankDesign
from learnability.statistics.spread import SEED_RATIO
from learnability.studies.runner import StudyRequest
from learnability.support.files import write_atomically
from learnability.treebanks.alignment import titles
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Conventions, Sentence

A, B = TreebankAnnotation.of("A"), TreebankAnnotation.of("B")
OPTIONS = ExperimentOptions((B,), seeds=2, iterations=2, against=A, trees=True)

SAME_COLUMNS = (
    *("sentences", "sentences_changed", "tokens_changed", "seeds", "iterations", "nonprojective_train"),
    *(
        "uas_base",
        "uas_alternative",
        "uas_delta",
        "uas_delta_se",
        "uas_p_value",
        "uas_p_equal",
        "uas_winner",
        "uas_better",
    ),
    *(
        "without_punctuation_uas_delta",
        "without_punctuation_uas_p_value",
        "train_tokens",
    ),
    "uas_relations",
)
"""What a rule and the trees that it makes have in common where its places do not interact."""


def write(folder: Path, splits: dict[str, list[Sentence]]) -> TreebankFiles:
    folder.mkdir(parents=True)
    for name, sentences in splits.items():
        write_atomically(folder / f"xx-ud-{name}.conllu", conllu_text(sentences).encode())
    return locate_treebank(folder)


def splits_of(folder: Path) -> dict[str, list[Sentence]]:
    return {name: list(read_conllu(next(folder.glob(f"*-{name}.conllu"))).sentences)
            for name in ("train", "dev", "test")}  # fmt: skip


def compared(
    files: TreebankFiles, other: TreebankFiles, out: Path, *studies: StudyRequest, **options: Any
) -> tuple[HandRow, dict[str, object]]:
    """The row of a run of both, and its configuration."""
    names = titles(replace(files, alternative=other))
    base, alternative = map(TreebankAnnotation.of, names)
    both = replace(files, alternative=other)
    experiment = replace(OPTIONS, alternatives=(alternative,), against=base, **options)
    outcome = carried_out(both, experiment, out, *studies)
    assert not outcome.failed
    (row,) = hand_rows(outcome)
    return row, json.loads((out / "config.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def det(small: Path, tmp_path_factory: pytest.TempPathFactory) -> TreebankFiles:
    rule = learnability.get_transformation("det", Conventions(2))
    splits = splits_of(small)
    changed = {name: [rule.apply(s) for s in part] for name, part in splits.items()}
    return write(tmp_path_factory.mktemp("det") / "UD_Det", changed)


@pytest.mark.parametrize("labels", [None, "keep"])
def test_what_a_rule_wrote_gives_the_rows_of_the_rule(
    small_files: TreebankFiles, det: TreebankFiles, tmp_path: Path, labels: str | None
) -> None:
    row, _ = compared(small_files, det, tmp_path / "given", labels=labels)
    rule = replace(OPTIONS, alternatives=spelled("det"), against=UD, labels=labels)
    (expected,) = hand_rows(carried_out(small_files, rule, tmp_path / "rule"))
    las = ("las_base", "las_alternative", "las_delta_low", "las_p_holm", "las_relations")
    for column in (*SAME_COLUMNS, *(las if labels else ())):
        assert row[column] == expected[column], column
    assert (row["construction"], row["against"]) == ("UD_Det", "UD_Small")
    assert (
        row["converted_back_uas_delta"]
        is row["between_phrases_uas_delta"]
        is row["converted_back_uas_ceiling"]
        is None
    )
    assert expected["converted_back_uas_delta"] is not None
    assert row["trained_on_both_base"] is not None
    kinds = row["changes"]
    determiners = [own["heads"] for kind, own in kinds.items() if kind.partition(" ")[0] == "det"]
    assert sum(determiners) == expected["places"]
    assert sum(kind["heads"] for kind in kinds.values()) == row["tokens_changed"]
    split = row["uas_error_split"]
    assert sum(own["tokens"] for own in split.values()) == sum(
        own["tokens"] for own in row["uas_relations"].values()
    )
    section = changes_section([row])
    assert section is not None
    (groups,) = section.tables
    words = [int(cells[1]) for cells in groups.rows if cells[2] == "HEAD"]
    assert 0 < sum(words) <= row["tokens_changed"]
    stored = [group for group in row["groups"] if group["column"] == "HEAD"]
    assert sum(group["words"] for group in stored) == row["tokens_changed"]
    assert f"{row['tokens_changed']:,} of {row['train_tokens']:,} training tokens (".lower() in (
        section.sentences[0].lower()
    )
    # those with another head are counted, not those that differ in a relation only
    assert (
        section.sentences[0]
        .partition(". ")[0]
        .endswith(f", in {row['sentences_changed']:,} of {row['sentences']:,} sentences")
    )


def test_a_treebank_does_not_differ_from_itself(small_files: TreebankFiles, tmp_path: Path) -> None:
    row, _ = compared(small_files, small_files, tmp_path)
    assert (row["construction"], row["against"]) == ("alternative", "base")
    assert (row["uas_delta"], row["uas_winner"], row["uas_p_value"]) == (0, "none", 1)
    assert (row["places"], row["test_places"], row["tokens_changed"], row["changes"]) == (0, 0, 0, {})
    assert row["uas_better"] != "none" or row["uas_p_equal"] >= 0.05
    assert verdict(row).endswith("The heads of all compared sentences are the same.")


@pytest.mark.parametrize(
    ("values", "decided", "said"),
    [
        ({"places": 0, "test_places": 0}, True, "The heads of all compared sentences are the same."),
        (
            {"places": 0, "test_places": 0, "labelled": True},
            True,
            "The trees of all compared sentences are the same.",
        ),
        # in labelled runs relations are places, too
        ({"places": 5, "test_places": 0, "labelled": True}, False, "at least 10 are needed."),
        ({"places": 0, "test_places": 3}, False, "Only 3 examples in the test set; at least 10 are needed."),
    ],
)
def test_it_says_that_all_is_the_same_only_where_it_is(
    values: dict[str, float], decided: bool, said: str
) -> None:
    measures = Measures(
        places=int(values["places"]), sentences=9, sentences_changed=0, tokens_changed=0, train_tokens=90,
        test_places=int(values["test_places"]), nonprojective_train=0, changes={},
    )  # fmt: skip
    counts = {"uas": ScoreCounts(correct=[4] * 9, words=[4] * 9, error_split={B.spelling: {}})}
    own = TrainingResult(iterations=1, kernel_seconds=0, trained_tokens=1, tokens=[5] * 9, words=[5] * 9,
                   phrases=[5] * 9, scores=counts)  # fmt: skip
    records = PairRecords(B.spelling, [measures], [[own]], [[own]], [])
    pair = Pair(A, B).facts
    treebank, parser = TreebankDesign("T", "T"), ParserDesign("arc-eager", "arc-eager", SEED_RATIO)
    labelled = bool(values.get("labelled"))
    row = row_of(records, treebank, pair, parser, seeds=[1], labelled=labelled)
    assert row.tested == decided
    (row,) = corrected_rows([row], [Score.UAS])
    assert verdict(row).endswith(said)


def test_the_order_and_the_splits_of_the_alternative_change_nothing(
    small_files: TreebankFiles, det: TreebankFiles, tmp_path: Path
) -> None:
    assert det.folder is not None
    every = [sentence for part in splits_of(det.folder).values() for sentence in part]
    random.Random(3).shuffle(every)
    shuffled = write(tmp_path / "UD_Det", {"train": every[:10], "dev": every[10:12], "test": every[12:]})
    row, config = compared(small_files, det, tmp_path / "one")
    other, _ = compared(small_files, shuffled, tmp_path / "two")
    assert row == other
    assert len(config["treebanks"][0]["sha256"]) == 6  # type: ignore[index]
    assert not config["treebanks"][0]["left_out"]  # type: ignore[index]


def test_a_changed_alternative_is_not_resumed(
    small_files: TreebankFiles, det: TreebankFiles, tmp_path: Path
) -> None:
    assert det.folder is not None
    other = write(tmp_path / "UD_Det", splits_of(det.folder))
    compared(small_files, other, tmp_path / "run", seeds=1)
    interrupt(tmp_path / "run")
    (tmp_path / "UD_Det" / "xx-ud-dev.conllu").write_bytes((DEMO / "demo-ud-dev.conllu").read_bytes())
    both = replace(small_files, alternative=other)
    base, alternative = map(TreebankAnnotation.of, ("UD_Small", "UD_Det"))
    options = replace(OPTIONS, alternatives=(alternative,), against=base, seeds=1)
    with pytest.raises(InputError, match=r"the files of UD_Small have changed since the run in .* was"):
        carried_out(both, options, tmp_path / "run", resume=True)


def test_runs_are_put_together_if_they_compare_with_the_same(
    small_files: TreebankFiles, det: TreebankFiles, tmp_path: Path
) -> None:
    compared(small_files, det, tmp_path / "one")
    finished = read_run(tmp_path / "one")
    evidence = combine_runs([finished])
    assert (evidence.base, [c.row.title for c in evidence.constructions]) == ("UD_Small", ["UD_Det"])
    assert not evidence.pairs[0].row.pair.has_rules
    carried_out(small_files, replace(OPTIONS, alternatives=spelled("det"), against=UD), tmp_path / "two")
    with pytest.raises(InputError, match="compare runs that share this annotation"):
        combine_runs([finished, read_run(tmp_path / "two")])
