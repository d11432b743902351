"""Test sets that are the treebank's own and have copies of training sentences."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from carried_out import carried_out
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing.options import ExperimentOptions
from learnability.evidence.rows import TaggerAccuracies
from learnability.evidence.survey import describe_copied
from learnability.metrics.scores import Score
from learnability.reports.card import card_values
from learnability.reports.caveats import describe_copies
from learnability.reports.latex import escape_latex
from learnability.reports.paper import write_methods
from learnability.reports.story import RunStory
from learnability.reports.tagging import tagging_section
from learnability.treebanks.locate import locate_treebank


def with_planted_copies(folder: Path, copies: int) -> Path:
    """A treebank whose test set begins with so many of its training sentences."""
    made = small_treebank(folder)
    train, test = (made / f"xx-ud-{split}.conllu" for split in ("train", "test"))
    planted = train.read_text(encoding="utf-8").split("\n\n")[:copies]
    test.write_text("\n\n".join([*planted, test.read_text(encoding="utf-8")]), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def planted_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunStory]:
    """A run on a treebank of whose 31 test sentences six are training sentences."""
    folder = tmp_path_factory.mktemp("copies")
    files = locate_treebank(with_planted_copies(folder, 6))
    options = ExperimentOptions.spell_annotations(("case", "det"), seeds=2, iterations=2, labels="external")
    return folder / "run", carried_out(files, options, folder / "run")


def test_copies_in_the_test_set_are_counted_and_left_out_of_a_second_score(
    planted_run: tuple[Path, RunStory],
) -> None:
    folder, outcome = planted_run
    rows = outcome.rows
    trainings = [
        json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    a = [record["result"] for record in trainings if record.get("setting") == "a"]
    assert [result["copies"] for result in a] == [list(range(6))] * 2
    for row in rows:
        others = row.without_copies[Score.UAS]
        right = np.mean([sum(result["scores"]["uas"]["correct"][6:]) for result in a])
        assert others.copies == 6
        assert others.base == pytest.approx(100 * right / sum(a[0]["tokens"][6:]))
        difference = row.difference()
        assert difference is not None
        assert others.base != difference.base
    (line,) = describe_copies(rows)
    assert re.match(
        r"6 of the 31 test sentences of UD_Small are copies of training sentences, with \(nearly\) the same "
        r"words\. Without copies, UD scores [\d.]+ UAS instead of [\d.]+, and the difference for (case|det), "
        r"which changes most, is ",
        line,
    )
    assert line in card_values(outcome)["caveats"]
    assert escape_latex(line) in write_methods(rows, [outcome.config]).splitlines()


def test_a_tagger_knows_copies_as_well(planted_run: tuple[Path, RunStory]) -> None:
    (row, *_) = planted_run[1].rows
    accuracies = dict.fromkeys((field.name for field in fields(TaggerAccuracies)), 90.0)
    tagged = replace(row, tagging=TaggerAccuracies(**accuracies))
    for each, end in (
        (tagged, ", also in copies of training sentences."),
        (replace(tagged, without_copies={}), "."),
    ):
        section = tagging_section([each])
        assert section is not None
        assert section.sentences[0].endswith(f"of the test words of UD_Small{end}")


def test_copies_are_said_of_combinations_and_of_several_runs(call: Call, tmp_path: Path) -> None:
    """What is said of a run is also said where other tables take the place of its comparisons."""
    treebank = with_planted_copies(tmp_path, 6)
    words = ("--treebank", treebank, "--seeds", "1", "--jobs", "1", "--transform", "case")
    found = call("combinations", *words, "--transform", "det", "--out", tmp_path / "best")
    assert "6 of the 31 test sentences of UD_Small are copies of training sentences" in " ".join(
        found.text.split()
    )
    assert call("run", *words, "--test-set", "--out", tmp_path / "run").code == 0
    compared = call("compare", tmp_path / "run")
    assert "copies of training sentences in UD_Small (6 of 31)" in " ".join(compared.text.split())


def test_a_test_set_of_copies_alone_has_no_score_without_them(tmp_path: Path) -> None:
    treebank = small_treebank(tmp_path)
    train, test = (treebank / f"xx-ud-{split}.conllu" for split in ("train", "test"))
    test.write_text(
        "\n\n".join(train.read_text(encoding="utf-8").split("\n\n")[:12]) + "\n\n", encoding="utf-8"
    )
    options = ExperimentOptions.spell_annotations(("case",), seeds=1, iterations=1)
    rows = carried_out(locate_treebank(treebank), options, tmp_path / "run").rows
    assert describe_copies(rows) == [
        "12 of the 12 test sentences of UD_Small are copies of training sentences, with (nearly) the same "
        "words. So no score says how parsers do on new sentences. Use another test set."
    ]


def test_a_difference_that_copies_do_not_move_is_not_said_to_change(
    planted_run: tuple[Path, RunStory],
) -> None:
    rows = []
    for row in planted_run[1].rows:
        difference, others = row.difference(), row.without_copies[Score.UAS]
        assert difference is not None
        assert others.base is not None
        others = replace(others, alternative=others.base - difference.delta)
        rows.append(replace(row, without_copies={Score.UAS: others}))
    (line,) = describe_copies(rows)
    assert line.endswith(", and no difference moves by 0.1 points.")
    (line,) = describe_copies(rows[:1])
    assert re.search(r", and the difference for case stays [^.]+\d\.\d\.$", line)
    (line,) = describe_copied([*rows, replace(rows[0], treebank="UD_Other")])
    assert line.endswith(" in 2 treebanks: UD_Small (6 of 31), UD_Other (6 of 31).")


def test_copies_name_no_difference_of_a_construction_with_too_few_examples(
    planted_run: tuple[Path, RunStory],
) -> None:
    rows = planted_run[1].rows
    few = [
        replace(row, differences={key: found.drop_test() for key, found in row.differences.items()})
        for row in rows
    ]
    assert describe_copies([*few[:1], *rows[1:]]) == describe_copies(rows[1:])
    (line,) = describe_copies(few)
    assert line.endswith("with (nearly) the same words.")
