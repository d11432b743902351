"""Which side of a construction is easier to learn: the answers of `run` in both treebanks."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pandas as pd
import pytest

from learnability import run_experiment
from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise.answers import (
    NOTHING_TO_COMPARE,
    ask_of_rewriting,
    divide_version,
    read_answer,
)
from learnability.extensions.harmonise.cross_parses import ComparedTreebank, TrainingSettings
from learnability.extensions.harmonise.files import contents_of, values_of
from learnability.extensions.harmonise.learned_rules import ConventionRule
from learnability.extensions.harmonise.matrix import Estimate95
from learnability.extensions.harmonise.results import AnswerResult, RuleResult
from learnability.extensions.harmonise.rewriting import RewritingAnswer, rewrite_constructions
from learnability.extensions.harmonise.section import sections_of
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_writing import with_tree
from learnability.treebanks.sentence import Treebank

ONCE = TrainingSettings(words=100_000, seeds=(1, 2), iterations=1)


def treebank_of(version: Version) -> Treebank:
    """The sentences in their sets, as `run` reads them."""
    sets = {
        name: tuple(s for s, of in zip(version.sentences, version.sets, strict=True) if of == name)
        for name in ("train", "dev", "test")
    }
    return Treebank(version.name, "", **sets, conventions=version.conventions)


def test_the_answers_are_those_of_run_where_the_other_treebank_is_converted_back(
    planted: TreebankComparison, versions: tuple[Version, Version]
) -> None:
    """The second treebank was rewritten, so its UD trees are those that it had before."""
    spec, second = "det", versions[1]
    rule = get_transformation(spec, second.conventions)
    sentences = [
        with_tree(sentence, rule.apply(sentence.tree, labels="external")) for sentence in second.sentences
    ]
    changed = replace(second, sentences=tuple(sentences))  # as if it had been read: its lines have the rule
    support = replace(planted.constructions[0], spec=spec)
    treebanks = (planted.treebanks[0], ComparedTreebank(changed))
    rewritings = rewrite_constructions(treebanks, [support])
    assert [(each.treebank, each.is_converted_back) for each in rewritings] == [(0, False), (1, True)]
    for version, rewriting in zip(versions, rewritings, strict=True):
        answer = ask_of_rewriting(treebanks[rewriting.treebank], rewriting, ONCE)
        (row,) = run_experiment(
            treebank_of(version), spec, test_set=True, seeds=2, iterations=1, labels="external", jobs=1
        ).to_dict("records")
        assert (answer.easier, answer.train_on) == (row["las_easier"], row["las_train_on"])
        ends = (row["las_delta"], row["las_delta_low"], row["las_delta_high"])
        assert answer.difference == pytest.approx(ends)


def test_each_answer_is_that_of_its_question() -> None:
    row = pd.Series({"las_easier": "UD", "las_train_on": "open", "las_delta": 1.0, "las_delta_low": 0.5,
                     "las_delta_high": 1.5})  # fmt: skip
    answer = AnswerResult(easier="UD", train_on="open", difference=(1.0, 0.5, 1.5))
    assert read_answer(row) == answer
    row["las_delta_low"] = float("nan")
    assert read_answer(row).difference is None


def test_a_construction_without_a_place_is_not_compared(planted: TreebankComparison) -> None:
    there, _ = rewrite_constructions(planted.treebanks, planted.constructions)
    bare = planted.treebanks[0].with_trees(
        [replace(tree, deprels=("dep",) * len(tree)) for tree in planted.treebanks[0].trees]
    )
    assert ask_of_rewriting(bare, there, ONCE) == NOTHING_TO_COMPARE


def test_training_sentences_are_sampled_and_others_stay(versions: tuple[Version, Version]) -> None:
    version = versions[0]
    divided = divide_version(ComparedTreebank(version), 500)
    whole = treebank_of(version)
    assert (divided.dev, divided.test) == (whole.dev, whole.test)
    assert sum(map(len, divided.train)) <= 500 < sum(map(len, whole.train))
    places = [whole.train.index(sentence) for sentence in divided.train]
    assert places == sorted(set(places))
    assert places != list(range(len(places)))
    assert len(divide_version(ComparedTreebank(version), 1).train) == 1


@pytest.mark.parametrize("absent", [("train", "dev", "test"), ("train",), ("test",)])
def test_without_sets_all_sentences_are_for_training(
    versions: tuple[Version, Version], absent: tuple[str, ...]
) -> None:
    kept = ["" if absent == ("train", "dev", "test") else name for name in versions[0].sets]
    chosen = [place for place, name in enumerate(kept) if name not in absent]
    sentences = tuple(versions[0].sentences[place] for place in chosen)
    version = replace(versions[0], sentences=sentences, sets=tuple(kept[place] for place in chosen))
    divided = divide_version(ComparedTreebank(version), 500)
    assert (divided.train, divided.dev, divided.test) == (version.sentences, (), ())


def test_table_and_json_have_the_answers(planted: TreebankComparison) -> None:
    there, back = rewrite_constructions(planted.treebanks, planted.constructions)
    learned = RuleResult(
        number=1, differs="", spec="deprel:nmod=obl,upos=NOUN", labels="", scheme="", precision=None,
        recall=None, changed=0,
    )  # fmt: skip
    rule = ConventionRule(1, 0, learned, planted.treebanks[1].version)
    answers = (
        RewritingAnswer(there, "UD", "open", Estimate95(1.25, 0.5, 2.0)),
        RewritingAnswer(back, "too few examples", "too few examples", None),
        RewritingAnswer(rule, "open", "", Estimate95(0.1, -0.1, 0.3)),
    )
    comparison = replace(planted, answers=answers)
    contents = contents_of(comparison)
    rows = list(csv.DictReader(io.StringIO(contents["answers.csv"].decode())))
    assert [(row["treebank"], row["is_converted_back"], row["easier"], row["train_on"]) for row in rows] == [
        ("UD_A", "", "UD", "open"), ("UD_B", "yes", "too few examples", "too few examples"),
        ("UD_B", "", "open", ""),
    ]  # fmt: skip
    assert [rows[0][name] for name in ("delta", "delta_low", "delta_high")] == ["1.2500", "0.5000", "2.0000"]
    assert rows[1]["delta"] == ""
    assert [row["delta"] for row in values_of(comparison)["answers"]] == [1.25, None, 0.1]
    (table,) = (t for s in sections_of(comparison) for t in s.tables if t.title.startswith("Which side"))
    assert table.rows[0] == ("cop", "UD_A", "UD_B", "annotated", "UD", "open", "+1.2 (+0.5 to +2.0)")
    assert table.rows[1][3:] == ("made by the rule", "too few examples", "too few examples", "")
    assert table.rows[2][3:6] == ("annotated", "open", "no way back")
    assert "answers.csv" not in contents_of(planted)


def test_the_next_step_is_to_ask_until_it_was_asked(planted: TreebankComparison) -> None:
    there, _ = rewrite_constructions(planted.treebanks, planted.constructions)
    asked = replace(planted, answers=[RewritingAnswer(there, "UD", "UD", None)])
    assert "repeat the command with --answers" in sections_of(planted)[-1].sentences[0]
    assert all("--answers" not in sentence for sentence in sections_of(asked)[-1].sentences)
    alike = replace(planted, constructions=[], rewritten=(), answers=())
    (section,) = (each for each in sections_of(alike) if each.heading == "Rewriting")
    assert section.sentences == (
        "No construction and no rule rewrites what differs, so no side of it was compared.",
    )
